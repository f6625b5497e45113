"""HTML, by turbohtml: words, links with their surroundings, forms, and what the page says of
itself.

Links, headings and the main text are marked in the tree (`marks`), and then it is turned into text
once. What is asked of the whole tree is asked before it is changed: after a change, turbohtml has
to index it again.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import turbohtml
from msgspec import Struct
from turbohtml import Document as Tree
from turbohtml import Element, PlainText

from motherlode.documents.elements import attribute
from motherlode.documents.forms.reader import read_forms
from motherlode.documents.html.links import (
    MAX_LINKS,
    Found,
    find_links,
    linking,
    mark_links,
    told_links,
)
from motherlode.documents.html.markers import Places, mark, placed, unmarked
from motherlode.documents.html.references import ReferenceResolver
from motherlode.documents.html.visibility import NONE, Hiding, hidden_elements, hiding_rules
from motherlode.documents.robots_directives import Directives, parse_directives
from motherlode.documents.text.whitespace import tidy, tidy_parts
from motherlode.records import Document, Link, LinkFlag
from motherlode.urls import Address, UrlError, UrlRules, address

_CODE = ("script", "style", "template")  # no words and no links
_SILENT = ("noscript", "select", "datalist", "svg", "math", "video", "audio", "canvas")
_TWO_LETTERS = re.compile(r"\s*([a-zA-Z]{2})(?![a-zA-Z])")
_HEADINGS = ("h1", "h2", "h3")
_PLAIN = PlainText(layout="strict", bullet="", table_cell_separator=" ")
_BOXES = frozenset(
    {"div", "article", "section", "main", "body", "td", "center", "blockquote", "form"}
)

_MAX_TITLE = 500
_MAX_PICTURE = 200
_MAX_NOTES = 200  # headings, pictures
_MOST_HEADING = (
    2_000  # characters that are looked at: one that is never ended says the rest of the page
)
_LEAST_MAIN = 140  # characters; less is no text to call the main one

# The marks of links are numbered from 0, then come those of headings, then that of the main text.
_FIRST_HEADING = MAX_LINKS
_MAIN = _FIRST_HEADING + len(_HEADINGS) * _MAX_NOTES


def read_html(
    html: str, url: str, rules: UrlRules, agent: str = "", *, in_full: bool = True
) -> Document:
    """What a page says. `url` is where it came from; links are resolved against its base.

    `agent` is the crawler's name, by which the page may speak to it. Unless it is to be read
    `in_full`, forms, pictures, and of links their titles, paths, relations and contexts are left
    out: they are a tenth of the work, and no crawl asks for them.
    """
    tree = turbohtml.parse(html, positions=False)
    hiding = hiding_rules(tree)
    _remove(_all(tree, _CODE))
    metas = _metas(tree)
    said = _directives(metas, agent)
    base = _base(tree, url)
    resolve = ReferenceResolver(base, rules)
    refresh, canonical = _refresh(tree, url, base, resolve), _canonical(tree, resolve)
    forms = read_forms(html, url) if in_full else ()
    kinds = linking(tree)
    found = find_links(
        tree, kinds, resolve, follow=said.follow, in_full=in_full
    )  # hidden ones, too
    _silence(tree, hiding)
    title = _title(tree, metas)
    pictures = tree.find_all("img")[: _MAX_NOTES * 5] if in_full else ()
    words = _words(tree, kinds, found, in_full=in_full)
    return Document(
        title=title,
        language=_language(tree, metas),
        text=words.text,
        main=words.main if len(words.main) >= _LEAST_MAIN else words.text,
        description=tidy(metas.get("description") or metas.get("og:description") or "")[
            :_MAX_TITLE
        ],
        headings=words.headings,
        images=tuple(_notes((attribute(image, "alt") for image in pictures), _MAX_PICTURE)),
        links=(*words.links, *_of_the_page(refresh, canonical)),
        forms=forms,
        canonical=canonical.url if canonical else "",
        refresh=refresh.url if refresh else "",
        noindex=not said.index,
    )


# What the page says of itself


def _metas(tree: Tree) -> dict[str, str]:
    """What <meta> elements say, by name; the first of each, but all of robots."""
    found: dict[str, str] = {}
    for meta in tree.find_all("meta"):
        told, content = meta.attr("name") or meta.attr("property"), meta.attr("content")
        name = told.lower() if told else ""
        if name == "robots" and name in found:
            found[name] += f",{content or ''}"
        elif name and content:
            found.setdefault(name, content)
    return found


def _directives(metas: Mapping[str, str], agent: str) -> Directives:
    """What the page says to all crawlers, and to the one of this name."""
    said = parse_directives(metas.get("robots", ""))
    return said & parse_directives(metas.get(agent.lower(), "")) if agent else said


def _base(tree: Tree, url: str) -> str:
    told = tree.find("base")
    reference = attribute(told, "href") if told else ""
    if reference:
        try:
            return address(reference, url).url
        except UrlError:
            pass
    return url


def _refresh(tree: Tree, url: str, base: str, resolve: ReferenceResolver) -> Address | None:
    if (
        tree.select_one("meta[http-equiv*=refresh i]") is None
    ):  # known at once; `meta_refresh` walks the tree
        return None
    told = tree.meta_refresh(base)
    target = resolve(told[1]) if told else None
    return target if target is not None and target.url != url else None


def _canonical(tree: Tree, resolve: ReferenceResolver) -> Address | None:
    for element in tree.select("link[rel~=canonical i]"):
        if reference := attribute(element, "href").strip():
            return resolve(reference)
    return None


def _title(tree: Tree, metas: Mapping[str, str]) -> str:
    element = tree.find("title")
    title = tidy(element.text) if element else ""
    if not title:
        heading = tree.find("h1")
        title = tidy(metas.get("og:title") or (heading.to_text(_PLAIN) if heading else ""))
    return title[:_MAX_TITLE]


def _language(tree: Tree, metas: Mapping[str, str]) -> str:
    """The language that the page names, as two letters; empty if it names none."""
    root = tree.find("html")
    own = (attribute(root, "lang") or attribute(root, "xml:lang")) if root else ""
    told = own or metas.get("og:locale", "")
    found = _TWO_LETTERS.match(told)
    return found[1].lower() if found else ""


def _notes(said: Iterable[str], length: int) -> Iterator[str]:
    """What headings or pictures say, of those that say something."""
    return (words[:length] for words in map(tidy, said) if words)


def _of_the_page(refresh: Address | None, canonical: Address | None) -> Iterator[Link]:
    """Links that stand nowhere in the text."""
    for target, flag in ((refresh, LinkFlag.REFRESH), (canonical, LinkFlag.CANONICAL)):
        if target is not None:
            yield Link(target.url, target.key, flags=int(flag))


# Text


class _Words(Struct, frozen=True):
    """What is said in a page, and what in it is main text, heading, link."""

    text: str
    main: str
    headings: tuple[str, ...]
    links: tuple[Link, ...]


def _words(tree: Tree, kinds: Sequence[str], found: list[Found], *, in_full: bool) -> _Words:
    """The words of a page, of which the links are found already."""
    body = tree.find("body") or tree
    content = body.main_content()  # before the marks, which would count as words
    inside = set(content.select(",".join(kinds))) if content is not None else set()
    headings = [heading for name in _HEADINGS for heading in tree.find_all(name)[:_MAX_NOTES]]
    _mark(found, headings, content, in_full=in_full)
    plain, places = placed(body.to_text(_PLAIN))
    text, main = _texts(plain, places, content)
    notes = _notes(_headings(headings, plain, places), _MAX_TITLE)
    links = tuple(told_links(found, plain, places, inside, in_full=in_full))
    return _Words(text, main, tuple(islice(notes, _MAX_NOTES)), links)


def _silence(tree: Tree, hiding: Hiding = NONE) -> None:
    """Take out what nobody reads."""
    hidden = hidden_elements(tree, hiding)
    frames = tree.find_all("iframe")
    _remove([*_all(tree, _SILENT), *hidden])
    for element in frames:
        element.clear()  # it says something only to those who cannot see frames


def _all(tree: Tree, names: Iterable[str]) -> list[Element]:
    """All elements of some kinds, kind by kind, as turbohtml has them in its index."""
    return [element for name in names for element in tree.find_all(name)]


def _remove(elements: Iterable[Element]) -> None:
    for element in elements:
        element.decompose()


def _mark(found: list[Found], headings: list[Element], content: Any, *, in_full: bool) -> None:
    """Mark all that has to be found again in the text."""
    mark_links(found, in_full=in_full)
    for number, heading in enumerate(headings, _FIRST_HEADING):
        mark(heading, number)
    if content is not None and content.tag in _BOXES:
        mark(content, _MAIN)


def _headings(headings: list[Element], plain: str, places: Places) -> Iterator[str]:
    """What headings say, in the order of the text; last come those that turbohtml
    leaves out of it.
    """
    marks = range(2 * _FIRST_HEADING, 2 * _MAIN, 2)
    for number in [number for number in places if number >= marks.start and number in marks]:
        start, end = places[number], places.get(number + 1, len(plain))
        yield plain[start : min(end, start + _MOST_HEADING)]
    for number, heading in zip(marks, headings, strict=False):
        if number not in places:
            yield unmarked(heading.to_text(_PLAIN))


def _texts(plain: str, places: Places, content: Any) -> tuple[str, str]:
    """The text, and the main text in it.

    Where a mark stood between blanks, there are two of them; in tables, as many as keep columns
    straight.
    """
    if content is None:
        return tidy_parts(plain)[0], ""
    start, end = places.get(2 * _MAIN), places.get(2 * _MAIN + 1)
    if start is None or end is None:
        return tidy_parts(plain)[0], tidy_parts(unmarked(content.to_text(_PLAIN)))[0]
    text, (_, main, _) = tidy_parts(plain[:start], plain[start:end], plain[end:])
    return text, main
