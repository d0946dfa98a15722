"""Other players: what is known of them, blocking and reporting them."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from tables import blocks, moderation, people
from tables.api import rendering, samples, throttling
from tables.api.base import ApiView, caller_of, done, idempotency_of
from tables.api.parser import read
from tables.api.schema import operation
from tables.api.throttling import Limit
from tables.shapes import BlockAnswer, BlockList, NewPlayerReport, PlayerReportAnswer, ProfileAnswer


class Profile(ApiView):
    """One player."""

    @operation(
        id="getPlayer",
        tag="players",
        summary="Look at a player",
        description=(
            "A player as everybody sees them: how reliable, and by game how many games at public tables were"
            " played and won. Private tables, sandboxes, forks and games without a result do not count."
        ),
        answers={200: ProfileAnswer},
        conditional=True,
        problems=(404,),
        examples=lambda: {"200": samples.profile()},
    )
    def get(self, request: Request, player: str) -> HttpResponse:
        """Return the profile."""
        return rendering.conditional(request._request, people.profile(player))


class Report(ApiView):
    """Asking staff to look at a player."""

    limits: ClassVar[dict[str, Limit]] = {"POST": throttling.TALK}

    @operation(
        id="reportPlayer",
        tag="players",
        summary="Report a player",
        description=(
            "Ask staff to look at what a player does. Nobody else is told. Until staff have looked, a second"
            " report of the same player gets the first again; a message is better reported by itself."
        ),
        body=NewPlayerReport,
        answers={201: PlayerReportAnswer, 200: PlayerReportAnswer},
        problems=(404, 409),
        examples=lambda: {
            "body": {"reason": samples.PLAYER_REPORT["reason"]},
            "200": samples.PLAYER_REPORT,
            "201": samples.PLAYER_REPORT,
        },
    )
    def post(self, request: Request, player: str) -> HttpResponse:
        """Report the player."""
        body, value = read(request, NewPlayerReport)
        key = idempotency_of(request, value)
        return done(moderation.report_player(caller_of(request).id, player, body.reason, key))


class Blocks(ApiView):
    """The players whom the caller has blocked."""

    @operation(
        id="listBlocks",
        tag="players",
        summary="List blocked players",
        description="The players whom the caller has blocked, by name.",
        answers={200: BlockList},
        conditional=True,
        examples=lambda: {"200": {"items": [samples.MUTE]}},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the blocks."""
        return rendering.conditional(request._request, blocks.blocks(caller_of(request).id))


class OneBlock(ApiView):
    """One player, blocked or not."""

    @operation(
        id="blockPlayer",
        tag="players",
        summary="Block a player",
        description=(
            "Have nothing to do with a player: no seat that it offers reaches the caller, nor a question to"
            " arbitrate, and invite codes of private tables that the caller hosts are of no use to it. It is"
            " muted, too. Nobody else is told, and games that are being played together go on."
        ),
        answers={200: BlockAnswer},
        problems=(404, 409),
        examples=lambda: {"200": samples.MUTE},
    )
    def put(self, request: Request, player: str) -> HttpResponse:
        """Block the player."""
        return rendering.answer(blocks.block(caller_of(request).id, player))

    @operation(
        id="unblockPlayer",
        tag="players",
        summary="Take a block back",
        description="Let the player reach the caller again. It stays muted: `unmutePlayer` ends that.",
        answers={204: None},
        problems=(404,),
    )
    def delete(self, request: Request, player: str) -> HttpResponse:
        """End the block."""
        blocks.unblock(caller_of(request).id, player)
        return HttpResponse(status=204)
