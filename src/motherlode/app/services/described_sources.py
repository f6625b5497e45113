"""Wrappers of served portals as described services: one operation with typed parameters each."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from motherlode.app.requests.sources import MAX_TRIED_HITS, AskSourceRequest
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.wrappers import ask_wrapper, wrappers_in
from motherlode.portal.directory import config_of
from motherlode.records import FormField, LodeError, UsageError
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.form_source import PortalAnswer
from motherlode.sources.wrappers.matching import is_text, usable_fields
from motherlode.sources.wrappers.wrapper import Wrapper

MAX_DESCRIBED_OPTIONS = 200
_TEXT: dict[str, Any] = {"type": "string", "maxLength": 1_000}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT, "maxItems": 100}
# The parameter of a request by which each attribute is asked for.
_PARAMETERS: dict[Attribute, tuple[str, dict[str, Any]]] = {
    Attribute.ANY: ("query", {"type": "string", "maxLength": 2_000}),
    Attribute.TITLE: ("title", _TEXT),
    Attribute.AUTHOR: ("author", _TEXTS),
    Attribute.FIRST_NAME: ("author", _TEXTS),
    Attribute.LAST_NAME: ("author", _TEXTS),
    Attribute.YEAR: ("year", {"type": "integer", "minimum": 0, "maximum": 3_000}),
    Attribute.YEAR_FROM: ("year", {"type": "integer", "minimum": 0, "maximum": 3_000}),
    Attribute.YEAR_TO: ("year", {"type": "integer", "minimum": 0, "maximum": 3_000}),
    Attribute.KEYWORDS: ("keyword", _TEXTS),
    Attribute.ABSTRACT: ("abstract", {"type": "string", "maxLength": 10_000}),
    Attribute.VENUE: ("venue", _TEXT),
    Attribute.PUBLISHER: ("publisher", _TEXT),
    Attribute.DOI: ("doi", _TEXT),
    Attribute.ISBN: ("isbn", _TEXT),
    Attribute.ISSN: ("issn", _TEXT),
    Attribute.IDENTIFIER: ("doi", _TEXT),
    Attribute.LANGUAGE: ("language", _TEXT),
}


class SourceService(Struct, frozen=True, kw_only=True):
    """A wrapper as a service: where it is asked, and the JSON schema of its parameters."""

    name: str
    portal: str
    page: str
    operation: str
    parameters: dict[str, Any]


def source_services(registry: PortalRegistry) -> list[SourceService]:
    """Return the services of all portals; one that cannot be read has none."""
    return [
        SourceService(
            name=wrapper.name,
            portal=portal,
            page=wrapper.page,
            operation=f"/api/v1/sources/{wrapper.name}",
            parameters=parameters_of(wrapper),
        )
        for portal, wrapper in _wrappers(registry)
    ]


def ask_service(
    registry: PortalRegistry, name: str, request: AskSourceRequest, portal: str = ""
) -> PortalAnswer:
    """Return what the portal behind a wrapper has. Raises `LodeError`.

    `portal` says whose wrapper is meant, where several portals have one of that name.
    """
    owners = [
        owner
        for owner, wrapper in _wrappers(registry)
        if wrapper.name == name and portal in ("", owner)
    ]
    if not owners:
        raise UsageError(f"There is no source {name[:60]!r} that was made of a search form.")
    if len(owners) > 1:
        raise UsageError(f"Several portals have a source {name}; say which by ?portal=NAME.")
    config = config_of(registry.path(owners[0]))
    return ask_wrapper(config, name, request)


def _wrappers(registry: PortalRegistry) -> Iterator[tuple[str, Wrapper]]:
    for portal in registry.names():
        try:
            wrappers = wrappers_in(registry.path(portal))
        except LodeError:  # a portal with a broken lode.toml says so in its own pages
            continue
        yield from ((portal, wrapper) for wrapper in wrappers)


def parameters_of(wrapper: Wrapper) -> dict[str, Any]:
    """Return the JSON schema of what a wrapper can be asked for."""
    properties: dict[str, Any] = {}
    fields = {field.name: field for field in usable_fields(wrapper.form)}
    for match in wrapper.matching.fields:
        if match.field in fields:
            _describe(properties, match.attribute, fields[match.field])
    for menu in wrapper.matching.menus:
        for attribute in menu.values:
            _describe(properties, attribute, fields.get(menu.query_field))
    if Attribute.ANY not in {match.attribute for match in wrapper.matching.fields}:
        _describe(properties, Attribute.ANY, None)  # words go into the title's field, if need be
    properties["field"] = _field_parameter(list(fields.values()))
    properties["hits"] = {"type": "integer", "minimum": 1, "maximum": MAX_TRIED_HITS, "default": 10}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _describe(properties: dict[str, Any], attribute: Attribute, field: FormField | None) -> None:
    name, schema = _PARAMETERS[attribute]
    if name in properties:
        return
    label = (field.label or field.placeholder or field.name)[:200] if field else ""
    described = schema | ({"description": label} if label else {})
    if field is not None and field.options:
        values = ", ".join(option.value for option in field.options[:MAX_DESCRIBED_OPTIONS])
        described["description"] = f"{label} (the nearest of: {values})"
    properties[name] = described


def _field_parameter(fields: list[FormField]) -> dict[str, Any]:
    """Return the schema of fields that are set by name: menus with their values."""
    choices = [
        f"{field.name}={option.value}"
        for field in fields
        for option in field.options[:MAX_DESCRIBED_OPTIONS]
    ]
    texts = [field.name for field in fields if is_text(field)]
    kinds: list[dict[str, Any]] = [{"type": "string", "enum": choices}] if choices else []
    if texts:
        kinds.append({"type": "string", "description": f"NAME=VALUE; NAME: {', '.join(texts)}"})
    return {
        "type": "array",
        "description": "Fields of the form by name, as NAME=VALUE.",
        "items": {"anyOf": kinds} if kinds else {"type": "string"},
    }
