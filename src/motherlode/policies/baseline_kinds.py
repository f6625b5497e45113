"""The baselines as kinds of policies, made from the examples of a portal."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from msgspec import structs

from motherlode.crawl.preparation import Wanted, wanted_examples
from motherlode.policies.baselines import (
    BestFirst,
    BreadthFirst,
    Centroid,
    DepthFirst,
    NearestSubject,
    Oracle,
    RandomOrder,
    Similarity,
)
from motherlode.policies.follows import QUEUE
from motherlode.policies.kind import PolicyKind, PolicySetup
from motherlode.policies.policy import Visit
from motherlode.policies.registry import BEST_FIRST, BREADTH_FIRST, DEPTH_FIRST, ORACLE, RANDOM
from motherlode.portal import Portal
from motherlode.records import (
    Document,
    Entry,
    Follow,
    Link,
    LinkFlag,
    Origin,
    PageId,
    UrlId,
    UsageError,
)
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import KeptPage, links_from, page_at, vectors_of
from motherlode.topics import TopicTree
from motherlode.urls import Address, address, host_of, url_key


def seeds_of(portal: Portal) -> list[Address]:
    """Return the pages where a crawl begins: the configured seeds, and the examples of all topics.

    Counterexamples and hits of search sources are none.
    """
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
    urls = [
        example.url
        for example in examples
        if example.url and example.origin is not Origin.HIT and not tree[example.topic].is_others
    ]
    given = dict.fromkeys((*portal.config.crawl.seeds, *urls))
    return [address(url, rules=portal.config.urls) for url in given]


def _counterexamples(portal: Portal) -> list[Wanted]:
    """Return counterexamples and search hits; other examples are seeds, which the crawl fetches."""
    return [page for page in wanted_examples(portal) if not page.follows_links]


def _breadth_first(setup: PolicySetup) -> BreadthFirst:
    return BreadthFirst(seeds_of(setup.portal), setup.portal.config.crawl)


def _depth_first(setup: PolicySetup) -> DepthFirst:
    return DepthFirst(seeds_of(setup.portal), setup.portal.config.crawl)


def _random(setup: PolicySetup) -> RandomOrder:
    return RandomOrder(seeds_of(setup.portal), setup.random_seed, setup.portal.config.crawl)


def _best_first(setup: PolicySetup) -> BestFirst:
    """Return the policy with the links of the examples, which were fetched before it was made."""
    portal = setup.portal
    options, seeds = portal.config.crawl, seeds_of(portal)
    with portal.store.reading() as session:
        pages = [page for seed in seeds if (page := page_at(session, seed.key)) is not None]
        obey = portal.config.robots.page_rules
        visits = {page.id: _visit(session, page, obey=obey) for page in pages}
        subjects = _nearest_subject(session, portal)
    centroid = subjects or Centroid(visits[page.id].document for page in pages)
    policy = BestFirst(seeds, centroid, options)
    return replace(policy, links=tuple(_links_of_examples(policy, visits)))


def _nearest_subject(session: Session, portal: Portal) -> Similarity | None:
    """Return the correlation with the nearest subject, in a portal of subjects; else None."""
    from motherlode.policies.tunnel.subjects import fit_model  # noqa: PLC0415 - it imports this module

    if all(example.origin is not Origin.HIT for example in topic_rows.examples_of(session)):
        return None
    model = fit_model(session, portal, with_meanings=False)
    return None if model is None else NearestSubject(model.centroids)


def _links_of_examples(policy: BestFirst, visits: Mapping[PageId, Visit]) -> Iterator[Follow]:
    judgements = policy.judge(list(visits.values()))
    for (page, visit), judgement in zip(visits.items(), judgements, strict=True):
        for follow in policy.steer(visit, judgement).follows:
            yield structs.replace(follow, via=page)


def _oracle(setup: PolicySetup) -> Oracle:
    if setup.labels is None:
        raise UsageError("The oracle needs a web with labels; use it in lode lab only.")
    return Oracle(seeds_of(setup.portal), setup.labels.itinerary(), setup.labels.relevant)


def _visit(session: Session, page: KeptPage, *, obey: bool) -> Visit:
    """Return a fetched example with its terms and links; `obey` leaves nofollow links out."""
    links = [
        Link(link.url, url_key(link.url, host_of(link.url)), link.anchor, link.flags)
        for link in links_from(session, page.id)
        if not (obey and link.flags & LinkFlag.NOFOLLOW)
    ]
    document = Document(vectors=vectors_of(session, page.id), links=tuple(links))
    return Visit(Entry(UrlId(0), page.page.url, page.page.key, QUEUE, 0.0), document)


BREADTH_FIRST_KIND = PolicyKind(
    name=BREADTH_FIRST,
    rank_meaning="level by level: minus the number of links from an example",
    make=_breadth_first,
    wanted=_counterexamples,
)
DEPTH_FIRST_KIND = PolicyKind(
    name=DEPTH_FIRST,
    rank_meaning="the later it was discovered, the higher the rank",
    make=_depth_first,
    wanted=_counterexamples,
)
RANDOM_KIND = PolicyKind(
    name=RANDOM,
    rank_meaning="a random number from 0 to 1",
    make=_random,
    wanted=_counterexamples,
)
BEST_FIRST_KIND = PolicyKind(
    name=BEST_FIRST,
    rank_meaning="the similarity of the page that led to it to the examples, from 0 to 1",
    make=_best_first,
)
ORACLE_KIND = PolicyKind(
    name=ORACLE,
    rank_meaning="minus its place on the shortest way to the relevant pages",
    make=_oracle,
    wanted=_counterexamples,
    needs_labels=True,
)
