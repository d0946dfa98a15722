"""Hidden items against the counts of them that their seat was given: checked as soon as both are open.

A seat holds the counts of its own from the deal on, and so finds a lie about them while the game runs.
What is counted, a game tells (``Game.tallies``); that no rule of it is needed makes this integrity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engines.base import Game, Tally
from events.audit import Finding, OpeningLike, Ref
from events.canonical import NotCanonical, parse
from events.codec import Header


def check(
    headers: Sequence[Header], openings: Mapping[Ref, OpeningLike], games: Mapping[str, Game[Any]]
) -> list[Finding]:
    """Return the events whose open counts and open items contradict each other."""
    tallies = _tallies(headers, games)
    return [
        Finding(position, why)
        for position, header in enumerate(headers, start=1)
        if (tally := tallies.get(header.type)) is not None
        for why in _lies(tally, header, position, openings)
    ]


def _tallies(headers: Sequence[Header], games: Mapping[str, Game[Any]]) -> dict[str, Tally]:
    """Return the tallies of the game that has started, by type of event."""
    started = next((each.public for each in headers if each.type == "table.started"), {})
    name, version = started.get("game"), started.get("rules_version")
    newest = games.get(name) if isinstance(name, str) else None
    game = newest.under(version) if newest is not None and type(version) is int else None
    return {each.type: each for each in game.tallies} if game else {}


def _lies(tally: Tally, header: Header, position: int, openings: Mapping[Ref, OpeningLike]) -> Iterator[str]:
    items: Any = header.public.get(tally.items)
    seats: Any = header.public.get(tally.counts)
    are_numbers = type(items) is int and type(seats) is int and items >= 0 and seats >= 1
    if not are_numbers or items % seats or items + seats != len(header.slots):
        yield f"{header.type}: its {tally.items} are not so many for each of its {tally.counts}"
        return
    each = items // seats
    for seat in range(seats):
        if (ref := (position, items + seat)) not in openings:
            continue
        own = [(position, slot) for slot in range(seat * each, seat * each + each)]
        if (why := _lie(tally, each, ref, [ref for ref in own if ref in openings], openings)) is not None:
            yield f"slot {items + seat}: {why}"


def _lie(
    tally: Tally, each: int, told: Ref, known: Sequence[Ref], openings: Mapping[Ref, OpeningLike]
) -> str | None:
    """Return how counts are not those of ``each`` items, of which some are known; None if they can be."""
    try:
        counts = parse(openings[told].payload)
        items = [parse(openings[ref].payload) for ref in known]
    except NotCanonical:
        return None  # found as a malformed opening
    if not isinstance(counts, dict) or any(type(counts.get(name)) is not int for name in tally.names):
        return "it tells no counts"
    if sum(counts[name] for name in tally.names) != each:
        return f"its counts are not those of {each} items"
    values = [item.get(tally.by) if isinstance(item, dict) else None for item in items]
    for name, value in tally.names.items():
        found = values.count(value)
        if found > counts[name] or (len(known) == each and found < counts[name]):
            return f"{counts[name]} of {value} are counted, {found} are open"
    return None
