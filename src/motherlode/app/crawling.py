"""A crawl as a person sees it: what it goes out with, and how far it is."""

import sys

import click

from motherlode.app.cli.common import count
from motherlode.engine import Company, Limits, Progress, crawl
from motherlode.engine.crew import Hands
from motherlode.engine.equipment import manner_of, user_agent
from motherlode.fetch.http import HttpWeb
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.urls import address


async def crawl_portal(portal: Portal, limits: Limits, *, quiet: bool) -> Progress:
    """Crawl a portal from its topics' examples, level by level, and show how it goes.

    Raises `BadInputError` where the Web would be crawled without saying by whom.
    """
    config = portal.config
    agent = user_agent(config)
    show = _Display(quiet=quiet)
    async with (
        HttpWeb(config.network, agent, config.dns) as web,
        Hands(manner_of(config), config.reading) as hands,
    ):
        policy = BreadthFirst([address(url, rules=config.urls) for url in seeds_of(portal)])
        progress = await crawl(portal, web, policy, limits, Company(hands, show.update))
    show.end()
    return progress


def seeds_of(portal: Portal) -> list[str]:
    """The pages that stand for the topics, in the order of the tree; counterexamples lead nowhere."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
    return [example.url for example in examples if example.url and not tree[example.topic].is_others]


class _Display:
    """Progress: one line that changes on a terminal, a line now and then elsewhere."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stdout.isatty()
        self._next = 0.2 if self._live else 2.0
        self._last = Progress()
        if not quiet:
            click.echo("\nCrawling breadth-first ...")

    def update(self, progress: Progress) -> None:
        self._last = progress
        if progress.seconds >= self._next and not self._quiet:
            self._next = progress.seconds + (0.2 if self._live else 2.0)
            click.echo(f"\r{_line(progress)} " if self._live else _line(progress), nl=not self._live)

    def end(self) -> None:
        if not self._quiet:
            click.echo(f"\r{_line(self._last)} " if self._live else _line(self._last))


def _line(progress: Progress) -> str:
    rate = progress.pages / progress.seconds if progress.seconds else 0.0
    return (
        f"  {count(progress.pages, 'page')} from {count(progress.hosts, 'host')}, {rate:,.0f} pages/s, "
        f"{count(progress.redirects, 'redirect')}, {progress.failed:,} failed"
    )
