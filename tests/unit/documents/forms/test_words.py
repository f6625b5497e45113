"""What words of forms mean."""

import pytest

from motherlode.documents.forms.words import meanings, tokens


@pytest.mark.parametrize(
    "words",
    ["Search", "Suche", "Rechercher", "Buscar", "Cerca", "Pesquisa", "Zoeken", "Sök", "Søg", "Haku",
    "Szukaj", "Hledat", "Keresés", "Căutare", "Поиск", "Пошук", "Αναζήτηση", "Ara", "חיפוש",
    "بحث", "खोजें", "ค้นหา", "サイト内検索", "搜索", "검색", "Tìm kiếm", "txtSearchBox", "site_search_q"],
)  # fmt: skip
def test_search_is_known_in_many_languages(words: str) -> None:
    assert "search" in meanings(words)


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("Passwort", "password"),
        ("Se connecter", "login"),
        ("Войти", "login"),
        ("Newsletter abonnieren", "mailing"),
        ("user_email", "email"),
        ("Forgot your password?", "recovery"),
        ("Add to cart", "order"),
        ("Ihre Nachricht", "contact"),
    ],
)
def test_other_meanings(words: str, meaning: str) -> None:
    assert meaning in meanings(words)


def test_a_word_without_a_star_is_a_whole_word() -> None:
    assert "search" in meanings("q")
    assert "search" not in meanings("quality")
    assert meanings("") == ()


def test_there_is_an_end_to_words() -> None:
    assert len(tokens("a " * 100_000)) == 40
    assert meanings("x" * 1_000_000 + " search") == ()
