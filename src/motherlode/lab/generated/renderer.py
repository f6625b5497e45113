"""A page as HTML, in the manner of its host, in its encoding; and the documents around it."""

from collections.abc import Iterable, Sequence
from html import escape
from xml.sax.saxutils import escape as xml_escape

from msgspec import Struct

from motherlode.lab.generated.atlas import Site
from motherlode.lab.generated.dice import Dice
from motherlode.lab.generated.pages import GeneratedLink

_XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">'
_FOOTERS = (
    "All rights reserved. Write to the webmaster with questions.",
    "This site is kept by volunteers. Last changed some time ago.",
    "Terms of use, privacy, contact.",
    "Best viewed with any browser.",
)


class PageContent(Struct, frozen=True):
    """What is to be shown."""

    title: str
    paragraphs: Sequence[str]
    links: Sequence[GeneratedLink]


def content_type(site: Site) -> str:
    """Some hosts name their encoding in the header, some in the page, some nowhere."""
    return f"text/html; charset={site.encoding}" if site.number % 5 < 2 else "text/html"  # noqa: PLR2004


def page(site: Site, sheet: PageContent) -> bytes:
    """A page with its navigation, text and links."""
    dice = Dice("look", site.number)
    doctype = dice.pick(("<!DOCTYPE html>", "<!doctype html>", _XHTML, ""))
    lang = f' lang="{site.tongue or "en"}"' if dice.chance(0.7) else ""
    meta = f'<meta charset="{site.encoding}">' if site.number % 5 in (2, 3) else ""
    menu, inline, listed = sheet.links[:3], sheet.links[3::2], sheet.links[4::2]
    parts = (
        f"{doctype}<html{lang}><head>{meta}<title>{escape(sheet.title)}</title>",
        "<style>body { margin: 2em }</style></head>\n<body>\n",
        f'<div class="menu">{_row(menu)}</div>\n<h1>{escape(sheet.title)}</h1>\n',
        _text(sheet.paragraphs, inline),
        _list(listed),
        f'<div class="footer">{dice.pick(_FOOTERS)}</div>\n</body></html>\n',
    )
    return "".join(parts).encode(site.encoding, "xmlcharrefreplace")


def frameset(title: str) -> bytes:
    return (
        f"<html><head><title>{escape(title)}</title></head>\n"
        '<frameset cols="20%,80%"><frame src="/frame/menu.html"><frame src="/frame/content.html">'
        '<noframes>This site needs frames: <a href="/frame/content.html">content</a>.</noframes>'
        "</frameset></html>\n"
    ).encode("ascii", "xmlcharrefreplace")


def menu(links: Iterable[GeneratedLink]) -> bytes:
    listed = _list(list(links))
    return f"<html><head><title>Menu</title></head><body>{listed}</body></html>\n".encode(
        "ascii", "xmlcharrefreplace"
    )


def robots(site: Site) -> str:
    """What a host asks of crawlers; empty: it has no robots.txt."""
    dice = Dice("robots", site.number)
    if dice.chance(0.3):
        return ""
    lines = ["User-agent: *", "Disallow: /private/"]
    lines += ["Crawl-delay: 1"] if dice.chance(0.05) else []
    lines += [f"Sitemap: http://{site.name}/sitemap.xml"] if has_sitemap(site) else []
    return "\n".join([*lines, ""])


def has_sitemap(site: Site) -> bool:
    return Dice("sitemap", site.number).chance(0.2)


def sitemap(urls: Iterable[str]) -> bytes:
    rows = "".join(f"<url><loc>{xml_escape(url)}</loc></url>\n" for url in urls)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n'
    return f"{head}{rows}</urlset>\n".encode()


def _anchor(link: GeneratedLink) -> str:
    return f'<a href="{escape(link.url)}">{escape(link.anchor)}</a>'


def _row(links: Sequence[GeneratedLink]) -> str:
    return " | ".join(map(_anchor, links))


def _text(paragraphs: Sequence[str], links: Sequence[GeneratedLink]) -> str:
    """Paragraphs with links at their ends, shared out evenly."""
    each = -(-len(links) // max(len(paragraphs), 1))
    return "".join(
        f"<p>{escape(text)} {_row(links[at * each : (at + 1) * each])}</p>\n"
        for at, text in enumerate(paragraphs)
    )


def _list(links: Sequence[GeneratedLink]) -> str:
    items = "".join(f"<li>{_anchor(link)}</li>\n" for link in links)
    return f"<ul>\n{items}</ul>\n" if links else ""
