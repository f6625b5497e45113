"""Make the policies from what a portal has stored: models, and the links of fetched pages."""

from collections.abc import Iterator, Mapping

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import unpack
from motherlode.learning.options import CentroidWeighting
from motherlode.learning.tunnel.centroids import fit_centroids
from motherlode.policies.baseline_kinds import seeds_of
from motherlode.policies.follows import links_within
from motherlode.policies.ordinal.layers import example_topics, example_urls, layers_of
from motherlode.policies.ordinal.model import OrdinalModel, fit_levels
from motherlode.policies.ordinal.steering import Ordinal, Ordinal2007, level_follows
from motherlode.policies.ordinal.training_pages import example_bags, layered_pages
from motherlode.policies.tunnel.link_scores import LinkEstimates
from motherlode.portal import Portal
from motherlode.records import Follow, Link, LinkFlag
from motherlode.store.session import Session
from motherlode.store.tables.pages import KeptPage, links_from, vectors_of
from motherlode.training.training_document import page_at_url
from motherlode.urls import host_of, url_key


def layer_model(session: Session, portal: Portal) -> OrdinalModel:
    """Learn the levels of the layers around the examples.

    Raises `BadInputError` if no source of back-links has a page that links to an example.
    """
    options = portal.config.ordinal
    return fit_levels(
        layered_pages(session, portal.config),
        accepted=options.accepted,
        features=options.features,
        min_level_pages=options.min_level_pages,
    )


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
    examples = {topic: list(bags.values()) for topic, bags in example_bags(session).items()}
    centroids = fit_centroids(examples, CentroidWeighting.LOG, None)
    policy = Ordinal(
        seeds_of(portal),
        centroids,
        LinkEstimates(centroids, config.tunnel.min_merit),
        config.crawl,
        model,
        examples=example_topics(session, config),
    )
    follows: list[Follow] = []
    for page, level in _fetched(session, _first_levels(session, portal)):
        bag = unpack(vectors_of(session, page.id).get(TERMS, b""))
        correlations = centroids.correlations([bag])[0]
        links = links_within(_links(session, page, portal), config.crawl)
        about = (correlations, page.language or "en")
        follows += policy.follows(links, level, 1, about, page.id)
        policy.scores.add_page(page.page.url, correlations)
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
