"""A RabbitMQ of its own on loopback ports, with its data in a temporary folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console

from stack import tether
from stack.errors import StackError

HOST = "127.0.0.1"
PROGRAMS = Path("/usr/lib/rabbitmq/bin")  # Debian's own in /usr/sbin change the user
PATIENCE = 90.0  # seconds to become ready


class Rabbit:
    """A running broker, which can be killed and started again."""

    def __init__(self, folder: Path, output: Path) -> None:
        self._port, distribution, epmd = _free_ports(3)
        self._output = output
        self._server: subprocess.Popen[bytes] | None = None
        self._epmd: subprocess.Popen[bytes] | None = None
        (folder / "conf").write_text(f"listeners.tcp.1 = {HOST}:{self._port}\n")
        (folder / "plugins").write_text("[].\n")
        self._env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),  # for the cookie
            "ERL_EPMD_ADDRESS": HOST,
            "ERL_EPMD_PORT": str(epmd),
            "RABBITMQ_NODENAME": f"posta{os.getpid()}@localhost",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_CONFIG_FILE": str(folder / "conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder / "logs"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }

    @property
    def url(self) -> str:
        """The address for Celery: the broker's own guest, who may come from this machine only."""
        return f"amqp://guest:guest@{HOST}:{self._port}//"

    @classmethod
    @contextmanager
    def running(cls, console: Console) -> Iterator[Rabbit]:
        """Run a broker during the block, installed first where root may.  Raises StackError."""
        _require(console)
        with tempfile.TemporaryDirectory(prefix="posta-rabbit-") as name:
            folder = Path(name)
            rabbit = cls(folder, folder / "output.log")
            try:
                console.print("Starting RabbitMQ ...")
                rabbit.start()
                yield rabbit
            finally:
                rabbit.stop()

    def start(self) -> None:
        """Start the broker, and wait until it answers."""
        if self._epmd is None:
            self._epmd = self._spawn("epmd")
        self._server = self._spawn(str(PROGRAMS / "rabbitmq-server"))
        until = time.monotonic() + PATIENCE
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > until:
                lines = self._output.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
                raise StackError(f"RabbitMQ did not start: {lines[-1]}")
            time.sleep(0.1)

    def restart(self) -> None:
        """Kill the broker, and start it again on the same data."""
        self._kill()
        self.start()

    def queues(self) -> dict[str, str]:
        """Return the type of each queue by its name."""
        told = subprocess.run(  # noqa: S603
            [str(PROGRAMS / "rabbitmqctl"), "--quiet", "list_queues", "name", "type", "--no-table-headers"],
            env=self._env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        rows = (line.split("\t") for line in told.stdout.splitlines())
        return {
            row[0]: row[1].removeprefix("rabbit_").removesuffix("_queue") for row in rows if len(row) == 2
        }

    def stop(self) -> None:
        """End everything of it."""
        self._kill()
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait()

    def _kill(self) -> None:
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()

    def _spawn(self, *command: str) -> subprocess.Popen[bytes]:
        with self._output.open("ab") as output:
            return tether.spawn(command, output=output, env=self._env, cwd=self._output.parent)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((HOST, self._port), timeout=2) as client:
                client.sendall(b"AMQP\x00\x00\x09\x01")
                return client.recv(8)[:1] == b"\x01"  # the first frame of a broker that is ready
        except OSError:
            return False


def _require(console: Console) -> None:
    """Install RabbitMQ where it is missing and may be; raise StackError else."""
    if (PROGRAMS / "rabbitmq-server").exists():
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise StackError(
            "RabbitMQ is not installed: apt-get install rabbitmq-server, as root, and try again."
        )
    console.print("Installing RabbitMQ ...")
    for arguments in (["update"], ["install", "-y", "--no-install-recommends", "rabbitmq-server"]):
        done = subprocess.run(["apt-get", "-q", *arguments], capture_output=True, text=True, check=False)  # noqa: S603, S607
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no reason given"]
            raise StackError(f"RabbitMQ could not be installed: {lines[-1]}")


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((HOST, 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports
