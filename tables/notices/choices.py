"""What a player wants to be mailed, by kind and by table; kept as the rows of one mailbox."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction

from tables import access
from tables.clock import QuietHours, check_quiet
from tables.errors import BadField
from tables.models import Mailbox, Player
from tables.notices import times
from tables.shapes import (
    KINDS,
    ChoicesChange,
    KindChoiceAnswer,
    NoticeChoicesAnswer,
    TableChoice,
    TableChoiceAnswer,
)

_SIGNER = signing.Signer(salt="tables.notices.unsubscribe")
"""Its links are valid for ever, and the same for the same mail."""
_DEFAULT: dict[str, Any] = {"mail": "immediate", "daily_at": 8, "kinds": {}, "tables": {}}


def choices(player_id: uuid.UUID) -> NoticeChoicesAnswer:
    """Return what a player has chosen."""
    return _answer(_of(Mailbox.objects.filter(player=player_id).first()))


def choose(player_id: uuid.UUID, wanted: ChoicesChange) -> NoticeChoicesAnswer:
    """Choose anew; what is left out is as for everybody.

    Notices that wait for their mail already keep their time.  Raises BadField for a table that the
    player does not see, and for a kind or a table named twice.
    """
    _require_once([each.kind for each in wanted.kinds], "kinds", "kind")
    _require_once([str(each.table_id) for each in wanted.tables], "tables", "table_id")
    seen = _seen(player_id, wanted.tables)
    for number, each in enumerate(wanted.tables):
        if each.table_id not in seen:
            raise BadField(pointer=f"#/tables/{number}/table_id", code="unknown_value", wanted="")
    chosen = {
        "mail": wanted.mail,
        "daily_at": wanted.daily_at,
        "kinds": {each.kind: each.mail for each in wanted.kinds},
        "tables": {str(each.table_id): each.mail for each in wanted.tables},
    }
    Mailbox.objects.update_or_create(player_id=player_id, defaults={"choices": chosen})
    return _answer(chosen)


def mail_at(mailbox: Mailbox, kind: str, table_id: uuid.UUID, now: int) -> int | None:
    """Return when a notice of ``now`` is to be mailed to a player; None: never.

    A kind of which no mails are wanted is mailed from no table; else a table's choice comes before a kind's.
    """
    chosen, player = _of(mailbox), mailbox.player
    if mailbox.confirmed_at is None:
        return None
    of_kind = chosen["kinds"].get(kind)
    mode = "never" if of_kind == "never" else chosen["tables"].get(str(table_id), of_kind or chosen["mail"])
    quiet = quiet_hours(player) if kind != "reminder" else None
    return times.mail_at(mode, now, zone=player.zone, quiet=quiet, daily_at=chosen["daily_at"])


def quiet_hours(player: Player) -> QuietHours | None:
    """Return a player's quiet hours; None where there are none, or none that can be told."""
    if player.quiet_from is None or player.quiet_until is None:
        return None
    try:
        return check_quiet(player.zone, player.quiet_from, player.quiet_until)
    except ValueError:
        return None


def unsubscribe_url(player_id: uuid.UUID, kinds: Collection[str]) -> str:
    """Return the address at which a player, without signing in, stops the mails of some kinds."""
    told = _SIGNER.sign_object({"player": str(player_id), "kinds": sorted(kinds)})
    return f"{settings.PUBLIC_URL}/unsubscribe/{told}"


def subscription(token: str) -> tuple[Player, list[str]] | None:
    """Return whose mails of which kinds a link stops; None for one that is not ours, or of nobody."""
    try:
        told = _SIGNER.unsign_object(token)
    except signing.BadSignature:
        return None
    player = Player.objects.filter(id=told["player"]).first()
    return None if player is None else (player, [each for each in told["kinds"] if each in KINDS])


def unsubscribe(player_id: uuid.UUID, kinds: Collection[str]) -> None:
    """Mail no notice of these kinds to a player any more, nor those that wait for their mail."""
    with transaction.atomic():
        mailbox, _ = Mailbox.objects.select_for_update().get_or_create(player_id=player_id)
        chosen = _of(mailbox)
        mailbox.choices = {**chosen, "kinds": {**chosen["kinds"], **dict.fromkeys(kinds, "never")}}
        mailbox.save(update_fields=["choices"])
        mailbox.notices.filter(kind__in=kinds, mail_at__isnull=False).update(mail_at=None)


def _of(mailbox: Mailbox | None) -> dict[str, Any]:
    return {**_DEFAULT, **(mailbox.choices if mailbox else {})}


def _answer(chosen: dict[str, Any]) -> NoticeChoicesAnswer:
    return NoticeChoicesAnswer(
        mail=chosen["mail"],
        daily_at=chosen["daily_at"],
        kinds=[
            KindChoiceAnswer(kind=each, mail=chosen["kinds"][each])
            for each in KINDS
            if each in chosen["kinds"]
        ],
        tables=[TableChoiceAnswer(table_id=each, mail=mail) for each, mail in chosen["tables"].items()],
    )


def _seen(player_id: uuid.UUID, wanted: list[TableChoice]) -> set[uuid.UUID]:
    asked = [each.table_id for each in wanted]
    return set(access.visible_to(player_id).filter(id__in=asked).values_list("id", flat=True))


def _require_once(named: list[str], field: str, key: str) -> None:
    for number, name in enumerate(named):
        if name in named[:number]:
            raise BadField(pointer=f"#/{field}/{number}/{key}", code="duplicate_key")
