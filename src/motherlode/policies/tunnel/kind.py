"""The tunnelling crawlers as kinds of policies."""

from dataclasses import replace
from functools import partial
from time import time

from motherlode.learning.tunnel.learned_cutoff import LearnedCutoff
from motherlode.policies.baseline_kinds import seeds_of
from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.registry import TUNNEL, TUNNEL_2002
from motherlode.policies.tunnel.explanation import (
    explain_limit,
    explain_rank,
)
from motherlode.policies.tunnel.link_scores import LinkEstimates
from motherlode.policies.tunnel.model import VERSION, CentroidModel
from motherlode.policies.tunnel.steering import Tunnel, Tunnel2002
from motherlode.policies.tunnel.steps import Steps
from motherlode.policies.tunnel.stored_pages import hit_pages, newest_pages, reached_hits
from motherlode.policies.tunnel.subjects import fit_model
from motherlode.portal import Portal
from motherlode.records import CENTROID_MODEL, Model, ModelId
from motherlode.store.session import Session
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.topics import TopicTree
from motherlode.training.models import load_model
from motherlode.training.samples import samples_in
from motherlode.urls import Address, address

_HISTORY_PAGES = 5_000  # whose hosts and distances a resumed crawl remembers


def store_model(portal: Portal, *, with_meanings: bool) -> None:
    """Fit the centroids to the hits as they are now; if that changes them, judge all pages anew.

    The model and the judgements are written in one transaction.
    """
    with portal.store.reading() as session:
        model = fit_model(session, portal, with_meanings=with_meanings)
        stored = ledger.latest_model(session, CENTROID_MODEL)
    if model is None or (stored is not None and stored.packed == model.pack()):
        return
    with portal.batch() as session:
        new = Model(ModelId(0), CENTROID_MODEL, VERSION, time(), model.pack())
        model = replace(model, id=ledger.keep_model(session, new).id)
        for batch in samples_in(session, model.spaces):
            judgements = model.judge([sample for _, sample in batch])
            pages = [page for page, _ in batch]
            keep_judgements(session, list(zip(pages, judgements, strict=True)))


def make_tunnel_2002(setup: PolicySetup) -> Tunnel2002 | None:
    """Return the published policy; None before the hits were fetched."""
    portal = setup.portal
    with portal.store.reading() as session:
        model = _model(session, portal, with_meanings=False)
        if model is None:
            return None
        steps = _steps(session, portal, model)
        worst = frontier.worst_rank(session)
    discovered = 0 if worst is None else max(0, int(-worst))
    policy = Tunnel2002(_seeds(portal, steps), model, steps, discovered)
    policy.begin_at_hits()
    return policy


def make_tunnel(setup: PolicySetup) -> Tunnel | None:
    """Return our policy; None before the hits were fetched.

    It remembers the hosts and distances of the newest pages that the portal has.
    """
    portal, options = setup.portal, setup.portal.config.tunnel
    with portal.store.reading() as session:
        model = _model(session, portal, with_meanings=True)
        if model is None:
            return None
        steps = _steps(session, portal, model)
        scores = LinkEstimates(model.centroids, options.min_merit)
        learned = LearnedCutoff(options.cutoff) if options.learn_cutoff else None
        for page in newest_pages(session, model, _HISTORY_PAGES):
            scores.add_page(page.url, page.correlations)
            if learned is not None and page.depth:
                is_nugget = page.score >= options.threshold
                learned.add(page.parent_distance, is_nugget=is_nugget)
    if learned is not None:
        steps.cutoff = learned.cutoff
    policy = Tunnel(_seeds(portal, steps), model, steps, scores=scores, learned_cutoff=learned)
    policy.begin_at_hits()
    return policy


def _model(session: Session, portal: Portal, *, with_meanings: bool) -> CentroidModel | None:
    """Return the stored model; if there is none that fits the topics, one that is not stored."""
    stored = ledger.latest_model(session, CENTROID_MODEL)
    tree = TopicTree(topic_rows.all_topics(session))
    model: CentroidModel | None = None if stored is None else load_model(stored, tree)
    return model or fit_model(session, portal, with_meanings=with_meanings)


def _seeds(portal: Portal, steps: Steps) -> list[Address]:
    """Return the seeds of a crawl; without any, the hits."""
    hits = {hit.url: None for hit in steps.hits.values()}
    return seeds_of(portal) or [address(url, rules=portal.config.urls) for url in hits]


def _steps(session: Session, portal: Portal, model: CentroidModel) -> Steps:
    config = portal.config
    hits = hit_pages(session, model, obey=config.robots.page_rules)
    return Steps(config.crawl, config.tunnel, hits, set(reached_hits(session)))


TEACHING = "lode collections DIR --accept URL"
TUNNEL_2002_KIND = PolicyKind(
    name=TUNNEL_2002,
    rank_meaning="minus the number of links discovered before it: first in, first out",
    make=make_tunnel_2002,
    before_crawl=partial(store_model, with_meanings=False),
    training=None,
    teaching=TEACHING,
    judging_model=CENTROID_MODEL,
    explain_limit=explain_limit,
)
TUNNEL_KIND = PolicyKind(
    name=TUNNEL,
    rank_meaning="its expected correlation with the nearest subject, by the page that led to it, "
    "the words of its anchor text and of its URL, and the pages of its host",
    make=make_tunnel,
    before_crawl=partial(store_model, with_meanings=True),
    training=None,
    teaching=TEACHING,
    judging_model=CENTROID_MODEL,
    explain_rank=explain_rank,
    explain_limit=explain_limit,
)
