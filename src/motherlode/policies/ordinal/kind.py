"""The crawlers by levels as kinds of policies."""

from dataclasses import replace
from time import time

from motherlode.crawl.preparation import Wanted, wanted_examples
from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.ordinal.explanation import (
    explain_limit,
    explain_limit_2007,
    explain_rank,
    explain_rank_2007,
)
from motherlode.policies.ordinal.layers import layers_of
from motherlode.policies.ordinal.model import VERSION, OrdinalModel
from motherlode.policies.ordinal.restart import layer_model, our_policy, paper_policy
from motherlode.policies.ordinal.retraining import OrdinalRetrainer
from motherlode.policies.ordinal.steering import Ordinal, Ordinal2007
from motherlode.policies.registry import ORDINAL, ORDINAL_2007
from motherlode.portal import Portal
from motherlode.records import ORDINAL_MODEL, Model, ModelId
from motherlode.store.tables import ledger
from motherlode.store.tables.judgements import keep_judgements
from motherlode.training.models import latest_model
from motherlode.training.samples import samples_in
from motherlode.urls import host_of, url_key


def wanted_pages(portal: Portal) -> list[Wanted]:
    """Return the examples, and the pages of the layers around them by all back-links known."""
    examples = wanted_examples(portal)
    known = {page.url for page in examples}
    with portal.store.reading() as session:
        layers = layers_of(session, portal.config)
    return [
        *examples,
        *(
            Wanted(url, url_key(url, host_of(url)), follows_links=False, is_needed=False)
            for url, level in layers.items()
            if level and url not in known
        ),
    ]


def store_levels(portal: Portal) -> None:
    """Learn levels from the layers; if they are new, judge all pages anew.

    The model and the judgements are written in one transaction.
    """
    with portal.store.reading() as session:
        stored = ledger.latest_model(session, ORDINAL_MODEL)
        model = layer_model(session, portal)
    if stored is not None and stored.packed == model.pack():
        return
    with portal.batch() as session:
        new = Model(ModelId(0), ORDINAL_MODEL, VERSION, time(), model.pack())
        model = replace(model, id=ledger.keep_model(session, new).id)
        for batch in samples_in(session, model.spaces):
            judgements = model.judge([sample for _, sample in batch])
            keep_judgements(
                session, list(zip([page for page, _ in batch], judgements, strict=True))
            )


def make_ordinal_2007(setup: PolicySetup) -> Ordinal2007:
    """Return the crawler of 2007, by its stored model, or else by one that is not stored."""
    with setup.portal.store.reading() as session:
        model: OrdinalModel | None = latest_model(session, setup.portal.tree(), ORDINAL_MODEL)
        return paper_policy(session, setup.portal, model or layer_model(session, setup.portal))


def make_ordinal(setup: PolicySetup) -> Ordinal:
    """Return our crawler, by its latest model, or else by the examples alone."""
    with setup.portal.store.reading() as session:
        model: OrdinalModel | None = latest_model(session, setup.portal.tree(), ORDINAL_MODEL)
        return our_policy(session, setup.portal, model)


ORDINAL_KIND = PolicyKind(
    name=ORDINAL,
    rank_meaning="the probability that it is of level 0, by the pages that link to it, its host, "
    "the words of its links, and the links near by",
    make=make_ordinal,
    make_retrainer=OrdinalRetrainer,
    training=None,
    judging_model=ORDINAL_MODEL,
    wanted=wanted_pages,
    explain_rank=explain_rank,
    explain_limit=explain_limit,
)
ORDINAL_2007_KIND = PolicyKind(
    name=ORDINAL_2007,
    rank_meaning="minus the level of the page that led to it",
    make=make_ordinal_2007,
    before_crawl=store_levels,
    training=None,
    judging_model=ORDINAL_MODEL,
    wanted=wanted_pages,
    explain_rank=explain_rank_2007,
    explain_limit=explain_limit_2007,
    needs_back_links=True,
)
