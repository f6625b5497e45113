"""Clusters of a topic: worked out by a job, and looked at in what it left."""

import msgspec
from msgspec import Struct

from motherlode.app.jobs.queue import Board
from motherlode.app.jobs.records import Command, Job, option
from motherlode.records import UsageError
from motherlode.topics import parse_path, show_path
from motherlode.training.clusters import Cluster, Clustering

PAGES = 1_000  # of a topic, the surest: enough to see what there is, at a tenth of the time
_MOST = 20  # clusters that are shown


class Found(Struct, frozen=True):
    """The last clustering of a topic: under way, failed, or with what was found."""

    job: Job
    clustering: Clustering | None

    @property
    def is_busy(self) -> bool:
        return not self.job.state.is_over


class _Result(Struct, frozen=True):
    clustering: Clustering


def cluster(
    *,
    topic: str,
    k: int | None = None,
    seed: int = 0,
    pages: int = PAGES,
    central: int | None = None,
    apply: bool = False,
) -> Command:
    """`lode cluster`."""
    words = (
        *option("topic", show_path(parse_path(topic))),
        *option("k", k),
        *option("seed", seed or None),
        *option("pages", pages),
        *option("central", central),
        *option("apply", apply),
    )
    return Command("cluster", words, writes=apply)


def last_clustering(board: Board, portal: str, topic: str) -> Found | None:
    """What the last job on a topic's clusters found, or is about to find."""
    wanted = f"--topic={topic}"
    jobs = (job for job in board.jobs(portal) if job.command == "cluster" and wanted in job.options)
    job = next(jobs, None)
    return None if job is None else Found(job, _clustering(job))


def cluster_in(board: Board, portal: str, job: str, place: int) -> tuple[Clustering, Cluster]:
    """One of the clusters that a job found. Raises `UsageError` where there is none."""
    found = _clustering(board.job(portal, job))
    if found is None or not 0 <= place < len(found.clusters):
        raise UsageError("There is no such cluster; look for clusters again.")
    return found, found.clusters[place]


def _clustering(job: Job) -> Clustering | None:
    try:
        found = msgspec.convert(job.result, _Result, str_keys=True).clustering
    except msgspec.ValidationError:
        return None
    return msgspec.structs.replace(found, clusters=found.clusters[:_MOST])
