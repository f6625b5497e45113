"""robots.txt of every kind; a host with one of these behaves well otherwise."""

import re
from collections.abc import Callable
from itertools import islice
from xml.sax.saxutils import escape

from isal import igzip

from motherlode.lab.misbehaviour.scene import Scene, Twist
from motherlode.lab.web import Answer, html

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_XML = (("Content-Type", "application/xml"),)
_LISTED = 1000  # URLs in a sitemap, enough for a test


def _robots(said: Callable[[Scene], Answer]) -> Twist:
    """A twist that concerns robots.txt alone."""

    def twist(scene: Scene, answer: Answer | None) -> Answer | None:
        return said(scene) if scene.asked.path == "/robots.txt" else answer

    return twist


def _text(body: str, status: int = 200) -> Answer:
    return Answer(status, _TEXT, body.encode())


@_robots
def huge(scene: Scene) -> Answer:
    """The rule that matters comes first, and another behind the 500 KiB that RFC 9309 asks for."""
    lines = ["User-agent: *", "Disallow: /early/"]
    filler = "Disallow: /a-path-that-nobody-has-ever-asked-for/"
    lines += [f"{filler}{number}" for number in range(int(scene.figure * 1024) // len(filler))]
    return _text("\n".join([*lines, "Disallow: /late/", ""]))


@_robots
def failing(scene: Scene) -> Answer:
    return html("<p>Internal error", int(scene.figure))


@_robots
def forbidden(_scene: Scene) -> Answer:
    return html("<p>Forbidden", 403)


@_robots
def delaying(scene: Scene) -> Answer:
    return _text(f"User-agent: *\nCrawl-delay: {scene.figure:g}\nDisallow:\n")


@_robots
def closed(_scene: Scene) -> Answer:
    return _text("User-agent: *\nDisallow: /\n")


@_robots
def page(_scene: Scene) -> Answer:
    return html("<!DOCTYPE html><title>Welcome</title><p>Every address of this host leads here.")


@_robots
def binary(_scene: Scene) -> Answer:
    return Answer(200, _TEXT, bytes(range(256)) * 16)


@_robots
def marked(_scene: Scene) -> Answer:
    """A byte order mark, old line ends, odd spacing, and a group for nobody."""
    text = "\ufeffUSER-AGENT :*\rDisallow:/private/ # not for you\r\rUser-agent:\rDisallow: /\r"
    return _text(text)


def redirected(scene: Scene, answer: Answer | None) -> Answer | None:
    """robots.txt lies behind as many redirects as the figure says."""
    path, hops = scene.asked.path, int(scene.figure)
    step = re.fullmatch(r"/robots(?:-(\d{1,7})|\.txt)", path)
    if step is None:
        return answer
    number = int(step[1] or 0)
    if number >= hops:
        return _text("User-agent: *\nDisallow: /private/\n")
    return Answer(301, (("Location", f"/robots-{number + 1}"),), b"")


def sitemaps(scene: Scene, answer: Answer | None) -> Answer | None:
    """An index with a plain and a packed sitemap, a broken one, and one that is not there."""
    root = f"http://{scene.asked.host}"
    match scene.asked.path:
        case "/robots.txt":
            names = ("index", "broken", "missing")
            return _text(
                "User-agent: *\nDisallow:\n"
                + "".join(f"Sitemap: {root}/sitemap-{n}.xml\n" for n in names)
            )
        case "/sitemap-index.xml":
            return _xml(
                "sitemapindex", "sitemap", [f"{root}/sitemap-1.xml", f"{root}/sitemap-2.xml.gz"]
            )
        case "/sitemap-1.xml":
            return _xml("urlset", "url", _listed(scene)[::2])
        case "/sitemap-2.xml.gz":
            plain = _xml("urlset", "url", _listed(scene)[1::2]).body
            return Answer(
                200, (("Content-Type", "application/gzip"),), igzip.compress(plain, mtime=0)
            )
        case "/sitemap-broken.xml":
            return Answer(200, _XML, _xml("urlset", "url", _listed(scene)[:5]).body[:-40])
        case _:
            return answer


def _listed(scene: Scene) -> list[str]:
    return list(islice(scene.web.pages_of(scene.asked.host), _LISTED))


def _xml(root: str, element: str, urls: list[str]) -> Answer:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    day = "<lastmod>2026-11-01</lastmod>"
    lines = "".join(f"<{element}><loc>{escape(url)}</loc>{day}</{element}>\n" for url in urls)
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{space}">\n{lines}</{root}>\n'
    return Answer(200, _XML, body.encode())
