"""Robots directives, as meta tags and headers list them."""

import pytest

from motherlode.documents.robots_directives import Directives, parse_directives

BOTH, NEITHER = Directives(), Directives(index=False, follow=False)
NOINDEX, NOFOLLOW = Directives(index=False), Directives(follow=False)

WORDS = {
    "": BOTH,
    "all": BOTH,
    "noindex": NOINDEX,
    " NoIndex ,NOFOLLOW": NEITHER,
    "none": NEITHER,
    "index, follow": BOTH,
    "noarchive, nofollow, nosnippet": NOFOLLOW,
    "noindexing": BOTH,
    "max-snippet:20, noindex": NOINDEX,
}


@pytest.mark.parametrize(("value", "meaning"), WORDS.items())
def test_words_are_read_in_any_case_and_order(value: str, meaning: Directives) -> None:
    assert parse_directives(value) == meaning
