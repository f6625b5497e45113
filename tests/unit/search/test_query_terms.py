"""Words of a query and of pages in many languages at once: the same stem is found, wherever it stands."""

from pathlib import Path

import pytest

from motherlode.documents.roots import is_rooted
from motherlode.documents.terms import number_of
from support.search_portals import Paper, found, searched, shelve

# What is asked for, and what pages have.
WORDS = {
    "en": ("hunting", "hunted"),
    "de": ("Füße", "Fuß"),
    "fr": ("baleines", "baleine"),
    "es": ("canciones", "canción"),
    "it": ("bambini", "bambino"),
    "ru": ("звёзды", "звезда"),
    "da": ("fuglene", "fugle"),
    "no": ("fjellene", "fjell"),
    "ro": ("munți", "munţi"),
    "lt": ("namas", "namai"),
    "hy": ("քաղաքներ", "քաղաք"),
    # stems of these are in the index
    "nl": ("boeken", "boek"),
    "fi": ("talossa", "talo"),
    "tr": ("evler", "ev"),
    "ar": ("الكتاب", "كتاب"),
    "hi": ("लड़कों", "लड़का"),
    "el": ("λόγος", "λόγοι"),
    "id": ("membaca", "baca"),
    "ga": ("gcapall", "capall"),
}
UNSTEMMED = {"pl": "książka", "bn": "কক্ষ", "he": "ספר", "": "quagga"}


def papers_of(language: str, word: str) -> dict[str, Paper]:
    name = language or "none"
    at = f"http://at.{name}.test/"
    return {
        f"http://text.{name}.test/": Paper("1", f"7 {word} 7.", language=language),
        f"http://title.{name}.test/": Paper(word.capitalize(), "2", language=language),
        f"http://headed.{name}.test/": Paper("3", "3", language=language, headings=(word.title(),)),
        at: Paper("4", "4", language=language),
        f"http://hub.{name}.test/": Paper("5", "5", links={at: word}),
    }


def hosts(language: str, *places: str) -> set[str]:
    return {f"{place}.{language or 'none'}" for place in places}


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    said = {language: there for language, (_, there) in WORDS.items()} | UNSTEMMED
    papers = {url: paper for one in said.items() for url, paper in papers_of(*one).items()}
    return shelve(tmp_path_factory.mktemp("wording") / "p", papers)


@pytest.mark.parametrize("language", WORDS)
def test_another_ending_is_found_wherever_it_stands(portal: Path, language: str) -> None:
    asked, there = WORDS[language]
    assert number_of(asked, language) == number_of(there, language)
    everywhere = hosts(language, "text", "title", "headed", "at")
    assert set(found(portal, asked, limit=50)) == everywhere
    assert set(found(portal, asked.upper(), limit=50, any_word=True)) == everywhere
    assert set(found(portal, f"title:{asked}")) == hosts(language, "title")
    assert set(found(portal, f"headings:{asked}")) == hosts(language, "headed")
    assert set(found(portal, f"anchor:{asked}")) == hosts(language, "at")
    told = (
        ["text"] if is_rooted(language) else ["text", "title"]
    )  # stems of a page are those of its title, too
    assert set(found(portal, f"text:{asked}")) == hosts(language, *told)


@pytest.mark.parametrize("language", WORDS)
def test_what_is_sought_exactly_is_found_as_it_is_written(portal: Path, language: str) -> None:
    asked, there = WORDS[language]
    everywhere = hosts(language, "text", "title", "headed", "at")
    assert everywhere <= set(found(portal, f'"{there}"', limit=50))
    assert not everywhere & set(found(portal, f'"{asked}"', limit=50))


@pytest.mark.parametrize("language", WORDS)
def test_another_ending_is_marked_in_snippets(portal: Path, language: str) -> None:
    asked, there = WORDS[language]
    results = searched(portal, asked).results
    snippets = [one.snippet for one in results if "://text." in one.url]
    assert [s.text[start:end] for s in snippets for start, end in s.marks] == [there]


@pytest.mark.parametrize("language", UNSTEMMED)
def test_words_of_languages_without_stems_are_found_as_they_are(portal: Path, language: str) -> None:
    word = UNSTEMMED[language]
    assert set(found(portal, word, limit=50)) == hosts(language, "text", "title", "headed", "at")


def test_the_languages_above_are_of_both_kinds() -> None:
    kinds = {is_rooted(language) for language in WORDS}
    assert kinds == {True, False}


def test_letters_that_were_joined_in_print_are_found(tmp_path: Path) -> None:
    papers = {"http://print.test/": Paper("\ufb01shing", "What \ufb02oats in the o\ufb03ce of \ufb01shes.")}
    path = shelve(tmp_path / "p", papers)
    for query in ("fish", "title:fish", '"office of fishes"', "float", "offic*", "\ufb01sh", "fishs~"):
        assert found(path, query) == ["print"], query


def test_the_word_that_was_typed_is_sought_however_many_others_have_its_stem(tmp_path: Path) -> None:
    numbered = " ".join(f"heron{number}" for number in range(10, 80))
    papers = {f"http://list{n}.test/": Paper("List", f"{numbered} {n}", menu=f"menu {n}") for n in range(2)}
    papers["http://rare.test/"] = Paper("Rare", "The only herons.")
    path = shelve(tmp_path / "p", papers)
    assert "rare" in found(path, "herons")
