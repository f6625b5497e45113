"""Pieces of text, and the table of those that are known."""

from collections import Counter
from itertools import accumulate
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.text import tokens as module
from motherlode.documents.text.tokens import Pieces, Table, blocks

# Letters that stay as they are, marks that part no words, and bytes that are like those that part them.
WORDS = st.lists(
    st.one_of(st.text("abzäéß€™鸟\u00ad\u2040", min_size=1, max_size=12), st.just("x" * 40)),
    max_size=60,
)
BLANKS = st.text(" ,.1_\n\0\x7f\u00a0\u2000\u200d\u2014\u2019\u203f", min_size=1, max_size=3)


def listed(pieces: Pieces) -> list[str]:
    return [piece.decode() for piece in pieces.spelled(pieces.ends)]


@given(WORDS, BLANKS, st.sampled_from(["", " ", "\u2019"]))
def test_pieces_are_what_stands_between_blanks(words: list[str], blank: str, edge: str) -> None:
    text = (edge + blank.join(words) + edge).encode()
    found = Pieces(text)
    assert listed(found) == words
    assert all(
        text[:end].endswith(word.encode())
        for end, word in zip(found.ends.tolist(), words, strict=True)
    )


@given(st.binary(max_size=40))
def test_no_bytes_are_too_odd(text: bytes) -> None:
    found = Pieces(text)
    assert all(0 < end <= len(text) for end in found.ends.tolist())
    assert len(found.spelled(found.ends)) == len(found.hashes)


@given(WORDS, BLANKS)
def test_a_piece_has_one_hash_wherever_it_stands(words: list[str], blank: str) -> None:
    found = Pieces(blank.join(words).encode())
    alone = [int(Pieces(word.encode()).hashes[0]) for word in words]
    assert found.hashes.tolist() == alone
    assert len(set(alone)) == len(set(words))


def test_capital_letters_are_small_ones() -> None:
    one, other = Pieces(b"Barn OWL"), Pieces(b"barn owl")
    assert one.hashes.tolist() == other.hashes.tolist()
    assert listed(one) == ["barn", "owl"]


@given(WORDS, BLANKS, st.integers(1, 64))
def test_blocks_are_the_text_and_part_no_piece(words: list[str], blank: str, size: int) -> None:
    text = blank.join(words).encode()
    with patch.object(module, "_BLOCK", size):
        found = list(blocks(text))
    assert b"".join(block for _, block in found) == text
    assert [start for start, _ in found] == [0, *accumulate(len(block) for _, block in found)][:-1]
    assert [piece for _, block in found for piece in listed(Pieces(block))] == words


def test_a_piece_longer_than_a_block_is_one_piece() -> None:
    word = "äz" * 100_000
    (_, first), *_ = blocks(f"{word} b".encode())
    assert listed(Pieces(first)) == [word]


def test_similar_words_have_different_hashes() -> None:
    letters = [bytes([letter]) for letter in range(ord("a"), ord("z") + 1)]
    words = {*letters, *(one + other for one in letters for other in letters)}
    words |= {b"listen", b"silent", b"enlist", b"tinsel", b"a" * 30, b"a" * 31, b"a" * 32}
    assert len(set(Pieces(b" ".join(words)).hashes.tolist())) == len(words)


# As hashes are: those of different things differ in their first half.
HASHES = st.integers(0, 10_000).map(lambda number: number * 0x9E3779B97F4A7C15 % 2**64)
ENTRIES = st.dictionaries(HASHES, st.integers(0, 2**32 - 1), max_size=100)


def add_to(table: Table, entries: dict[int, int]) -> None:
    table.add(np.array([*entries], np.uint64), np.array([*entries.values()], np.uint32))


def found_in(table: Table, hashes: list[int]) -> dict[int, int]:
    numbers, unknown = table.look_up(np.array(hashes, np.uint64))
    known = zip(hashes, numbers.tolist(), strict=True)
    return {
        hashed: number
        for place, (hashed, number) in enumerate(known)
        if place not in unknown.tolist()
    }


@given(ENTRIES, ENTRIES)
def test_a_table_knows_what_it_was_told(entries: dict[int, int], others: dict[int, int]) -> None:
    table = Table(10)
    add_to(table, entries)
    others = {hashed: number for hashed, number in others.items() if hashed not in entries}
    found = found_in(table, [*entries, *others])
    assert found.items() <= entries.items()
    assert len(found) >= len(
        {hashed >> 54 for hashed in entries}
    )  # of two in one place, one is forgotten


@given(ENTRIES, st.integers(1, 4))
def test_a_full_table_forgets_and_never_errs(entries: dict[int, int], bits: int) -> None:
    table = Table(bits)
    for hashed, number in entries.items():
        add_to(table, {hashed: number})
        assert found_in(table, [hashed]) == {hashed: number}
    found = found_in(table, list(entries))
    assert found.items() <= entries.items()
    pairs = Counter(hashed >> 65 - bits for hashed in entries)  # of places next to each other
    assert len(found) == sum(min(count, 2) for count in pairs.values())


def test_the_first_and_the_last_of_those_that_come_to_a_place_are_kept() -> None:
    hashes = [
        number * 0x9E3779B97F4A7C15 % 2**64 >> 1 for number in range(100)
    ]  # all of the first place
    table = Table(1)
    for hashed in hashes:
        add_to(table, {hashed: 7})
    assert found_in(table, hashes) == {hashes[0]: 7, hashes[-1]: 7}


def test_an_empty_table_knows_nothing() -> None:
    assert found_in(Table(4), [0, 1, 2**32, 2**63, 2**64 - 1]) == {}
    assert found_in(Table(4), []) == {}
