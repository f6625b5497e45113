"""A refresh as a person starts it."""

from msgspec.structs import replace

from motherlode.app.cli.display import REFRESHING, Display
from motherlode.app.services.crawl import LEARNING, baseline, stopped_by_signals
from motherlode.crawl.context import Control
from motherlode.crawl.fetcher_setup import manner_of, user_agent
from motherlode.crawl.log import Records
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.refresh import Party, Refreshed, Wish, refresh
from motherlode.fetch.http import HttpWeb
from motherlode.portal import Portal
from motherlode.workers.worker_pool import ProcessWorkerPool


async def refresh_portal(portal: Portal, wish: Wish, *, quiet: bool = False) -> Refreshed:
    """Fetch pages of a portal again, and show how it goes.

    Raises `BadInputError` where the Web would be crawled without saying by whom.
    """
    config = portal.config
    agent = user_agent(config)
    guide = None if config.crawl.policy in LEARNING else baseline(portal)
    control = Control()
    with (
        stopped_by_signals(control),
        Display(portal.tree(), Limits(wish.pages), quiet=quiet) as display,
        Records(portal, harvests=False) as journal,
    ):

        def show(progress: Progress) -> None:
            display.expect(progress.pages + progress.waiting)
            display.update(replace(progress, phase=REFRESHING))

        async with (
            HttpWeb(config.network, agent, config.dns) as web,
            ProcessWorkerPool(manner_of(config), config.reading) as workers,
        ):
            return await refresh(portal, web, wish, Party(workers, control, guide, show, journal))
