"""The crawlers for websites as kinds of policies."""

from time import time

from msgspec import structs

from motherlode.crawl.preparation import Wanted
from motherlode.learning.sites.contrast import unpack_contrast
from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.explanation import explain_limit, explain_rank
from motherlode.policies.websites.model import (
    VERSION,
    SiteClassesModel,
    SiteContrastModel,
    SiteModel,
    fit_page_classes,
    fit_site_contrast,
    topic_of_sites,
)
from motherlode.policies.websites.restart import our_policy, paper_policy
from motherlode.policies.websites.retraining import WebsitesRetrainer, study_sites
from motherlode.policies.websites.site_follows import QUEUE_NAMES
from motherlode.policies.websites.steering import WebsitePolicy
from motherlode.policies.websites.stored_sites import portal_sites, revise_probabilities
from motherlode.policies.websites.training_pages import wanted_site_pages
from motherlode.portal import Portal
from motherlode.records import (
    SITE_CLASSES_MODEL,
    SITE_CONTRAST_MODEL,
    Model,
    ModelId,
    PageId,
)
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import keep_judgements
from motherlode.topics import TopicTree
from motherlode.training.models import load_model
from motherlode.training.samples import samples_in

TEACHING = "lode sites DIR --accept SITE"
_SITE_RANK = "how likely the site is relevant, by the sites and pages that link to it"
_OPEN_SITES = "; pages of sites under examination come first"


def store_page_classes(portal: Portal) -> None:
    """Learn the paper's page classes from the named sites; if they changed, judge all pages anew.

    The model and the judgements are written in one transaction.
    """
    with portal.store.reading() as session:
        model = fit_page_classes(session, portal_sites(session, portal.config))
        stored = ledger.latest_model(session, SITE_CLASSES_MODEL)
    if stored is None or stored.packed != model.pack():
        with portal.batch() as session:
            _keep_and_judge(session, SITE_CLASSES_MODEL, model)


def store_homepage_classes(portal: Portal) -> None:
    """Learn page classes from the home pages of the named sites alone, for the lab."""
    with portal.store.reading() as session:
        sites = portal_sites(session, portal.config)
        homes = {site: pages[:1] for site, pages in sites.pages.items()}
        model = fit_page_classes(session, structs.replace(sites, pages=homes))
    with portal.batch() as session:
        _keep_and_judge(session, SITE_CLASSES_MODEL, model)


def relearn(portal: Portal) -> None:
    """Learn anew from what the user says of sites, and write what follows from it.

    With policy `websites` all verdicts are revised; with `websites-2004` those stay, as published.
    """
    if portal.config.crawl.policy == WEBSITES_2004:
        store_page_classes(portal)
        return
    with portal.store.reading() as session:
        study = study_sites(session, portal.config, None, None)
    with portal.batch() as session:
        model = SiteModel(study.topic, unpack_contrast(study.formula))
        _keep_and_judge(session, SITE_CONTRAST_MODEL, model)
        revise_probabilities(session, portal.config, study.probabilities)


def make_websites_2004(setup: PolicySetup) -> WebsitePolicy:
    """Return the crawler of 2004, by its stored model, or else by one that is not stored."""
    portal = setup.portal
    with portal.store.reading() as session:
        sites = portal_sites(session, portal.config)
        stored = ledger.latest_model(session, SITE_CLASSES_MODEL)
        tree = TopicTree(topic_rows.all_topics(session))
        model: SiteClassesModel | None = None if stored is None else load_model(stored, tree)
        model = model or fit_page_classes(session, sites)
        return paper_policy(session, portal.config, sites, model, WEBSITES_2004)


def make_websites(setup: PolicySetup) -> WebsitePolicy:
    """Return our crawler, by its latest model, or else by one that is not stored."""
    portal = setup.portal
    with portal.store.reading() as session:
        stored = ledger.latest_model(session, SITE_CONTRAST_MODEL)
        tree = TopicTree(topic_rows.all_topics(session))
        sites = portal_sites(session, portal.config)
        model: SiteContrastModel | None = None if stored is None else load_model(stored, tree)
        if model is None:
            fitted = fit_site_contrast(session, sites)
            model = SiteModel(topic_of_sites(session), fitted.contrast)
        return our_policy(session, portal.config, sites, model, WEBSITES)


def wanted_pages(portal: Portal) -> list[Wanted]:
    """Return the first pages of the named sites, as far as they are known."""
    with portal.store.reading() as session:
        return wanted_site_pages(session, portal.config)


def _keep_and_judge(session: Session, kind: str, model: SiteModel) -> None:  # type: ignore[type-arg]
    new = Model(ModelId(0), kind, VERSION, time(), model.pack())
    stored = ledger.keep_model(session, new)
    numbered = SiteModel(model.topic, model.formula, stored.id)
    for batch in samples_in(session, model.spaces):
        judgements = numbered.judge([sample for _, sample in batch])
        pages: list[PageId] = [page for page, _ in batch]
        keep_judgements(session, list(zip(pages, judgements, strict=True)))


WEBSITES_KIND = PolicyKind(
    name=WEBSITES,
    rank_meaning=f"{_SITE_RANK}, and by what it is called{_OPEN_SITES}",
    make=make_websites,
    make_retrainer=WebsitesRetrainer,
    training=None,
    teaching=TEACHING,
    judging_model=SITE_CONTRAST_MODEL,
    wanted=wanted_pages,
    queue_names=lambda _tree: QUEUE_NAMES,
    queues_of_topics=lambda _topics: (),
    explain_rank=explain_rank,
    explain_limit=explain_limit,
)
WEBSITES_2004_KIND = PolicyKind(
    name=WEBSITES_2004,
    rank_meaning=_SITE_RANK + _OPEN_SITES,
    make=make_websites_2004,
    before_crawl=store_page_classes,
    training=None,
    teaching=TEACHING,
    judging_model=SITE_CLASSES_MODEL,
    wanted=wanted_pages,
    queue_names=lambda _tree: QUEUE_NAMES,
    queues_of_topics=lambda _topics: (),
    explain_rank=explain_rank,
    explain_limit=explain_limit,
)
