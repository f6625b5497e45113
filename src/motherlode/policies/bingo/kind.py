"""BINGO! and its published form as kinds of policies."""

from motherlode.learning.links.model import LinkModel, unpack_link_model
from motherlode.policies.bingo.explanation import explain_limit, explain_paper_rank, explain_rank
from motherlode.policies.bingo.retraining import BingoRetrainer, state_in
from motherlode.policies.bingo.steering import Bingo, policy_for
from motherlode.policies.bingo.study import home_of
from motherlode.policies.bingo.user_retraining import BINGO_TRAINING
from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.registry import BINGO, BINGO_2003
from motherlode.records import LINK_MODEL, TOPIC_MODEL, Model
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.training.models import latest_model, load_model


def make_bingo(setup: PolicySetup) -> Bingo | None:
    """Return the policy by the latest models; None if nothing was learned yet."""
    portal = setup.portal
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
        stored = ledger.latest_model(session, TOPIC_MODEL)
        links = latest_model(session, tree, LINK_MODEL) or LinkModel()
    topics = None if stored is None else load_model(stored, tree)
    if topics is None:
        return None
    phase, home = state_in(stored).phase, home_of(tree, examples)
    return policy_for(portal.config, topics.classifier, topics.id, home, phase, links)


def load_link_model(model: Model, _tree: TopicTree, *, complete: bool) -> LinkModel:  # noqa: ARG001
    """Return a stored link model, which knows no topics. Raises `ValueError` if it is not valid."""
    return unpack_link_model(model.packed)


BINGO_KIND = PolicyKind(
    name=BINGO,
    rank_meaning="the share of the pages linking to it that are on a topic, the words of its "
    "anchor texts and of its URL, the pages behind nearby links, and the pages of its host",
    make=make_bingo,
    make_retrainer=BingoRetrainer,
    training=BINGO_TRAINING,
    explain_rank=explain_rank,
    explain_limit=explain_limit,
)
BINGO_2003_KIND = PolicyKind(
    name=BINGO_2003,
    rank_meaning="the confidence of the page that led to it, reduced for each page off all topics "
    "before it",
    make=make_bingo,
    make_retrainer=BingoRetrainer,
    training=BINGO_TRAINING,
    explain_rank=explain_paper_rank,
    explain_limit=explain_limit,
)
