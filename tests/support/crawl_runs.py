"""Crawls that learn on the way, replayed: what `lode crawl` does, without processes and on virtual time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from motherlode.crawl.context import Control, CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.retraining import RetrainingPlan
from motherlode.documents.analysis import Manner
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.bingo.retraining import BingoRetrainer
from motherlode.portal import Portal
from motherlode.records import Example, Origin, RunEnd
from motherlode.store.tables import topics as topic_rows
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import Said, record_web
from support.training_webs import EACH, paper, place, text


def go_out(
    directory: Path,
    web: Path,
    said: Mapping[str, Said] | None = None,
    *,
    feedback: bool = False,
    pages: int = 1000,
) -> Progress:
    """Crawl a portal by its policy; `said`, if there is no web yet. `feedback`: end before harvesting."""
    if said is not None:
        record_web(web, said)
    with Portal.crawling(directory, "test") as portal:
        return run_virtually(
            _crawled(portal, Replay(open_web(web)), feedback=feedback, pages=pages)
        )


async def _crawled(portal: Portal, web: Replay, *, feedback: bool, pages: int) -> Progress:
    control, workers = Control(), InlineWorkerPool(Manner())
    await prepare(portal, web, workers=workers)
    retrainer = BingoRetrainer(
        portal, RetrainingPlan(pause=(lambda: control.stop(RunEnd.FEEDBACK)) if feedback else None)
    )
    policy = await retrainer.begin(workers)
    return await crawl(
        portal,
        web,
        policy,
        Limits(pages),
        CrawlContext(workers, control=control, retrainer=retrainer),
    )


def examples_by(directory: Path, origin: Origin) -> list[Example]:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        return [one for one in topic_rows.examples_of(session) if one.origin is origin]


FIELDS = 20
_NEXT = 3  # of them that each links to
SEEDS = ["http://seed0.test/", "http://seed1.test/"]


def field(number: int) -> str:
    return f"http://field{number}.test/"


def fields() -> dict[str, Said]:
    """Two weak seeds on owls, and a chain of hosts that are all about owls, each of several blocks."""
    said: dict[str, Said] = {}
    for number, url in enumerate(SEEDS):
        mixed = [text("owl", number), text("news", 2 * number), text("heron", number)]
        said[url] = _blocks(f"Seed {number}", mixed, [field(0), field(1)])
    for number in range(FIELDS):
        parts = [text("owl", number), text("owl", number + 3), text("news", number)]
        onwards = [field(one) for one in range(number + 1, min(number + 1 + _NEXT, FIELDS))]
        said[field(number)] = _blocks(f"Owls of field {number}", parts, onwards)
    said |= {place("news", number): paper("News", text("news", number)) for number in range(EACH)}
    return said


def _blocks(title: str, parts: Sequence[str], links: Sequence[str]) -> str:
    body = "".join(f"<p>{part}</p>" for part in parts)
    anchors = "".join(f'<li><a href="{url}">owls</a></li>' for url in links)
    return f"<!DOCTYPE html><html lang=en><title>{title}</title>{body}<ul>{anchors}</ul>"
