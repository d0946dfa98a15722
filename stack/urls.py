"""The addresses of the embedded servers, known before any of them runs."""

from pathlib import Path
from urllib.parse import quote

from stack import places

DATABASE = "posta"


def development(data: Path | None = None) -> dict[str, str]:
    """Return DATABASE_URL, DATABASE_OWNER_URL and BROKER_URL of this clone's stack.

    Touches no file and starts nothing; the servers may be down (``postgres.ensure``).
    """
    where = places.development() if data is None else places.of(data)
    return {
        "DATABASE_URL": database(where, "posta_app"),
        "DATABASE_OWNER_URL": database(where, "posta_owner"),
        "BROKER_URL": broker(where),
    }


def database(where: places.Places, role: str, name: str = DATABASE) -> str:
    """Return the libpq URL of ``role``; the host is the folder of the server's socket."""
    return f"postgresql://{role}@/{name}?host={quote(str(where.sockets), safe='/')}"


def broker(where: places.Places) -> str:
    """Return the URL of the embedded Valkey as Celery reads it."""
    return f"redis+socket://{quote(str(where.sockets / 'valkey.sock'), safe='/')}?virtual_host=0"
