"""`lode fetch`: one URL as the crawler sees it."""

from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from motherlode.app.cli.common import harmless, json_option, set_option, show_json
from motherlode.app.text import count
from motherlode.crawl.inspection import Inspection, inspect_url
from motherlode.fetch.event_loop import run
from motherlode.portal.config_reader import default_config
from motherlode.portal.directory import config_of
from motherlode.records import LinkFlag, UsageError
from motherlode.records.digests import shown_digest
from motherlode.urls import UrlError, address, host_of
from motherlode.workers.fork_client import early_fork_server

MAX_LINKS_SHOWN = 20


@click.command("fetch")
@click.argument("url")
@click.option(
    "--portal",
    type=click.Path(path_type=Path),
    help="Use the settings of this portal.",
)
@click.option("--links", is_flag=True, help="List every link of the page.")
@click.option("--sitemaps", is_flag=True, help="Read the sitemaps that robots.txt names, too.")
@click.option(
    "--body",
    type=click.Path(path_type=Path),
    help="Write the body of the response, decompressed, to a file.",
)
@set_option
@json_option
def command(url: str, portal: Path | None, overrides: tuple[str, ...], **options: Any) -> None:
    """Fetch URL and show it as a crawl would see it; nothing is stored.

    It shows DNS, robots.txt, redirects, times, type, size and links.

    \b
    lode fetch https://example.org/ --set crawler.contact=you@example.org
    lode fetch http://a.test/ --set network.connect=127.0.0.1:8080
    """
    config = config_of(portal, overrides) if portal else default_config(overrides)
    try:
        target = address(url if "://" in url else f"http://{url}", rules=config.urls)
    except UrlError as error:
        raise UsageError(f"{url[:100]!r} cannot be fetched: {error.kind}.") from error
    with early_fork_server():
        look = run(inspect_url(target, config, sitemaps=options["sitemaps"]))
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


def _json(look: Inspection) -> dict[str, Any]:
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
        "redirects": [
            {"url": hop.url, "status": hop.status, "target": hop.target} for hop in fetched.hops
        ],
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
            {"url": link.url, "anchor": link.anchor, "nofollow": _is_nofollow(link.flags)}
            for link in document.links
        ]
        if document
        else None,
        "sitemap_pages": [page.url for page in look.sitemaps]
        if look.sitemaps is not None
        else None,
    }


def _robots_json(look: Inspection) -> dict[str, Any] | None:
    if look.robots is None:
        return None
    return {
        "allowed": look.robots.allows(look.fetched.url),
        "rules": len(look.robots.rules),
        "crawl_delay": look.robots.delay,
        "sitemaps": look.robots.sitemaps,
    }


def _is_nofollow(flags: int) -> bool:
    return bool(flags & LinkFlag.NOFOLLOW)


def _show(look: Inspection, *, links: bool) -> None:
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
        for page in look.sitemaps[:MAX_LINKS_SHOWN]:
            _line("", page.url)


def _line(name: str, value: str) -> None:
    click.echo(f"  {name:<11} {harmless(value)}".rstrip())


def _address(look: Inspection) -> str:
    response = look.fetched.response
    if look.resolved is None:
        return response.address if response is not None and response.address else "-"
    aliases = f" (alias of {', '.join(look.resolved.aliases)})" if look.resolved.aliases else ""
    return ", ".join(look.resolved.addresses) + aliases


def _robots(look: Inspection) -> str:
    robots = look.robots
    if robots is None:
        return f"could not be fetched: {look.robots_detail}"
    sentence = "allowed" if robots.allows(look.fetched.url) else "disallowed"
    sentence += f" by {count(len(robots.rules), 'rule')}" if robots.rules else ", no rules"
    sentence += f", crawl-delay {robots.delay:g} s" if robots.delay is not None else ""
    return sentence + (f", {count(len(robots.sitemaps), 'sitemap')}" if robots.sitemaps else "")


def _show_response(look: Inspection) -> None:
    fetched, response = look.fetched, look.fetched.response
    if response is None:
        return
    _line("status", f"{response.status}, {response.protocol} from {response.address or 'a proxy'}")
    declared = response.header("content-type")
    _line(
        "type",
        response.mime
        + (
            f" (told: {declared})"
            if declared and declared.partition(";")[0] != response.mime
            else ""
        ),
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


def _show_document(look: Inspection, *, links: bool) -> None:
    document = look.document
    if document is None:
        return
    if document.noindex or not look.fetched.directives.index:
        _line("noindex", "it asks not to be shown")
    if not look.fetched.directives.follow:
        _line("nofollow", "it asks that its links not be followed")
    _line("title", document.title or "-")
    all_links = document.links
    closed = sum(_is_nofollow(link.flags) for link in all_links)
    hosts = {host_of(link.url) for link in all_links}
    summary = f"{count(len(all_links), 'link')} to {count(len(hosts), 'host')}"
    _line("links", summary + (f", {closed:,} not to be followed" if closed else ""))
    for link in all_links if links else all_links[:MAX_LINKS_SHOWN]:
        _line("", f"{link.url}  {link.anchor}")
    if not links and len(all_links) > MAX_LINKS_SHOWN:
        _line("", f"... {len(all_links) - MAX_LINKS_SHOWN:,} more; --links lists all")
