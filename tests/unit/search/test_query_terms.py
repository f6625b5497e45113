"""Words with the same stem are found in many languages, in every part of a page."""

from pathlib import Path

import pytest

from motherlode.documents.text.stem_prefixes import is_rooted
from motherlode.documents.text.terms import number_of
from support.search_portals import SamplePage, fill_portal, found_hosts, search_portal

# A query word and the word on the pages, by language.
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
    # The index has stems for these languages:
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


def sample_pages(language: str, word: str) -> dict[str, SamplePage]:
    name = language or "none"
    at = f"http://at.{name}.test/"
    return {
        f"http://text.{name}.test/": SamplePage("1", f"7 {word} 7.", language=language),
        f"http://title.{name}.test/": SamplePage(word.capitalize(), "2", language=language),
        f"http://headed.{name}.test/": SamplePage(
            "3",
            "3",
            language=language,
            headings=(word.title(),),
        ),
        at: SamplePage("4", "4", language=language),
        f"http://hub.{name}.test/": SamplePage("5", "5", links={at: word}),
    }


def hosts(language: str, *places: str) -> set[str]:
    return {f"{place}.{language or 'none'}" for place in places}


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page_words = {language: page_word for language, (_, page_word) in WORDS.items()} | UNSTEMMED
    pages: dict[str, SamplePage] = {}
    for language, word in page_words.items():
        pages |= sample_pages(language, word)
    return fill_portal(tmp_path_factory.mktemp("words") / "p", pages)


@pytest.mark.parametrize("language", WORDS)
def test_another_ending_is_found_in_every_part_of_a_page(portal: Path, language: str) -> None:
    query_word, page_word = WORDS[language]
    assert number_of(query_word, language) == number_of(page_word, language)
    everywhere = hosts(language, "text", "title", "headed", "at")
    assert set(found_hosts(portal, query_word, limit=50)) == everywhere
    assert set(found_hosts(portal, query_word.upper(), limit=50, any_word=True)) == everywhere
    assert set(found_hosts(portal, f"title:{query_word}")) == hosts(language, "title")
    assert set(found_hosts(portal, f"headings:{query_word}")) == hosts(language, "headed")
    assert set(found_hosts(portal, f"anchor:{query_word}")) == hosts(language, "at")
    # The stems of a page include the stems of its title.
    text_hosts = ["text"] if is_rooted(language) else ["text", "title"]
    assert set(found_hosts(portal, f"text:{query_word}")) == hosts(language, *text_hosts)


@pytest.mark.parametrize("language", WORDS)
def test_an_exact_word_is_found_only_as_written(portal: Path, language: str) -> None:
    query_word, page_word = WORDS[language]
    everywhere = hosts(language, "text", "title", "headed", "at")
    assert everywhere <= set(found_hosts(portal, f'"{page_word}"', limit=50))
    assert not everywhere & set(found_hosts(portal, f'"{query_word}"', limit=50))


@pytest.mark.parametrize("language", WORDS)
def test_another_ending_is_marked_in_snippets(portal: Path, language: str) -> None:
    query_word, page_word = WORDS[language]
    results = search_portal(portal, query_word).results
    snippets = [result.snippet for result in results if "://text." in result.url]
    marked = [snippet.text[start:end] for snippet in snippets for start, end in snippet.marks]
    assert marked == [page_word]


@pytest.mark.parametrize("language", UNSTEMMED)
def test_words_of_languages_without_stemmer_are_found(portal: Path, language: str) -> None:
    everywhere = hosts(language, "text", "title", "headed", "at")
    assert set(found_hosts(portal, UNSTEMMED[language], limit=50)) == everywhere


def test_the_languages_are_of_both_kinds() -> None:
    kinds = {is_rooted(language) for language in WORDS}
    assert kinds == {True, False}


def test_words_with_ligatures_are_found(tmp_path: Path) -> None:
    page = SamplePage("\ufb01shing", "What \ufb02oats in the o\ufb03ce of \ufb01shes.")
    path = fill_portal(tmp_path / "p", {"http://print.test/": page})
    queries = ("fish", "title:fish", '"office of fishes"', "float", "offic*", "\ufb01sh", "fishs~")
    for query in queries:
        assert found_hosts(path, query) == ["print"], query


def test_the_typed_word_is_searched_even_if_many_share_its_stem(tmp_path: Path) -> None:
    numbered = " ".join(f"heron{number}" for number in range(10, 80))
    pages = {
        "http://list0.test/": SamplePage("List", f"{numbered} 0", "menu 0"),
        "http://list1.test/": SamplePage("List", f"{numbered} 1", "menu 1"),
        "http://rare.test/": SamplePage("Rare", "The only herons."),
    }
    path = fill_portal(tmp_path / "p", pages)
    assert "rare" in found_hosts(path, "herons")
