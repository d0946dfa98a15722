"""The words of the page on which a player lets an application in, English and Spanish."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tables.scopes import SCOPES
from tables.wording import LOCALES

_PAGE: dict[str, tuple[str, str]] = {
    "title": ("Let {application} in?", "¿Dar acceso a {application}?"),
    "asks": (
        "{application} wants to use your account at {site}. It could then:",
        "{application} quiere usar tu cuenta en {site}. Con ello podría:",
    ),
    "goes_to": (
        "If you agree, you go back to {target}. You can end it at any time in the list of your devices.",
        "Si aceptas, volverás a {target}. Puedes retirar el acceso cuando quieras en la lista de tus"
        " dispositivos.",
    ),
    "name": ("Your name here", "Tu nombre aquí"),
    "password": ("Your password", "Tu contraseña"),
    "allow": ("Sign in and allow", "Entrar y permitir"),
    "deny": ("Cancel", "Cancelar"),
    "wrong": ("There is no such name with this password.", "No hay tal nombre con esa contraseña."),
    "too_many": (
        "Too many attempts. Wait {seconds} seconds, then try again.",
        "Demasiados intentos. Espera {seconds} segundos y vuelve a probar.",
    ),
    "bad_title": ("This link does not work", "Este enlace no funciona"),
    "bad": (
        "The application that sent you here has made a mistake, or is not known at {site}."
        " Nothing was allowed.",
        "La aplicación que te ha enviado aquí ha cometido un error o no se conoce en {site}."
        " No se ha permitido nada.",
    ),
    "expired_title": ("Please begin again", "Vuelve a empezar"),
    "expired": (
        "The page was open for too long, or your browser keeps no cookies for {site}."
        " Go back to the application, and begin again there.",
        "La página llevaba demasiado tiempo abierta, o tu navegador no guarda cookies de {site}."
        " Vuelve a la aplicación y empieza de nuevo desde allí.",
    ),
}


def worded(text: str, locale: str, /, **blanks: Any) -> str:
    """Return a text of the page."""
    return _PAGE[text][LOCALES.index(locale)].format(**blanks)


def allowed(scopes: Iterable[str], locale: str) -> list[str]:
    """Return what an application may do with scopes, in the order in which they are listed."""
    wanted = set(scopes)
    return [texts[LOCALES.index(locale)] for name, texts in SCOPES.items() if name in wanted]
