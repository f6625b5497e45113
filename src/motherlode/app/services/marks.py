"""What came of marking pages, for every front door."""

from collections.abc import Sequence

from msgspec import Struct

from motherlode.records import Mark
from motherlode.store import Session
from motherlode.store.pages import urls_of_pages
from motherlode.topics import TopicTree, show_path


class Said(Struct, frozen=True):
    """A mark that was given now."""

    url: str
    word: str
    topic: str


class MarksDone(Struct, frozen=True):
    """What was marked, or how many marks were taken back."""

    marked: list[Said]
    undone: int = 0


def told_of(session: Session, tree: TopicTree, marks: Sequence[Mark]) -> MarksDone:
    urls = urls_of_pages(session, list({one.page for one in marks}))
    return MarksDone(
        [Said(urls[one.page], one.word.name.lower(), show_path(tree.path(one.topic))) for one in marks]
    )
