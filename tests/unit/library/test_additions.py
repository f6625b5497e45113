"""Objects that are added to a library, and which of them are the same work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.library.additions import add_objects
from motherlode.library.identity import merged
from motherlode.library.library import Library
from motherlode.records.library import Identifier, LibraryObject, Person

PAPER = LibraryObject(
    kind="article-journal",
    title="How owls hear",
    authors=(Person("Strix", "Anna"), Person("van der Bubo", "Karl")),
    date="2004",
    volume="3",
    pages="12-19",
)
DOI = (Identifier("doi", "10.1000/owls"),)
PAGE = LibraryObject(kind="webpage", title="Publications", links=("http://a.test/p",))


def is_merged(first: LibraryObject, second: LibraryObject) -> bool:
    _, results = add_objects(Library(), [first, second], ("Birds",))
    return not results[1].is_new


@pytest.mark.parametrize(
    "other",
    [
        PAPER,
        replace(PAPER, title="How Owls hear!", authors=(Person("Bubo", "K."),)),
        replace(PAPER, date="2004-05", volume="", pages=""),
        replace(PAPER, date=""),
        replace(PAPER, authors=()),
        replace(PAPER, kind="webpage"),
    ],
)
def test_records_of_one_title_are_merged(other: LibraryObject) -> None:
    assert is_merged(PAPER, other)


@pytest.mark.parametrize(
    "other",
    [
        replace(PAPER, title="How owls see"),
        replace(PAPER, date="2005"),
        replace(PAPER, authors=(Person("Asio"),)),
        replace(PAPER, pages="112-119"),
        replace(PAPER, volume="4"),
        LibraryObject(title=PAPER.title),
    ],
)
def test_another_year_author_or_place_is_another_work(other: LibraryObject) -> None:
    assert not is_merged(PAPER, other)


def test_identifiers_come_before_titles() -> None:
    ours = replace(PAPER, identifiers=DOI)
    assert is_merged(ours, LibraryObject(title="Owls, hearing of", identifiers=DOI))
    assert not is_merged(ours, replace(PAPER, identifiers=(Identifier("doi", "10.1000/mice"),)))
    stranger = LibraryObject(title="Mouse catching", authors=(Person("Felis"),), identifiers=DOI)
    assert not is_merged(ours, stranger)
    preprint = (Identifier("doi", "10.48550/arxiv.2101.00001"),)
    assert is_merged(ours, replace(PAPER, identifiers=preprint))
    number = LibraryObject(title="x", identifiers=(Identifier("arxiv", "2101.00001"),))
    assert is_merged(LibraryObject(title="y", identifiers=preprint), number)


def test_a_chapter_is_not_its_book() -> None:
    book = LibraryObject(kind="book", title="Owls of the North", identifiers=DOI)
    assert not is_merged(book, LibraryObject(kind="chapter", title="Feathers", identifiers=DOI))
    isbn = (Identifier("isbn", "9783866801929"),)
    assert is_merged(replace(book, identifiers=isbn), LibraryObject(kind="book", identifiers=isbn))
    chapters = [LibraryObject(kind="chapter", title=word, identifiers=isbn) for word in "ab"]
    assert not is_merged(*chapters)


def test_web_pages_are_known_by_their_address_and_not_by_the_title_of_their_site() -> None:
    assert is_merged(PAGE, replace(PAGE, title="", links=("https://www.a.test/p/",)))
    assert not is_merged(PAGE, replace(PAGE, links=("http://b.test/p",)))
    dated = replace(PAGE, date="2004")
    assert not is_merged(dated, replace(dated, links=("http://b.test/p",)))


def test_short_titles_need_year_and_author() -> None:
    preface = replace(PAPER, title="Preface")
    assert is_merged(preface, preface)
    assert not is_merged(preface, replace(preface, authors=()))


def test_a_merged_object_has_what_both_knew() -> None:
    other = replace(
        PAPER, date="2004-05-17", abstract="Well.", keywords=("owls",), links=("http://a",)
    )
    library, (_, second) = add_objects(
        Library(), [replace(PAPER, keywords=("ears",)), other], ("B",)
    )
    assert library.objects[second.number] == replace(
        PAPER, date="2004-05-17", abstract="Well.", keywords=("ears", "owls"), links=("http://a",)
    )


def test_own_folders_lie_in_the_folder_that_receives_them() -> None:
    entry = replace(PAPER, folders=(("Owls", "Ears/Eyes"), ("owls",)))
    library, _ = add_objects(Library(), [entry, PAGE], ("Birds",))
    assert library.folders_by_object() == {
        1: [("Birds", "Owls"), ("Birds", "Owls", "Ears-Eyes")],
        2: [("Birds",)],
    }


TEXTS = st.sampled_from(["", "Owls", "How owls hear", "How mice hear", "2004", "2005"])
ENTRIES = st.lists(
    st.builds(
        LibraryObject,
        kind=st.sampled_from(["book", "chapter", "webpage", "article-journal"]),
        title=TEXTS,
        date=st.sampled_from(["", "2004", "2005-05"]),
        authors=st.lists(st.builds(Person, st.sampled_from("ab")), max_size=2).map(tuple),
        identifiers=st.lists(
            st.builds(Identifier, st.sampled_from(["doi", "isbn"]), st.sampled_from("xy")), max_size=2, unique=True
        ).map(tuple),
        folders=st.lists(st.lists(TEXTS, max_size=2).map(tuple), max_size=2).map(tuple),
    ),
    max_size=8,
)  # fmt: skip


@given(ENTRIES)
def test_what_is_added_again_changes_nothing(entries: list[LibraryObject]) -> None:
    alone = [entry for number, entry in enumerate(entries) if not any(
        is_merged(other, entry) for other in entries[:number]
    )]  # fmt: skip
    library, _ = add_objects(Library(), alone, ("L",))
    again, results = add_objects(library, alone, ("L",))
    assert not any(result.is_new for result in results)
    assert again == library


@given(ENTRIES)
def test_every_object_lies_somewhere_and_says_no_folder_itself(
    entries: list[LibraryObject],
) -> None:
    library, results = add_objects(Library(), entries, ("L",))
    assert len(results) == len(entries)
    assert all(library.folders_by_object().values())
    assert not any(entry.folders for entry in library.objects.values())


@given(ENTRIES)
def test_an_object_merged_with_itself_stays_as_it_is(entries: list[LibraryObject]) -> None:
    assert [merged(entry, entry) for entry in entries] == [
        replace(entry, identifiers=tuple(dict.fromkeys(entry.identifiers)),
                folders=tuple(dict.fromkeys(entry.folders)))
        for entry in entries
    ]  # fmt: skip
