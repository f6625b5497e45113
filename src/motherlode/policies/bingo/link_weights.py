"""Learning the weights of link evidence from the links that a crawl has followed.

The formula is in `learning.links.weights` (SPEC X1).
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from motherlode.learning.links.weights import LinkWeights, learn_link_weights
from motherlode.learning.matrix import Ints
from motherlode.policies.bingo.kernels import Singles
from motherlode.policies.bingo.link_evidence import LinkSums, evidence_before_fetch
from motherlode.policies.bingo.link_text import TextEvidence
from motherlode.policies.bingo.prospects import Prospects
from motherlode.records import PageId
from motherlode.store import Session
from motherlode.store.queries.page_batches import anchors_at
from motherlode.store.tables.pages import urls_of_pages
from motherlode.urls import host_of, url_key


class LinkWeightLearner:
    """Compares the evidence on pages before they were fetched with their outcomes."""

    def __init__(self, session: Session, pages: Ints, numbers: Ints, outcomes: Singles) -> None:
        """`pages` were reached by links; `numbers` are those of their URLs, by which `outcomes` has
        the probability that each page is on the topic."""
        numbers, first = np.unique(numbers, return_index=True)
        known = np.isfinite(outcomes[numbers])
        numbers, pages = numbers[known], pages[first[known]]
        url_of_page = urls_of_pages(session, [PageId(page) for page in pages.tolist()])
        self._urls = [url_of_page[page] for page in pages.tolist()]
        keys = np.array([url_key(url, host_of(url)) for url in self._urls], np.int64)
        self._outcomes = outcomes[numbers].astype(np.float64)
        self.sums = LinkSums(numbers, keys, outcomes, pages)

    def learn(
        self,
        session: Session,
        prospects: Prospects,
        kinds: Sequence[TextEvidence],
        languages: Mapping[int, str],
    ) -> LinkWeights:
        """Return the weights, after all pages were added to the sums and counted for their hosts.

        `languages` has the language of each page.
        """
        rows, pages, positions = self.sums.last_links()
        links = list(zip(pages.tolist(), positions.tolist(), strict=True))
        anchor_of_link = anchors_at(session, links)
        anchors = [(anchor_of_link[link], languages[link[0]]) for link in links]
        urls = [self._urls[row] for row in rows.tolist()]
        outcomes = self._outcomes[rows]
        evidence = evidence_before_fetch(prospects, self.sums, outcomes, kinds, anchors, urls)
        return learn_link_weights(evidence, outcomes)


def sample_followed(pages: Ints, step: int, given: Collection[PageId]) -> Ints:
    """Return the indices of every `step`-th page, without the pages that a user gave or marked.

    A crawl did not have to find those, nor to judge them.
    """
    indices: Ints = np.flatnonzero((pages % step == 0) & ~np.isin(pages, list(given)))
    return indices
