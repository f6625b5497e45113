"""The contract that every policy keeps, as a function for the tests of any package.

`check_policy` raises `BrokenContractError` with the first rule that a policy breaks.
"""

import builtins
import math
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec.structs import replace

from motherlode.documents.features.spaces import TERMS, Surroundings
from motherlode.documents.text.terms import bag_of
from motherlode.policies.policy import (
    FollowWatcher,
    Miss,
    MissKind,
    Moves,
    Policy,
    Revising,
    Visit,
)
from motherlode.records import Document, Entry, Follow, Judgement, Lane, Link, QueueId, UrlId
from motherlode.training.samples import sample_of
from motherlode.urls import address, host_of, url_key

MakePolicy = Callable[[], Policy]
_MAX_ANSWERS = 10_000  # to follows that are not queued, of a few pages


class BrokenContractError(AssertionError):
    """A policy breaks the contract; the message says which rule, and how."""


def check_policy(make: MakePolicy, visits: Sequence[Visit] | None = None) -> None:
    """Check a policy with these pages, or with sample pages; each rule gets a new policy.

    Raises `BrokenContractError` at the first rule that it breaks.
    """
    policy = make()
    visits = sample_visits(policy) if visits is None else visits
    _check(bool(policy.name) and make().name == policy.name, "name", "is empty, or changes")
    # The first crawl may do I/O, to load what is loaded once, such as the public suffix list.
    _crawl(make(), visits)
    checks = (_check_seeds, _check_judgements, _check_moves, _check_misses, _check_answers)
    for check in (*checks, _check_ranks):
        with _without_io():
            check(make, visits)


def sample_visits(policy: Policy) -> list[Visit]:
    """Return pages of many kinds: empty, without links, moved, deep, linking to themselves."""
    pages = [
        ("http://a.example.org/", "Owls hunt at night", ["/1", "/2", "http://b.example.net/"]),
        ("http://a.example.org/1", "Owls and herons", ["/", "/1", "http://c.example.com/x?y=1"]),
        ("http://b.example.net/", "", []),
        ("http://b.example.net/2", "Voters went to the polls", ["/3", "/3", "/a-long-path/to/it"]),
        ("http://xn--bcher-kva.example.org/", "Bücher über Eulen", ["/"]),
    ]
    return [
        _visit(policy, place, url, text, links) for place, (url, text, links) in enumerate(pages)
    ]


def _visit(policy: Policy, place: int, url: str, text: str, links: Sequence[str]) -> Visit:
    page_address = address(url)
    document = Document(
        title=text[:20],
        language="en",
        text=text,
        vectors={TERMS: bag_of(text).pack()} if text else {},
        links=tuple(
            Link(target.url, target.key, "anchor text")
            for target in (address(link, url) for link in links)
        ),
    )
    moved_to = address("http://moved.example.org/") if place == 1 else None
    entry = Entry(
        url_id=UrlId(place + 1),
        url=page_address.url,
        key=page_address.key,
        queue=QueueId(1),
        rank=0.5,
        depth=place,
        distance=float(place % 2),
    )
    sample = sample_of(document, policy.spaces, Surroundings(url))
    return Visit(entry, document, sample, moved_to)


def _check_seeds(make: MakePolicy, _visits: Sequence[Visit]) -> None:
    policy = make()
    seeds = list(policy.seed())
    _check_follows("seed", seeds)
    _check(seeds == list(policy.seed()), "seed", "returns others when it is called again")


def _check_judgements(make: MakePolicy, visits: Sequence[Visit]) -> None:
    together = list(make().judge(visits))
    _check(list(make().judge([])) == [], "judge", "returns something for no page")
    for judgement in together:
        _check_judgement(judgement)
    alone = [judgement for visit in visits for judgement in make().judge([visit])]
    close = all(map(_are_alike, together, alone))
    _check(close, "judge", "depends on which pages are judged together")


def _check_judgement(judgement: Judgement | None) -> None:
    if judgement is not None:
        is_finite = math.isfinite(judgement.confidence) and math.isfinite(judgement.own_score)
        _check(is_finite, "judge", "returns a confidence or a score that is not finite")


