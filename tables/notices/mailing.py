"""From the lists of the players into their mail: one mail for all that is due to a player.

A mail is fixed before it is sent: its notices carry its number, which is its Message-ID as well.  After
a crash between sending and noting it, the same mail goes out again and is known as the same.  While
the mail server cannot be reached nothing is fixed, so that what has gathered is one mail when it can.
"""

from __future__ import annotations

import logging
import smtplib
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from django.core.mail import EmailMessage, get_connection
from django.db import DatabaseError, connection, transaction

from tables import hosting
from tables.clock import moment
from tables.models import Alert, Mailbox, Notice
from tables.notices import checks, writing

logger = logging.getLogger(__name__)

MOST_SECONDS = 15.0
LEASE_SECONDS = (60, 300, 1800, 3600, 7200, 14400)
MOST_NOTICES = 200
MOST_REFUSALS = 5
"""An address that was refused so often in a row must be confirmed anew."""

_NOW = "(SELECT to_timestamp(now_ms() / 1000.0))"
_CLAIM = f"""
UPDATE tables_mailbox SET attempts = attempts + 1, next_attempt_at = {_NOW}
  + make_interval(secs => (%s::int[])[least(attempts + 1, %s)])
WHERE player_id = (
  SELECT b.player_id FROM tables_mailbox AS b JOIN tables_notice AS n ON n.mailbox_id = b.player_id
  WHERE n.mail_at <= {_NOW} AND (b.next_attempt_at IS NULL OR b.next_attempt_at <= {_NOW})
  ORDER BY n.mail_at LIMIT 1 FOR NO KEY UPDATE OF b SKIP LOCKED
) RETURNING player_id
"""  # noqa: S608
_CLAIM_CODE = """
UPDATE tables_mailbox SET {column} = {now} + make_interval(secs => %s)
WHERE player_id = (
  SELECT player_id FROM tables_mailbox WHERE {column} <= {now}
  ORDER BY {column} LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
) RETURNING player_id, address
"""
_CLAIM_ALERT = f"""
UPDATE tables_alert SET mail_at = {_NOW} + make_interval(secs => %s)
WHERE id = (
  SELECT id FROM tables_alert WHERE mail_at <= {_NOW} ORDER BY mail_at LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id
"""  # noqa: S608
_WAITING = f"""
SELECT EXISTS (SELECT FROM tables_notice WHERE mail_at <= {_NOW})
  OR EXISTS (SELECT FROM tables_mailbox WHERE code_at <= {_NOW})
  OR EXISTS (SELECT FROM tables_mailbox WHERE reset_mail_at <= {_NOW})
  OR EXISTS (SELECT FROM tables_alert WHERE mail_at <= {_NOW})
"""  # noqa: S608


class ServerLost(Exception):
    """The mail server went away while it was told a mail, which may have arrived or not."""


def mail() -> int:
    """Send what is due until nothing is left or time runs out; return how many mails went out."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING)
        if not cursor.fetchone()[0]:
            return 0
    server = get_connection()
    try:
        server.open()
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("the mail server cannot be reached, trying again: %s", error)
        return 0
    try:
        return _mail_by(server)
    except ServerLost as error:
        logger.warning("the mail server was lost: %s", error)
        return 0
    finally:
        server.close()


def _mail_by(server: Any) -> int:
    sent = 0
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until:
        found = [_done(step, server) for step in (*_CODES, _mail_alert, _mail_notices)]
        if all(each is None for each in found):
            break
        sent += found.count(True)
    return sent


def _done(step: Callable[[Any], bool | None], server: Any) -> bool | None:
    """Do a step; what cannot be written is put off, and holds nobody else up."""
    try:
        return step(server)
    except (ServerLost, DatabaseError):
        raise
    except Exception:
        logger.exception("a mail could not be written")
        return False


def _mail_code(server: Any, *, column: str, write: Callable[[Mailbox], EmailMessage | None]) -> bool | None:
    """Mail a code to an address that waits for it; None: there is none, False: the server has refused it."""
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM_CODE.format(column=column, now=_NOW), [LEASE_SECONDS[1]])
        if (row := cursor.fetchone()) is None:
            return None
    player_id, address = row
    mailbox = Mailbox.objects.select_related("player").get(player=player_id)
    if mailbox.address != address:
        return False
    message = write(mailbox)
    was_sent = message is not None and _send(server, message)
    Mailbox.objects.filter(player=player_id, address=address).update(**{column: None})
    return was_sent


_CODES = (
    partial(_mail_code, column="code_at", write=writing.code_mail),
    partial(_mail_code, column="reset_mail_at", write=writing.reset_mail),
)


def _mail_alert(server: Any) -> bool | None:
    """Mail an alert, and delete it, also where the server refuses it; None: there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM_ALERT, [LEASE_SECONDS[1]])
        if (row := cursor.fetchone()) is None:
            return None
    alert = Alert.objects.get(id=row[0])
    was_sent = _send(server, writing.alert_mail(alert))
    alert.delete()
    return was_sent


