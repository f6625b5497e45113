"""A kind of policy: how its crawls are prepared, started, retrained, refreshed and explained."""

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module

from msgspec import Struct

from motherlode.crawl.preparation import Wanted, wanted_examples
from motherlode.crawl.retraining import Retrainer, RetrainingPlan
from motherlode.policies.explanation import PresentRank, RankedUrl
from motherlode.policies.follows import QUEUE
from motherlode.policies.policy import Policy
from motherlode.policies.registry import is_policy, kind_path, policy_names
from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL, QueueId, TopicId, UsageError
from motherlode.store.tables.pages import KeptPage
from motherlode.topics import TopicTree, show_path
from motherlode.training.portal_view import PortalView
from motherlode.training.user_retraining import TOPIC_TRAINING, TrainingSteps


class LabelledWeb(Struct, frozen=True):
    """The labels of a web in the lab: the relevant URLs, and a shortest itinerary to them."""

    relevant: Container[str]
    itinerary: Callable[[], Mapping[str, int]]


class PolicySetup(Struct, frozen=True):
    """The portal for which a policy is made; `labels` are known in the lab only."""

    portal: Portal
    random_seed: int = 1
    labels: LabelledWeb | None = None


def nothing_wanted(_portal: Portal) -> list[Wanted]:
    """Return no page, for policies without training, whose crawl fetches the seeds."""
    return []


def topic_queues(tree: TopicTree) -> dict[QueueId, str]:
    """Return the names of the queues, for policies with a queue for each topic."""
    return {QueueId(topic.id): show_path(tree.path(topic.id)) for topic in tree}


def numbered_like_topics(topics: Iterable[TopicId]) -> set[QueueId]:
    """Return the queues of topics, for policies with a queue for each topic."""
    return {QueueId(topic) for topic in topics}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyKind:
    """Everything that command line, API, web pages, explain and lab need to know of a policy.

    `make` returns the policy for a portal; None if it cannot be made yet, such as before the first
    training. `make_retrainer` is None for policies that learn nothing on the way.
    `before_crawl` writes what `make` reads, when the wanted pages were fetched.
    `training` are the steps of `lode train`; None: portals crawled by it are not trained, and
    `teaching` is the command by which users say what they want instead, as far as there is one.
    `judging_model` is the kind of the stored models that judge its pages (`training.models`).
    `wanted` are the pages that training needs, with the queues of their links; the links of
    refreshed pages go to `refresh_queue`. `queue_names` names the queues for people.
    `queues_of_topics` returns the queues that hold URLs for these topics alone: they are emptied
    when the topics are removed. `rank_meaning` says in words what a rank is. `explain_rank` returns
    its parts. `explain_limit` says why a page's link was not followed. A policy that `needs_labels`
    of its web can only be made in the lab. One that `needs_back_links` gets those of the web there,
    as from a search engine.
    """

    name: str
    rank_meaning: str
    make: Callable[[PolicySetup], Policy | None]
    make_retrainer: Callable[[Portal, RetrainingPlan], Retrainer] | None = None
    before_crawl: Callable[[Portal], None] | None = None
    training: TrainingSteps | None = TOPIC_TRAINING
    teaching: str = ""
    judging_model: str = TOPIC_MODEL
    wanted: Callable[[Portal], list[Wanted]] = wanted_examples
    refresh_queue: QueueId = QUEUE
    queue_names: Callable[[TopicTree], Mapping[QueueId, str]] = topic_queues
    queues_of_topics: Callable[[Iterable[TopicId]], Collection[QueueId]] = numbered_like_topics
    explain_rank: Callable[[PortalView, RankedUrl], PresentRank | None] | None = None
    explain_limit: Callable[[PortalView, str, KeptPage], str] | None = None

    needs_labels: bool = False
    needs_back_links: bool = False

    @property
    def is_for_portals(self) -> bool:
        """Whether a portal can be crawled by it; the oracle is for the lab alone."""
        return is_policy(self.name)

    @property
    def learns(self) -> bool:
        """Whether its crawls learn on the way, so that users can give feedback in between."""
        return self.make_retrainer is not None


def training_of(policy: str) -> TrainingSteps:
    """Return how portals are trained that are crawled by a policy.

    Raises `UsageError` if they are not trained.
    """
    kind = load_policy(policy)
    if kind.training is not None:
        return kind.training
    advice = "crawl.policy in lode.toml names a policy whose portals are, such as bingo"
    if kind.teaching:
        advice = f"use '{kind.teaching}'"
    raise UsageError(f"Portals crawled by {policy} are not trained; {advice}.")


def load_policy(name: str) -> PolicyKind:
    """Return the kind of a policy. Raises `UsageError` if there is none of this name."""
    try:
        module, _, attribute = kind_path(name).partition(":")
    except KeyError:
        known = ", ".join(policy_names(for_lab=True))
        raise UsageError(f"There is no policy {name[:40]!r}; there are {known}.") from None
    kind: PolicyKind = getattr(import_module(module), attribute)
    return kind
