"""What a player keeps for itself, and nobody else ever sees: whom it has muted, its notes at tables."""

from __future__ import annotations

import uuid

from django.db.models.functions import Lower
from django.utils import timezone

from tables import access
from tables.answers import text_of
from tables.errors import NotFound, NotSeated, OwnAccount
from tables.models import Mute, Note, Tenure
from tables.people import named
from tables.shapes import MuteAnswer, MuteList, NoteAnswer
from tables.talk import require_plain


def mutes(player_id: uuid.UUID) -> MuteList:
    """Return whom a player has muted, by name."""
    rows = Mute.objects.filter(player=player_id).select_related("muted").order_by(Lower("muted__name"))
    return MuteList(items=[_mute_answer(each) for each in rows])


def mute(player_id: uuid.UUID, name: str) -> MuteAnswer:
    """Hide what a player says, here and elsewhere, from this one alone.  Raises NotFound, OwnAccount."""
    muted = named(name)
    if muted.id == player_id:
        raise OwnAccount()
    row, _ = Mute.objects.select_related("muted").get_or_create(player_id=player_id, muted=muted)
    return _mute_answer(row)


def unmute(player_id: uuid.UUID, name: str) -> None:
    """Show again what a player says.  Raises NotFound."""
    removed, _ = Mute.objects.filter(player=player_id, muted=named(name)).delete()
    if not removed:
        raise NotFound()


def note(player_id: uuid.UUID, table_id: uuid.UUID) -> NoteAnswer:
    """Return a player's own note at a table.  Raises NotFound, NotSeated."""
    _require_tenure(player_id, table_id)
    row = Note.objects.filter(table=table_id, player=player_id).first()
    return NoteAnswer(text="", changed_at=None) if row is None else _note_answer(row)


def write_note(player_id: uuid.UUID, table_id: uuid.UUID, text: str) -> NoteAnswer:
    """Replace a player's own note at a table.  Raises NotFound, NotSeated, BadField."""
    _require_tenure(player_id, table_id)
    require_plain(text, may_be_blank=True)
    row, _ = Note.objects.update_or_create(
        table_id=table_id, player_id=player_id, defaults={"text": text, "changed_at": timezone.now()}
    )
    return _note_answer(row)


def _require_tenure(player_id: uuid.UUID, table_id: uuid.UUID) -> None:
    """Raise NotFound, or NotSeated unless the player has, or had, a seat at the table."""
    access.table_seen_by(player_id, table_id)
    if not Tenure.objects.filter(table=table_id, player=player_id).exists():
        raise NotSeated()


def _mute_answer(row: Mute) -> MuteAnswer:
    return MuteAnswer(player=row.muted.name, since=text_of(row.created_at))


def _note_answer(row: Note) -> NoteAnswer:
    return NoteAnswer(text=row.text, changed_at=text_of(row.changed_at))
