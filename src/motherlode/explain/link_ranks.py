"""The parts of a link's rank, as the policy that gave it explains them (SPEC X8)."""

from msgspec import Struct

from motherlode.policies.explanation import RankedUrl, RankPart
from motherlode.policies.kind import PolicyKind, load_policy
from motherlode.policies.registry import policy_names
from motherlode.training.portal_view import PortalView

MIN_EXAMPLE_RANK = 5e8  # only examples have higher ranks


class RankExplanation(Struct, frozen=True):
    """The rank of a URL, and the parts that it would have today, with their total `now`.

    Without `now`, the parts are those that the rank was made of when it was given.
    """

    rank: float
    policy: str
    words: str
    now: float | None = None
    parts: tuple[RankPart, ...] = ()


def explain_rank(view: PortalView, url: RankedUrl, run_policy: str) -> RankExplanation:
    """Return the parts of a rank; `run_policy` is the policy of the run, empty if unknown."""
    if url.rank > MIN_EXAMPLE_RANK:
        return RankExplanation(url.rank, "examples", "examples come before all other pages")
    kind = _kind(view, run_policy)
    today = None if kind.explain_rank is None else kind.explain_rank(view, url)
    if today is None:
        return RankExplanation(url.rank, kind.name, kind.rank_meaning)
    return RankExplanation(url.rank, kind.name, kind.rank_meaning, today.total, today.parts)


def _kind(view: PortalView, run_policy: str) -> PolicyKind:
    is_known = run_policy in policy_names(for_lab=True)
    return load_policy(run_policy if is_known else view.config.crawl.policy)
