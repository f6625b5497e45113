"""The commands that run as jobs, as a form or the API asks for them."""

from collections.abc import Sequence

from motherlode.app.cli.durations import seconds_in
from motherlode.app.serving.jobs import Command, option
from motherlode.app.serving.making import chosen_from
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
    return Command("index", option("rebuild", rebuild), writes=False)
