"""Make the policies from what a portal has stored: models, and the links of fetched pages."""

from collections.abc import Iterator, Mapping

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.policies.baseline_kinds import seeds_of
from motherlode.policies.follows import links_within
from motherlode.policies.ordinal.layers import example_topics, example_urls, layers_of
from motherlode.policies.ordinal.level_trainer import fit_our_levels, fit_paper_levels, our_space
from motherlode.policies.ordinal.model import OrdinalModel
from motherlode.policies.ordinal.steering import Ordinal, Ordinal2007, level_follows
from motherlode.policies.ordinal.training_pages import example_pages, layered_pages
from motherlode.policies.tunnel.subjects import meanings_of_words
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import Follow, Link, LinkFlag
from motherlode.store.session import Session
from motherlode.store.tables.pages import KeptPage, links_from, vectors_of
from motherlode.training.training_document import page_at_url
from motherlode.training.training_set import common_vocabulary_bags
from motherlode.urls import host_of, url_key


def layer_model(session: Session, portal: Portal) -> OrdinalModel:
    """Learn the levels of the layers around the examples.

    Raises `BadInputError` if no source of back-links has a page that links to an example.
    """
    pages, layers = layered_pages(session, portal.config)
    return fit_paper_levels(pages, layers, portal.config.ordinal)


def example_model(session: Session, config: Config) -> OrdinalModel:
    """Return the levels that `ordinal` begins with: by the nearness to the examples alone."""
    pages = example_pages(session)
    meanings = meanings_of_words(config.learning)
    space = our_space(pages, common_vocabulary_bags(), meanings, config.ordinal)
    return fit_our_levels(pages, space, np.zeros(len(pages.bags), np.int64), config.ordinal)


def paper_policy(session: Session, portal: Portal, model: OrdinalModel) -> Ordinal2007:
    """Return the crawler of 2007, with the links of the pages that it learned from."""
    config = portal.config
    levels = layers_of(session, config)
    links = tuple(
        follow
        for page, level in _fetched(session, levels)
        if level <= config.ordinal.followed
        for follow in level_follows(
            links_within(_links(session, page, portal), config.crawl), level, 1, page.id
        )
    )
    return Ordinal2007(
        seeds_of(portal),
        model,
        config.crawl,
        config.ordinal.followed,
        links,
        example_topics(session, config),
    )


def our_policy(session: Session, portal: Portal, model: OrdinalModel | None) -> Ordinal:
    """Return our crawler, with the links of the examples and of the layers around them."""
    config = portal.config
    model = model or example_model(session, config)
    policy = Ordinal(
        seeds_of(portal), model, config.crawl, examples=example_topics(session, config)
    )
    follows: list[Follow] = []
    for page, _ in _fetched(session, _first_levels(session, portal)):
        sample = {TERMS: unpack(vectors_of(session, page.id).get(TERMS, b""))}
        value = float(model.placed_values([sample])[0])
        probability = 1.0 if model.is_example(sample) else policy.probability(value)
        links = links_within(_links(session, page, portal), config.crawl)
        about = (page.page.key, probability, page.language or "en")
        follows += policy.follows(links, model.level_of(value), 1, about, page.id)
    policy.links = tuple(follows)
    return policy


def _first_levels(session: Session, portal: Portal) -> Mapping[str, int]:
    """Return the examples; with files of links or other portals, the layers around them, too."""
    options = portal.config.ordinal
    if options.edge_files or options.portals:
        return layers_of(session, portal.config)
    return dict.fromkeys(example_urls(session, portal.config), 0)


def _fetched(session: Session, levels: Mapping[str, int]) -> Iterator[tuple[KeptPage, int]]:
    for url, level in levels.items():
        page = page_at_url(session, url)
        if page is not None:
            yield page, level


def _links(session: Session, page: KeptPage, portal: Portal) -> list[Link]:
    obey = portal.config.robots.page_rules
    return [
        Link(link.url, url_key(link.url, host_of(link.url)), link.anchor, link.flags)
        for link in links_from(session, page.id)
        if not (obey and link.flags & LinkFlag.NOFOLLOW)
    ]
