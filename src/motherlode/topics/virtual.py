"""Virtual documents: a topic by its words alone, where there is no page to show (SPEC B1, B31).

A query is one, and so is what a bookmark or a library says of a page that is gone.
"""

from collections.abc import Iterable

from motherlode.documents.analysis import enriched
from motherlode.records import Document, Example

LANGUAGE = "en"  # of words too few to tell


def virtual_document(title: str, parts: Iterable[str] = (), language: str = LANGUAGE) -> Document:
    """A document of a title and whatever else is said: a query, an abstract, keywords, a note."""
    said = "\n".join(" ".join(part.split()) for part in parts if part.strip())
    return enriched(
        Document(title=" ".join(title.split()), text=said, main=said, language=language)
    )


def document_of(example: Example) -> Document | None:
    """What an example says of itself, without its page; None: nothing."""
    parts = [example.text or "", example.note, " ".join(example.tags)]
    title = "" if example.text and example.title == example.text else example.title
    if not title.strip() and not any(part.strip() for part in parts):
        return None
    return virtual_document(title, parts)
