"""The pages of a site, made of its templates."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment

from motherlode.export.site.rows import brief, named
from motherlode.export.templates import filled_from

ASSETS = ("style.css", "search.js")
_PACKAGE = "motherlode.export.site"


class SitePageWriter:
    """Writes the pages of a site into its folder; `shared` is what every template may name."""

    def __init__(self, folder: Path, shared: Mapping[str, object]) -> None:
        self._folder = folder
        self._shared = shared

    def write(self, name: str, template: str, **said: object) -> None:
        """One page. `root` leads from it to the home page, so that links work wherever the site is."""
        root = "../" * name.count("/")
        text = (
            environment().get_template(template).render(self._shared, root=root, here=name, **said)
        )
        self.put(name, text.encode())

    def put(self, name: str, data: bytes) -> None:
        (self._folder / name).write_bytes(data)

    def put_assets(self) -> None:
        for name in ASSETS:
            self.put(f"assets/{name}", (files(_PACKAGE) / "assets" / name).read_bytes())


@cache
def environment() -> Environment:
    titled: Callable[[str, str | None], str] = lambda title, url: named(title, url or "")  # noqa: E731
    return filled_from(_PACKAGE, {"brief": brief, "titled": titled})
