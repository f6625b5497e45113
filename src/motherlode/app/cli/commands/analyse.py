"""`lode analyse`: what is read out of one document, step by step."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click

from motherlode.app.cli.common import count, harmless, json_option, set_option, show_json
from motherlode.app.services.documents import NOWHERE, from_file, from_web, read_all
from motherlode.documents.analysing import Analysed, kind_of
from motherlode.documents.mime import mime_of
from motherlode.documents.needs import advice
from motherlode.documents.raw import Raw
from motherlode.documents.spaces import SPACES, Surroundings
from motherlode.documents.terms import spell, unpack
from motherlode.portal.directory import config_of
from motherlode.portal.reading import default_config
from motherlode.records import Document, Link, LinkFlag
from motherlode.workers.fork_client import early_fork_server

_SHOWN = 10
_LINES = 8
_WIDTH = 100


@click.command("analyse")
@click.argument("source", metavar="FILE|URL")
@click.option("--portal", type=click.Path(path_type=Path), help="Read as this portal would, by its settings.")
@click.option("--type", "content_type", default="", help="The type of a file, as a server would name it.")
@click.option("--url", default="", help="The address of a file, against which its links are resolved.")
@click.option("--text", is_flag=True, help="Show the whole main text, and nothing else.")
@set_option
@json_option
@early_fork_server()
def command(source: str, portal: Path | None, overrides: tuple[str, ...], **options: Any) -> None:
    """Read FILE, or what lies at URL, and show what a crawl would make of it.

    Type, language, text and main text, headings, links with their surroundings, forms, terms, feature
    spaces, and the fingerprint by which near duplicates are told. Files inside an archive follow it.
    """
    config = config_of(portal, overrides) if portal else default_config(overrides)
    raw = (
        from_web(source, config)
        if "://" in source
        else from_file(Path(source), options["content_type"], options["url"])
    )
    found = read_all(raw, config)
    if options["as_json"]:
        show_json([_json(raw, one) for one in found])
    elif options["text"]:
        click.echo(harmless_lines(found[0].document.main))
    else:
        for place, one in enumerate(found):
            if place:
                click.echo()
            _show(raw, one)
    for words in dict.fromkeys(advice(one.document.unreadable) for one in found):
        if words:
            click.echo(words, err=True)
    if found[0].document.unreadable:
        click.get_current_context().exit(1)


def _json(raw: Raw, one: Analysed) -> dict[str, Any]:
    document = one.document
    return {
        "url": one.url,
        "type": one.mime,
        "unreadable": document.unreadable or None,
        "title": document.title,
        "language": document.language,
        "description": document.description,
        "headings": document.headings,
        "text": document.text,
        "main": document.main,
        "images": document.images,
        "canonical": document.canonical or None,
        "refresh": document.refresh or None,
        "noindex": document.noindex,
        "links": document.links,
        "forms": document.forms,
        "fingerprint": f"{document.fingerprint:016x}",
        "terms": _words(document, _bag(document), 100),
        "spaces": {name: len(bag) for name, bag in _spaces(raw, document).items()},
    }


def _bag(document: Document) -> dict[int, int]:
    if not document.vectors:
        return {}
    bag = unpack(document.vectors["terms"])
    return dict(zip(bag.terms.tolist(), bag.counts.tolist(), strict=True))


def _words(document: Document, bag: dict[int, int], most: int) -> dict[str, int]:
    """The most frequent terms, each as the word that the document uses for it."""
    best = sorted(bag, key=lambda term: (-bag[term], term))[:most]
    words = spell(best, f"{document.title}\n{document.text}", document.language)
    return {words.get(term, str(term)): bag[term] for term in best}


def _spaces(raw: Raw, document: Document) -> dict[str, Any]:
    surroundings = Surroundings(url=raw.url)
    return {name: space(document, surroundings) for name, space in SPACES.items()}


def _show(raw: Raw, one: Analysed) -> None:
    document = one.document
    click.echo(harmless(unquote(one.url.removeprefix(NOWHERE))))
    told = mime_of(raw.content_type) if one.url == raw.url else ""
    said = f" (told: {raw.content_type})" if told not in ("", one.mime) else ""
    _line("type", (one.mime or kind_of(raw)) + said)
    if document.unreadable:
        _line("unreadable", document.unreadable)
    _line("title", document.title or "-")
    _line("language", document.language or "-")
    for name, value in (
        ("description", document.description),
        ("canonical", document.canonical),
        ("leads to", document.refresh),
        ("noindex", "it asks not to be shown" if document.noindex else ""),
    ):
        if value:
            _line(name, value)
    if document.headings:
        _line("headings", " | ".join(document.headings[:_SHOWN]))
    _line("text", f"{len(document.text):,} characters, {len(document.main):,} of them main text:")
    for line in document.main.split("\n")[:_LINES]:
        _line("", line[:_WIDTH])
    _show_terms(raw, document)
    _show_links(document)
    for form in document.forms:
        fields = ", ".join(f"{field.name} ({field.label or field.kind})" for field in form.fields[:_SHOWN])
        _line("form", f"{form.method} {form.action}: {fields}")


def _show_terms(raw: Raw, document: Document) -> None:
    bag = _bag(document)
    words = ", ".join(f"{word} {times}" for word, times in _words(document, bag, 2 * _SHOWN).items())
    _line("terms", f"{len(bag):,} different: {words}")
    sizes = (f"{name} {len(bag):,}" for name, bag in _spaces(raw, document).items())
    _line("spaces", ", ".join(sizes))
    _line("fingerprint", f"{document.fingerprint:016x}")


def _show_links(document: Document) -> None:
    links = document.links
    _line("links", f"{count(len(links), 'link')}, {len(document.images):,} described pictures")
    for link in links[:_SHOWN]:
        _line("", f"{link.url}  [{link.anchor}]" + _kind(link))
        if link.context:
            _line("", f"   ... {link.context} ...")
    if len(links) > _SHOWN:
        _line("", f"{len(links) - _SHOWN:,} more; --json lists all")


def _kind(link: Link) -> str:
    """What kind of link it is, and what it says of that itself."""
    kinds = [flag.name.lower() for flag in LinkFlag(link.flags) if flag.name]
    if link.rel:
        kinds.append(f"rel={link.rel}")
    return f" ({', '.join(kinds)})" if kinds else ""


def _line(name: str, value: str) -> None:
    click.echo(f"  {name:<11} {harmless(value)}".rstrip())


def harmless_lines(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))
