"""Making a portal from any front door (SPEC B1): bookmarks, topics with seeds, or a query."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from motherlode.portal import create_portal
from motherlode.portal.reading import rules_in
from motherlode.records import BadInputError, Folder, UsageError
from motherlode.topics import Planting, TopicPath, parse_path, plant, plant_query, plant_seeds
from motherlode.urls import UrlRules


class Wanted(Struct, frozen=True):
    """What a portal is to be about, said in one of three ways; `file` is what the bookmarks were called."""

    bookmarks: Folder | None = None
    file: Path = Path("bookmarks")
    topics: tuple[tuple[TopicPath, list[str]], ...] = ()
    query: str | None = None


def make_portal(path: Path, wanted: Wanted, chosen: dict[str, object]) -> Planting:
    """Make the portal with these settings; returns what was planted, and what could not be."""
    planting = _planting(wanted, rules_in(chosen))
    create_portal(path, planting, chosen)
    return planting


def topic_named(text: str) -> TopicPath:
    """The path of a topic that a portal is to have."""
    path = parse_path(text)
    if not path:
        raise UsageError("A topic needs a name.")
    return path


def skipped(planting: Planting) -> str:
    """What could not be planted, for the end of a sentence."""
    if not planting.skipped:
        return ""
    reasons = ", ".join(f"{number} for {kind}" for kind, number in sorted(planting.skipped.items()))
    return f" ({reasons} skipped)"


def _planting(wanted: Wanted, rules: UrlRules) -> Planting:
    _check_one_way(wanted.bookmarks is not None, bool(wanted.topics), wanted.query is not None)
    if wanted.bookmarks is not None:
        planting = plant(wanted.bookmarks, wanted.file.stem, rules)
        if not planting.examples:
            raise BadInputError(f"{wanted.file} holds no bookmark that can be crawled{skipped(planting)}.")
        return planting
    if wanted.query is not None:
        if not wanted.query.split():
            raise UsageError("The query needs some words.")
        return plant_query(wanted.query)
    return plant_seeds(wanted.topics, rules)


def _check_one_way(*ways: bool) -> None:
    if sum(ways) != 1:
        raise UsageError("Name the topics one way: a bookmark file, topics with seeds, or a query.")


def grouped(pairs: Iterable[tuple[str, Iterable[str]]]) -> tuple[tuple[TopicPath, list[str]], ...]:
    """Topics as a person named them, each with its seeds."""
    return tuple((topic_named(name), list(seeds)) for name, seeds in pairs)
