"""What whoever has an account is told at its confirmed address, whatever they chose: that it was changed.

An alert stands for itself, for its address, and its account, may be gone when it is mailed; it goes
with the mail.  It holds neither link nor code, so that it is of no use to whoever reads it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from django.utils import timezone

from tables import hosting
from tables.clock import moment
from tables.models import Alert, Mailbox

DAYS = 7
"""So long it is tried to mail an alert."""


class Words(NamedTuple):
    """An alert in English and Spanish: its subject, what has happened, and what to do about it."""

    subject: tuple[str, str]
    told: tuple[str, str]
    advice: tuple[str, str]


ALERTS: Final[Mapping[str, Words]] = {
    "password_changed": Words(
        ("Your password for {site} was changed", "Tu contraseña para {site} ha cambiado"),
        (
            "The password of the account {name} at {site} was changed, and everything else by which it was"
            " signed in has ended.",
            "La contraseña de la cuenta {name} en {site} ha cambiado, y ha terminado todo lo demás con lo que"
            " se había entrado en ella.",
        ),
        (
            "If it was not you, ask your app at once for another password, by a code that is mailed to this"
            " address.",
            "Si no has sido tú, pide enseguida en tu aplicación otra contraseña, con un código que llegará a"
            " esta dirección.",
        ),
    ),
    "address_changed": Words(
        ("Your address for {site} was changed", "Tu dirección para {site} ha cambiado"),
        (
            "The account {name} at {site} has another address now. Notices and codes go there, and no longer"
            " here.",
            "La cuenta {name} en {site} tiene ahora otra dirección. Los avisos y los códigos llegan allí, ya"
            " no aquí.",
        ),
        (
            "If it was not you, somebody has your password: change it at once, and give your address again."
            " If you cannot sign in any more, write to whoever runs {site}.",
            "Si no has sido tú, alguien tiene tu contraseña: cámbiala enseguida y vuelve a dar tu dirección."
            " Si ya no puedes entrar, escribe a quien lleva {site}.",
        ),
    ),
    "address_removed": Words(
        ("Your address was removed from {site}", "Tu dirección se ha quitado de {site}"),
        (
            "The account {name} at {site} has no address any more: neither notices nor codes are mailed.",
            "La cuenta {name} en {site} ya no tiene dirección: no se envían avisos ni códigos.",
        ),
        (
            "If it was not you, somebody is signed in as you: change your password at once, which signs out"
            " everybody else, and give your address again.",
            "Si no has sido tú, alguien ha entrado en tu cuenta: cambia enseguida tu contraseña, con lo que"
            " salen todos los demás, y vuelve a dar tu dirección.",
        ),
    ),
    "account_deleted": Words(
        ("Your account at {site} was deleted", "Tu cuenta en {site} se ha borrado"),
        (
            "The account {name} at {site} was deleted, with all that was stored about it. This is the last"
            " mail from there.",
            "La cuenta {name} en {site} se ha borrado, con todo lo que se guardaba de ella. Este es el último"
            " correo que llega de allí.",
        ),
        (
            "If it was not you, somebody was signed in as you: where you use the same password, change it.",
            "Si no has sido tú, otra persona había entrado en tu cuenta: donde uses la misma"
            " contraseña, cámbiala.",
        ),
    ),
}
"""What there is to tell, by the ``what`` of an alert; the blanks are the account and this server."""


def note(player_id: uuid.UUID, what: str) -> None:
    """Let a player's confirmed address, where there is one, be told; called before it changes."""
    mailbox = Mailbox.objects.select_related("player").filter(player=player_id).first()
    if mailbox is None or mailbox.confirmed_at is None:
        return
    now = moment(hosting.now_ms())
    Alert.objects.create(
        what=what,
        address=mailbox.address,
        name=mailbox.player.name,
        locale=mailbox.player.locale,
        created_at=now,
        mail_at=now,
    )


def prune() -> None:
    """Delete alerts that could not be mailed for days: they hold an address."""
    Alert.objects.filter(created_at__lt=timezone.now() - timedelta(days=DAYS)).delete()