def _mail_notices(server: Any) -> bool | None:
    """Mail what is due to the player who has waited for longest; None: there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, [list(LEASE_SECONDS), len(LEASE_SECONDS)])
        if (row := cursor.fetchone()) is None:
            return None
    mailbox = Mailbox.objects.select_related("player").get(player=row[0])
    number, notices, now = _fixed(mailbox)
    current = [each for each in notices if _is_wanted(mailbox, each, now)]
    was_sent = not current or _send(server, writing.notices_mail(mailbox, number, current))
    if not was_sent:
        _refused(mailbox, number)
    else:
        with transaction.atomic():
            Notice.objects.filter(mailbox=mailbox, mail=number).update(mail_at=None)
            Mailbox.objects.filter(player=mailbox.player_id).update(attempts=0, next_attempt_at=None)
    return was_sent


def _fixed(mailbox: Mailbox) -> tuple[uuid.UUID, Sequence[Notice], int]:
    """Return the notices of the mail that was fixed before, else of a new one, oldest first; and the time."""
    waiting = mailbox.notices.filter(mail_at__isnull=False).select_related("table").order_by("number")
    now = hosting.now_ms()
    if (begun := waiting.filter(mail__isnull=False).first()) is not None and begun.mail is not None:
        return begun.mail, list(waiting.filter(mail=begun.mail)), now
    due = list(waiting.filter(mail_at__lte=moment(now))[:MOST_NOTICES])
    number = uuid.uuid4()
    Notice.objects.filter(id__in=[each.id for each in due]).update(mail=number)
    return number, due, now


def _is_wanted(mailbox: Mailbox, notice: Notice, now: int) -> bool:
    """Tell whether a notice is still news.  A reminder is, even if it was read: only a move ends it."""
    if mailbox.confirmed_at is None:
        return False
    if notice.number <= mailbox.read_upto and notice.kind != "reminder":
        return False
    return checks.is_current(notice.what, mailbox.player_id, notice.table, notice.facts, now)


def _send(server: Any, message: EmailMessage) -> bool:
    """Send a mail; False when the server has refused it.  Raises ServerLost."""
    try:
        server.send_messages([message])
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
        logger.warning("mail %s was refused: %s", message.extra_headers["Message-ID"], _codes(error))
        return False
    except (OSError, smtplib.SMTPException) as error:
        raise ServerLost(error) from error
    return True


def _codes(error: smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused) -> str:
    """Return the reply codes of a refusal; its words would tell the address."""
    if isinstance(error, smtplib.SMTPResponseException):
        return str(error.smtp_code)
    return ", ".join(sorted({str(code) for code, _ in error.recipients.values()}))


def _refused(mailbox: Mailbox, number: uuid.UUID) -> None:
    """Let go of a mail that did not go out: its notices go with what comes until the next attempt."""
    Notice.objects.filter(mailbox=mailbox, mail=number).update(mail=None)
    if mailbox.attempts >= MOST_REFUSALS:
        Mailbox.objects.filter(player=mailbox.player_id, address=mailbox.address).update(confirmed_at=None)
