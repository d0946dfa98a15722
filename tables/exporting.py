"""Everything that is stored about a player, for this player alone.

Each section is the rows of one model; each of its columns is shown or withheld by name, so that a new one is
decided about.  Withheld is what lets somebody in, what only the server uses, and what others have done.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from django.db.models import Model, Q
from django.utils import timezone

from events import canonical, store
from tables import access, models, talk
from tables.answers import text_of
from tables.shapes import ExportAnswer


class Section(NamedTuple):
    """The rows of a model that are a player's by one of the paths ``owners``; ``*``: all other columns."""

    model: type[Model]
    owners: tuple[str, ...]
    shown: tuple[str, ...]
    withheld: tuple[str, ...] = ()


_OF_PLAYER = ("player",)
SECTIONS: Final[Mapping[str, Section]] = {
    "account": Section(
        models.Player,
        ("id",),
        ("id", "name", "locale", "zone", "quiet_from", "quiet_until", "created_at"),
        ("password", "closed_at"),
    ),
    "tokens": Section(
        models.Token,
        _OF_PLAYER,
        ("id", "kind", "label", "scopes", "created_at", "expires_at", "last_used_on"),
        ("digest", "player", "consent"),
    ),
    "applications": Section(
        models.Consent,
        _OF_PLAYER,
        ("id", "application__name", "scopes", "redirect_uri", "created_at", "used_on"),
        ("player", "code_digest", "code_expires_at", "code_used_at", "challenge"),
    ),
    "webhook_endpoints": Section(
        models.WebhookEndpoint,
        _OF_PLAYER,
        ("id", "label", "url", "types", "status", "reason", "created_at", "failing_since", "failures"),
        ("player", "salt", "old_salt", "old_until", "busy_until"),
    ),
    "webhook_deliveries": Section(
        models.WebhookDelivery,
        ("endpoint__player",),
        (
            *("endpoint", "message", "table", "position", "type", "occurred_at", "status", "attempts"),
            *("attempted_at", "duration_ms", "response_status", "error"),
        ),
        ("id", "again", "next_attempt_at"),
    ),
    "mailbox": Section(
        models.Mailbox,
        _OF_PLAYER,
        ("address", "confirmed_at", "choices", "last_number", "read_upto"),
        ("player", "code_at", "reset_at", "reset_mail_at", "reset_used", "attempts", "next_attempt_at"),
    ),
    "notices": Section(
        models.Notice,
        ("mailbox__player",),
        ("number", "table", "kind", "what", "facts", "created_at"),
        ("id", "mailbox", "mail_at", "mail"),
    ),
    "vacations": Section(models.Vacation, _OF_PLAYER, ("id", "since", "until"), ("player",)),
    "tables": Section(
        models.Table,
        ("host", "author", "tenures__player", "arbiters__player"),
        ("id", "game", "title", "visibility", "status", "created_at", "finished_at"),
        ("*",),
    ),
    "seats": Section(
        models.Tenure,
        _OF_PLAYER,
        ("table", "seat", "pseudonym", "since", "until", "ended", "wants_rematch"),
        ("id", "player", "bot"),
    ),
    "arbitrations": Section(
        models.Arbiter, _OF_PLAYER, ("table", "pseudonym", "since", "until"), ("id", "player")
    ),
    "offers": Section(models.Offer, _OF_PLAYER, ("table", "seat"), ("id", "player")),
    "turns": Section(models.AwaitedTurn, _OF_PLAYER, ("table", "turn", "in_time"), ("id", "player")),
    "messages": Section(models.Message, _OF_PLAYER, ("table", "position", "game_position"), ("id", "player")),
    "reports": Section(
        models.MessageReport,
        _OF_PLAYER,
        ("message__table", "message__position", "reason", "created_at"),
        ("id", "player"),
    ),
    "read": Section(models.LastRead, _OF_PLAYER, ("table", "position"), ("id", "player")),
    "mutes": Section(models.Mute, _OF_PLAYER, ("muted__name", "created_at"), ("id", "player")),
    "blocks": Section(models.Block, _OF_PLAYER, ("blocked__name", "created_at"), ("id", "player")),
    "player_reports": Section(
        models.PlayerReport, _OF_PLAYER, ("reported__name", "reason", "created_at"), ("id", "player")
    ),
    "notes": Section(models.Note, _OF_PLAYER, ("table", "text", "changed_at"), ("id", "player")),
    "requests": Section(
        models.IdempotencyRecord,
        _OF_PLAYER,
        ("scope", "key", "created_at"),
        ("id", "player", "fingerprint", "answer"),
    ),
}
WITHHELD: Final = frozenset({models.RefreshToken})
"""Models that hold digests alone."""


def export(player_id: uuid.UUID) -> ExportAnswer:
    """Return every section of a player's."""
    sections = {name: _rows(section, player_id) for name, section in SECTIONS.items()}
    _add_texts(sections["messages"])
    seen = set(access.visible_to(player_id).values_list("id", flat=True).filter(visibility="private"))
    for table in sections["tables"]:
        if table["visibility"] == "public" or table["id"] in seen:
            table["transcript"] = f"/v1/tables/{table['id']}/transcript"
        else:  # what has become of a private table that the player has left is not for it
            del table["status"], table["finished_at"]
    return ExportAnswer(exported_at=text_of(timezone.now()), sections=sections)


def _rows(section: Section, player_id: uuid.UUID) -> list[dict[str, Any]]:
    """Return the rows of a section, in the order of their keys."""
    is_own = Q()
    for owner in section.owners:
        is_own |= Q(**{owner: player_id})
    manager = section.model._default_manager
    own = manager.filter(pk__in=manager.filter(is_own).values("pk"))
    return [
        {name.removesuffix("__name").removeprefix("message__"): value for name, value in row.items()}
        for row in own.order_by("pk").values(*section.shown)
    ]


def _add_texts(messages: list[dict[str, Any]]) -> None:
    """Add to messages what they say; null where it was erased."""
    by_table: dict[uuid.UUID, list[dict[str, Any]]] = defaultdict(list)
    for each in messages:
        by_table[each["table"]].append(each)
    for table_id, said in by_table.items():
        places = [(each["position"], 0) for each in said]
        openings = store.openings(talk.stream_of(table_id), places)
        for each, place in zip(said, places, strict=True):
            opening = openings.get(place)
            each["text"] = canonical.parse(opening.payload)["text"] if opening else None
