"""A topic tree out of what a person has: bookmarks, seeds, a query (SPEC B1)."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from motherlode.records import Bookmark, Example, Folder, Origin, TopicId
from motherlode.topics.paths import OTHERS, TopicPath, clean_name, is_others
from motherlode.urls import UrlError, UrlRules, address

_UNPLACED = TopicId(0)  # an example's topic is known once the store has made it
_QUERY_NAME = 60
_MAX_TITLE = 500
_MAX_NOTE = 2000


class Planted(Struct, frozen=True):
    """A topic to be, with its examples; its path ends in OTHERS if it holds counterexamples."""

    path: TopicPath
    examples: tuple[Example, ...]


class Planting(Struct, frozen=True):
    """All topics to be, parents first, and the bookmarks that cannot be crawled,
    counted by reason.
    """

    topics: tuple[Planted, ...]
    skipped: dict[str, int] = {}

    @property
    def examples(self) -> int:
        return sum(len(planted.examples) for planted in self.topics)


def plant(folder: Folder, name: str, rules: UrlRules) -> Planting:
    """The topic tree of a bookmark file: folders are topics, and folders of one name are one.

    A file without folders is one topic called `name`; beside folders, loose bookmarks are examples
    of the root. What lies in or below a folder called OTHERS is a counterexample.
    """
    gathered: dict[TopicPath, dict[str, Example]] = {}
    skipped: Counter[str] = Counter()
    flat = all(is_others(child.name) for child in folder.folders)
    name = "bookmarks" if is_others(name) or not clean_name(name) else clean_name(name)
    for path, bookmarks in _walk(folder):
        examples = gathered.setdefault((name,) if flat and not path else path, {})
        for bookmark in bookmarks:
            try:
                example = _example(bookmark, rules)
            except UrlError as error:
                skipped[error.kind] += 1
            else:
                examples.setdefault(str(example.url), example)
    topics = (Planted(path, tuple(examples.values())) for path, examples in gathered.items())
    kept = tuple(planted for planted in topics if planted.path or planted.examples)
    return Planting(kept, dict(skipped))


def plant_seeds(topics: Iterable[tuple[TopicPath, list[str]]], rules: UrlRules) -> Planting:
    """Topics with the seeds that a person named; a seed that is no URL is the person's mistake."""
    return plant_urls(
        (path, [address(seed, rules=rules).url for seed in seeds]) for path, seeds in topics
    )


def plant_urls(topics: Iterable[tuple[TopicPath, Iterable[str]]]) -> Planting:
    """Topics with seeds that are spelled as the portal spells them."""
    return Planting(
        tuple(
            Planted(path, tuple(Example(_UNPLACED, url) for url in dict.fromkeys(urls)))
            for path, urls in topics
        )
    )


def plant_query(query: str) -> Planting:
    """One topic whose only example is the query itself, as a virtual document."""
    words = " ".join(query.split())
    name = clean_name(words[:_QUERY_NAME])
    name = "query" if is_others(name) or not name else name  # OTHERS would hold counterexamples
    example = Example(_UNPLACED, None, title=words, text=words, origin=Origin.QUERY)
    return Planting((Planted((name,), (example,)),))


def plant_found(topics: Iterable[tuple[TopicPath, Iterable[tuple[str, str]]]]) -> Planting:
    """Topics with pages that were found for them: URLs that a crawl has fetched, and their titles.

    That they are examples is a person's choice, so no crawl drops them for others.
    """
    planted = [
        Planted(
            path,
            tuple(
                Example(_UNPLACED, url, title=title[:_MAX_TITLE], origin=Origin.FEEDBACK)
                for url, title in dict(pages).items()
            ),
        )
        for path, pages in topics
    ]
    return Planting(tuple(planted))


def _walk(folder: Folder) -> Iterator[tuple[TopicPath, tuple[Bookmark, ...]]]:
    """Each folder with its path, parents first; below OTHERS everything is OTHERS."""
    ahead: list[tuple[Folder, TopicPath]] = [(folder, ())]
    while ahead:
        here, path = ahead.pop()
        yield path, here.bookmarks
        in_others = path[-1:] == (OTHERS,)
        for child in reversed(here.folders):
            name = clean_name(child.name) or "unnamed"
            ahead.append((child, path if in_others else (*path, name)))


def _example(bookmark: Bookmark, rules: UrlRules) -> Example:
    return Example(
        _UNPLACED,
        address(bookmark.url, rules=rules).url,
        title=bookmark.title[:_MAX_TITLE],
        note=bookmark.note[:_MAX_NOTE],
        tags=bookmark.tags,
        added_at=bookmark.added_at,
    )
