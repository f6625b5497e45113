"""A crawl as a person starts it: what it goes out with, how it is stopped, and how far it is."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.display import Display
from motherlode.engine import Company, Control, Limits, Progress, crawl
from motherlode.engine.crew import Hands
from motherlode.engine.equipment import manner_of, user_agent
from motherlode.engine.examples import fetch_examples
from motherlode.engine.teaching import StudyRoom, Teacher
from motherlode.fetch.http import HttpWeb
from motherlode.policies import Policy
from motherlode.policies.baselines import BestFirst, BreadthFirst, Centroid
from motherlode.policies.options import PolicyName
from motherlode.portal import Portal
from motherlode.records import Document, RunEnd
from motherlode.store import topics as topic_rows
from motherlode.store.pages import page_at, vectors_of
from motherlode.topics import TopicTree
from motherlode.urls import Address, address

LEARNING = frozenset({PolicyName.BINGO, PolicyName.BINGO_2003})


class Outing(Struct, frozen=True):
    """How a portal is crawled this time. `feedback`: harvesting waits until a person has seen archetypes."""

    limits: Limits
    feedback: bool = False
    quiet: bool = False


async def crawl_portal(portal: Portal, outing: Outing) -> Progress:
    """Crawl a portal by its policy, and show how it goes.

    Raises `BadInputError` where the Web would be crawled without saying by whom.
    """
    config = portal.config
    agent = user_agent(config)
    control = Control()
    learns = config.crawl.policy in LEARNING
    pause = (lambda: control.stop(RunEnd.FEEDBACK)) if outing.feedback else None
    with (
        stopped_by_signals(control),
        Display(portal.tree(), outing.limits, quiet=outing.quiet) as display,
    ):
        async with (
            HttpWeb(config.network, agent, config.dns) as web,
            Hands(manner_of(config), config.reading) as hands,
            StudyRoom() if learns else nullcontext() as room,
        ):
            display.say("Fetching the examples ...")
            fetched = await fetch_examples(portal, web, hands)
            teacher = Teacher(portal, room, pause) if learns else None
            if teacher is not None:
                display.say("Learning from them ...")
                policy: Policy = await teacher.begin(hands)
            else:
                policy = baseline(portal)
            display.say(f"Crawling, {config.crawl.policy.value} ...")
            company = Company(hands, display.update, control, teacher)
            limits = replace(outing.limits, pages=max(0, outing.limits.pages - fetched))
            progress = await crawl(portal, web, policy, limits, company)
            return replace(progress, pages=progress.pages + fetched)


@contextmanager
def stopped_by_signals(control: Control) -> Iterator[None]:
    """The first Ctrl-C ends a crawl in good order, the second at once."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()

    def stop() -> None:
        if main is not None and (control.stopping or not control.begun):
            main.cancel()
        control.stop()

    for one in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError):
            loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError, ValueError):
                loop.remove_signal_handler(one)


def baseline(portal: Portal) -> Policy:
    """The policy of a portal that learns nothing on the way."""
    seeds = seeds_of(portal)
    if portal.config.crawl.policy is PolicyName.BREADTH_FIRST:
        return BreadthFirst(seeds)
    return BestFirst(seeds, Centroid(_documents(portal, seeds)))


def seeds_of(portal: Portal) -> list[Address]:
    """The pages that stand for the topics, in the order of the tree; counterexamples lead nowhere."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
    shown = [one.url for one in examples if one.url and not tree[one.topic].is_others]
    return [address(url, rules=portal.config.urls) for url in shown]


def _documents(portal: Portal, seeds: list[Address]) -> list[Document]:
    """The seeds that were fetched, as far as their terms go."""
    with portal.store.reading() as session:
        pages = [page for seed in seeds if (page := page_at(session, seed.key)) is not None]
        return [Document(vectors=vectors_of(session, page.id)) for page in pages]
