"""A real mail server on the loopback."""

from __future__ import annotations

import email
import logging
import socket
import uuid
from collections.abc import Sequence
from email.message import EmailMessage
from email.policy import default
from types import TracebackType
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope
from django.core.mail.backends.smtp import EmailBackend


class Office:
    """A mail server; ``refused`` are addresses that it does not take."""

    def __init__(self) -> None:
        logging.getLogger("mail.log").setLevel(logging.WARNING)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.refused: set[str] = set()
        self._mails: list[tuple[str, EmailMessage]] = []
        self._controller: Controller | None = None

    @property
    def url(self) -> str:
        """What ``POSTA_MAIL_URL`` says to send by it."""
        return f"smtp://127.0.0.1:{self.port}"

    def open(self) -> None:
        """Let it take mails."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def close(self) -> None:
        """Let nobody reach it."""
        if self._controller is not None:
            self._controller.stop()
        self._controller = None

    def to(self, player_id: uuid.UUID) -> list[EmailMessage]:
        """Return the mails to a player, oldest first."""
        return [mail for address, mail in self._mails if address == address_of(player_id)]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Take an address, or refuse it."""
        if address in self.refused:
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802
        """Take a mail."""
        content = envelope.content
        assert isinstance(content, bytes)
        found = email.message_from_bytes(content, policy=default)
        assert isinstance(found, EmailMessage)
        self._mails += [(address, found) for address in envelope.rcpt_tos]
        return "250 OK"

    def __enter__(self) -> Office:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class DyingBackend(EmailBackend):
    """A process that ends when the server has taken a mail to ``victim``."""

    victim = ""

    def send_messages(self, email_messages: Sequence[Any]) -> int:
        """Send, and end."""
        sent = super().send_messages(email_messages)
        if self.victim in email_messages[0].to:
            raise SystemExit
        return sent


def address_of(player_id: uuid.UUID) -> str:
    """Return the address of a player in these tests."""
    return f"{player_id}@example.net"
