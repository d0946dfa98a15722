"""The words of the printed report, in English and Spanish."""

from __future__ import annotations

from collections.abc import Mapping

from tables.wording import LOCALES

WORDS: Mapping[str, tuple[str, str]] = {
    "title": ("Report of a game", "Informe de una partida"),
    "table": ("Table", "Mesa"),
    "game": ("Game", "Juego"),
    "rules": ("rules version", "versión de las reglas"),
    "played": ("Played", "Jugada"),
    "to": ("to", "a"),
    "clock": ("Clock", "Reloj"),
    "per_turn": ("{seconds} s a turn", "{seconds} s por turno"),
    "budget": (
        "{initial} s at first, {increment} s a move, {cap} s at most",
        "{initial} s al principio, {increment} s por jugada, {cap} s como mucho",
    ),
    "none": ("without a deadline", "sin plazo"),
    "result": ("Result", "Resultado"),
    "verdict": ("Verdict of the verifier", "Veredicto del verificador"),
    "proved": ("proved, up to event {position}", "probada, hasta el evento {position}"),
    "replayed": (
        "replayed, up to event {position}; a sandbox: its seed was chosen, and no chance is proved",
        "reproducida, hasta el evento {position}; mesa de pruebas: semilla elegida, el azar no se prueba",
    ),
    "failed": ("FAILED, at {position} events", "NO PROBADA, con {position} eventos"),
    "unknown": ("not verified yet", "aún sin verificar"),
    "at": ("on", "el"),
    "head": ("Last event and its hash", "Último evento y su hash"),
    "key": ("Signed by key", "Firmado con la clave"),
    "pending": ("not signed yet", "aún sin firmar"),
    "seats": ("Seats", "Asientos"),
    "seat": ("Seat", "Asiento"),
    "holder": ("Who", "Quién"),
    "pseudonym": ("In the log", "En el registro"),
    "events": ("Events", "Eventos"),
    "place": ("Place", "Puesto"),
    "score": ("Score", "Puntos"),
    "arbiter": ("Arbiter", "Arbitraje"),
    "staff": ("Staff", "El equipo"),
    "by_table": ("The table", "La mesa"),
    "gone": ("A player who left", "Alguien que se fue"),
    "elsewhere": ("Played elsewhere", "Jugó en otro servidor"),
    "bot": ("bot", "bot"),
    "course": ("What happened", "Lo que ocurrió"),
    "number": ("No.", "N.º"),
    "time": ("Time (UTC)", "Hora (UTC)"),
    "actor": ("By", "De"),
    "what": ("Event", "Evento"),
    "deadline": ("Deadline (UTC)", "Plazo (UTC)"),
    "names": (
        "Names are those of today, from outside the log, which knows people by pseudonyms. Moves, time-outs,"
        " votes, pauses and rulings are listed; the transcript of the table holds every event, and proves"
        " them.",
        "Los nombres son los de hoy y no figuran en el registro, que conoce a las personas por pseudónimos."
        " Se enumeran jugadas, plazos agotados, votaciones, pausas y decisiones; la transcripción de la mesa"
        " contiene todos los eventos y los prueba.",
    ),
}


def word(name: str, locale: str, **blanks: object) -> str:
    """Return a text of the report."""
    text = WORDS[name][LOCALES.index(locale)]
    return text.format(**blanks) if blanks else text


def all_in(locale: str) -> dict[str, str]:
    """Return every text without its blanks filled, for the page."""
    return {name: texts[LOCALES.index(locale)] for name, texts in WORDS.items()}
