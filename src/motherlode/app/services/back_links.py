"""Ask search sources which pages link to the examples of a portal, level by level (SPEC F1).

The answers become a file of links, which `ordinal.edge_files` names. So a crawl asks no source, and
what it learns from can be read and kept.
"""

import gzip
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.services.open_sources import Sources, open_sources
from motherlode.fetch import Web
from motherlode.fetch.event_loop import run
from motherlode.policies.ordinal.layers import example_urls
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import BadInputError, LodeError, UsageError
from motherlode.sources.search.pace import SHARED_PACE, RequestPace

MAX_PROBLEMS = 3  # that are shown


class BackLinks(Struct, frozen=True):
    """The links that sources know: pairs of page and target, the pages of each level, problems."""

    links: tuple[tuple[str, str], ...]
    pages: tuple[int, ...]  # by level from 1
    problems: tuple[str, ...]


def write_back_links(
    directory: Path,
    names: Sequence[str],
    file: Path,
    wanted: int,
    web: Web | None = None,
    pace: RequestPace = SHARED_PACE,
) -> BackLinks:
    """Write the links that sources know to the examples of a portal; gzipped if named .gz.

    Of each page, `wanted` links are asked for. Raises `LodeError` if there is no link.
    """
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        config, examples = portal.config, example_urls(session, portal.config)
    if not examples:
        raise UsageError("The portal has no examples, so there is nothing to ask for links to.")
    back_links = run(_ask_all(config, names, examples, wanted, (web, pace)))
    if not back_links.links:
        reason = f" {back_links.problems[0]}" if back_links.problems else ""
        raise LodeError(f"No source knows a page that links to an example.{reason}")
    lines = "".join(f"{page}\t{target}\n" for page, target in back_links.links)
    content = lines.encode()
    try:
        file.write_bytes(gzip.compress(content, mtime=0) if file.suffix == ".gz" else content)
    except OSError as error:
        raise BadInputError(f"{file} cannot be written: {error.strerror or error}.") from error
    return back_links


async def _ask_all(
    config: Config,
    names: Sequence[str],
    examples: Sequence[str],
    wanted: int,
    network: tuple[Web | None, RequestPace],
) -> BackLinks:
    web, pace = network
    async with open_sources(config, names, web=web, pace=pace) as sources:
        return await _ask_level_by_level(config, sources, examples, wanted)


async def _ask_level_by_level(
    config: Config, sources: Sources, examples: Sequence[str], wanted: int
) -> BackLinks:
    """Ask for links to each page of a level, up to `ordinal.level_pages`, then for those."""
    options = config.ordinal
    known = dict.fromkeys(examples, 0)
    links: dict[tuple[str, str], None] = {}
    problems: dict[str, None] = {}
    sizes: list[int] = []
    latest = list(examples)
    for level in range(1, options.levels):
        for target in latest[: options.level_pages]:
            pages = await _pages_linking_to(sources, target, wanted, problems)
            links |= dict.fromkeys((page, target) for page in pages)
            for page in pages:
                known.setdefault(page, level)
        latest = [page for page, its_level in known.items() if its_level == level]
        if not latest:
            break
        sizes.append(len(latest))
    return BackLinks(tuple(links), tuple(sizes), tuple(problems)[:MAX_PROBLEMS])


async def _pages_linking_to(
    sources: Sources, target: str, wanted: int, problems: dict[str, None]
) -> list[str]:
    answer = await sources.pages_linking_to(target, wanted)
    problems |= dict.fromkeys(answer.problems)
    return [hit.url for hit in answer.hits if hit.url != target]
