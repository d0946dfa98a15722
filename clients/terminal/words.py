# SPDX-License-Identifier: MIT
"""What the terminal says by itself, in both languages; all other words come from the catalogue."""

from __future__ import annotations

from collections.abc import Callable

WORDS: dict[str, tuple[str, str]] = {
    "who": ("Who are you?", "¿Quién eres?"),
    "guest": ("a guest, who plays at once", "un invitado, que juega ya"),
    "sign_in": ("somebody with an account", "alguien con cuenta"),
    "sign_up": ("somebody new", "alguien nuevo"),
    "name": ("Name", "Nombre"),
    "password": ("Password", "Contraseña"),
    "token": (
        "You are {name}. To come back as the same: POSTA_TOKEN={token}",
        "Eres {name}. Para volver con la misma cuenta: POSTA_TOKEN={token}",
    ),
    "tables": ("Tables", "Mesas"),
    "no_tables": ("Nobody has opened a table yet.", "Nadie ha abierto ninguna mesa todavía."),
    "new": ("open a table", "abrir una mesa"),
    "invited": ("go to a table by its id", "ir a una mesa por su id"),
    "again": ("look again", "mirar de nuevo"),
    "quit": ("leave", "salir"),
    "table_id": ("Id of the table", "Id de la mesa"),
    "code": ("Invite code, if it is private", "Código de invitación, si es privada"),
    "game": ("Which game?", "¿Qué juego?"),
    "seats": ("How many seats? ({least} to {most})", "¿Cuántos asientos? (de {least} a {most})"),
    "bots": (
        "How many of them for bots? ({least} to {most})",
        "¿Cuántos de ellos para bots? (de {least} a {most})",
    ),
    "which_bot": ("Which bot?", "¿Qué bot?"),
    "options": ("With which options?", "¿Con qué opciones?"),
    "usual": ("the usual ones", "las habituales"),
    "chosen": ("my own choice", "las que yo elija"),
    "usually": ("{value}, unless you say otherwise", "{value}, si no dices otra cosa"),
    "join": ("take a seat", "tomar un asiento"),
    "watch": ("watch", "mirar"),
    "start": ("begin", "empezar"),
    "wait": ("wait", "esperar"),
    "back": ("back", "volver"),
    "your_turn": ("your turn", "te toca"),
    "open": ("open", "abierta"),
    "playing": ("playing", "en juego"),
    "finished": ("finished", "terminada"),
    "closed": ("closed", "cerrada"),
    "seat": ("seat {seat}", "asiento {seat}"),
    "free": ("free", "libre"),
    "you": ("you", "tú"),
    "turn": ("turn {turn}", "turno {turn}"),
    "until": ("until {time}", "hasta {time}"),
    "waiting": (
        "Waiting for others; Ctrl-C goes back to the tables.",
        "Esperando a los demás; Ctrl-C vuelve a las mesas.",
    ),
    "move": ("Your move", "Tu jugada"),
    "won": ("Won by {winners}: {reason}", "Ganan {winners}: {reason}"),
    "nobody": ("nobody", "nadie"),
    "over": ("The table is closed; there is no result.", "La mesa está cerrada; no hay resultado."),
    "choose": ("A number from the list, please.", "Un número de la lista, por favor."),
    "yes": ("yes", "sí"),
    "no": ("no", "no"),
    "earlier": ("… {count} more before", "… {count} más antes"),
}

Words = Callable[..., str]


def words_of(language: str) -> Words:
    """Return a function that says a key of ``WORDS`` in a language, with its gaps filled."""
    column = 1 if language == "es" else 0

    def say(key: str, **gaps: object) -> str:
        return WORDS[key][column].format(**gaps)

    return say
