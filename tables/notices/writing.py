"""Notices as mails: text and HTML in the language of their receiver."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from email.utils import parseaddr
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.template.loader import render_to_string

from tables import access, catalogue, hosting
from tables.models import Alert, Mailbox, Notice, Table
from tables.notices import addresses, checks, choices, words
from tables.notices.alerts import ALERTS
from tables.notices.endings import ending
from tables.notices.words import framed
from tables.wording import LOCALES


def notices_mail(mailbox: Mailbox, number: uuid.UUID, notices: Sequence[Notice]) -> EmailMessage:
    """Return one mail of notices, grouped by table, in the order in which each table came up."""
    player, locale = mailbox.player, locale_of(mailbox)
    shown = access.visible_to(player.id).filter(id__in={each.table_id for each in notices})
    linked = set(shown.values_list("id", flat=True))  # who gave a private seat back sees the table no more
    tables: dict[uuid.UUID, dict[str, Any]] = {}
    for notice in notices:
        url = table_url(notice.table_id) if notice.table_id in linked else None
        group = tables.setdefault(
            notice.table_id, {"label": label(notice.table, locale), "url": url, "lines": []}
        )
        line = text_of(notice, locale, player.zone)
        if line in group["lines"]:
            group["lines"].remove(line)
        group["lines"].append(line)
    unsubscribe = choices.unsubscribe_url(player.id, {each.kind for each in notices})
    subject = framed("digest", locale, count=len(notices))
    if len(notices) == 1:
        subject = f"{words.title(notices[0].what, locale)}: {label(notices[0].table, locale)}"
    frame = {
        "hello": framed("hello", locale, name=player.name),
        "groups": list(tables.values()),
        "open": framed("open", locale),
        "why": framed("why", locale, site=site()),
        "unsubscribe": framed("unsubscribe", locale),
        "unsubscribe_url": unsubscribe,
    }
    headers = {"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    return _mail(mailbox.address, locale, number, subject, "mail", frame, headers)


def code_mail(mailbox: Mailbox) -> EmailMessage:
    """Return the mail with the code that confirms an address; the same for the same code."""
    return _code_mail(mailbox, addresses.code(mailbox, hosting.now_ms()), "code")


def reset_mail(mailbox: Mailbox) -> EmailMessage | None:
    """Return the mail with the code for another password; None where it would come too late."""
    code = addresses.reset_code(mailbox, hosting.now_ms())
    if code is None:
        return None
    known = urlencode({"name": mailbox.player.name, "code": code}, quote_via=quote)
    return _code_mail(mailbox, code, "reset", url=f"{settings.PUBLIC_URL}/#/reset?{known}")


def _code_mail(mailbox: Mailbox, code: str, what: str, *, url: str | None = None) -> EmailMessage:
    """Return a mail with a code; ``url`` is where the client in the browser asks for it."""
    locale = locale_of(mailbox)
    frame = {
        "hello": framed("hello", locale, name=mailbox.player.name),
        "before": framed(what, locale, name=mailbox.player.name, site=site()),
        "code": code,
        "url": url,
        "here": framed("here", locale),
        "after": framed(f"{what}_else", locale),
    }
    number = uuid.uuid5(mailbox.player_id, f"{mailbox.address} {code}")
    subject = framed(f"{what}_subject", locale, site=site())
    return _mail(mailbox.address, locale, number, subject, "code", frame)


def alert_mail(alert: Alert) -> EmailMessage:
    """Return the mail that tells of a change of an account."""
    locale = alert.locale if alert.locale in LOCALES else LOCALES[0]
    subject, told, advice = (
        each[LOCALES.index(locale)].format(name=alert.name, site=site()) for each in ALERTS[alert.what]
    )
    frame = {"hello": framed("hello", locale, name=alert.name), "told": told, "advice": advice}
    return _mail(alert.address, locale, alert.id, subject, "alert", frame)


def text_of(notice: Notice, locale: str, zone: str) -> str:
    """Return a notice as a sentence; a deadline that has moved is told as it now is, an end with who won."""
    if notice.what == "finished" and (told := ending(notice.table, locale)):
        return told
    until = checks.until_of(notice.what, notice.table, notice.facts)
    return words.text(notice.what, locale, until=until, zone=zone)


def label(table: Table, locale: str) -> str:
    """Return what a table is called: its title and its game."""
    game = str(catalogue.names_of(catalogue.game_of(table.game))["game"][locale])
    return framed("named", locale, title=table.title, game=game) if table.title else game


def table_url(table_id: uuid.UUID) -> str:
    """Return the address at which the client in the browser shows a table."""
    return f"{settings.PUBLIC_URL}/#/table/{table_id}"


def locale_of(mailbox: Mailbox) -> str:
    """Return the language of a player's mails."""
    return mailbox.player.locale if mailbox.player.locale in LOCALES else LOCALES[0]


def site() -> str:
    """Return the name of this server."""
    return urlsplit(settings.PUBLIC_URL).netloc


def _mail(
    address: str,
    locale: str,
    number: uuid.UUID,
    subject: str,
    name: str,
    frame: dict[str, Any],
    headers: Mapping[str, str] = {},
) -> EmailMessage:
    frame = {**frame, "locale": locale, "subject": subject}
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    message = EmailMultiAlternatives(
        subject=" ".join(subject.split()),
        body=render_to_string(f"notices/{name}.txt", frame),
        to=[address],
        headers={
            "Message-ID": f"<{number}@{sender.rpartition('@')[2]}>",
            "Auto-Submitted": "auto-generated",
            "Content-Language": locale,
            **headers,
        },
    )
    message.attach_alternative(render_to_string(f"notices/{name}.html", frame), "text/html")
    return message
