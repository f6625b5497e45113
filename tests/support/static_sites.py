"""A static site looked at from outside: every file parsed, every link followed."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_VOID = {"meta", "link", "input", "br", "hr", "img"}


class Seen(HTMLParser):
    """What a page holds; raises where it is not well formed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.ids: list[str] = []
        self.headings: list[int] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        told = {name: value or "" for name, value in attrs}
        self.tags.append((tag, told))
        if "id" in told:
            self.ids.append(told["id"])
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += " " if tag in ("td", "th") else ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [told for name, told in self.tags if name == tag]

    def outgoing(self) -> list[str]:
        return [one["href"] for one in self.all("a") if "://" in one["href"]]


def pages_in(folder: Path) -> dict[str, Seen]:
    """Every page of a site by its name."""
    return {
        path.relative_to(folder).as_posix(): Seen(path.read_text("utf-8"))
        for path in folder.rglob("*.html")
    }


def check_links(folder: Path) -> set[str]:
    """Follow every link inside a site from its home page. Returns the pages that were come to."""
    pages = pages_in(folder)
    ahead, come_to = ["index.html"], {"index.html"}
    while ahead:
        name = ahead.pop()
        for target, fragment in _targets(name, pages[name]):
            assert (folder / target).is_file(), (name, target)
            if target.endswith(".html"):
                assert not fragment or fragment in pages[target].ids, (name, target, fragment)
                if target not in come_to:
                    come_to.add(target)
                    ahead.append(target)
    return come_to


def _targets(name: str, page: Seen) -> list[tuple[str, str]]:
    found = []
    for tag, told in page.tags:
        for key in ("href", "src", "action"):
            parts = urlsplit(told.get(key, ""))
            if key in told and not parts.scheme:
                assert tag in ("a", "link", "script", "form")
                assert not parts.path.startswith("/"), told
                place = (
                    (Path("/", name).parent / unquote(parts.path)).as_posix()
                    if parts.path
                    else f"/{name}"
                )
                found.append((_normal(place), parts.fragment))
    return found


def _normal(place: str) -> str:
    steps: list[str] = []
    for step in place.split("/")[1:]:
        if step == "..":
            steps.pop()  # an error where it leads out of the site
        else:
            steps.append(step)
    return "/".join(steps)