def _are_alike(first: Judgement | None, second: Judgement | None) -> bool:
    if first is None or second is None:
        return first is second
    is_close = math.isclose(first.confidence, second.confidence, rel_tol=1e-6, abs_tol=1e-6)
    return first.topic == second.topic and is_close


def _check_moves(make: MakePolicy, visits: Sequence[Visit]) -> None:
    first, second = _crawl(make(), visits), _crawl(make(), visits)
    for visit, moves in zip(visits, first, strict=True):
        _check_follows("steer", moves.follows)
        depths = {follow.depth for follow in moves.follows if follow.found_on is None}
        _check(depths <= {visit.entry.depth + 1}, "steer", "returns links of another depth")
        _check_notes("steer", moves)
    _check(first == second, "steer", "returns other moves for the same pages")


def _crawl(policy: Policy, visits: Sequence[Visit]) -> list[Moves]:
    """Return the moves after each page, as the crawl asks for them."""
    list(policy.seed())
    judgements = policy.judge(visits)
    _check(len(judgements) == len(visits), "judge", "returns not one judgement for each page")
    moves = [policy.steer(*pair) for pair in zip(visits, judgements, strict=True)]
    _check(isinstance(policy.enough(), bool), "enough", "returns neither True nor False")
    return [replace(move, follows=list(move.follows), notes=list(move.notes)) for move in moves]


def _check_misses(make: MakePolicy, visits: Sequence[Visit]) -> None:
    policy = make()
    for visit, kind in zip(visits, [*MissKind, *MissKind], strict=False):
        moves = policy.missed(Miss(visit.entry, kind, "not there"))
        _check_follows("missed", moves.follows)
        _check_notes("missed", moves)


def _check_answers(make: MakePolicy, visits: Sequence[Visit]) -> None:
    policy = make()
    if not isinstance(policy, FollowWatcher):
        return
    refused = list(policy.seed())
    for note in policy.unwritten_notes():
        _check_notes("unwritten_notes", Moves(notes=[note]))
    for visit, judgement in zip(visits, policy.judge(visits), strict=True):
        refused += policy.steer(visit, judgement).follows
    for _ in range(_MAX_ANSWERS):
        if not refused:
            return
        moves = policy.not_queued(refused.pop())
        _check_follows("not_queued", moves.follows)
        _check_notes("not_queued", moves)
        refused += moves.follows
    _check(False, "not_queued", "goes on for ever")  # noqa: FBT003


def _check_ranks(make: MakePolicy, visits: Sequence[Visit]) -> None:
    policy = make()
    if isinstance(policy, Revising):
        ranks = [policy.rank_now(visit.entry) for visit in visits]
        _check(all(map(math.isfinite, ranks)), "rank_now", "returns a rank that is not finite")


def _check_follows(method: str, follows: Sequence[Follow]) -> None:
    for follow in follows:
        _check(math.isfinite(follow.rank), method, f"gives {follow.url} a rank that is not finite")
        key = url_key(follow.url, host_of(follow.url))
        _check(key == follow.key, method, f"gives {follow.url} the key of another URL")
        _check(
            follow.lane in {int(lane) for lane in Lane}, method, "names a lane that there is not"
        )


def _check_notes(method: str, moves: Moves) -> None:
    for note in moves.notes:
        try:
            msgspec.json.encode(note.value)
        except (TypeError, ValueError) as error:
            _check(False, method, f"returns a note that JSON cannot hold: {error}")  # noqa: FBT003


def _check(holds: bool, method: str, how: str) -> None:  # noqa: FBT001 - it is an assertion
    if not holds:
        raise BrokenContractError(f"The policy's {method} {how}.")


@contextmanager
def _without_io() -> Iterator[None]:
    """Refuse files and sockets: policies do no I/O."""

    def refuse(*_args: Any, **_options: Any) -> Any:
        raise BrokenContractError("The policy reads or writes files, or uses the network.")

    kept = builtins.open, socket.socket.connect
    builtins.open, socket.socket.connect = refuse, refuse  # type: ignore[method-assign]
    try:
        yield
    finally:
        builtins.open, socket.socket.connect = kept  # type: ignore[method-assign]
