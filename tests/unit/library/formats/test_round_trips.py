"""What is written in a format is read back from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from motherlode.library.formats.registry import (
    read_references,
    writable_formats,
    write_references,
)
from motherlode.records.library import Identifier, LibraryObject, Person

ARTICLE = LibraryObject(
    kind="article-journal",
    title="On owls & mice: 50% {more} of $5_x#",
    authors=(Person("van Gogh", "Vincent"), Person("King", "Martin Luther", "Jr.")),
    editors=(Person("Doe", "Jane"),),
    date="2004-05",
    abstract="They eat mice ~ at night.",
    keywords=("owls", "night hunting"),
    venue="Journal of Owls",
    publisher="Nest Press",
    place="London",
    volume="12",
    issue="3",
    pages="1-20",
    language="en",
    identifiers=(Identifier("doi", "10.1000/owls_1"),),
    links=("http://owls.example/a_b?c=%20&d=1",),
    note="Read twice.",
    key="owls2004",
)
# What a format has no place for, beside folders: those of BibTeX are names without a path.
NOT_KEPT = {
    "csl-json": {"folders"},
    "ris": {"folders"},
    "endnote": {"folders"},
    "endnote-xml": {"folders"},
    "bibtex": set[str](),
    "biblatex": set[str](),
}
PLAIN = st.text(
    alphabet=st.characters(codec="utf-8", categories=("L", "N", "P", "S"), exclude_characters="<>")
    | st.just(" "),
    min_size=1,
    max_size=40,
).map(lambda text: " ".join(text.split()) or "x")


@pytest.mark.parametrize("name", writable_formats())
def test_an_article_comes_back_as_it_was(name: str) -> None:
    entry = replace(ARTICLE, folders=(("Birds",),)) if "folders" not in NOT_KEPT[name] else ARTICLE
    text = write_references([entry, replace(entry, key="other", title="Another")], name)
    _, result = read_references(text.encode(), "library", name)
    assert result.problems == ()
    assert result.objects[0] == entry
    assert result.objects[1].title == "Another"


@pytest.mark.parametrize("name", writable_formats())
def test_the_format_of_what_was_written_is_recognised(name: str) -> None:
    text = write_references([ARTICLE], name)
    found, result = read_references(text.encode(), "library")
    assert found == ("bibtex" if name == "biblatex" else name)
    assert len(result.objects) == 1


@pytest.mark.parametrize("name", writable_formats())
def test_each_kind_comes_back(name: str) -> None:
    kinds = ("article-journal", "book", "chapter", "paper-conference", "thesis", "report")
    entries = [LibraryObject(kind=kind, title=kind, date="1999") for kind in kinds]
    _, result = read_references(write_references(entries, name).encode(), "library", name)
    assert [entry.kind for entry in result.objects] == list(kinds)


@given(title=PLAIN)
@pytest.mark.parametrize("name", ["bibtex", "csl-json"])
def test_any_title_comes_back(name: str, title: str) -> None:
    text = write_references([LibraryObject(title=title, date="2000")], name)
    _, result = read_references(text.encode(), "library", name)
    assert [entry.title for entry in result.objects] == [title]
