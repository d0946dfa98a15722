"""One request to one endpoint: bounded in time and size, to an address that was judged, and to no other.

Nothing here knows the database.  Sources: security.md, "Webhook SSRF"; faults.md F54, F55.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Thread
from types import TracebackType
from typing import Any, Final

import httpx

from tables.webhooks.targets import Target, may_be_called

CONNECT_SECONDS: Final = 3.0
TOTAL_SECONDS: Final = 10.0
MOST_BYTES: Final = 65_536
MOST_ADDRESSES: Final = 3
GONE: Final = 410

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A request that is ready to be sent; ``challenge`` is what has to come back, if anything."""

    target: Target
    headers: Mapping[str, str]
    body: bytes
    challenge: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attempt: ``error`` is empty where it was taken, ``status`` None without an answer."""

    error: str = ""
    status: int | None = None


async def send(
    letter: Letter, *, resolve: Resolve | None = None, trust: ssl.SSLContext | None = None
) -> Outcome:
    """Send a letter, and return what became of it within ten seconds.

    ``resolve`` gives the addresses of a name, ``trust`` the authorities believed; this machine's when
    left out.
    """
    target = letter.target
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            addresses = await (resolve or _resolved)(target.host, target.port)
            if not all(may_be_called(each, is_local=target.is_local) for each in addresses):
                return Outcome("bad_address")
            return await _to_first(letter, addresses[:MOST_ADDRESSES], trust or _trust())
    except socket.gaierror:
        return Outcome("no_such_host")
    except (TimeoutError, httpx.TimeoutException):
        return Outcome("timeout")
    except (httpx.HTTPError, OSError) as error:
        return Outcome("tls" if _is_of_tls(error) else "unreachable")


async def _to_first(letter: Letter, addresses: Sequence[str], trust: ssl.SSLContext) -> Outcome:
    """Send a letter to the first address that lets us connect."""
    for address in addresses[:-1]:
        try:
            return await _to(letter, address, trust)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            if _is_of_tls(error):
                raise
    return await _to(letter, addresses[-1], trust)


async def _to(letter: Letter, address: str, trust: ssl.SSLContext) -> Outcome:
    """Send a letter to an address.  No proxy of the environment, no redirect, no connection of others."""
    client = httpx.AsyncClient(
        transport=_Pinned(address, trust),
        timeout=httpx.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS),
        trust_env=False,
    )
    async with (
        client,
        client.stream(
            "POST", letter.target.url, content=letter.body, headers={**_ALWAYS, **letter.headers}
        ) as answer,
    ):
        told = bytearray()
        async for chunk in answer.aiter_raw():
            told += chunk
            if len(told) > MOST_BYTES:
                break
    return _judged(answer.status_code, bytes(told), letter.challenge)


def _judged(status: int, body: bytes, challenge: str | None) -> Outcome:
    if 300 <= status < 400:
        return Outcome("redirect", status)
    if not 200 <= status < 300:
        return Outcome("bad_status", status)
    if challenge is not None and _challenge_in(body) != challenge:
        return Outcome("no_challenge", status)
    return Outcome("", status)


def _challenge_in(body: bytes) -> Any:
    """Return what an answer says at ``challenge``, at its top: whoever echoes requests says it deeper."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return told.get("challenge") if isinstance(told, dict) else None


class _Pinned(httpx.AsyncBaseTransport):
    """Connects to one address, whatever the name stands for by now; TLS is held against the name."""

    def __init__(self, address: str, trust: ssl.SSLContext) -> None:
        self._address = address
        self._inner = httpx.AsyncHTTPTransport(verify=trust, trust_env=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        request.extensions["sni_hostname"] = request.url.raw_host.decode("ascii")
        request.url = request.url.copy_with(host=self._address)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class Loop:
    """A thread that sends letters, many at a time, for the length of a block.

    Names are looked up in threads that nobody waits for at the end: a name server may take its time.
    """

    def __init__(self, most: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._names = ThreadPoolExecutor(most, "names")
        self._loop.set_default_executor(self._names)
        self._thread = Thread(target=self._loop.run_forever, name="webhooks", daemon=True)

    def send(self, letter: Letter) -> Future[Outcome]:
        """Begin to send a letter."""
        return asyncio.run_coroutine_threadsafe(send(letter), self._loop)

    def __enter__(self) -> Loop:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(_cancel_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._names.shutdown(wait=False, cancel_futures=True)


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for each in others:
        each.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _resolved(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, the best first."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def _is_of_tls(error: BaseException | None) -> bool:
    """Tell whether it was TLS that failed: a certificate of another name, or none that is trusted."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False


@cache
def _trust() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


_ALWAYS: Final = {
    "Content-Type": "application/json",
    "User-Agent": "Posta-Webhooks/1",
    "Accept-Encoding": "identity",
}
