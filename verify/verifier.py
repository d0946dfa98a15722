"""From a log to its report: reads each header once, then asks the three judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engines.base import Game
from events.audit import Finding, LinkLike, OpeningLike, Ref, check_chain
from events.codec import CorruptHeader, Header, read_header
from verify import entropy, fairness, holdings, tallies
from verify.continuing import OriginLike
from verify.fairness import Chance
from verify.redecide import Redecision
from verify.verdicts import SEED_CHOSEN, Report, Verdict, in_order


def verify(
    tid: bytes,
    events: Sequence[LinkLike],
    openings: Mapping[Ref, OpeningLike],
    *,
    games: Mapping[str, Game[Any]],
    seeds: Mapping[int, bytes] | None = None,
    view: str = "full",
    origins: Mapping[str, OriginLike] | None = None,
) -> Report:
    """Return the verdicts on the log of table ``tid``, given from its first event on.

    ``seeds`` are those known by other means than the log, by epoch: the server knows that of a
    running game.  ``view`` is whose openings these are: ``full``, ``public`` or ``seat:N``.
    ``origins`` are the tables from which this one may go on, by id in hex.
    """
    headers, unreadable = _headers_of(events)
    integrity = check_chain(tid, events, openings, complete=view == "full")
    integrity += holdings.check(headers, openings, view)
    integrity += tallies.check(headers, openings, games)
    chances = fairness.examine(tid, headers, seeds or {})
    redecision = Redecision(headers, events, openings, games, chances, origins or {})
    redecision.run()
    policy = fairness.policy_of(headers)
    epochs = tuple(
        _judge_fairness(each, redecision, is_readable=not unreadable, is_sandbox=policy == entropy.CHOSEN)
        for each in chances
    )
    return Report(
        length=events[-1].position if events else 0,
        integrity=Verdict(findings=in_order(integrity)),
        fairness=_taken_together(epochs),
        replay=Verdict(findings=in_order(redecision.findings + unreadable), doubt=redecision.doubt),
        epochs=epochs,
        policy=policy,
        entropies=tuple(each.entropy for each in chances),
    )


def _judge_fairness(
    chance: Chance, redecision: Redecision, *, is_readable: bool, is_sandbox: bool
) -> Verdict:
    """Return the verdict on one epoch, once the replay has drawn everything anew.

    Draws that do not follow from a chosen seed are findings as anywhere; that they do proves nothing.
    """
    unfair = [finding for finding in redecision.unfair if chance.covers(finding.position)]
    doubt = chance.doubt or redecision.doubt_before(chance.until)
    if doubt is None and (unconfirmed := [each for each in redecision.unconfirmed if chance.covers(each)]):
        doubt = f"the replay failed, so nothing leads to the draw at position {unconfirmed[0]}"
    elif doubt is None and chance.until is None and not is_readable:
        doubt = "the log cannot be read to its end"
    if doubt is None and is_sandbox:
        doubt = SEED_CHOSEN
    return Verdict(findings=in_order(chance.findings + unfair), doubt=doubt)


def _taken_together(epochs: Sequence[Verdict]) -> Verdict:
    """Return the verdict on a series: its first doubt, and every finding."""
    findings = [finding for each in epochs for finding in each.findings]
    doubts = (each.doubt for each in epochs if each.doubt is not None)
    return Verdict(findings=in_order(findings), doubt=next(doubts, None))


def _headers_of(events: Sequence[LinkLike]) -> tuple[list[Header], list[Finding]]:
    """Return the headers up to the first that is none, and that one as a finding."""
    headers: list[Header] = []
    for position, event in enumerate(events, start=1):
        try:
            headers.append(read_header(event.header))
        except CorruptHeader as error:
            return headers, [Finding(position, f"the header cannot be read: {error}")]
    if not headers:
        return [], [Finding(1, "there is no event")]
    return headers, []
