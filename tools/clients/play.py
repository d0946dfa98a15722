"""A program of somebody who has generated a client: guests play one game of each title to the end.

``python play.py URL``, with ``posta_client`` of openapi-python-client on the path.
"""

from __future__ import annotations

import random
import sys
from typing import Any, TypeVar

from posta_client import AuthenticatedClient, Client
from posta_client.api.accounts import welcome_guest
from posta_client.api.catalogue import list_games
from posta_client.api.play import get_view, play_move
from posta_client.api.tables import get_table, join_table, open_table
from posta_client.models import Join, Move, MoveParams, NewGuest, NewTable, Problem

T = TypeVar("T")


def told(answer: T | Problem | None) -> T:
    """Return an answer that is no problem."""
    if answer is None or isinstance(answer, Problem):
        raise SystemExit(f"The server refused: {answer}")
    return answer


def guest(url: str) -> AuthenticatedClient:
    """Return a client with a token of its own."""
    session = told(welcome_guest.sync(client=Client(base_url=url), body=NewGuest()))
    return AuthenticatedClient(base_url=url, token=session.token)


def play(url: str, game: Any) -> str:
    """Play a game, every seat by a client of its own; return how it ended."""
    choice = random.Random(7)  # noqa: S311 - a bot's whim
    host, *others = players = [guest(url) for _ in range(game.seats_min)]
    table = told(open_table.sync(client=host, body=NewTable(game=game.id)))
    for each in others:
        told(join_table.sync(table.id, client=each, body=Join()))
    moves = 0
    while True:
        for player in players:
            view = told(get_view.sync(table.id, client=player))
            if view.status != "playing":
                outcome = told(get_table.sync(table.id, client=host)).outcome
                return f"{game.name}: {moves} moves, {view.status}, {outcome.reason}"
            if view.viewer in [each.seat for each in view.awaited]:
                move = choice.choice(view.legal_moves)
                params = MoveParams.from_dict(move.params.to_dict())
                told(
                    play_move.sync(
                        table.id, client=player, body=Move(turn=view.turn, kind=move.kind, params=params)
                    )
                )
                moves += 1


if __name__ == "__main__":
    for each in told(list_games.sync(client=Client(base_url=sys.argv[1]))).items:
        sys.stdout.write(play(sys.argv[1], each) + "\n")
