"""The Celery app and its schedule.

The database says what is to be done, so tasks are acknowledged early and never retried by the
broker; beat only makes somebody look.  Source: clocks.md, "Celery and broker profile".
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, Task
from celery.app.amqp import AMQP
from kombu.connection import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

LONGEST_DELAY_SECONDS = 300
QUEUES = ("default", "deadlines", "mail", "webhooks")


class PostaTask(Task):  # type: ignore[misc]
    """A task that refuses to wait in a broker for long: deadlines are rows, not messages."""

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Publish the task.  Raises ValueError for an ETA, or a countdown of over 300 seconds."""
        if options.get("eta") is not None or (options.get("countdown") or 0) > LONGEST_DELAY_SECONDS:
            raise ValueError("no deadline may wait in the broker: write a row with a due time instead")
        return super().apply_async(*args, **options)


class _Connection(Connection):
    """A connection that tries again each second: Celery's own waits grow to half a minute."""

    def ensure_connection(self, *args: Any, **options: Any) -> Any:
        """Connect, however long that takes."""
        waits = {"interval_start": 1, "interval_step": 0}
        return super().ensure_connection(*args, **{**options, **waits})  # type: ignore[no-untyped-call]


class _Amqp(AMQP):  # type: ignore[misc]
    Connection = _Connection


_VALKEY: dict[str, Any] = {
    "broker_transport_options": {
        # An acknowledgement that a dying Valkey does not hear would fill the window of one message for good,
        # and the worker would be deaf.  Nothing is lost without: the next message comes in a second.
        "ack_emulation": False,
        "socket_timeout": 5,
        "socket_connect_timeout": 2,
        "health_check_interval": 25,
    },
}
_RABBITMQ: dict[str, Any] = {
    # Quorum queues survive a killed broker.  Celery knows them by this declaration and then leaves the
    # global QoS alone, which they refuse; the delay of a retry reaches them through a topic exchange only.
    "task_queues": {
        name: {
            "exchange": "posta",
            "exchange_type": "topic",
            "routing_key": name,
            "queue_arguments": {"x-queue-type": "quorum"},
        }
        for name in QUEUES
    },
    "task_default_exchange": "posta",
    "task_default_exchange_type": "topic",
    "task_default_routing_key": QUEUES[0],
    "broker_heartbeat": 10,  # seconds; a broker that is gone without a word is noticed
    "broker_transport_options": {"confirm_publish": True, "read_timeout": 2, "write_timeout": 2},
}


def _settings() -> dict[str, Any]:
    from django.conf import settings

    return {
        "broker_url": settings.BROKER_URL,
        "task_ignore_result": True,
        "task_acks_late": False,
        "task_default_queue": QUEUES[0],
        "task_routes": {
            "tables.tasks.sweep": {"queue": "deadlines"},
            "tables.tasks.mail": {"queue": "mail"},
            "tables.tasks.call": {"queue": "webhooks"},
        },
        "worker_prefetch_multiplier": 1,
        "worker_eta_task_limit": 100,
        "worker_max_tasks_per_child": 1000,
        "worker_max_memory_per_child": 300_000,
        "worker_soft_shutdown_timeout": 20,
        "worker_enable_soft_shutdown_on_idle": True,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_connection_timeout": 2,
        "accept_content": ["json"],
        "timezone": "UTC",
        "beat_max_loop_interval": 1,
        "beat_schedule": {
            "sweep": {"task": "tables.tasks.sweep", "schedule": 1.0, "options": {"expires": 5}},
            "relay": {"task": "tables.tasks.relay", "schedule": 1.0, "options": {"expires": 5}},
            "notify": {"task": "tables.tasks.notify", "schedule": 1.0, "options": {"expires": 5}},
            "mail": {"task": "tables.tasks.mail", "schedule": 5.0, "options": {"expires": 5}},
            "call": {"task": "tables.tasks.call", "schedule": 1.0, "options": {"expires": 5}},
            "prune": {"task": "tables.tasks.prune", "schedule": 600.0, "options": {"expires": 60}},
        },
        **(_RABBITMQ if settings.BROKER_URL.startswith("amqp") else _VALKEY),
    }


app = Celery("posta", task_cls=PostaTask, amqp=_Amqp)
app.add_defaults(_settings)
app.autodiscover_tasks(["tables"])
