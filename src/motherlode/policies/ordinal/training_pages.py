"""The pages that levels are learned from (SPEC F1, F3).

`layered_pages` are the examples and the pages of the layers around them, by back-links. A crawl
with `ordinal` learns from `crawled_pages`: all that it has fetched, by the fewest links that lead
from a page to one on the topic. Those from which no link is known to lead there are of the last
level. On the topic are the examples, and pages whose correlation with them is at least
`EXAMPLE_SHARE` of what they have with each other.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, unpack
from motherlode.learning.matrix import Floats
from motherlode.learning.options import CentroidWeighting
from motherlode.learning.ordinal.layers import layers_around
from motherlode.learning.tunnel.centroids import fit_centroids
from motherlode.policies.ordinal.layers import layers_of
from motherlode.policies.ordinal.model import TrainingPages
from motherlode.portal.config import Config
from motherlode.records import BadInputError, Origin, PageId
from motherlode.store.queries.site_rows import leaving_links, site_page_rows
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import vectors_of_all
from motherlode.topics import TopicTree
from motherlode.training.training_document import page_at_url

MAX_TRAINING_PAGES = 300  # of a level; the newest
EXAMPLE_SHARE = 0.7  # of the examples' median correlation with each other, for level 0
MIN_CORRELATION = 0.05  # with the examples, of a page that counts as on the topic
SINGLE_EXAMPLE_CORRELATION = 0.3  # where there is one example, which correlates with no other
MIN_EXAMPLES = 2


def example_bags(session: Session) -> dict[int, dict[PageId, Bag]]:
    """Return the terms of the fetched examples, by topic and page.

    Raises `BadInputError` if no example could be read.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    pages: dict[int, list[PageId]] = defaultdict(list)
    for example in topic_rows.examples_of(session):
        is_learned = example.origin is not Origin.HIT and not tree[example.topic].is_others
        page = page_at_url(session, example.url) if example.url and is_learned else None
        if page is not None:
            pages[int(example.topic)].append(page.id)
    wanted = {number for numbers in pages.values() for number in numbers}
    vectors = vectors_of_all(session, wanted, TERMS)
    bags = {
        topic: {number: unpack(vectors[number]) for number in numbers if number in vectors}
        for topic, numbers in pages.items()
    }
    known = {topic: of_topic for topic, of_topic in bags.items() if of_topic}
    if not known:
        raise BadInputError(
            "No example could be read, so there is nothing to learn from; 'lode topics DIR' shows "
            "the examples."
        )
    return known


def layered_pages(session: Session, config: Config) -> TrainingPages:
    """Return the examples and the fetched pages of the layers around them."""
    examples = example_bags(session)
    levels: dict[PageId, int] = dict.fromkeys(
        (number for of_topic in examples.values() for number in of_topic), 0
    )
    for url, level in layers_of(session, config).items():
        page = page_at_url(session, url)
        if page is not None:
            levels.setdefault(page.id, level)
    return _training_pages(session, examples, levels)


def crawled_pages(session: Session, config: Config) -> TrainingPages:
    """Return the pages of a crawl, with the levels that its own links show."""
    examples = example_bags(session)
    rows = list(site_page_rows(session))
    on_topic = _pages_on_topic(session, examples, [row.page for row in rows])
    number_of = {row.key: row.page for row in rows}
    sources: dict[PageId, list[PageId]] = defaultdict(list)
    for link in leaving_links(session, within_hosts=True):
        target = number_of.get(link.key)
        if target is not None and target != link.page:
            sources[target].append(link.page)

    def linking_to(targets: list[PageId]) -> list[PageId]:
        return [source for target in targets for source in sources.get(target, ())]

    known = layers_around(on_topic, linking_to, config.ordinal.levels)
    last = config.ordinal.levels - 1
    levels = {row.page: known.get(row.page, last) for row in rows}
    return _training_pages(session, examples, levels)


def _pages_on_topic(
    session: Session, examples: Mapping[int, Mapping[PageId, Bag]], pages: Sequence[PageId]
) -> list[PageId]:
    """Return the examples, and the pages that correlate with them at least as much as needed."""
    by_topic = {topic: list(of_topic.values()) for topic, of_topic in examples.items()}
    least = _least_correlation(by_topic)
    vectors = vectors_of_all(session, set(pages), TERMS)
    known = [page for page in pages if page in vectors]
    correlations = _correlations(by_topic, [unpack(vectors[page]) for page in known])
    near = correlations.max(axis=1, initial=0.0) >= least
    given = [page for of_topic in examples.values() for page in of_topic]
    return list(
        dict.fromkeys(
            [*given, *(page for page, is_near in zip(known, near, strict=True) if is_near)]
        )
    )


def _correlations(examples: Mapping[int, list[Bag]], bags: Sequence[Bag]) -> Floats:
    """Return the correlation of each page with each topic, as examples are compared.

    A centroid of two examples has only the terms that both have. An example of two is compared with
    the other alone, so pages are compared with each of the two, and the mean counts.
    """
    centroids = fit_centroids(examples, CentroidWeighting.LOG, None)
    values = centroids.correlations(bags)
    for column, topic in enumerate(centroids.subjects.tolist()):
        if len(examples[topic]) == MIN_EXAMPLES:
            alone = [
                fit_centroids({**examples, topic: [bag]}, CentroidWeighting.LOG, None)
                for bag in examples[topic]
            ]
            values[:, column] = np.mean([each.correlations(bags)[:, column] for each in alone], 0)
    return values


def _least_correlation(examples: Mapping[int, list[Bag]]) -> float:
    """Return `EXAMPLE_SHARE` of the median correlation of an example with its topic's others."""
    values = []
    for topic, bags in examples.items():
        if len(bags) < MIN_EXAMPLES:
            continue
        for place, bag in enumerate(bags):
            others = {**examples, topic: [*bags[:place], *bags[place + 1 :]]}
            centroids = fit_centroids(others, CentroidWeighting.LOG, None)
            column = centroids.subjects.tolist().index(topic)
            values.append(float(centroids.correlations([bag])[0, column]))
    least = float(np.median(values)) if values else SINGLE_EXAMPLE_CORRELATION
    return max(EXAMPLE_SHARE * least, MIN_CORRELATION)


def _training_pages(
    session: Session,
    examples: Mapping[int, Mapping[PageId, Bag]],
    levels: Mapping[PageId, int],
) -> TrainingPages:
    chosen: list[PageId] = []
    given = {page for of_topic in examples.values() for page in of_topic}
    for level in sorted(set(levels.values())):
        pages = sorted(page for page in levels if levels[page] == level and page not in given)
        chosen += pages[-MAX_TRAINING_PAGES:]
    pages = [*sorted(given), *chosen]
    vectors = vectors_of_all(session, set(pages), TERMS)
    known = [page for page in pages if page in vectors]
    by_topic = {topic: list(of_topic.values()) for topic, of_topic in examples.items()}
    near = [page for page in known if levels.get(page, 0) == 0 and page not in given]
    if near:
        bags = [unpack(vectors[page]) for page in near]
        centroids = fit_centroids(by_topic, CentroidWeighting.LOG, None)
        nearest = centroids.correlations(bags).argmax(axis=1)
        for bag, place in zip(bags, nearest.tolist(), strict=True):
            by_topic[int(centroids.subjects[place])].append(bag)
    return TrainingPages(
        examples=by_topic,
        user_examples={topic: list(of_topic.values()) for topic, of_topic in examples.items()},
        bags=[unpack(vectors[page]) for page in known],
        levels=[levels.get(page, 0) for page in known],
    )
