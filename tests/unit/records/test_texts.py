"""Texts, packed and unpacked."""

from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

from motherlode.records.texts import Parts, pack_text, unpack_parts, unpack_text

LINES = st.lists(st.text("abc é+-\u4e00\x00\r", max_size=5), max_size=12)


@given(LINES, st.sets(st.integers(0, 11)))
def test_both_texts_come_back(lines: list[str], chosen: set[int]) -> None:
    """The main text is some of the lines; one that stands there twice is main in both places, or in none."""
    inside = {line for place, line in enumerate(lines) if place in chosen} - {
        ""
    }  # alone it is no main text
    text, main = "\n".join(lines), "\n".join(line for line in lines if line in inside)
    assert unpack_text(pack_text(text, main)) == (text, main)


@given(LINES, LINES)
def test_lines_of_the_main_text_that_are_nowhere_else_are_added_in_their_order(
    lines: list[str], more: list[str]
) -> None:
    text, main = "\n".join(lines), "\n".join(more)
    whole, inner = unpack_text(pack_text(text, main))
    known = text.split("\n") if text else []
    added = [line for line in main.split("\n") if line not in known] if main else []
    assert whole == "\n".join([*known, *added])
    assert set(inner.split("\n")) == set(main.split("\n"))


@given(st.text())
def test_any_text_is_packed(text: str) -> None:
    whole, main = unpack_text(pack_text(text, text))
    assert whole == main == text.encode(errors="replace").decode()


def test_halves_of_characters_become_question_marks() -> None:
    assert unpack_text(pack_text("a\ud800b", "")) == ("a?b", "")


def test_what_was_packed_before_there_were_marks_is_read() -> None:
    for old in ("", "One line", "One\nTwo\n+three"):
        assert unpack_text(isal_zlib.compress(old.encode(), 1)) == (old, old)


def test_packing_is_the_same_every_time() -> None:
    lines = [f"line {number}" for number in range(50)]
    assert unpack_text(pack_text("x", "\n".join(lines)))[1].split("\n") == lines


@given(LINES, st.sets(st.integers(0, 11)), LINES)
def test_headings_change_nothing_in_the_text(
    lines: list[str], chosen: set[int], headings: list[str]
) -> None:
    inside = {line for place, line in enumerate(lines) if place in chosen} - {
        ""
    }  # alone it is no main text
    text, main = "\n".join(lines), "\n".join(line for line in lines if line in inside)
    packed = pack_text(text, main, [*headings, *lines[:1]])
    assert unpack_text(packed) == (text, main)
    [parts] = unpack_parts([packed])
    assert (parts.main, parts.rest) == (
        main,
        "\n".join(line for line in lines if line not in inside),
    )
    told = {" ".join(heading.split()) for heading in [*headings, *lines[:1]]} - {""}
    assert {" ".join(line.split()) for line in parts.headings.split("\n")} - {""} == told


def test_headings_come_in_the_order_of_the_text_and_then_those_that_are_apart() -> None:
    packed = pack_text(
        "Menu\nTwo\nwords\nOne", "Two\nwords\nOne", ["Apart", "One", "Two", "Menu", "Two"]
    )
    assert unpack_parts([packed])[0] == Parts("Two\nwords\nOne", "Menu", "Menu\nTwo\nOne\nApart")


def test_endless_headings_are_cut() -> None:
    packed = pack_text("x", "x", [f"{number} " + "y" * 3_000 for number in range(100)])
    assert 9_000 < len(unpack_parts([packed])[0].headings) <= 10_000


def test_what_was_packed_before_headings_were_marked_is_read() -> None:
    packed = b"\x01" + isal_zlib.compress(b"+One\n-two\n+three", 1)
    assert unpack_text(packed) == ("One\ntwo\nthree", "One\nthree")
    assert unpack_parts([packed])[0] == Parts("One\nthree", "two", "")
    assert unpack_parts([isal_zlib.compress(b"One\ntwo", 1)])[0] == Parts("One\ntwo", "", "")


def test_lines_of_many_texts_are_spelled_at_once() -> None:
    packed = [pack_text("one\ntwo", "two", ["one"]), pack_text("", ""), pack_text("x", "x")]
    assert unpack_parts(packed, bytes.upper) == [
        Parts("TWO", "ONE", "ONE"),
        Parts("", "", ""),
        Parts("X", "", ""),
    ]
    assert unpack_parts([]) == []
