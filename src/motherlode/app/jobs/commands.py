"""The commands that run as jobs, as a form or the API asks for them."""

from collections.abc import Sequence

from msgspec.structs import replace

from motherlode.app.cli.durations import seconds_in
from motherlode.app.jobs.queue import INDEX
from motherlode.app.jobs.records import Command, option
from motherlode.app.services.addresses import web_address, with_part
from motherlode.app.services.portal_views import chosen_from
from motherlode.records import UsageError


def crawl(
    *,
    pages: int | None = None,
    time: str | None = None,
    learn_pages: int | None = None,
    policy: str | None = None,
    feedback: bool = False,
    settings: Sequence[str] = (),
) -> Command:
    chosen_from(settings)
    if time is not None and not seconds_in(time):
        raise UsageError(f"{time[:50]!r} is not a length of time; write it like 90s, 10m, 1h30m or 7d.")
    return Command(
        "crawl",
        (
            "--progress",
            *option("pages", pages),
            *option("time", time),
            *option("learn-pages", learn_pages),
            *option("policy", policy),
            *option("feedback", feedback),
            *(word for setting in settings for word in option("set", setting)),
        ),
    )


def index(*, rebuild: bool = False) -> Command:
    return replace(INDEX, options=option("rebuild", rebuild))


def train(*, offline: bool = False, preview: bool = False, results: bool = False) -> Command:
    options = (*option("offline", offline), *option("preview", preview), *option("results", results))
    return Command("train", options, writes=not preview)


def judge(
    *, url: str | None = None, again: bool = False, results: bool = False, preview: bool = False
) -> Command:
    """Judge a page, never a file of the server's; or all pages again."""
    if again == (url is not None):
        raise UsageError("Name a page, or say again to judge the pages of the portal.")
    if (results or preview) and not again:
        raise UsageError("results and preview go with again.")
    if url is not None:
        return Command("judge", arguments=(with_part(web_address(url).url, url),), writes=False)
    options = (*option("again", again), *option("results", results), *option("preview", preview))
    return Command("judge", options, writes=not preview)
