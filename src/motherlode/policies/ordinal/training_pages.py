"""The pages that levels are learned from (SPEC F1, F3).

`layered_pages` are the examples and the pages of the layers around them, by back-links. A crawl
with `ordinal` learns from `crawled_pages`, a sample of all that it has fetched, and from the links
between them (`crawled_levels`).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, unpack
from motherlode.learning.matrix import Ints
from motherlode.learning.ordinal.layers import levels_by_links
from motherlode.learning.ordinal.page_space import PageSpace
from motherlode.policies.ordinal.layers import layers_of
from motherlode.policies.ordinal.level_trainer import LevelPages, goal_pages, honest_nearness
from motherlode.portal.config import Config
from motherlode.records import BadInputError, Origin, PageId
from motherlode.store.queries.link_targets import urls_of_all_pages
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import vectors_of_all
from motherlode.topics import TopicTree
from motherlode.training.corpus import PageCorpus
from motherlode.training.training_document import page_at_url

MAX_LAYER_PAGES = 300  # of a layer; the newest
MAX_SAMPLE_PAGES = 2_500  # of a crawl


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


def example_pages(session: Session) -> LevelPages:
    """Return the examples alone."""
    examples = example_bags(session)
    bags = {page: bag for of_topic in examples.values() for page, bag in of_topic.items()}
    return _level_pages(examples, sorted(bags), [bags[page] for page in sorted(bags)])


def layered_pages(session: Session, config: Config) -> tuple[LevelPages, list[int]]:
    """Return the examples and the fetched pages of the layers around them, with their layers."""
    examples = example_bags(session)
    given = [page for of_topic in examples.values() for page in of_topic]
    levels: dict[PageId, int] = dict.fromkeys(given, 0)
    for url, level in layers_of(session, config).items():
        page = page_at_url(session, url)
        if page is not None:
            levels.setdefault(page.id, level)
    chosen: list[PageId] = []
    for level in sorted(set(levels.values())):
        pages = sorted(page for page in levels if levels[page] == level and page not in given)
        chosen += pages[-MAX_LAYER_PAGES:]
    pages = [*sorted(set(given)), *chosen]
    vectors = vectors_of_all(session, set(pages), TERMS)
    known = [page for page in pages if page in vectors]
    bags = [unpack(vectors[page]) for page in known]
    return _level_pages(examples, known, bags), [levels[page] for page in known]


def crawled_pages(session: Session, corpus: PageCorpus) -> tuple[LevelPages, list[PageId]]:
    """Return a sample of the pages of a crawl, the examples included, and their numbers."""
    examples = example_bags(session)
    bags = {page: bag for of_topic in examples.values() for page, bag in of_topic.items()}
    for batch in corpus.batches((TERMS,), corpus.sampling_step(MAX_SAMPLE_PAGES)):
        for row in batch.selected.tolist():
            bags.setdefault(PageId(int(batch.pages[row])), batch.sample(row)[TERMS])
    pages = sorted(bags)
    return _level_pages(examples, pages, [bags[page] for page in pages]), pages


def crawled_levels(
    session: Session,
    corpus: PageCorpus,
    sample: tuple[LevelPages, Sequence[PageId]],
    space: PageSpace,
    levels: int,
) -> Ints:
    """Return the level of each page of a sample, by its links to the others."""
    pages, numbers = sample
    is_goal = goal_pages(pages, honest_nearness(pages, space))
    if levels <= 2:  # noqa: PLR2004 - all other pages are of one level
        return np.where(is_goal, 0, 1).astype(np.int64)
    starts, targets = _links_between(session, corpus, np.array(numbers, np.int64))
    return levels_by_links(is_goal, starts, targets, levels)


def _links_between(session: Session, corpus: PageCorpus, pages: Ints) -> tuple[Ints, Ints]:
    """Return the links between pages by their places, each once; they begin at the starts."""
    numbers, urls = urls_of_all_pages(session)
    known = np.isin(numbers, pages)
    place_of = np.full(int(urls.max(initial=0)) + 1, -1)
    place_of[urls[known]] = np.searchsorted(pages, numbers[known])
    pairs = [np.zeros((0, 2), np.int64)]
    for batch in corpus.linked_pages():
        linking = batch.pages.repeat(np.diff(batch.starts))
        targets = batch.targets.astype(np.int64)
        inside = (targets < len(place_of)) & np.isin(linking, pages)
        sources = np.searchsorted(pages, linking[inside])
        places = place_of[targets[inside]]
        linked = (places >= 0) & (places != sources)
        pairs.append(np.column_stack([sources[linked], places[linked]]))
    links = np.unique(np.concatenate(pairs), axis=0)
    starts = np.searchsorted(links[:, 0], np.arange(len(pages) + 1))
    return starts.astype(np.int64), links[:, 1].astype(np.int64)


def _level_pages(
    examples: Mapping[int, Mapping[PageId, Bag]], pages: Sequence[PageId], bags: list[Bag]
) -> LevelPages:
    place_of = {page: place for place, page in enumerate(pages)}
    return LevelPages(
        examples={topic: list(of_topic.values()) for topic, of_topic in examples.items()},
        bags=bags,
        example_places={
            topic: [place_of[page] for page in of_topic] for topic, of_topic in examples.items()
        },
    )
