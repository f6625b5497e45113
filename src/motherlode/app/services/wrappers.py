"""Wrappers of a portal: sources made of search forms, which are asked by attributes (SPEC D3)."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.sources import AskSourceRequest
from motherlode.app.services.named_sources import SECTION, source_named
from motherlode.app.services.open_sources import opened_client
from motherlode.app.services.sources import check_source_name, remove_source
from motherlode.fetch.event_loop import run
from motherlode.portal.config import Config
from motherlode.portal.directory import config_of
from motherlode.portal.editor import keep_named_section
from motherlode.records import BadInputError, FormField, LodeError, ReadOnlyError, UsageError
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.options import MAX_NAME_CHARS, SourceOptions
from motherlode.sources.search.source import SourceSetup
from motherlode.sources.wrappers.attributes import PortalQuery, person_name
from motherlode.sources.wrappers.check import FormCheck
from motherlode.sources.wrappers.form_source import FormSource, PortalAnswer
from motherlode.sources.wrappers.matching import usable_fields
from motherlode.sources.wrappers.registration import make_wrapper
from motherlode.sources.wrappers.selection import best_portals
from motherlode.sources.wrappers.wrapper import Wrapper, edited
from motherlode.sources.wrappers.wrapper_file import (
    FOLDER,
    read_wrapper,
    toml_of_wrapper,
    wrapper_names,
    wrapper_path,
)

FORM: Final = "form"
OPENSEARCH: Final = "opensearch"  # a service, whose robots.txt does not count
MAX_SHOWN_OPTIONS = 12
_NO_NAME = re.compile(r"[^a-z0-9-]+")
T = TypeVar("T")


class FieldView(Struct, frozen=True, kw_only=True):
    """A field of a wrapper's form, the attribute that it asks for, and how sure that is.

    `attribute` is empty for a field that is left as it is. `options` are the values of a menu.
    """

    name: str
    label: str
    control: str
    attribute: str
    score: float
    options: tuple[str, ...] = ()


class WrapperView(Struct, frozen=True, kw_only=True):
    """A wrapper as people see it: where its form is, how it is sent, what its fields ask for."""

    name: str
    page: str
    action: str
    method: str
    form: int
    created: str
    fields: tuple[FieldView, ...]


class AskedPortal(Struct, frozen=True):
    """A portal that was chosen for a request, how well its form fits, and what it answered.

    `problem` says why there is no answer.
    """

    name: str
    similarity: float
    answer: PortalAnswer | None = None
    problem: str = ""


def add_wrapper(
    directory: Path,
    url: str,
    name: str = "",
    number: int = 0,
    overrides: Sequence[str] = (),
) -> WrapperView:
    """Make a source of the search form at an address, and keep it in the portal.

    Raises `UsageError` for a name that is taken, and `LodeError` if no source can be made.
    """
    config = config_of(directory, overrides)
    chosen = name or _free_name(url, config)
    check_source_name(chosen, config)
    created = datetime.now(UTC).date().isoformat()

    async def make(client: SearchClient) -> Wrapper:
        return await make_wrapper(client, url, number=number, created=created)

    wrapper = run(_with_client(config, SourceOptions(kind=FORM, url=url), chosen, make))
    _write(directory, wrapper)
    kind = OPENSEARCH if wrapper.template else FORM
    values = {"kind": kind, "url": wrapper.page, "file": f"{FOLDER}/{chosen}.toml"}
    keep_named_section(directory, SECTION, chosen, values)
    return view_of(wrapper)


def wrapper_in(directory: Path, name: str) -> WrapperView:
    """Return a wrapper of a portal. Raises `LodeError` if there is none of that name."""
    return view_of(_stored(directory, name))


def has_wrapper(options: SourceOptions) -> bool:
    """Return whether a source was made of a form or an OpenSearch description by its address."""
    return options.kind in (FORM, OPENSEARCH) and bool(options.file)


def wrappers_in(directory: Path) -> list[Wrapper]:
    """Return the wrappers of a portal that can be read, by name."""
    kept = config_of(directory).sources
    wrappers = []
    for name in wrapper_names(directory):
        if name in kept and has_wrapper(kept[name]):
            try:
                wrappers.append(read_wrapper(directory, name))
            except BadInputError:  # `lode sources DIR show NAME` says what is wrong with it
                continue
    return wrappers


def check_wrapper(directory: Path, name: str, overrides: Sequence[str] = ()) -> FormCheck:
    """Return how the form of today compares with that of a wrapper. Raises `LodeError`."""
    wrapper = _stored(directory, name)

    async def check(client: SearchClient) -> FormCheck:
        return await _source(client, wrapper).check()

    config = config_of(directory, overrides)
    return run(_with_client(config, config.sources[name], name, check))


def edit_wrapper(directory: Path, name: str, field: str, attribute: str) -> WrapperView:
    """Let a field of a wrapper ask for another attribute, or for none. Raises `LodeError`."""
    wrapper = edited(_stored(directory, name), field, attribute)
    _write(directory, wrapper)
    return view_of(wrapper)


def remove_wrapper_or_source(directory: Path, name: str) -> None:
    """Remove a source, and the file of its wrapper if it has one."""
    options = config_of(directory).sources.get(name)
    remove_source(directory, name)
    if options is not None and has_wrapper(options):
        wrapper_path(directory, name).unlink(missing_ok=True)


def ask_wrapper(config: Config, name: str, request: AskSourceRequest) -> PortalAnswer:
    """Return what a portal has for a request's attributes. Raises `LodeError`.

    `name` is a configured source, or `form:URL`.
    """
    source = source_named(name, config)
    if source.options.kind != FORM and not has_wrapper(source.options):
        raise UsageError(
            f"{name} is no search form, so it is asked by words alone, not by attributes."
        )
    stored = Path(source.options.file) if source.options.file else None
    wrapper = read_wrapper(stored.parent.parent, stored.stem) if stored else None

    async def ask(client: SearchClient) -> PortalAnswer:
        asked = FormSource(_setup(client, source.options), wrapper)
        return await asked.ask(portal_query(request), request.hits, _fields_of(request))

    return run(_with_client(config, source.options, name, ask))


def ask_best_wrappers(
    directory: Path, request: AskSourceRequest, overrides: Sequence[str] = ()
) -> list[AskedPortal]:
    """Return what the portals have whose forms fit a request best, the best first (SPEC D5).

    Raises `UsageError` if none of the portal's sources can be asked for it.
    """
    query = portal_query(request)
    matchings = {wrapper.name: wrapper.matching for wrapper in wrappers_in(directory)}
    best = best_portals(matchings, query)
    if not best:
        raise UsageError(
            "No source of this portal that was made of a search form can be asked for this."
        )
    config = config_of(directory, overrides)
    return [_asked_portal(config, name, similarity, request) for name, similarity in best]


def _asked_portal(
    config: Config, name: str, similarity: float, request: AskSourceRequest
) -> AskedPortal:
    """Return the answer of one portal, or why it has none: the others are asked all the same."""
    try:
        return AskedPortal(name, similarity, ask_wrapper(config, name, request))
    except LodeError as error:
        return AskedPortal(name, similarity, problem=str(error))


def portal_query(request: AskSourceRequest) -> PortalQuery:
    """Return the values of a request by which a portal is asked. Raises `UsageError` for none."""
    query = PortalQuery(
        title=request.title,
        authors=tuple(person_name(author) for author in request.author if author.strip()),
        year=request.year,
        keywords=request.keyword,
        abstract=request.abstract,
        venue=request.venue,
        publisher=request.publisher,
        doi=request.doi,
        isbn=request.isbn,
        issn=request.issn,
        language=request.language,
        query=" ".join(request.query.split()),
    )
    if not query.attributes and not request.field:
        raise UsageError("Name what to look for: words, or such as --title and --author.")
    return query


def _fields_of(request: AskSourceRequest) -> Mapping[str, str]:
    pairs = [text.partition("=") for text in request.field]
    if any(not name or not equals for name, equals, _ in pairs):
        raise UsageError("A field is set as NAME=VALUE, with a name of the form's.")
    return {name: value for name, _, value in pairs}


def view_of(wrapper: Wrapper) -> WrapperView:
    """Return a wrapper as people see it, with the fields that a person could fill in."""
    return WrapperView(
        name=wrapper.name,
        page=wrapper.page,
        action=wrapper.form.action,
        method=wrapper.form.method,
        form=wrapper.number,
        created=wrapper.created,
        fields=tuple(_field_view(wrapper, field) for field in usable_fields(wrapper.form)),
    )


def _field_view(wrapper: Wrapper, field: FormField) -> FieldView:
    matches = {match.field: match for match in wrapper.matching.fields}
    menus = {menu.menu: menu for menu in wrapper.matching.menus}
    match = matches.get(field.name)
    attribute = match.attribute.value if match else ""
    if field.name in menus:
        attribute = "what " + menus[field.name].query_field + " asks for"
    return FieldView(
        name=field.name,
        label=field.label or field.placeholder,
        control=field.control,
        attribute=attribute,
        score=match.score if match else 0.0,
        options=tuple(option.value for option in field.options if option.value),
    )


def _stored(directory: Path, name: str) -> Wrapper:
    options = config_of(directory).sources.get(name)
    if options is None or not has_wrapper(options):
        raise UsageError(
            f"{name[:60]!r} is no source that was made of a form; 'lode sources DIR' lists all."
        )
    return read_wrapper(directory, name)


def _write(directory: Path, wrapper: Wrapper) -> None:
    """Write a wrapper's file, whole or not at all."""
    path = wrapper_path(directory, wrapper.name)
    try:
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(toml_of_wrapper(wrapper), "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def _free_name(url: str, config: Config) -> str:
    """Return a name for a source, made of its host: `library` for http://www.library.example/."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    label = _NO_NAME.sub("-", host.partition(".")[0].lower()).strip("-")[: MAX_NAME_CHARS - 4]
    name, number = label or "source", 2
    while name in config.sources:
        name, number = f"{label or 'source'}-{number}", number + 1
    return name


def _source(client: SearchClient, wrapper: Wrapper) -> FormSource:
    return FormSource(_setup(client, SourceOptions(kind=FORM, url=wrapper.page)), wrapper)


def _setup(client: SearchClient, options: SourceOptions) -> SourceSetup:
    return SourceSetup(client=client, options=replace(options, file=""), url=options.url)


async def _with_client(
    config: Config,
    options: SourceOptions,
    name: str,
    use: Callable[[SearchClient], Awaitable[T]],
) -> T:
    """Return what a function gets with the client of a source."""
    async with opened_client(config, options, name) as client:
        return await use(client)
