"""Django's entry for the event store."""

from django.apps import AppConfig


class EventsConfig(AppConfig):
    """The app ``events``."""

    name = "events"
