"""A missing or bad setting is named, with an example, and ends the process; production has no defaults."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.environment import Environment, mail_server

ROOT = Path(__file__).resolve().parents[2]
KEY = "-----BEGIN PRIVATE KEY-----"


def _check(tmp_path: Path, *arguments: str, **settings: str) -> tuple[int, str]:
    """Run ``manage.py check`` with these settings alone; return its exit code and what it said."""
    names = ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("POSTA") and name not in names
    }
    ran = subprocess.run(
        [sys.executable, "manage.py", "check", *arguments],
        cwd=ROOT,
        env={**kept, "POSTA_DATA": str(tmp_path), **settings},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ran.returncode, ran.stderr


@pytest.fixture
def production(tmp_path: Path) -> dict[str, str]:
    """Settings with which production starts."""
    key = tmp_path / "signing.key"
    key.write_text(KEY)
    return {
        "POSTA_ENV": "production",
        "SECRET_KEY": "x" * 50,
        "ALLOWED_HOSTS": "posta.example.org",
        "POSTA_SIGNING_KEY": str(key),
        "DATABASE_URL": "postgresql://posta_app:secret@127.0.0.1/posta",
        "DATABASE_OWNER_URL": "postgresql://posta_owner:secret@127.0.0.1/posta",
        "BROKER_URL": "amqp://posta:secret@127.0.0.1/posta",
        "POSTA_URL": "https://posta.example.org",
        "POSTA_MAIL_URL": "smtp://posta:secret@mail.example.org:587",
        "POSTA_MAIL_FROM": "Posta <posta@example.org>",
    }


def test_development_needs_nothing(tmp_path: Path) -> None:
    assert _check(tmp_path) == (0, "")


def test_nothing_is_left_open_that_a_deployment_closes(tmp_path: Path, production: dict[str, str]) -> None:
    strong = {**production, "SECRET_KEY": "q8Zr4Wn1Yt6Ub3Xc9Vm2Lp5Ks7Jd0Hf_Ge-Ra.TiOo1aEu2sPn4"}
    deploy = ("--deploy", "--fail-level", "WARNING")

    assert _check(tmp_path, *deploy, **strong) == (0, "")
    code, said = _check(tmp_path, *deploy, **production)
    assert code == 1
    assert "SECRET_KEY" in said


def test_production_starts_with_all_its_secrets(tmp_path: Path, production: dict[str, str]) -> None:
    assert _check(tmp_path, **production) == (0, "")


@pytest.mark.parametrize(
    "name",
    [
        "SECRET_KEY",
        "ALLOWED_HOSTS",
        "POSTA_SIGNING_KEY",
        "DATABASE_URL",
        "DATABASE_OWNER_URL",
        "BROKER_URL",
        "POSTA_URL",
        "POSTA_MAIL_URL",
        "POSTA_MAIL_FROM",
    ],
)
def test_production_refuses_to_start_without(tmp_path: Path, production: dict[str, str], name: str) -> None:
    del production[name]

    code, said = _check(tmp_path, **production)

    assert code == 1
    assert said.startswith(f"Posta does not start: {name} is not set. Example: {name}=")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POSTA_ENV", "staging"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "postgresql://127.0.0.1/"),
        ("BROKER_URL", "nonsense"),
        ("BROKER_URL", "redis://127.0.0.1:port/0"),
        ("POSTA_URL", "http://posta.example.org"),
        ("POSTA_URL", "https:///play"),
        ("POSTA_LIVE_URL", "https://[posta.example.org"),
        ("POSTA_MAIL_URL", "file:///var/mail"),
        ("POSTA_MAIL_URL", "smtp://mail.example.org:smtp"),
        ("POSTA_SIGNER", "/run/posta/signer.sock"),
        ("POSTA_THROTTLES", "yes"),
        ("POSTA_WEBHOOKS_TO_LOOPBACK", "1"),
    ],
)
def test_a_bad_value_is_named(tmp_path: Path, production: dict[str, str], name: str, value: str) -> None:
    code, said = _check(tmp_path, **{**production, name: value})

    assert code == 1
    assert said.startswith(f"Posta does not start: {name} is ")
    assert said.count("\n") == 1
    assert "secret" not in said.replace(":secret@", "")


def test_a_signing_key_that_is_gone_stops_nobody(tmp_path: Path, production: dict[str, str]) -> None:
    """F61: receipts are pending until it is back; the doctor says so."""
    assert _check(tmp_path, **production | {"POSTA_SIGNING_KEY": "/nowhere/signing.key"}) == (0, "")


def test_who_asks_a_signer_needs_no_key(tmp_path: Path, production: dict[str, str]) -> None:
    del production["POSTA_SIGNING_KEY"]
    assert _check(tmp_path, **production, POSTA_SIGNER="unix:///run/posta/signer.sock") == (0, "")


def test_development_on_a_server_of_ones_own_warns_where_the_log_has_no_guard(tmp_path: Path) -> None:
    code, said = _check(tmp_path, DATABASE_URL="postgresql://me@127.0.0.1/mine")

    assert code == 0
    assert "DATABASE_OWNER_URL is not set" in said


def test_a_mail_server_is_told_a_password_under_tls_alone() -> None:
    secured = mail_server("smtp://posta%40example.org:a%2Fb@mail.example.org")
    assert (secured["EMAIL_PORT"], secured["EMAIL_USE_TLS"], secured["EMAIL_USE_SSL"]) == (587, True, False)
    assert (secured["EMAIL_HOST_USER"], secured["EMAIL_HOST_PASSWORD"]) == ("posta@example.org", "a/b")
    wrapped = mail_server("smtps://posta:secret@mail.example.org")
    assert (wrapped["EMAIL_PORT"], wrapped["EMAIL_USE_TLS"], wrapped["EMAIL_USE_SSL"]) == (465, False, True)
    plain = mail_server("smtp://127.0.0.1")
    assert (plain["EMAIL_PORT"], plain["EMAIL_USE_TLS"], plain["EMAIL_USE_SSL"]) == (25, False, False)


def test_a_path_fits_behind_the_address_of_a_site() -> None:
    """Links in mails would have two slashes, and lead nowhere."""
    given = Environment({"POSTA_URL": "https://posta.example.org/"})
    told = given.site("POSTA_URL", schemes=("https",), example="https://posta.example.org")
    assert told == "https://posta.example.org"
