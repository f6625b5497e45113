"""The sites of a labelled web: what each is about, and its pages from the home page on."""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import Bag, unpack
from motherlode.lab.labels import Labels, within
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.web import LabWeb
from motherlode.records import NoSuchTopicError
from motherlode.urls import host_of
from motherlode.urls.site_rules import SiteRules

MIN_LABELLED_SHARE = 0.25  # of the pages of a site that has a subject


class SiteDocument(Struct, frozen=True):
    """A page of a site, with its links to other pages of the site in order."""

    url: str
    bag: Bag
    links: tuple[str, ...]


class LabelledSites:
    """The sites whose pages have labels; a site is a host."""

    def __init__(self, web: LabWeb, readings: Readings) -> None:
        self.labels = site_labels(web)
        self._homes = home_pages(web.labels())
        self._readings = readings
        self._pages: dict[str, SiteDocument | None] = {}

    def of_subject(self, subject: str) -> tuple[str, ...]:
        """Return the sites of a subject. Raises `NoSuchTopicError` if there are none."""
        sites = tuple(site for site, label in self.labels.items() if within(label, subject))
        if not sites:
            known = ", ".join(self.subjects(1))
            raise NoSuchTopicError(f"No site of this web is on '{subject}'; there are {known}.")
        return sites

    def subjects(self, least: int) -> tuple[str, ...]:
        """Return the subjects with at least so many sites, the largest first."""
        counted = Counter(self.labels.values())
        return tuple(subject for subject, sites in counted.most_common() if sites >= least)

    def home(self, site: str) -> str:
        """Return the URL of a site's home page."""
        return self._homes[site]

    def page(self, url: str) -> SiteDocument | None:
        """Return a page of a site; None if there is none, or it leads to another site."""
        if url not in self._pages:
            self._pages[url] = self._read(url)
        return self._pages[url]

    def first_pages(self, site: str, number: int) -> list[SiteDocument]:
        """Return the first pages of a site, breadth-first from its home page."""
        waiting = [self.home(site)]
        known, pages, read = set(waiting), dict[str, SiteDocument](), 0
        while read < len(waiting) and len(pages) < number:
            page = self.page(waiting[read])
            read += 1
            if page is not None and page.url not in pages:
                pages[page.url] = page
                new = [link for link in page.links if link not in known]
                waiting += new
                known.update(new)
        return list(pages.values())

    def _read(self, url: str) -> SiteDocument | None:
        for found, document in self._readings.documents([url]).items():
            site = host_of(found)
            if site == host_of(url):
                links = dict.fromkeys(link.url for link in document.links)
                return SiteDocument(
                    found,
                    unpack(document.vectors.get(TERMS, b"")),
                    tuple(link for link in links if host_of(link) == site),
                )
        return None


def site_labels(web: LabWeb) -> dict[str, str]:
    """Return the subject of each site: the commonest label of its pages, if enough have it.

    Of equally common labels, it is the first. A site with a few labelled pages has no subject.
    """
    counted: dict[str, Counter[str]] = {}
    for url, topics in web.labels().items():
        counted.setdefault(host_of(url), Counter()).update(topics)
    subjects: dict[str, str] = {}
    for site, counts in sorted(counted.items()):
        label = min(counts, key=lambda label: (-counts[label], label))
        pages = sum(1 for _ in web.pages_of(site))
        if counts[label] >= MIN_LABELLED_SHARE * pages:
            subjects[site] = label
    return subjects


def home_pages(labels: Labels) -> Mapping[str, str]:
    """Return the home page of each site that has a labelled page."""
    rules = SiteRules()
    homes: dict[str, str] = {}
    for url in dict(labels.items()):
        homes.setdefault(host_of(url), rules.home_of(url).url)
    return homes
