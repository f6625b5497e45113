"""What a crawl learns from the links that it has followed (SPEC X1; `learning.links.weights`)."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from motherlode.learning.links.weights import LinkWeights, learn_link_weights
from motherlode.learning.matrix import Ints
from motherlode.policies.bingo.compiled import Singles
from motherlode.policies.bingo.link_evidence import Told, evidence_of
from motherlode.policies.bingo.names import Voice
from motherlode.policies.bingo.prospects import Prospects
from motherlode.records import PageId
from motherlode.store import Session
from motherlode.store.pages import urls_of_pages
from motherlode.store.portions import anchors_at
from motherlode.urls import host_of, url_key


class Apprentice:
    """Sees again what was told of pages before they were fetched, and learns by what became of them."""

    def __init__(self, session: Session, pages: Ints, numbers: Ints, outcomes: Singles) -> None:
        """`pages` that links were followed to, the `numbers` of their URLs, and by those how likely each is
        on the topic."""
        numbers, first = np.unique(numbers, return_index=True)
        known = np.isfinite(outcomes[numbers])
        numbers, pages = numbers[known], pages[first[known]]
        named = urls_of_pages(session, [PageId(page) for page in pages.tolist()])
        self._urls = [named[page] for page in pages.tolist()]
        keys = np.array([url_key(url, host_of(url)) for url in self._urls], np.int64)
        self._became = outcomes[numbers].astype(np.float64)
        self.told = Told(numbers, keys, outcomes, pages)

    def learn(
        self, session: Session, book: Prospects, voices: Sequence[Voice], languages: Mapping[int, str]
    ) -> LinkWeights:
        """Once all pages were seen, and their hosts noted in the book; `languages` by page."""
        places, pages, positions = self.told.last_links()
        links = list(zip(pages.tolist(), positions.tolist(), strict=True))
        said = anchors_at(session, links)
        anchors = [(said[link], languages[link[0]]) for link in links]
        urls = [self._urls[place] for place in places.tolist()]
        became = self._became[places]
        return learn_link_weights(evidence_of(book, self.told, became, voices, anchors, urls), became)


def followed(pages: Ints, every: int, given: Collection[PageId]) -> Ints:
    """The places of pages at even distances, without those that a person gave or marked: nobody had to find
    them, or to judge them."""
    found: Ints = np.flatnonzero((pages % every == 0) & ~np.isin(pages, list(given)))
    return found
