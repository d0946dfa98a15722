"""Checks of this machine and its settings: key, disk, games, time zones, mail, and what production wants."""

from __future__ import annotations

import importlib
import os
import shutil
import smtplib
import zoneinfo
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from events.receipts import InsecureKey, NoSignature, SigningKey
from tables.signing import signer

NEEDED_MEGABYTES = 200
SECRET_CHARACTERS = 50
TOKEN_CHARACTERS = 32


def key() -> Iterator[str]:
    """Judge the key that signs receipts, or who has it; in development it is made when it is first needed."""
    if settings.SIGNER is not None:
        try:
            signer().held()
        except NoSignature as error:
            yield (
                f"Receipts are pending: {error}; start it, as the user that owns the signing key, with:"
                " python manage.py signer"
            )
        return
    path: Path = settings.SIGNING_KEY
    make = f"make it with: openssl genpkey -algorithm ed25519 -out {path}; chmod 600 {path}"
    if not path.exists():
        if settings.PRODUCTION:
            yield f"There is no signing key at {path}; restore it from its backup, or {make}"
        return
    try:
        SigningKey.load(path)
    except InsecureKey as error:
        yield f"The signing key {error}"
    except (ValueError, OSError):
        yield f"The file {path} holds no Ed25519 key that can be read; restore it from its backup, or {make}"


def production() -> Iterator[str]:
    """Judge the settings of a server that others reach."""
    if 0 < len(settings.METRICS_TOKEN) < TOKEN_CHARACTERS:
        yield (
            f"POSTA_METRICS_TOKEN can be guessed: it has {len(settings.METRICS_TOKEN)} characters; let it"
            f" have {TOKEN_CHARACTERS} random ones."
        )
    if not settings.PRODUCTION:
        return
    if len(settings.SECRET_KEY) < SECRET_CHARACTERS or len(set(settings.SECRET_KEY)) < 5:
        yield (
            "SECRET_KEY can be guessed; let it have fifty random characters, such as those of:"
            " python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )
    if "*" in settings.ALLOWED_HOSTS:
        yield "ALLOWED_HOSTS allows every name; let it list the names of this server."
    for variable, address in (("POSTA_URL", settings.PUBLIC_URL), ("POSTA_LIVE_URL", settings.LIVE_URL)):
        name = urlsplit(address).hostname or ""
        if not validate_host(name, settings.ALLOWED_HOSTS):
            yield f"{variable} names {name}, ALLOWED_HOSTS does not, and so requests are refused; add it."
    if settings.TRUSTED_PROXIES == 0:
        yield (
            "POSTA_TRUSTED_PROXIES is 0, so all strangers behind the proxy share one quota; set it to the"
            " number of your proxies."
        )
    if not settings.THROTTLES:
        yield "POSTA_THROTTLES is 0, so passwords can be tried without end; set it to 1."


def disk() -> Iterator[str]:
    """Judge the folder of the data and the room that is left there."""
    folder: Path = settings.DATA_DIR
    if not folder.is_dir():
        yield f"The folder of POSTA_DATA, {folder}, is not there; make it, for the user that Posta runs as."
        return
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < NEEDED_MEGABYTES:
        yield (
            f"The disk of {folder} has {free} MB left, under {NEEDED_MEGABYTES}; make room there, or let"
            " POSTA_DATA name a folder elsewhere."
        )


def metrics() -> Iterator[str]:
    """Judge the folder in which all processes count together, where one is named."""
    if settings.METRICS_DIR and not _can_be_written(Path(settings.METRICS_DIR)):
        yield (
            f"Nothing can be written to the folder of PROMETHEUS_MULTIPROC_DIR, {settings.METRICS_DIR}, and"
            " no process starts without it; make it, for the user that Posta runs as."
        )


def games() -> Iterator[str]:
    """Judge that the games of this installation can be loaded."""
    for module in settings.EXTRA_GAMES:
        try:
            _ = importlib.import_module(module).GAME
        except Exception as error:  # whatever a module of somebody else's does
            yield (
                f"The game {module} of POSTA_EXTRA_GAMES cannot be loaded: {error} ({type(error).__name__});"
                " install it, or take it from the list. Until then no process starts."
            )


def time_zones() -> Iterator[str]:
    """Judge that the times of players' zones can be told."""
    try:
        zoneinfo.ZoneInfo.no_cache("Europe/Madrid")
    except zoneinfo.ZoneInfoNotFoundError:
        yield "There is no time zone data; install tzdata, of the system or with: pip install tzdata"


def mail() -> Iterator[str]:
    """Judge that the mail server answers, where one is named, or that the folder of mails takes them."""
    folder = getattr(settings, "EMAIL_FILE_PATH", None)
    if folder and not _can_be_written(Path(folder)):
        yield f"Nothing can be written to the folder of POSTA_MAIL_URL, {folder}; make it, or name another."
    if not settings.is_overridden("EMAIL_HOST") or not settings.EMAIL_HOST:
        return
    client = smtplib.SMTP_SSL if settings.EMAIL_USE_SSL else smtplib.SMTP
    try:
        with client(settings.EMAIL_HOST, settings.EMAIL_PORT, timeout=3) as server:
            server.noop()
    except OSError as error:  # of SMTP too
        where, told = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}", error.strerror or str(error)
        yield f"The mail server {where} does not answer: {told}; start it, or mend EMAIL_HOST."


def _can_be_written(folder: Path) -> bool:
    """Tell whether a folder, or the nearest one above it that is there, can be written to."""
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


CHECKS: Final[tuple[tuple[str, Callable[[], Iterable[str]]], ...]] = (
    ("signing key", key),
    ("settings", production),
    ("disk", disk),
    ("metrics", metrics),
    ("games", games),
    ("time zones", time_zones),
    ("mail", mail),
)
