"""Clusters of a topic's pages, and new topics made of them (SPEC B22)."""

from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.training import ClusterRequest
from motherlode.app.services.portals.hints import advice_to_fetch
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import BadInputError, Topic, TopicError, UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicPath, TopicTree, clean_name, parse_path, plant_found, show_path
from motherlode.training.clusters import Clustering, ClusterOptions, FewPagesError, clusters_of


class ClusterResult(Struct, frozen=True):
    """The clusters, and the topics and examples made of them, if any were to be made."""

    clustering: Clustering
    topics: list[str]
    examples: int


def cluster_directory(directory: Path, request: ClusterRequest) -> ClusterResult:
    """Cluster the pages of a topic, and make topics of the clusters if that is requested."""
    try:
        return _apply(directory, request) if request.apply else _show(directory, request)
    except FewPagesError as error:
        with Portal.reading(directory) as portal:
            advice = advice_to_fetch(portal, "finds more")
        raise BadInputError(f"{str(error).rstrip('.')}; {advice}.") from error


def _show(directory: Path, request: ClusterRequest) -> ClusterResult:
    with Portal.reading(directory, request.settings) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        topic = _topic(tree, request.topic)
        return ClusterResult(clusters_of(session, tree, topic.id, _options(request)), [], 0)


def _apply(directory: Path, request: ClusterRequest) -> ClusterResult:
    with (
        Portal.writing(directory, "lode cluster", request.settings) as portal,
        portal.store.writing() as session,
    ):
        tree = TopicTree(topic_rows.all_topics(session))
        topic = _divisible(tree, _topic(tree, request.topic))
        clustering = clusters_of(session, tree, topic.id, _options(request))
        paths = _paths(tree, topic, clustering)
        pages = [
            [(page.url, page.title) for page in cluster.pages] for cluster in clustering.clusters
        ]
        examples = plant_into(session, plant_found(zip(paths, pages, strict=True)))
    return ClusterResult(clustering, [show_path(path) for path in paths], examples)


def _options(request: ClusterRequest) -> ClusterOptions:
    return ClusterOptions(request.k, request.seed, request.pages, request.central)


def _topic(tree: TopicTree, path: str) -> Topic:
    topic = tree.at(parse_path(path))
    if topic.is_others:
        raise UsageError("OTHERS holds the pages of no topic; name a topic.")
    return topic


def _divisible(tree: TopicTree, topic: Topic) -> Topic:
    """Return the topic. Raises `TopicError` if new topics would take pages from its subtopics."""
    below = [child.name for child in tree.children(topic.id) if not child.is_others]
    if below:
        path = show_path(tree.path(topic.id))
        raise TopicError(
            f"'{path}' has topics already, such as '{below[0]}'; name one without any."
        )
    return topic


def _paths(tree: TopicTree, topic: Topic, clustering: Clustering) -> list[TopicPath]:
    if len(clustering.clusters) == 1:
        raise BadInputError(
            f"The pages of '{clustering.topic}' are all of one kind; --k 2 divides them "
            "nevertheless."
        )
    return [(*tree.path(topic.id), clean_name(cluster.name)) for cluster in clustering.clusters]
