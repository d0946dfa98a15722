"""Django's entry for this package."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    """Tables, seats, players and their API."""

    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"
