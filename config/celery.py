"""The Celery app and its schedule.

The database says what is to be done, so tasks are acknowledged early and never retried by the
broker; beat only makes somebody look.  Source: clocks.md, "Celery and broker profile".
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, Task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

LONGEST_DELAY_SECONDS = 300


class PostaTask(Task):  # type: ignore[misc]
    """A task that refuses to wait in a broker for long: deadlines are rows, not messages."""

    def apply_async(self, *args: Any, **options: Any) -> Any:
        """Publish the task.  Raises ValueError for an ETA, or a countdown of over 300 seconds."""
        if options.get("eta") is not None or (options.get("countdown") or 0) > LONGEST_DELAY_SECONDS:
            raise ValueError("no deadline may wait in the broker: write a row with a due time instead")
        return super().apply_async(*args, **options)


def _settings() -> dict[str, Any]:
    from django.conf import settings

    return {
        "broker_url": settings.BROKER_URL,
        "task_ignore_result": True,
        "task_acks_late": False,
        "task_default_queue": "default",
        "task_routes": {"tables.tasks.sweep": {"queue": "deadlines"}},
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
        "broker_transport_options": {
            "visibility_timeout": 300,
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "health_check_interval": 25,
        },
        "accept_content": ["json"],
        "timezone": "UTC",
        "beat_max_loop_interval": 1,
        "beat_schedule": {
            "sweep": {"task": "tables.tasks.sweep", "schedule": 1.0, "options": {"expires": 5}},
            "relay": {"task": "tables.tasks.relay", "schedule": 1.0, "options": {"expires": 5}},
        },
    }


app = Celery("posta", task_cls=PostaTask)
app.add_defaults(_settings)
app.autodiscover_tasks(["tables"])
