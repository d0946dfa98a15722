"""The settings of an installation.  The environment is read here and nowhere else."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import Environment, database

BASE_DIR = Path(__file__).resolve().parent.parent
_env = Environment(os.environ)

VERSION = "0.1.0"
PRODUCTION = _env.choice("POSTA_ENV", "development", ("development", "production")) == "production"
DEBUG = False
DATA_DIR = Path(_env.text("POSTA_DATA", str(BASE_DIR / ".data"), example="/var/lib/posta"))


def _secret(name: str, development: str, example: str) -> str:
    """Return a variable that production must set and development may leave out."""
    return _env.text(name, None if PRODUCTION else development, example=example)


SECRET_KEY = _secret("SECRET_KEY", "development-only", "a long random text")
ALLOWED_HOSTS = (
    _env.words("ALLOWED_HOSTS", example="posta.example.org")
    if PRODUCTION
    else ["127.0.0.1", "localhost", "[::1]"]
)
SIGNING_KEY = Path(_secret("POSTA_SIGNING_KEY", str(DATA_DIR / "signing.key"), "/etc/posta/signing.key"))


def _development_urls() -> dict[str, str]:
    """Return the addresses of the embedded servers, which ``make up`` and ``migrate`` start."""
    from stack import urls

    return urls.development(DATA_DIR)


_embedded = (
    {}
    if PRODUCTION or all(os.environ.get(name) for name in ("DATABASE_URL", "BROKER_URL"))
    else _development_urls()
)
EMBEDDED_DATABASE = not PRODUCTION and not os.environ.get("DATABASE_URL")
_database_url = _env.text(
    "DATABASE_URL",
    _embedded.get("DATABASE_URL"),
    example="postgresql://posta_app:secret@127.0.0.1:5432/posta",
)
_owner_url = os.environ.get("DATABASE_OWNER_URL") or (
    _embedded.get("DATABASE_OWNER_URL") if EMBEDDED_DATABASE else None
)
if not _owner_url:
    if PRODUCTION:
        raise ImproperlyConfigured(
            "DATABASE_OWNER_URL is not set. It is the address with the role that owns the tables, for "
            "migrations. Example: DATABASE_OWNER_URL=postgresql://posta_owner:secret@127.0.0.1:5432/posta"
        )
    warnings.warn(
        "DATABASE_OWNER_URL is not set: migrations run as the role of DATABASE_URL, so the log of events "
        "is not protected from the application. Fit for development only.",
        stacklevel=1,
    )
OWNER_SEPARATE = bool(_owner_url)

WORKER_PROCESS = _env.switch("POSTA_WORKER", default=False)
"""Celery's processes and the daemon hold one plain connection each, web processes a pool."""

DATABASES: dict[str, dict[str, Any]] = {
    "default": database("DATABASE_URL", _database_url),
    "owner": database("DATABASE_OWNER_URL", _owner_url or _database_url),
}
if not WORKER_PROCESS:
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 8, "timeout": 2}
DATABASES["default"]["OPTIONS"] |= {"connect_timeout": 5, "prepare_threshold": 3}
BROKER_URL = _env.text("BROKER_URL", _embedded.get("BROKER_URL"), example="redis://:secret@127.0.0.1:6379/0")

INSTALLED_APPS = [
    "events.apps.EventsConfig",
    "tables.apps.TablesConfig",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "tables.api.middleware.api_headers",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"
AUTH_USER_MODEL = "tables.Player"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español")]
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

PUBLIC_URL = _env.text("POSTA_URL", "http://127.0.0.1:8000", example="https://posta.example.org")
LIVE_URL = _env.text("POSTA_LIVE_URL", "http://127.0.0.1:8001", example="https://posta.example.org")
THROTTLES = _env.switch("POSTA_THROTTLES", default=PRODUCTION)
EXTRA_GAMES = (
    _env.words("POSTA_EXTRA_GAMES", "", example="mygames.chess")
    if os.environ.get("POSTA_EXTRA_GAMES")
    else []
)
"""Modules whose ``GAME`` joins the catalogue beside the registry's own."""

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {"django.request": {"level": "ERROR"}, "django.db.backends": {"level": "WARNING"}},
}

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tables.api.auth.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["tables.api.parser.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["tables.api.rendering.JsonRenderer"],
    "DEFAULT_SCHEMA_CLASS": "tables.api.schema.RecordSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "tables.api.problems.handle",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Posta",
    "VERSION": "1",
    "DESCRIPTION": (
        "The open server for play-by-post tabletop games. A client needs no rules: the view says what is"
        " seen, whose turn it is and until when; `legal_moves` say what can be done.\n\nWithin `/v1` changes"
        " only add: clients ignore fields, events and values that they do not know. Every refusal is a"
        " problem document (RFC 9457) with a stable `code`."
    ),
    "LICENSE": {"name": "AGPL-3.0-only", "identifier": "AGPL-3.0-only"},
    "SERVERS": [{"url": "http://127.0.0.1:8000", "description": "A server started by `make up`."}],
    "SCHEMA_PATH_PREFIX": "/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": False,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": ["tables.api.schema.finish"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}
