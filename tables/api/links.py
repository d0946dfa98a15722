"""The links of the document: from each answer that gives an id to the operations that take it.

A reader finds there where an id comes from; a program follows them from one request to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Giver:
    """An answer, and what it gives: expressions for parameters of paths by name.

    It leads to every operation that takes exactly these, or to those named in ``only``.
    """

    operation: str
    status: str
    gives: Mapping[str, str]
    only: frozenset[str] = frozenset()


SAME_TABLE: Final = {"table_id": "$request.path.table_id"}
GIVERS: Final = (
    Giver(operation="openTable", status="201", gives={"table_id": "$response.body#/id"}),
    Giver(
        operation="listTables",
        status="200",
        gives={"table_id": "$response.body#/items/0/id"},
        only=frozenset({"getTable", "joinTable", "getView"}),
    ),
    Giver(
        operation="listMyTurns",
        status="200",
        gives={"table_id": "$response.body#/items/0/table_id"},
        only=frozenset({"getTable", "getView"}),
    ),
    Giver(operation="getView", status="200", gives=SAME_TABLE, only=frozenset({"playMove"})),
    Giver(operation="getView", status="200", gives={**SAME_TABLE, "vote": "$response.body#/vote/vote"}),
    Giver(operation="getTable", status="200", gives={**SAME_TABLE, "seat": "$response.body#/seats/0/seat"}),
    Giver(
        operation="sendMessage", status="201", gives={**SAME_TABLE, "position": "$response.body#/position"}
    ),
    Giver(operation="listMessages", status="200", gives={"player": "$response.body#/items/0/player"}),
    Giver(operation="listPlayers", status="200", gives={"player": "$response.body#/items/0/name"}),
    Giver(operation="listGames", status="200", gives={"game": "$response.body#/items/0/id"}),
    Giver(
        operation="getGame",
        status="200",
        gives={"game": "$request.path.game", "name": "$response.body#/schemas/0"},
    ),
    Giver(operation="createToken", status="201", gives={"token_id": "$response.body#/details/id"}),
    Giver(
        operation="createWebhookEndpoint", status="201", gives={"endpoint_id": "$response.body#/endpoint/id"}
    ),
    Giver(
        operation="listWebhookDeliveries",
        status="200",
        gives={
            "endpoint_id": "$request.path.endpoint_id",
            "delivery_id": "$response.body#/items/0/id",
        },
    ),
    Giver(operation="bookVacation", status="201", gives={"vacation_id": "$response.body#/id"}),
)


def add(document: Json) -> None:
    """Write the links into a document."""
    known = {told["operationId"]: (path, told) for path, told in _operations(document)}
    for giver in GIVERS:
        links = known[giver.operation][1]["responses"][giver.status].setdefault("links", {})
        for name, (path, _) in known.items():
            if name in giver.only or (not giver.only and giver.gives.keys() == set(_parameters(path))):
                links[name] = {"operationId": name, "parameters": dict(giver.gives)}


def _operations(document: Json) -> Iterator[tuple[str, Json]]:
    for path, operations in document["paths"].items():
        for told in operations.values():
            yield path, told


def _parameters(path: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", path)
