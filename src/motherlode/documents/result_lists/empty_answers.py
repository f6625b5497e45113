"""Recognise an answer that says that nothing was found."""

from typing import Final

from motherlode.documents.result_lists.page_tree import PageTree
from motherlode.documents.result_lists.words import words_for

MAX_SENTENCE_CHARS: Final = 250  # a longer text is an article rather than a message
MAX_TEXTS: Final = 3_000


def says_nothing_found(tree: PageTree, *, has_matches: bool) -> bool:
    """Return whether a message of the page says so, and no list has the words of the query."""
    return not has_matches and any(
        words_for("nothing_found").search(text.casefold())
        for text in tree.texts[:MAX_TEXTS]
        if len(text) <= MAX_SENTENCE_CHARS
    )
