"""Checks of the broker: it answers, throws nothing away when its memory is full, and survives a restart."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import redis
from django.conf import settings

_SECONDS = 2


def check() -> Iterator[str]:
    """Judge the broker of BROKER_URL; of RabbitMQ only that it answers."""
    if urlsplit(settings.BROKER_URL).scheme.startswith("amqp"):
        yield from _rabbit()
    else:
        yield from _valkey()


def _rabbit() -> Iterator[str]:
    from kombu.connection import Connection

    with Connection(settings.BROKER_URL, connect_timeout=_SECONDS) as connection:  # type: ignore[no-untyped-call]
        try:
            connection.connect()
        except (OSError, *connection.connection_errors) as error:
            yield _unreachable(error)


def _valkey() -> Iterator[str]:
    client = redis.Redis.from_url(_url(), socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS)
    try:
        with client:
            memory, persistence = client.info("memory"), client.info("persistence")
    except redis.RedisError as error:
        yield _unreachable(error)
        return
    policy = memory["maxmemory_policy"]
    if policy != "noeviction":
        yield (
            f"The broker may throw tasks away when its memory is full (maxmemory-policy is {policy}); run:"
            " valkey-cli CONFIG SET maxmemory-policy noeviction, and write it in its configuration."
        )
    if not persistence["aof_enabled"]:
        yield (
            "The broker forgets its queues when it restarts (appendonly is no); run: valkey-cli CONFIG SET"
            " appendonly yes, and write it in its configuration."
        )


def _unreachable(error: Exception) -> str:
    told = (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")
    return (
        f"The broker does not answer: {told}; start it, or mend BROKER_URL."
        " Until then Celery neither sweeps nor moves bots; the daemon does."
    )


def _url() -> str:
    """Return the broker's address as its own client reads it: Celery has another form for sockets."""
    address = urlsplit(settings.BROKER_URL)
    if address.scheme != "redis+socket":
        return settings.BROKER_URL
    number = parse_qs(address.query).get("virtual_host", ["0"])[0].lstrip("/") or "0"
    return f"unix://{address.path}?db={number}"
