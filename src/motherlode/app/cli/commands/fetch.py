"""`lode fetch`: what the crawler sees of one URL."""

from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from motherlode.app.cli.common import count, harmless, json_option, set_option, show_json
from motherlode.crawl.inspection import Look, look_at
from motherlode.fetch.loops import run
from motherlode.portal.directory import config_of
from motherlode.portal.reading import default_config
from motherlode.records import LinkFlag, UsageError
from motherlode.records.digests import shown_digest
from motherlode.urls import UrlError, address, host_of
from motherlode.workers.fork_client import early_fork_server

_SHOWN = 20


@click.command("fetch")
@click.argument("url")
@click.option(
    "--portal",
    type=click.Path(path_type=Path),
    help="Fetch as the crawl of this portal would, by its settings.",
)
@click.option("--links", is_flag=True, help="List every link of the page.")
@click.option("--sitemaps", is_flag=True, help="Read the sitemaps that robots.txt names, too.")
@click.option(
    "--body", type=click.Path(path_type=Path), help="Write the page as it came, unpacked, to a file."
)
@set_option
@json_option
def command(url: str, portal: Path | None, overrides: tuple[str, ...], **options: Any) -> None:
    """Fetch URL and show what a crawl would see of it; nothing is kept.

    Resolution, what robots.txt says, redirects, where the time went, type and size, and the links found.

    \b
    lode fetch https://example.org/ --set crawler.contact=you@example.org
    lode fetch http://a.test/ --set network.connect=127.0.0.1:8080
    """
    config = config_of(portal, overrides) if portal else default_config(overrides)
    try:
        asked = address(url if "://" in url else f"http://{url}", rules=config.urls)
    except UrlError as error:
        raise UsageError(f"{url[:100]!r} cannot be fetched: {error.kind}.") from error
    with early_fork_server():
        look = run(look_at(asked, config, sitemaps=options["sitemaps"]))
    response = look.fetched.response
    if options["body"] is not None and response is not None:
        _write(options["body"], response.body)
    if options["as_json"]:
        show_json(_json(look))
    else:
        _show(look, links=options["links"])
    if look.fetched.failure is not None:
        click.get_current_context().exit(1)


def _write(path: Path, body: bytes) -> None:
    try:
        path.write_bytes(body)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error


def _json(look: Look) -> dict[str, Any]:
    fetched, response, document = look.fetched, look.fetched.response, look.document
    return {
        "url": fetched.url,
        "final_url": fetched.final.url,
        "failure": fetched.failure,
        "detail": fetched.detail,
        "retry_at": fetched.retry_at,
        "addresses": look.resolved.addresses if look.resolved else None,
        "aliases": look.resolved.aliases if look.resolved else None,
        "robots": _robots_json(look),
        "redirects": [{"url": hop.url, "status": hop.status, "target": hop.target} for hop in fetched.hops],
        "status": response.status if response else None,
        "protocol": response.protocol if response else None,
        "address": response.address if response else None,
        "headers": response.headers if response else None,
        "type": response.mime if response else None,
        "size": len(response.body) if response else None,
        "transferred": response.packed if response else None,
        "digest": shown_digest(fetched.digest) or None,
        "canonical": fetched.canonical or None,
        "index": fetched.directives.index and not (document is not None and document.noindex),
        "follow": fetched.directives.follow,
        "seconds": response.seconds if response else None,
        "phases": replace(response.phases, resolve=look.resolving) if response else None,
        "title": document.title if document else None,
        "links": [
            {"url": link.url, "anchor": link.anchor, "nofollow": _closed(link.flags)}
            for link in document.links
        ]
        if document
        else None,
        "sitemap_pages": [page.url for page in look.sitemaps] if look.sitemaps is not None else None,
    }


def _robots_json(look: Look) -> dict[str, Any] | None:
    if look.robots is None:
        return None
    return {
        "allowed": look.robots.allows(look.fetched.url),
        "rules": len(look.robots.rules),
        "crawl_delay": look.robots.delay,
        "sitemaps": look.robots.sitemaps,
    }


def _closed(flags: int) -> bool:
    return bool(flags & LinkFlag.NOFOLLOW)


def _show(look: Look, *, links: bool) -> None:
    fetched = look.fetched
    click.echo(harmless(fetched.url))
    _line("address", _address(look))
    _line("robots.txt", _robots(look))
    for hop in fetched.hops:
        _line(f"{hop.status}", f"-> {hop.target}")
    if fetched.failure is not None:
        _line("failed", f"{fetched.failure}{f' ({fetched.detail})' if fetched.detail else ''}")
    if fetched.copy_of:
        _line("copy of", fetched.copy_of)
    _show_response(look)
    _show_document(look, links=links)
    if look.sitemaps is not None:
        _line("sitemaps", f"{count(len(look.sitemaps), 'page')} listed")
        for page in look.sitemaps[:_SHOWN]:
            _line("", page.url)


def _line(name: str, value: str) -> None:
    click.echo(f"  {name:<11} {harmless(value)}".rstrip())


def _address(look: Look) -> str:
    response = look.fetched.response
    if look.resolved is None:
        return response.address if response is not None and response.address else "-"
    aliases = f" (alias of {', '.join(look.resolved.aliases)})" if look.resolved.aliases else ""
    return ", ".join(look.resolved.addresses) + aliases


def _robots(look: Look) -> str:
    robots = look.robots
    if robots is None:
        return f"not to be had: {look.robots_detail}"
    said = "allowed" if robots.allows(look.fetched.url) else "disallowed"
    said += f" by {count(len(robots.rules), 'rule')}" if robots.rules else ", no rules"
    said += f", crawl-delay {robots.delay:g} s" if robots.delay is not None else ""
    return said + (f", {count(len(robots.sitemaps), 'sitemap')}" if robots.sitemaps else "")


def _show_response(look: Look) -> None:
    fetched, response = look.fetched, look.fetched.response
    if response is None:
        return
    _line("status", f"{response.status}, {response.protocol} from {response.address or 'a proxy'}")
    told = response.header("content-type")
    _line(
        "type",
        response.mime + (f" (told: {told})" if told and told.partition(";")[0] != response.mime else ""),
    )
    _line("size", f"{len(response.body):,} bytes, {response.packed:,} on the wire")
    phases = response.phases
    parts = (
        ("resolve", look.resolving),
        ("connect", phases.connect),
        ("TLS", phases.tls),
        ("first byte", phases.first_byte),
        ("transfer", phases.transfer),
    )
    shown = ", ".join(f"{name} {seconds * 1000:.1f}" for name, seconds in parts if seconds)
    _line("time", f"{response.seconds * 1000:.1f} ms: {shown}")
    if fetched.digest:
        _line("digest", shown_digest(fetched.digest))
    if fetched.canonical:
        _line("canonical", fetched.canonical)


def _show_document(look: Look, *, links: bool) -> None:
    document = look.document
    if document is None:
        return
    if document.noindex or not look.fetched.directives.index:
        _line("noindex", "it asks not to be shown")
    if not look.fetched.directives.follow:
        _line("nofollow", "it asks that its links not be followed")
    _line("title", document.title or "-")
    found = document.links
    closed = sum(_closed(link.flags) for link in found)
    said = f"{count(len(found), 'link')} to {count(len({host_of(link.url) for link in found}), 'host')}"
    _line("links", said + (f", {closed:,} not to be followed" if closed else ""))
    for link in found if links else found[:_SHOWN]:
        _line("", f"{link.url}  {link.anchor}")
    if not links and len(found) > _SHOWN:
        _line("", f"... {len(found) - _SHOWN:,} more; --links lists all")
