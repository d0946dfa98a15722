"""What a token may be let do, in words; a token without scopes may do everything."""

from __future__ import annotations

from typing import Final

SCOPES: Final[dict[str, tuple[str, str]]] = {
    "profile:read": (
        "See your profile, vacations and notices",
        "Ver tu perfil, tus vacaciones y tus avisos",
    ),
    "profile:write": (
        "Change your profile, vacations and choices of notices",
        "Cambiar tu perfil, tus vacaciones y qué avisos recibes",
    ),
    "tables:read": (
        "See your tables: games, messages and notes",
        "Ver tus mesas: partidas, mensajes y notas",
    ),
    "tables:write": (
        "Open, join and leave tables for you, resign and vote",
        "Abrir mesas por ti, entrar en ellas y dejarlas, rendirse y votar",
    ),
    "moves:write": ("Play for you", "Jugar por ti"),
    "messages:write": (
        "Write messages and notes for you, mute and report",
        "Escribir mensajes y notas por ti, silenciar y denunciar",
    ),
    "webhooks:manage": (
        "Have a server told of what happens at your tables",
        "Hacer que un servidor sepa lo que pasa en tus mesas",
    ),
}
"""By name: what an application may do then, English and Spanish."""
