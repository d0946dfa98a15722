"""One real stack for the whole run: database, broker, API, worker and beat, all of its own.

Everything commits, for the log cannot be emptied: each test makes tables and players of its
own.  The database's ``now_ms()`` adds an offset here, the simulated clock.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import django
import psycopg
import pytest
from django.conf import settings as django_settings
from django.contrib.auth.hashers import make_password
from pytest_django import DjangoDbBlocker

from stack import places, postgres, urls
from tests.api.contract import Api
from tests.services import Services, SimulatedClock

_stack = ExitStack()
_where: list[places.Places] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the explicit flag without which no golden file is written."""
    parser.addoption("--regenerate-golden", action="store_true", help="write the golden games anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what starts processes of its own as long, and give files that need the same ones to one worker.

    Each worker starts drivers, or an installation, of its own when it needs them, and stops drivers for a
    file that must not have them; that takes longer than most files.  Only the tests that run decide what a
    file needs.
    """
    is_long = config.option.markexpr.startswith("long")
    wants, many = defaultdict[Path, set[str]](set), Counter(item.path for item in items)
    for item in items:
        wanted = set(getattr(item, "fixturenames", ()))
        if wanted & {"installation", "production"} or item.path.parent.name == "stack":
            item.add_marker(pytest.mark.long)
        if (item.get_closest_marker("long") is not None) == is_long:
            wants[item.path] |= wanted
    groups = {path: _group(path, wanted) for path, wanted in wants.items()}
    without = {path for path, wanted in wants.items() if wanted & {"no_drivers", "_no_drivers"}}
    items.sort(
        key=lambda each: (groups.get(each.path) != "drivers", each.path not in without, -many[each.path])
    )
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups.get(item.path, "none")))


def _group(path: Path, wanted: set[str]) -> str:
    """Return what names the tests that one worker runs: those of a file, or of all that want the same."""
    if "server" in wanted:
        return "drivers"
    return "installation" if "installation" in wanted else f"{path.parent.name}.{path.stem}"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Start the database and name it in the environment before Django reads its settings."""
    if config.option.collectonly or _hands_out_tests(config):
        return
    if django_settings.configured:
        raise pytest.UsageError(
            "a conftest.py reads Django's settings before the test's own servers are named"
        )
    where = _stack.enter_context(places.temporary())
    _where.append(where)
    log = _stack.enter_context(postgres.log_file(where))
    _stack.enter_context(postgres.running(where, log, settings=postgres.HASTE))
    named = postgres.urls_of(where)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "POSTA_DATA": str(where.data),
        "POSTA_EXTRA_GAMES": "tests.probe,tests.bomb",
        "POSTA_WORKER": "1",
        "POSTA_BOT_SECONDS": "0",
        "DATABASE_URL": named.database_url,
        "DATABASE_OWNER_URL": named.owner_url,
        "BROKER_URL": urls.broker(where),
    }
    django.setup()


def _hands_out_tests(config: pytest.Config) -> bool:
    """Tell whether this process only hands the tests to others, each of which has a stack of its own."""
    return bool(config.option.numprocesses) and not hasattr(config, "workerinput")


def pytest_unconfigure() -> None:
    """Stop everything, and leave nothing behind."""
    _stack.close()


@pytest.fixture(scope="session")
def superuser_url() -> str:
    """The database as its superuser, for tampering and for the simulated clock."""
    return postgres.urls_of(_where[0]).superuser_url


@pytest.fixture(scope="session")
def database(django_db_blocker: DjangoDbBlocker, superuser_url: str) -> Iterator[None]:
    """A migrated database with a clock that tests can move; every test commits."""
    from django.core.management import call_command

    with django_db_blocker.unblock():
        call_command("migrate", verbosity=0)
        SimulatedClock.install(superuser_url)
        yield


@pytest.fixture(autouse=True)
def _database_for_all(request: pytest.FixtureRequest, superuser_url: str) -> None:
    """Give the database to every test but those of the engines, of the stack itself and of tools.

    What other tests have left is brought about no more, and told to nobody, before one that moves the
    clock: it lets weeks go by for its own tables alone.
    """
    folder = request.path.relative_to(request.config.rootpath / "tests").parts[0]
    if folder not in ("engines", "stack", "tools"):
        request.getfixturevalue("database")
    if "clock" in request.fixturenames:
        with psycopg.connect(superuser_url, autocommit=True) as connection:
            connection.execute(
                "UPDATE tables_table SET next_attempt_at = '9999-01-01' WHERE due_at IS NOT NULL;"
                "UPDATE tables_outbox SET done_at = clock_timestamp() WHERE done_at IS NULL;"
                "UPDATE tables_notice SET mail_at = NULL WHERE mail_at IS NOT NULL"
            )


@pytest.fixture
def clock(database: None, superuser_url: str) -> SimulatedClock:
    """The clock of the database: ``clock.advance(seconds=...)`` moves it for everybody.

    Somebody has just looked at deadlines: a minute of other tests is no outage.
    """
    from tables.sweeps import sweep  # at the top it would read Django's settings too early

    sweep("test")
    return SimulatedClock(superuser_url)


@pytest.fixture(scope="session")
def services(database: None) -> Iterator[Services]:
    """The processes of an installation, by name: api, live, worker, beat, and the daemon, which is off."""
    with Services(_where[0]) as running:
        yield running


@pytest.fixture
def no_drivers(services: Services) -> None:
    """Nobody but the test sweeps, relays, tells and mails."""
    services.stop("beat", "deadlines", "worker", "mailer", "caller", "daemon")


@pytest.fixture
def server(services: Services) -> str:
    """The address of the API, with everything running but the daemon."""
    services.start("valkey", "signer", "api", "live", "deadlines", "worker", "beat")
    return services.api_url


@pytest.fixture(scope="session")
def hashed_password(database: None) -> str:
    """The hash of the password of every ``new_player``; made once, for it costs a sixth of a second."""
    return make_password("a long enough password")


@pytest.fixture
def new_player(server: str, hashed_password: str) -> Callable[..., Api]:
    """A function that makes an account, and returns its owner's way to the API."""
    from tables import players  # at the top they would read Django's settings too early
    from tables.models import Player

    def made(name: str | None = None) -> Api:
        name = name or f"player-{secrets.token_hex(6)}"
        player = Player.objects.create(name=name, password=hashed_password)
        caller = players.Caller(player.id, name, player.locale, token_id=player.id)
        return Api(server, players.create_token(caller, "sign-up").token)

    return made
