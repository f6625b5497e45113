"""Templates of HTML. Whatever is put into one is cleaned and escaped on its way."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from motherlode.export.text_cleaner import plain
from motherlode.training.certainty import certainty_text
from motherlode.urls import display_host


def filled_from(package: str, filters: Mapping[str, Callable[..., Any]]) -> Environment:
    """The templates of a package, with filters of its own besides those that all share."""
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    shared: dict[str, Callable[..., Any]] = {
        "address": _address,
        "certainty": certainty_text,
        "day": _day,
        "host": display_host,
        "number": lambda value: f"{value:,}",
        "plural": _plural,
    }
    made.filters.update(shared)
    made.filters.update(filters)
    return made


def _harmless(value: object) -> object:
    """Text that steers nothing; what a template has escaped already is left as it is."""
    return plain(value) if type(value) is str else value


def _address(url: str | None) -> str:
    """A link's target: only what leads to the Web is one."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else ""


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):  # of no calendar
        return ""


def _plural(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
