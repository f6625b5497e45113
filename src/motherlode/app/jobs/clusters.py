"""Clusters of a topic, read from the result of the job that found them."""

import msgspec
from msgspec import Struct

from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import Job
from motherlode.records import UsageError
from motherlode.training.clusters import Cluster, Clustering

MAX_CLUSTERS_SHOWN = 20


class ClusterJob(Struct, frozen=True):
    """The latest clustering job of a topic, with its clusters once it is done."""

    job: Job
    clustering: Clustering | None

    @property
    def is_busy(self) -> bool:
        return not self.job.state.is_over


class _Result(Struct, frozen=True):
    clustering: Clustering


def last_clustering(queue: JobQueue, portal: str, topic: str) -> ClusterJob | None:
    """Return the latest clustering job of a topic, or None."""
    option = f"--topic={topic}"
    jobs = (job for job in queue.jobs(portal) if job.command == "cluster" and option in job.options)
    job = next(jobs, None)
    return None if job is None else ClusterJob(job, _clustering(job))


def cluster_in(queue: JobQueue, portal: str, job: str, place: int) -> tuple[Clustering, Cluster]:
    """Return a cluster of a job with all of them.

    Raises `UsageError` if there is none at that place.
    """
    clustering = _clustering(queue.job(portal, job))
    if clustering is None or not 0 <= place < len(clustering.clusters):
        raise UsageError("There is no such cluster; look for clusters again.")
    return clustering, clustering.clusters[place]


def _clustering(job: Job) -> Clustering | None:
    try:
        clustering = msgspec.convert(job.result, _Result, str_keys=True).clustering
    except msgspec.ValidationError:
        return None
    return msgspec.structs.replace(clustering, clusters=clustering.clusters[:MAX_CLUSTERS_SHOWN])
