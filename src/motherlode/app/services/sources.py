"""Search sources of a portal: their list, changes to it, and searches over several of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.sources import TrySourceRequest
from motherlode.app.services.named_sources import (
    SECTION,
    NamedSource,
    checked_source,
    no_such_source,
    source_options,
)
from motherlode.app.services.open_sources import SourceAnswer, open_sources
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.fetch.event_loop import run
from motherlode.portal.config import Config
from motherlode.portal.directory import CONFIG, config_of
from motherlode.portal.editor import drop_named_section, keep_named_section
from motherlode.portal.settings import is_section_name
from motherlode.records import BadInputError, LodeError, UsageError
from motherlode.sources.search.options import MAX_NAME_CHARS
from motherlode.sources.search.registry import kind_named


class SourceStatus(Struct, frozen=True, kw_only=True):
    """A configured source with its terms. `state` says whether its key is present."""

    name: str
    kind: str
    place: str
    state: str
    key_variable: str
    terms: str
    terms_url: str


def sources_in(directory: Path, overrides: Sequence[str] = ()) -> list[SourceStatus]:
    """Return the configured sources of a portal."""
    config = config_of(directory, overrides)
    return [_status(NamedSource(name, options)) for name, options in config.sources.items()]


def add_source(directory: Path, name: str, kind: str, given: Mapping[str, Any]) -> SourceStatus:
    """Write a source into the configuration of a portal, with the options that are given.

    Paths become absolute. Raises `UsageError` if the name is taken or the options do not fit.
    """
    check_source_name(name, config_of(directory))
    values = {"kind": kind_named(kind).name} | {
        key: value for key, value in given.items() if value is not None
    }
    source = checked_source(NamedSource(name, source_options(values)))
    values |= _absolute_paths(source)
    keep_named_section(directory, SECTION, name, values)
    return _status(NamedSource(name, source_options(values)))


def check_source_name(name: str, config: Config) -> None:
    """Raise `UsageError` if a new source cannot have this name."""
    if not is_section_name(name):
        raise UsageError(
            f"{name[:60]!r} cannot be the name of a source; use up to {MAX_NAME_CHARS} letters, "
            "digits, '-' and '_'."
        )
    if name in config.sources:
        raise UsageError(f"There is a source {name} already; remove it first, or use another name.")


def remove_source(directory: Path, name: str) -> None:
    """Take a source out of the configuration of a portal."""
    config = config_of(directory)
    if name not in config.sources:
        raise no_such_source(name, config)
    drop_named_section(directory, SECTION, name)


def try_source(config: Config, name: str, query: str, wanted: int) -> SourceAnswer:
    """Return what a source finds for a query. Raises `LodeError` if it fails."""
    if not query.split():
        raise UsageError("The query is empty; write what the source is to look for.")
    answer = search_sources(config, [name], query, wanted)
    if answer.problems:
        raise LodeError(answer.problems[0])
    return answer


def try_sources(config: Config, query: str, wanted: int) -> SourceAnswer:
    """Return what all sources of a portal find for a query. Raises `LodeError` if all fail."""
    if not query.split():
        raise UsageError("The query is empty; write what the sources are to look for.")
    if not config.sources:
        raise UsageError(
            "This portal has no search source to try; name one, as in 'try KIND:URL QUERY'."
        )
    answer = search_sources(config, list(config.sources), query, wanted)
    if len(answer.problems) == len(config.sources):
        raise LodeError(answer.problems[0])
    return answer


def search_sources(config: Config, names: Sequence[str], query: str, wanted: int) -> SourceAnswer:
    """Return what several sources find for a query, on an event loop of its own."""
    return run(_search(config, names, query, wanted))


def served_sources(registry: PortalRegistry, portal: str) -> list[SourceStatus]:
    """Return the sources of a served portal, without the paths of files on this machine."""
    statuses = sources_in(registry.path(portal))
    return [
        status
        if kind_named(status.kind).place == "url"
        else replace(status, place=Path(status.place).name)
        for status in statuses
    ]


def try_served_source(
    registry: PortalRegistry, portal: str, request: TrySourceRequest
) -> SourceAnswer:
    """Return what a configured source of a served portal finds.

    Visitors cannot name sources of their own, which could be files or hosts near this machine.
    """
    config = config_of(registry.path(portal))
    options = config.sources.get(request.name)
    if options is None:
        raise UsageError(f"This portal has no search source {request.name!r}.")
    try:
        return try_source(config, request.name, request.query, request.hits)
    except LodeError as error:
        message = str(error)
        for path in filter(None, (options.file, options.portal)):
            message = message.replace(path, Path(path).name)
        raise LodeError(message) from error


async def _search(config: Config, names: Sequence[str], query: str, wanted: int) -> SourceAnswer:
    async with open_sources(config, names) as sources:
        return await sources.search(query, wanted)


def _status(source: NamedSource) -> SourceStatus:
    kind = source.kind
    present = f"key in {source.key_variable}"
    missing = {"none": "no key needed", "optional": "without a key", "required": "key missing"}
    return SourceStatus(
        name=source.name,
        kind=kind.name,
        place=source.place,
        state=present if source.key else missing[kind.key],
        key_variable=source.key_variable,
        terms=kind.terms,
        terms_url=kind.terms_url,
    )


def _absolute_paths(source: NamedSource) -> dict[str, str]:
    """Return the path of a source's file or portal as it is stored. Raises `BadInputError`."""
    place = source.kind.place
    if place == "url":
        return {}
    path = Path(source.place).absolute()
    if place == "file" and not path.is_file():
        raise BadInputError(f"There is no file {source.place[:200]}.")
    if place == "portal" and not (path / CONFIG).is_file():
        raise BadInputError(f"{source.place[:200]} is not a portal, which would have a {CONFIG}.")
    return {place: str(path)}
