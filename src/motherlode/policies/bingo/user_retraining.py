"""Retraining at a user's request, as the crawl did it (SPEC B21)."""

from dataclasses import replace

from motherlode.policies.bingo.study import learn_levelled_topics
from motherlode.portal.config import Config
from motherlode.records import TOPIC_MODEL
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.topics import TopicTree
from motherlode.training import user_retraining
from motherlode.training.user_retraining import (
    TOPIC_TRAINING,
    RetrainedModel,
    RetrainingOptions,
    learn_topics,
)


def retrain(
    session: Session, tree: TopicTree, config: Config, options: RetrainingOptions
) -> RetrainedModel:
    """Train again, as the crawl or `lode train` did for the model in use.

    Raises `BadInputError` if there is nothing to learn from.
    """
    model = ledger.latest_model(session, TOPIC_MODEL)
    is_of_crawl = model is not None and "crawl" in model.report
    learn = learn_levelled_topics if is_of_crawl else learn_topics
    return user_retraining.retrain(session, tree, config, options, learn)


BINGO_TRAINING = replace(TOPIC_TRAINING, retrain=retrain)
