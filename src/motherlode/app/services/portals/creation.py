"""Make a portal from bookmarks, from topics with seeds, or from a query (SPEC B1)."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.portals import NewPortalRequest
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.export.text_cleaner import label
from motherlode.portal import create_portal
from motherlode.portal.config_reader import parse_override, rules_in
from motherlode.records import BadInputError, Folder, UsageError
from motherlode.sources.bookmarks import parse_bookmarks
from motherlode.topics import Planting, TopicPath, parse_path, plant, plant_query, plant_seeds
from motherlode.urls import UrlRules

# A database could be anywhere; a source could send any environment variable to any service.
_COMMAND_LINE_SETTINGS = ("store.", "sources.")


class BookmarkFile(Struct, frozen=True):
    """A bookmark file that was sent: its name, and its bytes in any encoding."""

    name: str
    data: bytes


class PortalContents(Struct, frozen=True):
    """The topics of a new portal, given in one of three ways; `file` names the bookmark file."""

    bookmarks: Folder | None = None
    file: Path = Path("bookmarks")
    topics: tuple[tuple[TopicPath, list[str]], ...] = ()
    query: str | None = None


def make_portal(path: Path, contents: PortalContents, chosen: dict[str, object]) -> Planting:
    """Make a portal with these settings, and return its topics and what was skipped."""
    planting = _plant_contents(contents, rules_in(chosen))
    create_portal(path, planting, chosen)
    return planting


def topic_path(text: str) -> TopicPath:
    """Return the path of a topic. Raises `UsageError` for the root."""
    path = parse_path(text)
    if not path:
        raise UsageError("A topic needs a name.")
    return path


def skipped_text(planting: Planting) -> str:
    """Return the number of skipped bookmarks by reason, for the end of a sentence."""
    if not planting.skipped:
        return ""
    reasons = ", ".join(f"{number} for {kind}" for kind, number in sorted(planting.skipped.items()))
    return f" ({reasons} skipped)"


def _plant_contents(contents: PortalContents, rules: UrlRules) -> Planting:
    _check_one_way(
        contents.bookmarks is not None, bool(contents.topics), contents.query is not None
    )
    if contents.bookmarks is not None:
        planting = plant(contents.bookmarks, contents.file.stem, rules)
        if not planting.examples:
            reasons = skipped_text(planting)
            raise BadInputError(f"{contents.file} holds no bookmark that can be crawled{reasons}.")
        return planting
    if contents.query is not None:
        if not contents.query.split():
            raise UsageError("The query is empty; write what you look for.")
        return plant_query(contents.query)
    return plant_seeds(contents.topics, rules)


def _check_one_way(*ways: bool) -> None:
    if sum(ways) != 1:
        raise UsageError("Name the topics one way: a bookmark file, topics with seeds, or a query.")


def parse_topics(
    pairs: Iterable[tuple[str, Iterable[str]]],
) -> tuple[tuple[TopicPath, list[str]], ...]:
    """Return topics with their seeds, with parsed paths."""
    return tuple((topic_path(name), list(seeds)) for name, seeds in pairs)


def create_served_portal(
    registry: PortalRegistry, request: NewPortalRequest, file: BookmarkFile | None = None
) -> Planting:
    """Make the served portal of a request; `file` are its bookmarks, if they were sent
    as a file.
    """
    settings = allowed_settings(request.settings)
    return make_portal(registry.free(request.name), _requested_contents(request, file), settings)


def _requested_contents(request: NewPortalRequest, file: BookmarkFile | None) -> PortalContents:
    topics = parse_topics((topic.topic, topic.seeds) for topic in request.topics)
    if request.bookmarks is not None:
        file = BookmarkFile("bookmarks", request.bookmarks.encode(errors="replace"))
    if file is None:
        return PortalContents(topics=topics, query=request.query)
    path = Path(label(Path(file.name).name) or "The file")
    return PortalContents(parse_bookmarks(path, file.data), path, topics, request.query)


def allowed_settings(settings: Iterable[str]) -> dict[str, object]:
    """Return settings given as with `--set`.

    Raises `UsageError` for settings that visitors may not choose.
    """
    chosen = dict(parse_override(setting) for setting in settings)
    if any(key.startswith(_COMMAND_LINE_SETTINGS) for key in chosen):
        raise UsageError(
            "Settings of the store and of search sources can only be chosen on the command line."
        )
    return chosen
