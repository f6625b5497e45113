"""`lode analyse`: what a crawl reads from one document."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click

from motherlode.app.cli.common import harmless, json_option, set_option, show_json
from motherlode.app.services.documents import NOWHERE, from_file, from_web, read_all
from motherlode.app.text import count
from motherlode.documents.analysis import Analysed, kind_of
from motherlode.documents.extracts import Raw
from motherlode.documents.extras import advice
from motherlode.documents.features.spaces import SPACES, Surroundings
from motherlode.documents.mime import mime_of
from motherlode.documents.text.terms import spell, unpack
from motherlode.portal.config_reader import default_config
from motherlode.portal.directory import config_of
from motherlode.records import Document, Form, Link, LinkFlag
from motherlode.workers.fork_client import early_fork_server

MAX_ITEMS_SHOWN = 10
MAX_LINES_SHOWN = 8
MAX_LINE_CHARS = 100


@click.command("analyse")
@click.argument("source", metavar="FILE|URL")
@click.option("--portal", type=click.Path(path_type=Path), help="Use the settings of this portal.")
@click.option("--type", "content_type", default="", help="The content type of a file.")
@click.option("--url", default="", help="The URL of a file, to resolve its links.")
@click.option("--text", is_flag=True, help="Show only the main text, all of it.")
@set_option
@json_option
@early_fork_server()
def command(source: str, portal: Path | None, overrides: tuple[str, ...], **options: Any) -> None:
    """Read FILE, or the page at URL, and show what a crawl would extract from it.

    It shows type, language, text and main text, headings, links with their surroundings, forms,
    terms, feature spaces, and the fingerprint for near duplicates. Files inside an archive follow.
    """
    config = config_of(portal, overrides) if portal else default_config(overrides)
    raw = (
        from_web(source, config)
        if "://" in source
        else from_file(Path(source), options["content_type"], options["url"])
    )
    documents = read_all(raw, config)
    if options["as_json"]:
        show_json([_json(raw, document) for document in documents])
    elif options["text"]:
        click.echo(harmless_lines(documents[0].document.main))
    else:
        for number, document in enumerate(documents):
            if number:
                click.echo()
            _show(raw, document)
    for sentence in dict.fromkeys(advice(document.document.unreadable) for document in documents):
        if sentence:
            click.echo(sentence, err=True)
    if documents[0].document.unreadable:
        click.get_current_context().exit(1)


def _json(raw: Raw, analysed: Analysed) -> dict[str, Any]:
    document = analysed.document
    return {
        "url": analysed.url,
        "type": analysed.mime,
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
    """Return the most frequent terms, each spelled as in the document."""
    best = sorted(bag, key=lambda term: (-bag[term], term))[:most]
    words = spell(best, f"{document.title}\n{document.text}", document.language)
    return {words.get(term, str(term)): bag[term] for term in best}


def _spaces(raw: Raw, document: Document) -> dict[str, Any]:
    surroundings = Surroundings(url=raw.url)
    return {name: space(document, surroundings) for name, space in SPACES.items()}


def _show(raw: Raw, analysed: Analysed) -> None:
    document = analysed.document
    click.echo(harmless(unquote(analysed.url.removeprefix(NOWHERE))))
    declared = mime_of(raw.content_type) if analysed.url == raw.url else ""
    note = f" (told: {raw.content_type})" if declared not in ("", analysed.mime) else ""
    _line("type", (analysed.mime or kind_of(raw)) + note)
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
        _line("headings", " | ".join(document.headings[:MAX_ITEMS_SHOWN]))
    _line("text", f"{len(document.text):,} characters, {len(document.main):,} of them main text:")
    for line in document.main.split("\n")[:MAX_LINES_SHOWN]:
        _line("", line[:MAX_LINE_CHARS])
    _show_terms(raw, document)
    _show_links(document)
    for form in document.forms:
        _show_form(form)


def _show_form(form: Form) -> None:
    shown = [field for field in form.fields if field.control not in ("hidden", "submit", "image")]
    fields = ", ".join(
        f"{field.name or '-'} ({field.label or field.control})" for field in shown[:MAX_ITEMS_SHOWN]
    )
    _line("form", f"{form.purpose}: {form.method} {form.action or '-'}: {fields}")
    if form.problem:
        _line("", f"it cannot be submitted: {form.problem}")
    elif form.needs_script:
        _line("", "it most likely needs a script")


def _show_terms(raw: Raw, document: Document) -> None:
    bag = _bag(document)
    words = ", ".join(
        f"{word} {times}" for word, times in _words(document, bag, 2 * MAX_ITEMS_SHOWN).items()
    )
    _line("terms", f"{len(bag):,} different: {words}")
    sizes = (f"{name} {len(bag):,}" for name, bag in _spaces(raw, document).items())
    _line("spaces", ", ".join(sizes))
    _line("fingerprint", f"{document.fingerprint:016x}")


def _show_links(document: Document) -> None:
    links = document.links
    _line("links", f"{count(len(links), 'link')}, {len(document.images):,} described pictures")
    for link in links[:MAX_ITEMS_SHOWN]:
        _line("", f"{link.url}  [{link.anchor}]" + _kind(link))
        if link.context:
            _line("", f"   ... {link.context} ...")
    if len(links) > MAX_ITEMS_SHOWN:
        _line("", f"{len(links) - MAX_ITEMS_SHOWN:,} more; --json lists all")


def _kind(link: Link) -> str:
    """Return the flags and the `rel` of a link."""
    kinds = [flag.name.lower() for flag in LinkFlag(link.flags) if flag.name]
    if link.rel:
        kinds.append(f"rel={link.rel}")
    return f" ({', '.join(kinds)})" if kinds else ""


def _line(name: str, value: str) -> None:
    click.echo(f"  {name:<11} {harmless(value)}".rstrip())


def harmless_lines(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))
