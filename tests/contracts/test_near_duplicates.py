"""Pages that say nearly the same, found again by their fingerprints."""

import random
from collections.abc import Sequence

import pytest

from motherlode.records import Document, PageId
from motherlode.store import Store
from motherlode.store.tables import outcomes
from motherlode.store.tables.near_duplicates import NEAR, near
from motherlode.urls import address
from support.store_records import keep_one, outcome, take

TOP = 1 << 63


def keep_prints(store: Store, prints: Sequence[int]) -> list[PageId]:
    """A page for each fingerprint."""
    with store.writing() as session:
        entries = [take(session, f"http://a.example/{number}") for number in range(len(prints))]
        batch = [
            outcome(entry, document=Document(fingerprint=one))
            for entry, one in zip(entries, prints, strict=True)
        ]
        return outcomes.keep(session, batch).pages


def flipped(fingerprint: int, bits: int, draw: random.Random) -> int:
    """The same with so many bits changed."""
    for bit in draw.sample(range(64), bits):
        fingerprint ^= 1 << bit
    return fingerprint


def found(store: Store, fingerprint: int, distance: int = NEAR) -> list[PageId]:
    with store.reading() as session:
        return near(session, fingerprint, distance)


@pytest.mark.parametrize("seed", range(3))
def test_exactly_the_pages_within_three_bits_are_found(store: Store, seed: int) -> None:
    draw = random.Random(seed)
    centres = [draw.getrandbits(64) | 1, draw.getrandbits(63) | 1, TOP | 5, 2**64 - 1]
    prints = [flipped(draw.choice(centres), draw.randint(0, 6), draw) or 1 for _ in range(60)]
    pages = keep_prints(store, prints)
    for sought in [*centres, *draw.sample(prints, 10), draw.getrandbits(64)]:
        for distance in range(NEAR + 1):
            plain = [
                page
                for page, known in zip(pages, prints, strict=True)
                if (known ^ sought).bit_count() <= distance
            ]
            assert found(store, sought, distance) == sorted(plain)


def test_pages_without_a_fingerprint_are_near_nothing(store: Store) -> None:
    keep_prints(store, [0, 0, 1])
    assert found(store, 0) == []
    assert len(found(store, 1)) == 1
    assert len(found(store, 2)) == 1


def test_a_page_that_has_changed_is_found_by_what_it_says_now(store: Store) -> None:
    old, new = 0x1234_5678_9ABC_DEF0, 0xFEDC_BA98_7654_3210
    first = keep_one(store, "http://a.example/", document=Document(fingerprint=old))
    with store.writing() as session:
        entry = take(session, "http://b.example/")
        page = outcome(entry).page
        assert page is not None
        changed = address("http://a.example/")
        again = outcome(entry, document=Document(fingerprint=new))
        again = type(again)(
            entry, page=type(page)(changed.url, changed.key, 2.0, 200), document=again.document
        )
        outcomes.keep(session, [again])
    assert found(store, old) == []
    assert found(store, new) == [first]
