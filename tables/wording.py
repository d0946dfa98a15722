"""The words of refusals, English and Spanish, and the choice between the two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation.trans_real import parse_accept_lang_header

LOCALES = ("en", "es")

DETAILS: dict[str, tuple[str, str]] = {
    "already_moved": (
        "This seat has already sent another move for this turn.",
        "Este asiento ya ha enviado otra jugada para este turno.",
    ),
    "already_resigned": (
        "This seat has left the game for good already.",
        "Este asiento ya ha dejado la partida para siempre.",
    ),
    "already_seated": ("You have a seat at this table.", "Ya tienes un asiento en esta mesa."),
    "already_voted": (
        "This seat has voted already.",
        "Este asiento ya ha votado.",
    ),
    "arbitrates": (
        "Whoever arbitrates this table, or is asked to, takes no seat at it.",
        "Quien arbitra esta mesa, o ha sido llamado a hacerlo, no ocupa asiento en ella.",
    ),
    "bad_code": (
        "This is not the code that was mailed to your address, or it is too old.",
        "No es el código que se envió a tu dirección, o ya no vale.",
    ),
    "bad_credentials": (
        "There is no such name with this password.",
        "No hay tal nombre con esa contraseña.",
    ),
    "bad_invite": ("The invite code is not that of this table.", "El código no es el de esta mesa."),
    "bad_json": (
        "The body is not acceptable JSON; `errors` says why.",
        "El cuerpo no es JSON aceptable; `errors` dice por qué.",
    ),
    "bad_request": (
        "The request is not well formed; `errors` says where.",
        "La petición está mal formada; `errors` dice dónde.",
    ),
    "body_too_large": ("A body has at most 65,536 bytes.", "Un cuerpo tiene como mucho 65.536 bytes."),
    "busy": (
        "The server could not get to it in time. Nothing was changed; try again.",
        "El servidor no ha podido atenderlo a tiempo. Nada ha cambiado; inténtalo de nuevo.",
    ),
    "clock_in_doubt": (
        "The server's clock has jumped; until somebody has looked into it, no turn ends. Try again later.",
        "El reloj del servidor ha dado un salto; hasta que se revise, ningún turno termina."
        " Inténtalo más tarde.",
    ),
    "entropy_committed": (
        "This seat has committed to something else already.",
        "Este asiento ya se ha comprometido con otro valor.",
    ),
    "entropy_mismatch": (
        "This is not what the seat has committed to.",
        "No es aquello con lo que el asiento se comprometió.",
    ),
    "entropy_not_asked": (
        "The table does not ask this seat for it now.",
        "La mesa no se lo pide ahora a este asiento.",
    ),
    "forbidden": ("You may not do this.", "No puedes hacer esto."),
    "forks_too_deep": (
        "{most} tables go on from one another up to here already; go on from one of those before.",
        "Hasta aquí ya hay {most} mesas que continúan una de otra; continúa una de las anteriores.",
    ),
    "has_arbiter": (
        "Somebody arbitrates this table already, or is asked to.",
        "Ya hay quien arbitra esta mesa, o se le ha pedido.",
    ),
    "holder_gone": (
        "Somebody who held a seat has no account any more.",
        "Alguien que tenía un asiento ya no tiene cuenta.",
    ),
    "idempotency_key_reused": (
        "This Idempotency-Key came before with another request.",
        "Esta Idempotency-Key ya se usó con otra petición.",
    ),
    "insufficient_scope": (
        "This token may not be used for this: it lacks the scope `{scope}`.",
        "Este token no sirve para esto: le falta el permiso `{scope}`.",
    ),
    "internal_error": (
        "Something went wrong in the server.",
        "Algo ha fallado en el servidor.",
    ),
    "method_not_allowed": (
        "This resource does not know this method; `Allow` lists those it knows.",
        "Este recurso no admite este método; `Allow` enumera los que admite.",
    ),
    "misdirected": (
        "This waits, and is served by the live process: `live_url` of /v1/status.",
        "Esto espera, y lo sirve el proceso en vivo: `live_url` de /v1/status.",
    ),
    "name_taken": ("Another player has this name.", "Otra persona ya tiene ese nombre."),
    "no_bots": (
        "The players of this table all add to its chance; a bot plays in one of the seats, and adds nothing.",
        "En esta mesa todos aportan al azar; en uno de los asientos juega un bot, que no aporta nada.",
    ),
    "no_deadline": (
        "The open turn has no deadline.",
        "El turno abierto no tiene plazo.",
    ),
    "no_guest": (
        "This account has a name and a password already.",
        "Esta cuenta ya tiene nombre y contraseña.",
    ),
    "no_vacation_left": (
        "This year's vacation is used up, or the last one ended too recently: 30 days a year, 14 in a row.",
        "No queda vacación este año, o la última acabó hace muy poco: 30 días al año, 14 seguidos.",
    ),
    "no_vote": (
        "This vote is not open, or this seat may not vote on it.",
        "Esta votación no está abierta, o este asiento no puede votar en ella.",
    ),
    "not_acceptable": (
        "The answer exists in another form only, mostly as application/json.",
        "La respuesta solo existe en otro formato, casi siempre application/json.",
    ),
    "not_arbiter": (
        "Only the arbiter of the table may do this.",
        "Solo quien arbitra la mesa puede hacerlo.",
    ),
    "not_found": (
        "There is nothing here, or nothing that you may see.",
        "Aquí no hay nada, o nada que puedas ver.",
    ),
    "not_host": ("Only the host of the table may do this.", "Solo quien abrió la mesa puede hacerlo."),
    "not_paused": (
        "No pause by ruling lasts at this table.",
        "En esta mesa no dura ninguna pausa por decisión arbitral.",
    ),
    "not_seated": ("You have no seat at this table.", "No tienes asiento en esta mesa."),
    "not_your_eyes": (
        "You see this table through your own eyes alone until its game has ended.",
        "Hasta que termine la partida, esta mesa solo puedes verla con tus propios ojos.",
    ),
    "not_your_turn": ("It is not this seat's turn.", "No es el turno de este asiento."),
    "own_account": ("This is your own account.", "Esta es tu propia cuenta."),
    "played_here": (
        "Whoever has, or has had, a seat at this table may not take another's.",
        "Quien tiene o ha tenido un asiento en esta mesa no puede ocupar el de otra persona.",
    ),
    "precondition_failed": (
        "The settings have changed since you looked; look again.",
        "Los ajustes han cambiado desde que los miraste; vuelve a mirar.",
    ),
    "presence_not_asked": (
        "This table does not ask who is there.",
        "Esta mesa no pregunta quién está.",
    ),
    "rate_limited": (
        "Too many requests; `Retry-After` says when to go on.",
        "Demasiadas peticiones; `Retry-After` dice cuándo seguir.",
    ),
    "reliability_too_low": (
        "This table asks for players who answer more of their turns in time.",
        "Esta mesa pide jugadores que respondan a tiempo más turnos.",
    ),
    "seat_not_sought": (
        "Nobody is sought for this seat.",
        "No se busca a nadie para este asiento.",
    ),
    "rules_missing": (
        "This server does not have version {rules_version} of {game}, by which this table is played.",
        "Este servidor no tiene la versión {rules_version} de {game}, con la que se juega en esta mesa.",
    ),
    "seating_closed": (
        "The game is about to begin: nobody gives a seat back any more; you may resign once it has begun.",
        "La partida está por empezar: ya no se puede dejar el asiento; podrás rendirte cuando empiece.",
    ),
    "seats_missing": (
        "The table starts when every seat is taken.",
        "La mesa empieza cuando todos los asientos están ocupados.",
    ),
    "table_full": ("Every seat is taken.", "Todos los asientos están ocupados."),
    "table_not_finished": (
        "This can be done when the game has ended.",
        "Esto se puede hacer cuando la partida ha terminado.",
    ),
    "table_not_open": (
        "This can be done only before the start of the game.",
        "Esto se puede hacer solo antes de que empiece la partida.",
    ),
    "table_not_playing": (
        "There is no game under way at this table.",
        "No hay ninguna partida en curso en esta mesa.",
    ),
    "table_suspended": (
        "The table is stopped until staff have looked at it; its clock stands.",
        "La mesa está detenida hasta que el equipo la revise; su reloj no corre.",
    ),
    "talk_silent": (
        "Nobody speaks at this table while the game runs.",
        "En esta mesa no se habla mientras dura la partida.",
    ),
    "too_many_at_once": (
        "You have as many of these open as one may have; close one first.",
        "Tienes abiertas tantas como se puede; cierra una antes.",
    ),
    "too_many_webhooks": (
        "You have {most} endpoints, and no more are possible; delete one first.",
        "Tienes {most} destinos, y no puede haber más; borra uno antes.",
    ),
    "turn_not_reached": (
        "The move names a turn that has not come yet.",
        "La jugada nombra un turno que aún no ha llegado.",
    ),
    "turn_passed": (
        "The turn that this move answers has passed.",
        "El turno al que responde esta jugada ya ha pasado.",
    ),
    "unauthenticated": (
        "A valid token is needed: `Authorization: Bearer <token>`.",
        "Hace falta un token válido: `Authorization: Bearer <token>`.",
    ),
    "unsupported_media_type": (
        "A body is application/json in UTF-8.",
        "Un cuerpo es application/json en UTF-8.",
    ),
    "version_conflict": (
        "The table has moved on meanwhile; look again.",
        "La mesa ha cambiado entretanto; vuelve a mirar.",
    ),
    "vote_not_possible": (
        "There is nothing to vote about here, or this seat may not call the vote.",
        "Aquí no hay nada que votar, o este asiento no puede convocar la votación.",
    ),
    "vote_open": (
        "Another vote is still open.",
        "Todavía hay otra votación abierta.",
    ),
    "webhook_disabled": (
        "The endpoint is not told such a thing now; its `status` says why.",
        "Al destino no se le cuenta eso ahora; su `status` dice por qué.",
    ),
    "webhook_pending": (
        "This delivery is on its way already.",
        "Este envío ya está en camino.",
    ),
    "webhook_verified": (
        "The endpoint has sent a challenge back already.",
        "El destino ya ha devuelto un desafío.",
    ),
    "wrong_password": (
        "This is not the password of the account.",
        "Esa no es la contraseña de la cuenta.",
    ),
}

FIELDS: dict[str, tuple[str, str]] = {
    "bad_format": ("This is not of the form wanted here.", "No tiene la forma que se espera aquí."),
    "bad_length": ("The length is to be {wanted}.", "La longitud ha de ser {wanted}."),
    "bad_name": (
        "A name is made of visible letters and digits, - _ . and single spaces inside; it has a letter or a"
        " digit, and does not look like an id.",
        "Un nombre se compone de letras y cifras visibles, - _ . y espacios sueltos en su interior; tiene"
        " alguna letra o cifra, y no parece un identificador.",
    ),
    "bad_text": (
        "Texts hold no NUL and no lone surrogate.",
        "Los textos no contienen NUL ni medios pares suplentes.",
    ),
    "bad_url": (
        "Webhooks go to https, to the name of a host other than this, on port 443 or 8443, without user and"
        " fragment.",
        "Los webhooks van por https, al nombre de un host que no sea este, al puerto 443 u 8443, sin usuario"
        " ni fragmento.",
    ),
    "blank_text": ("This text says nothing.", "Este texto no dice nada."),
    "control_character": (
        "Texts hold no control characters but newline and tab, and titles none at all.",
        "Los textos no contienen caracteres de control salvo salto de línea y tabulador; los títulos,"
        " ninguno.",
    ),
    "duplicate_key": ("A key of an object comes twice.", "Una clave de un objeto aparece dos veces."),
    "empty_body": ("A body is needed.", "Hace falta un cuerpo."),
    "missing_field": ("This field is needed.", "Este campo es necesario."),
    "no_bots": (
        "Bots add nothing to chance: at a table with `players_strict` none sits down.",
        "Los bots no aportan nada al azar: en una mesa con `players_strict` no se sienta ninguno.",
    ),
    "not_a_number": ("NaN and Infinity are no JSON.", "NaN e Infinity no son JSON."),
    "number_too_large": (
        "Numbers go to 9007199254740991 on either side of zero.",
        "Los números llegan hasta 9007199254740991 a ambos lados de cero.",
    ),
    "out_of_range": (
        "This is out of range; possible: {wanted}.",
        "Está fuera de rango; se admite: {wanted}.",
    ),
    "syntax": ("The body is no JSON text in UTF-8.", "El cuerpo no es un texto JSON en UTF-8."),
    "too_deep": ("JSON is nested over 32 deep.", "El JSON tiene más de 32 niveles."),
    "unknown_field": (
        "There is no such field or parameter here, or not beside the others.",
        "Aquí no hay tal campo o parámetro, o no junto a los demás.",
    ),
    "unknown_value": ("This value is not known here.", "Este valor no se conoce aquí."),
    "wrong_type": ("Expected {wanted}, not {given}.", "Se esperaba {wanted}, no {given}."),
}

WITHOUT_SCOPES = (
    "This token may not be used for this: it wants one without scopes.",
    "Este token no sirve para esto: hace falta uno sin permisos limitados.",
)
"""What is said of ``insufficient_scope`` where no scope is enough."""

OPTIONS: dict[str, tuple[str, str]] = {
    "unknown_field": (
        "There is no option `{option}`, given as {given}; there are: {wanted}.",
        "No existe la opción `{option}`, enviada como {given}; existen: {wanted}.",
    ),
    **dict.fromkeys(
        ("out_of_range", "unknown_value", "wrong_type"),
        (
            "The option `{option}` takes {wanted}; it was given {given}.",
            "La opción `{option}` admite {wanted}; se ha recibido {given}.",
        ),
    ),
}
"""What is wrong with an option of a game, by the codes of ``FIELDS``."""


def language(accept: str | None, own: str | None) -> str:
    """Return ``en`` or ``es``: the header's first that we speak, else the player's own."""
    for tag, _ in parse_accept_lang_header(accept or ""):
        if (primary := tag.split("-")[0]) in LOCALES:
            return primary
    return own if own in LOCALES else "en"


def worded(table: Mapping[str, tuple[str, str]], code: str, locale: str, **blanks: Any) -> str | None:
    """Return the text of ``code``, None where the table has none."""
    if (texts := table.get(code)) is None:
        return None
    text = texts[LOCALES.index(locale)]
    return text.format(**blanks).strip() if blanks else text
