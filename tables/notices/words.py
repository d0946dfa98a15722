"""Every kind of notice, and the words of each notice in English and Spanish."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tables.wording import LOCALES


class Words(NamedTuple):
    """How a notice is worded, in English and Spanish; players choose their mails by ``kind``.

    ``until`` is the ending of the text where an end is known.
    """

    kind: str
    title: tuple[str, str]
    text: tuple[str, str]
    until: tuple[str, str] | None = None


_UNTIL = (" until {until}", " hasta el {until}")
_PAUSED = ("Paused", "En pausa")

NOTICES: Mapping[str, Words] = {
    "your_turn": Words(
        "your_turn",
        ("Your turn", "Te toca"),
        ("It is your turn", "Es tu turno"),
        (", until {until}", ", hasta el {until}"),
    ),
    "reminder": Words(
        "reminder",
        ("Time is running out", "Se acaba el tiempo"),
        ("It is still your turn", "Sigue siendo tu turno"),
        (", and time is up on {until}", ", y el tiempo acaba el {until}"),
    ),
    "presence_asked": Words(
        "reminder",
        ("Are you still there?", "¿Sigues ahí?"),
        (
            "The table is full after a long wait, and starts when everybody has said to be there",
            "La mesa se ha llenado tras una larga espera y empieza cuando todos confirmen que siguen ahí",
        ),
        ("; answer by {until}", "; responde antes del {until}"),
    ),
    "entropy_asked": Words(
        "reminder",
        ("Seal your part of chance", "Sella tu parte del azar"),
        (
            "Before the game, each player seals a part of its chance; open the table, and your app does so",
            "Antes de la partida cada cual sella una parte de su azar; abre la mesa y tu aplicación lo hará",
        ),
        ("; you have until {until}", "; tienes hasta el {until}"),
    ),
    "entropy_awaited": Words(
        "reminder",
        ("Show your part of chance", "Muestra tu parte del azar"),
        (
            "All parts of chance are sealed, and yours is to be shown; open the table, and your app does so",
            "Todas las partes del azar están selladas; abre la mesa y tu aplicación mostrará la tuya",
        ),
        ("; you have until {until}", "; tienes hasta el {until}"),
    ),
    "unseeded": Words(
        "finished",
        ("Closed without a game", "Cerrada sin partida"),
        (
            "Somebody has not added to chance, as this table demands, and it was closed without a game",
            "Alguien no aportó a tiempo su parte del azar, como pide esta mesa, y se ha cerrado sin partida",
        ),
    ),
    "started": Words(
        "started", ("The game begins", "Empieza la partida"), ("The game has begun", "La partida ha empezado")
    ),
    "finished": Words(
        "finished",
        ("The game is over", "Fin de la partida"),
        ("The game has ended", "La partida ha terminado"),
    ),
    "closed": Words(
        "finished",
        ("Closed without a game", "Cerrada sin partida"),
        ("The table was closed without a game", "La mesa se ha cerrado sin partida"),
    ),
    "invited": Words(
        "invited",
        ("A seat is offered to you", "Te ofrecen un asiento"),
        (
            "The players offer you the seat of somebody who is absent",
            "Te ofrecen el asiento de alguien que no aparece",
        ),
    ),
    "replaced": Words(
        "replaced",
        ("A seat has changed hands", "Un asiento cambia de manos"),
        (
            "Another plays in one of the seats from now on",
            "Uno de los asientos lo juega otra persona o un bot",
        ),
    ),
    "replaced_absent": Words(
        "replaced",
        ("A bot plays for you", "Un bot juega por ti"),
        (
            "You have been absent, and a bot plays in your seat; it is yours again when you come back",
            "Llevas un tiempo sin jugar y un bot ocupa tu asiento; será tuyo de nuevo cuando vuelvas",
        ),
    ),
    "replaced_voted": Words(
        "replaced",
        ("Your seat was given to another", "Tu asiento ha pasado a otras manos"),
        (
            "The other players have voted to let another play in your seat",
            "El resto de la mesa ha votado que tu asiento pase a otras manos",
        ),
    ),
    "replaced_you": Words(
        "replaced",
        ("Somebody has taken your seat", "Alguien ocupa tu asiento"),
        (
            "You have been absent, and another player has taken over your seat",
            "Llevas un tiempo sin jugar y otra persona ha ocupado tu asiento",
        ),
    ),
    "sought": Words(
        "replaced",
        ("A player is absent", "Falta alguien"),
        (
            "A player is absent; until the next move of that seat, another may take it",
            "Alguien no aparece; hasta la próxima jugada de ese asiento, otra persona puede ocuparlo",
        ),
    ),
    "sought_you": Words(
        "replaced",
        ("Your seat is open to others", "Tu asiento queda abierto"),
        (
            "You have been absent, and another may take your seat; a move of yours keeps it",
            "Llevas un tiempo sin jugar y otra persona puede ocupar tu asiento; si juegas, lo conservas",
        ),
    ),
    "timed_out": Words(
        "replaced",
        ("You are out of the game", "Has quedado fuera"),
        (
            "Your time has run out, and you are out of the game for good",
            "Se ha agotado tu tiempo y quedas fuera de la partida",
        ),
    ),
    "seat_lost": Words(
        "replaced",
        ("Your seat is free again", "Tu asiento vuelve a estar libre"),
        (
            "You have not said to be there, and your seat is free again",
            "No confirmaste que seguías ahí y tu asiento vuelve a estar libre",
        ),
    ),
    "message": Words(
        "message",
        ("New messages", "Mensajes nuevos"),
        ("There are new messages at the table", "Hay mensajes nuevos en la mesa"),
    ),
    "vote_called": Words(
        "vote",
        ("A vote is open", "Hay una votación"),
        ("A vote has been called, and you may take part", "Se ha abierto una votación y puedes participar"),
        _UNTIL,
    ),
    "paused": Words("pause", _PAUSED, ("The clocks stand still", "Los relojes están parados"), _UNTIL),
    "away": Words(
        "pause",
        ("A player is on vacation", "Alguien está de vacaciones"),
        (
            "A player is on vacation, and that clock stands still",
            "Alguien está de vacaciones y su reloj está parado",
        ),
        _UNTIL,
    ),
    "resumed": Words(
        "pause",
        ("The pause is over", "Fin de la pausa"),
        (
            "The pause is over, and the clocks run again",
            "La pausa ha terminado y los relojes vuelven a correr",
        ),
    ),
    "back": Words(
        "pause",
        ("Back from vacation", "De vuelta de vacaciones"),
        (
            "A player is back from vacation, and that clock runs again",
            "Alguien ha vuelto de vacaciones y su reloj vuelve a correr",
        ),
    ),
    "vacation_ends": Words(
        "pause",
        ("Your vacation ends", "Terminan tus vacaciones"),
        (
            "Your vacation is about to end, and your clocks run again",
            "Tus vacaciones están por terminar y tus relojes volverán a correr",
        ),
        (" from {until}", " desde el {until}"),
    ),
    "extended": Words(
        "pause",
        ("More time", "Más tiempo"),
        (
            "The server was not there for a while; that time does not count",
            "El servidor no estuvo disponible un tiempo; ese tiempo no cuenta",
        ),
    ),
    "staff_paused": Words(
        "staff",
        _PAUSED,
        (
            "The clocks were stopped by staff, or by the arbiter",
            "El equipo o el arbitraje ha parado los relojes",
        ),
        _UNTIL,
    ),
    "staff_resumed": Words(
        "staff",
        ("The pause is over", "Fin de la pausa"),
        ("The clocks run again, as was decided", "Los relojes vuelven a correr, según lo decidido"),
    ),
    "suspended": Words(
        "staff",
        ("The table stands still", "La mesa está detenida"),
        (
            "Something went wrong at the server; your table waits for staff, and no clock runs",
            "Algo ha fallado en el servidor; tu mesa espera al equipo y ningún reloj corre",
        ),
    ),
    "staff_extended": Words(
        "staff",
        ("The table goes on", "La mesa continúa"),
        (
            "The table was stopped, and goes on; that time does not count",
            "La mesa estuvo detenida y continúa; ese tiempo no cuenta",
        ),
    ),
    "staff_removed": Words(
        "staff",
        ("You were removed", "Te han retirado de la mesa"),
        (
            "You were removed from the game by staff, or by the arbiter",
            "El equipo o el arbitraje te ha retirado de la partida",
        ),
    ),
    "time_added": Words(
        "staff",
        ("More time", "Más tiempo"),
        (
            "Staff, or the arbiter, have given more time to whoever is awaited",
            "El equipo o el arbitraje ha dado más tiempo a quien debe jugar",
        ),
    ),
    "peeked": Words(
        "staff",
        ("Staff have looked", "El equipo ha mirado"),
        (
            "Staff have looked at what is hidden at the table; its log says why",
            "El equipo ha mirado lo que está oculto en la mesa; su registro dice por qué",
        ),
    ),
    "ended_by_ruling": Words(
        "finished",
        ("The game was ended", "Partida terminada por decisión"),
        (
            "Staff, or the arbiter, have ended the game",
            "El equipo o el arbitraje ha dado por terminada la partida",
        ),
    ),
    "arbiter_asked": Words(
        "invited",
        ("Will you arbitrate?", "¿Quieres arbitrar?"),
        (
            "The host of a table asks you to be its arbiter",
            "Quien abrió una mesa te pide que la arbitres",
        ),
    ),
    "arbiter_named": Words(
        "staff",
        ("The table has an arbiter", "La mesa tiene arbitraje"),
        (
            "The table has an arbiter, who may stop its clocks and decide disputes, and sees nothing hidden",
            "La mesa tiene quien la arbitre: puede parar los relojes y decidir disputas, y no ve nada oculto",
        ),
    ),
    "arbiter_left": Words(
        "staff",
        ("No arbiter any more", "La mesa ya no tiene arbitraje"),
        ("The table has no arbiter any more", "La mesa ya no tiene quien la arbitre"),
    ),
    "webhook_off": Words(
        "webhook",
        ("A webhook was switched off", "Un webhook desactivado"),
        (
            "An endpoint of your webhooks is gone, or has failed for days, and was switched off",
            "Un destino de tus webhooks ya no existe, o lleva días fallando, y se ha desactivado",
        ),
    ),
    "message_hidden": Words(
        "staff",
        ("A message was hidden", "Un mensaje oculto"),
        ("Staff have hidden a message of yours", "El equipo ha ocultado un mensaje tuyo"),
    ),
}
"""What there is to tell, by the ``what`` of a notice."""

FRAME: Mapping[str, tuple[str, str]] = {
    "hello": ("Hello {name},", "Hola, {name}:"),
    "digest": ("{count} notices at your tables", "{count} avisos de tus mesas"),
    "open": ("Open the table", "Abrir la mesa"),
    "named": ("“{title}” ({game})", "«{title}» ({game})"),
    "why": (
        "You get this mail because you play at {site}, and have chosen to be told by mail.",
        "Recibes este correo porque juegas en {site} y has elegido recibir avisos por correo.",
    ),
    "unsubscribe": ("No more mails of this kind", "No recibir más correos de este tipo"),
    "code_subject": ("Your code for {site}", "Tu código para {site}"),
    "code": (
        "Somebody, we hope you, has given this address for the account {name} at {site}."
        " This code confirms it:",
        "Alguien, esperamos que tú, ha dado esta dirección para la cuenta {name} en {site}."
        " Este código la confirma:",
    ),
    "code_else": (
        "It is valid for a day. If it was not you, do nothing: without the code no more mails will come.",
        "Vale durante un día. Si no has sido tú, no hagas nada: sin el código no llegarán más correos.",
    ),
    "reset_subject": ("Another password for {site}", "Otra contraseña para {site}"),
    "reset": (
        "Somebody, we hope you, wants another password for the account {name} at {site}."
        " Your app asks for this code:",
        "Alguien, esperamos que tú, quiere otra contraseña para la cuenta {name} en {site}."
        " Tu aplicación te pedirá este código:",
    ),
    "here": ("Choose it in the browser", "Elígela en el navegador"),
    "reset_else": (
        "It is valid for an hour, and once. If it was not you, do nothing: your password stays as it is.",
        "Vale durante una hora y una sola vez. Si no has sido tú, no hagas nada: tu contraseña no cambia.",
    ),
    "page_title": ("Mails from {site}", "Correos de {site}"),
    "page_ask": (
        "Do you want no more mails of this kind: {kinds}?",
        "¿No quieres recibir más correos de este tipo: {kinds}?",
    ),
    "page_button": ("Stop these mails", "Dejar de recibirlos"),
    "page_done": (
        "Done. You will get no more mails of this kind: {kinds}. The notices stay in the app.",
        "Hecho. No recibirás más correos de este tipo: {kinds}. Los avisos siguen en la aplicación.",
    ),
    "page_bad": ("This link is not valid.", "Este enlace no es válido."),
}

KIND_NAMES: Mapping[str, tuple[str, str]] = {
    "your_turn": ("your turn", "tu turno"),
    "reminder": ("reminders", "recordatorios"),
    "started": ("games that begin", "partidas que empiezan"),
    "finished": ("games that end", "partidas que terminan"),
    "invited": ("seats offered", "asientos ofrecidos"),
    "replaced": ("seats that change hands", "asientos que cambian de manos"),
    "message": ("messages", "mensajes"),
    "vote": ("votes", "votaciones"),
    "pause": ("pauses", "pausas"),
    "staff": ("staff", "el equipo"),
    "webhook": ("webhooks that were switched off", "webhooks desactivados"),
}

_MONTHS = (
    tuple(
        "January February March April May June July August September October November December".split()  # noqa: SIM905
    ),
    tuple(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()  # noqa: SIM905
    ),
)


def title(what: str, locale: str) -> str:
    """Return a notice in two or three words."""
    return NOTICES[what].title[LOCALES.index(locale)]


def text(what: str, locale: str, *, until: int | None = None, zone: str = "UTC") -> str:
    """Return a notice as a sentence; ``until`` is told by the clocks of ``zone``."""
    words, number = NOTICES[what], LOCALES.index(locale)
    told = words.text[number]
    if words.until is not None and until is not None:
        told += words.until[number].format(until=moment(until, locale, zone))
    return told + "."


def framed(text: str, locale: str, /, **blanks: Any) -> str:
    """Return a text of the frame around notices."""
    return FRAME[text][LOCALES.index(locale)].format(**blanks)


def moment(milliseconds: int, locale: str, zone: str) -> str:
    """Return a time as the clocks of ``zone`` show it, to the minute."""
    tz = zone_of(zone)
    shown = datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(tz)
    month = _MONTHS[LOCALES.index(locale)][shown.month - 1]
    day = f"{shown.day} de {month} de {shown.year}" if locale == "es" else f"{shown.day} {month} {shown.year}"
    return f"{day}, {shown:%H:%M} ({tz.key})"


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone; UTC for one that this machine does not know any more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")
