"""The settings of an installation.  The environment is read here and nowhere else."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from config.environment import Environment, database, mail_server, refuse

BASE_DIR = Path(__file__).resolve().parent.parent
_env = Environment(os.environ)

VERSION = "0.1.0"
PRODUCTION = _env.choice("POSTA_ENV", "development", ("development", "production")) == "production"
DEBUG = False
DATA_DIR = Path(_env.text("POSTA_DATA", str(BASE_DIR / ".data"), example="/var/lib/posta"))


SECRET_KEY = _env.text(
    "SECRET_KEY", None if PRODUCTION else "development-only", example="fifty random characters or more"
)
ALLOWED_HOSTS = (
    _env.words("ALLOWED_HOSTS", example="posta.example.org")
    if PRODUCTION
    else ["127.0.0.1", "localhost", "[::1]"]
)
SIGNER = _env.socket("POSTA_SIGNER", example="unix:///run/posta/signer.sock")
"""Where the process is asked that owns the signing key; None: this process reads the key itself."""
SIGNING_KEY = Path(
    _env.text(
        "POSTA_SIGNING_KEY",
        str(DATA_DIR / "signing.key") if SIGNER or not PRODUCTION else None,
        example="/etc/posta/signing.key",
    )
)
"""Made on first use in development.  Where it is missing receipts are pending, and play goes on."""


def _embedded_urls() -> dict[str, str]:
    """Return the addresses of the servers that ``make up`` and ``migrate`` start; known without them."""
    from stack import urls

    return urls.development(DATA_DIR)


EMBEDDED_DATABASE = not PRODUCTION and not _env.has("DATABASE_URL")
_embedded = {} if PRODUCTION else _embedded_urls()
_example = "postgresql://{}:secret@127.0.0.1:5432/posta"
_database_url = _env.text("DATABASE_URL", _embedded.get("DATABASE_URL"), example=_example.format("posta_app"))
_owner_url = _env.text(
    "DATABASE_OWNER_URL",
    _embedded["DATABASE_OWNER_URL"] if EMBEDDED_DATABASE else None if PRODUCTION else "",
    example=_example.format("posta_owner"),
)
if not _owner_url:
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
DATABASES["default"]["OPTIONS"] |= {
    "connect_timeout": 5,
    "prepare_threshold": 3,
    "options": "-c synchronous_commit=on",
}
BROKER_URL = _env.url(
    "BROKER_URL",
    _embedded.get("BROKER_URL"),
    schemes=("redis", "rediss", "redis+socket", "amqp", "amqps"),
    example="redis://:secret@127.0.0.1:6379/0",
)

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
    "tables.api.health.doors",
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

CSRF_COOKIE_NAME = "__Host-posta-form" if PRODUCTION else "posta-form"
CSRF_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_AGE = None
CSRF_FAILURE_VIEW = "tables.api.oauth.expired"
"""The one cookie there is guards the one form with a password, where a player lets an application in."""

SECURE_CONTENT_TYPE_NOSNIFF = True
SILENCED_SYSTEM_CHECKS = [
    "security.W002",  # X-Frame-Options is set with all other headers, by tables.api.middleware
    "security.W003",  # no cookie lets anybody in, so there is nothing to forge across sites
]
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

_WEB = ("https",) if PRODUCTION else ("http", "https")
PUBLIC_URL = _env.site(
    "POSTA_URL",
    None if PRODUCTION else "http://127.0.0.1:8000",
    schemes=_WEB,
    example="https://posta.example.org",
)
LIVE_URL = _env.site(
    "POSTA_LIVE_URL",
    PUBLIC_URL if PRODUCTION else "http://127.0.0.1:8001",
    schemes=_WEB,
    example="https://posta.example.org",
)
_mail = _env.url(
    "POSTA_MAIL_URL",
    None if PRODUCTION else f"file://{DATA_DIR / 'mail'}",
    schemes=("smtp", "smtps") if PRODUCTION else ("smtp", "smtps", "file"),
    example="smtp://user:secret@mail.example.org:587",
)
globals().update(mail_server(_mail))
DEFAULT_FROM_EMAIL = _env.text(
    "POSTA_MAIL_FROM", None if PRODUCTION else "Posta <posta@localhost>", example="Posta <posta@example.org>"
)
TRUSTED_PROXIES = _env.number("POSTA_TRUSTED_PROXIES", 1 if PRODUCTION else 0)
"""How many proxies of ours stand in front and append to X-Forwarded-For."""
THROTTLES = _env.switch("POSTA_THROTTLES", default=PRODUCTION)
WEBHOOKS_TO_LOOPBACK = _env.switch("POSTA_WEBHOOKS_TO_LOOPBACK", default=not PRODUCTION)
"""Lets webhooks go to this very machine by http, so that receivers can be tried; never in production."""
if PRODUCTION and WEBHOOKS_TO_LOOPBACK:
    refuse("POSTA_WEBHOOKS_TO_LOOPBACK is 1, which production does not allow. Leave it out.")
EXTRA_GAMES = _env.words("POSTA_EXTRA_GAMES", "", example="mygames.chess")
"""Modules whose ``GAME`` joins the catalogue beside the registry's own."""

BOT_SECONDS = _env.number("POSTA_BOT_SECONDS", 2)
"""How long a bot waits before it moves, so that people see what each move does."""
DRIVERS = _env.choice("POSTA_DRIVERS", "celery,daemon", ("celery,daemon", "celery", "daemon")).split(",")
"""Who resolves overdue turns here: each of them has to have a fresh heartbeat."""
METRICS_TOKEN = _env.text("POSTA_METRICS_TOKEN", "", example="fifty random characters or more")
"""Lets who brings it read /metrics; without it, only this machine itself may."""
METRICS_DIR = _env.text("PROMETHEUS_MULTIPROC_DIR", "", example="/run/posta/metrics")
"""Where all processes count together; empty: each for itself."""

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": f"tables.operations.logs.{'Json' if PRODUCTION else 'Readable'}Lines"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.db.backends": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},  # it would tell whole addresses
        "tables.api.middleware": {"level": "INFO" if PRODUCTION else "WARNING"},  # a line a request
    },
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
    "LICENSE": {"name": "MIT", "identifier": "MIT"},
    "SERVERS": [{"url": "http://127.0.0.1:8000", "description": "A server started by `make up`."}],
    "SCHEMA_PATH_PREFIX": "/v1",
    "COMPONENT_SPLIT_REQUEST": False,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": ["tables.api.schema.finish"],
}
