"""Celery's tasks: a few lines each, safe to repeat, with ids at most as arguments."""

from __future__ import annotations

from celery import shared_task

from tables import devices, guests, sweeps
from tables import relay as outbox
from tables.notices import alerts, delivering, mailing
from tables.webhooks import delivering as webhooks


@shared_task(time_limit=10, soft_time_limit=8)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Resolve overdue turns."""
    sweeps.sweep("celery")


@shared_task(time_limit=30, soft_time_limit=25)  # type: ignore[untyped-decorator]
def relay() -> None:
    """Do what the outbox says."""
    outbox.relay()


@shared_task(time_limit=10, soft_time_limit=8)  # type: ignore[untyped-decorator]
def notify() -> None:
    """Tell players what the outbox has for them."""
    delivering.deliver()


@shared_task(time_limit=60, soft_time_limit=50)  # type: ignore[untyped-decorator]
def mail() -> None:
    """Mail the notices that are due."""
    mailing.mail()


@shared_task(time_limit=60, soft_time_limit=50)  # type: ignore[untyped-decorator]
def call() -> None:
    """Send the webhooks that are due."""
    webhooks.deliver()


@shared_task(time_limit=60, soft_time_limit=50)  # type: ignore[untyped-decorator]
def prune() -> None:
    """Delete what was done or sent long ago, guests who are gone, what is over of consents and alerts."""
    outbox.prune()
    webhooks.prune()
    guests.prune()
    devices.prune()
    alerts.prune()
