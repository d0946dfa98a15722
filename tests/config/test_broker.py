"""A worker hears again after its broker has died, whatever it was saying at that moment."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from kombu import Connection, Consumer, Queue

from config.celery import app
from stack import places, valkey
from stack.places import Places


@contextmanager
def _valkey(where: Places) -> Iterator[subprocess.Popen[bytes]]:
    server = subprocess.Popen(valkey.command(where), stdout=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while not valkey.answers(where):
            assert server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        yield server
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def where() -> Iterator[Places]:
    """The places of a broker that nobody else has."""
    with places.temporary() as where:
        where.create()
        yield where


def test_an_acknowledgement_that_nobody_heard_leaves_room_for_the_next_message(where: Places) -> None:
    queue = Queue("default")
    with ExitStack() as held:
        server = held.enter_context(_valkey(where))
        connection: Connection = held.enter_context(
            app.connection_for_read(f"redis+socket://{valkey.socket_path(where)}")
        )
        channel = connection.default_channel
        with connection.Producer(channel) as producer:
            producer.publish({}, routing_key="default", declare=[queue])
        received = []
        consumer = Consumer(channel, [queue], on_message=received.append, prefetch_count=1)
        with consumer:
            connection.drain_events(timeout=5)
            assert not channel.qos.can_consume(), "one message at a time"
            server.kill()
            server.wait()
            for message in received:
                message.ack_log_error(app.log.get_default_logger(), connection.connection_errors)
            assert received
            assert channel.qos.can_consume()
