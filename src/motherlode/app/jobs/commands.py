"""The `lode` command of each request that runs as a job."""

from msgspec.structs import replace

from motherlode.app.jobs.records import Command
from motherlode.app.requests.command_line import arguments_of, options_of
from motherlode.app.requests.crawl import CrawlRequest
from motherlode.app.requests.feedback import FeedbackRequest
from motherlode.app.requests.training import (
    ClusterRequest,
    IndexRequest,
    JudgeRequest,
    TrainRequest,
)
from motherlode.app.services.addresses import web_address, with_part
from motherlode.app.services.portals.creation import allowed_settings
from motherlode.records import UsageError
from motherlode.topics import parse_path, show_path


def crawl_command(request: CrawlRequest) -> Command:
    """Return the command of a crawl.

    Raises `UsageError` for settings that visitors may not choose.
    """
    allowed_settings(request.settings)
    return Command("crawl", ("--progress", *options_of(request)))


def index_command(request: IndexRequest) -> Command:
    return Command("index", options_of(request), writes=False)


def train_command(request: TrainRequest) -> Command:
    return Command("train", options_of(request), writes=not request.preview)


def judge_command(request: JudgeRequest) -> Command:
    """Return the command that judges a page, never a file of the server, or all pages again."""
    if request.url is not None:
        url = with_part(web_address(request.url).url, request.url)
        return Command("judge", arguments=arguments_of(replace(request, url=url)), writes=False)
    return Command("judge", options_of(request), writes=not request.preview)


def cluster_command(request: ClusterRequest) -> Command:
    """Return the command of a clustering, with its topic in the one way that topics are shown."""
    request = replace(request, topic=show_path(parse_path(request.topic)))
    return Command("cluster", options_of(request), writes=request.apply)


def feedback_trial_command(request: FeedbackRequest) -> Command:
    """Return the command that shows what feedback would change, and keeps nothing.

    Raises `UsageError` for characters that no command line can carry.
    """
    options = options_of(request)
    if any("\0" in word for word in options):
        raise UsageError("There is a character in this that no address, topic or note can have.")
    return Command("feedback", (*options, "--try"), writes=False)
