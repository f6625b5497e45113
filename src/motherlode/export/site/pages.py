"""The templates, filled. Whatever is put into one is cleaned and escaped on its way."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from motherlode.export.cleaning import plain
from motherlode.export.site.rows import brief, named
from motherlode.urls import display_host

ASSETS = ("style.css", "search.js")
_PACKAGE = "motherlode.export.site"


class Pages:
    """Writes the pages of a site into its folder; `shared` is what every template may name."""

    def __init__(self, folder: Path, shared: Mapping[str, object]) -> None:
        self._folder = folder
        self._shared = shared

    def write(self, name: str, template: str, **said: object) -> None:
        """One page. `root` leads from it to the home page, so that links work wherever the site is."""
        root = "../" * name.count("/")
        text = environment().get_template(template).render(self._shared, root=root, here=name, **said)
        self.put(name, text.encode())

    def put(self, name: str, data: bytes) -> None:
        (self._folder / name).write_bytes(data)

    def put_assets(self) -> None:
        for name in ASSETS:
            self.put(f"assets/{name}", (files(_PACKAGE) / "assets" / name).read_bytes())


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Callable[..., Any]] = {
        "address": _address,
        "brief": brief,
        "day": _day,
        "host": display_host,
        "number": lambda value: f"{value:,}",
        "plural": _plural,
        "titled": lambda title, url: named(title, url or ""),
    }
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
