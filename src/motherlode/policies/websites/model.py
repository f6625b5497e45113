"""The models that judge pages of websites: the paper's page classes, and our contrast of sites."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from motherlode.documents.features.spaces import TERMS, Sample
from motherlode.documents.text.terms import Bag, spell, unpack
from motherlode.learning.matrix import Floats
from motherlode.learning.sites.contrast import (
    PROFILE_PAGES,
    SiteContrast,
    SiteProfile,
    unpack_contrast,
)
from motherlode.learning.sites.contrast_estimation import FittedContrast, fit_contrast
from motherlode.learning.sites.page_classes import (
    PageClasses,
    choose_page_classes,
    unpack_page_classes,
)
from motherlode.learning.sites.site_names import name_part, with_name
from motherlode.policies.websites.stored_sites import EVEN, PortalSites, SitePage, SiteState
from motherlode.records import (
    ROOT,
    BadInputError,
    Document,
    Judgement,
    Model,
    ModelId,
    PageId,
    TopicId,
)
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import vectors_of_all
from motherlode.topics import TopicTree
from motherlode.training.judgement_reasons import (
    MAX_TERMS,
    JudgementReasons,
    LevelMargins,
    TermContribution,
)
from motherlode.training.training_set import common_vocabulary_bags

F = TypeVar("F", bound="PageFormula")

VERSION = 1
MAX_FITTED_SITES = 2_000  # that no user has named; of more, evenly chosen ones


class PageFormula(Protocol):
    """What is learned of sites: it says how likely a page appears in a relevant one."""

    def page_probabilities(self, bags: Sequence[Bag]) -> Floats:
        """Return the probability of each page."""
        ...

    def contributions(self, bag: Bag) -> list[tuple[int, float]]:
        """Return the terms of a page with what they add to its probability, by size."""
        ...

    def pack(self) -> bytes: ...


class _PackedSiteModel(Struct, frozen=True):
    topic: int
    formula: bytes


@dataclass(frozen=True, slots=True)
class SiteModel(Generic[F]):
    """A formula as a model that judges pages. `topic` is that of the relevant sites."""

    topic: TopicId
    formula: F
    id: ModelId | None = None
    tree: TopicTree | None = None

    @property
    def spaces(self) -> tuple[str, ...]:
        return (TERMS,)

    @property
    def topics(self) -> frozenset[TopicId]:
        return frozenset([self.topic])

    @property
    def is_outdated(self) -> bool:
        """Whether the topic of the sites was removed since."""
        return self.tree is not None and all(topic.id != self.topic for topic in self.tree)

    def judge(self, samples: Sequence[Sample]) -> list[Judgement]:
        """Return a judgement of each page; its margin is its probability minus one half."""
        bags = [sample[TERMS] for sample in samples]
        probabilities = self.formula.page_probabilities(bags).tolist() if bags else []
        return [self.judgement_of(probability) for probability in probabilities]

    def judgement_of(self, probability: float) -> Judgement:
        """Return the judgement of a page with this probability."""
        topic = self.topic if probability > EVEN else ROOT
        return Judgement(topic, probability - EVEN, self.id, probability)

    def explain(self, sample: Sample, document: Document) -> JudgementReasons:
        """Return the judgement of a page with the terms behind it."""
        (judgement,) = self.judge([sample])
        about = "/".join(self.tree.path(self.topic)) if self.tree is not None else ""
        margins = {about: judgement.confidence}
        parts = self.formula.contributions(sample[TERMS])[:MAX_TERMS]
        text = f"{document.title}\n{document.text}"
        words = spell({term for term, _ in parts}, text, document.language)
        return JudgementReasons(
            topic=about if judgement.is_accepted else "",
            margin=judgement.confidence,
            probability=None,
            others=False,
            steps=(LevelMargins("", margins, margins),),
            about=about,
            terms=tuple(
                TermContribution(TERMS, words.get(term, f"#{term}"), part) for term, part in parts
            ),
        )

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(_PackedSiteModel(self.topic, self.formula.pack()))


SiteClassesModel = SiteModel[PageClasses]  # the paper's (SPEC W2)
SiteContrastModel = SiteModel[SiteContrast]  # ours


def load_site_classes(model: Model, tree: TopicTree, *, complete: bool) -> SiteClassesModel:  # noqa: ARG001
    """Return a stored model, ready to be used. Raises `ValueError` if it cannot be."""
    return _loaded(model, tree, unpack_page_classes)


def load_site_contrast(model: Model, tree: TopicTree, *, complete: bool) -> SiteContrastModel:  # noqa: ARG001
    """Return a stored model, ready to be used. Raises `ValueError` if it cannot be."""
    return _loaded(model, tree, unpack_contrast)


def _loaded(model: Model, tree: TopicTree, unpack_formula: Callable[[bytes], F]) -> SiteModel[F]:
    try:
        packed = msgspec.msgpack.decode(model.packed, type=_PackedSiteModel)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no model of sites: {error}") from error
    loaded = SiteModel(TopicId(packed.topic), unpack_formula(packed.formula), model.id, tree)
    if loaded.is_outdated:
        raise ValueError("the topic of the sites was removed since")
    return loaded


def topic_of_sites(session: Session) -> TopicId:
    """Return the topic of the relevant sites: the first with examples that is not OTHERS.

    Raises `BadInputError` if no site is named.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    for example in topic_rows.examples_of(session):
        if example.url and not tree[example.topic].is_others:
            return example.topic
    raise BadInputError("No site is named to look for; 'lode sites DIR --like URL' names some.")


def fit_page_classes(session: Session, sites: PortalSites) -> SiteClassesModel:
    """Learn the paper's page classes from the pages of the named sites.

    Without a site that the user named irrelevant, common vocabulary is the other class.
    """
    given = _given_pages(session, sites)
    target = [pages for site, pages in given.items() if sites.given[site]]
    other = [pages for site, pages in given.items() if not sites.given[site]]
    other = other or [[bag] for bag in common_vocabulary_bags()]
    if not any(target) or not any(other):
        raise BadInputError(
            "No page of the named sites could be read, so there is nothing to learn from."
        )
    classes = choose_page_classes([target, other])
    return SiteModel(topic_of_sites(session), classes)


def fit_site_contrast(session: Session, sites: PortalSites) -> FittedContrast:
    """Learn the contrast from all sites of a portal of which pages were read.

    The names of the sites that no user has named count in their probabilities.
    """
    profiles = list(_profiles(session, sites))
    if not any(profile.relevance == 1.0 for profile in profiles):
        raise BadInputError(
            "No page of the named sites could be read, so there is nothing to learn from."
        )
    fitted = fit_contrast(profiles, common_vocabulary_bags())
    probabilities = {
        site: _with_names(probability, site, sites, fitted.contrast)
        for site, probability in fitted.probabilities.items()
    }
    return FittedContrast(fitted.contrast, probabilities)


def _with_names(probability: float, site: str, sites: PortalSites, contrast: SiteContrast) -> float:
    linked = sites.linked.get(site)
    if linked is None or site in sites.given:
        return probability
    return with_name(probability, name_part(contrast, site, linked.names))


def profile_pages(pages: Sequence[SitePage]) -> Sequence[SitePage]:
    """Return the pages of a site that its profile is made of, in the order of reading."""
    return pages[:PROFILE_PAGES]


def _profiles(session: Session, sites: PortalSites) -> Iterator[SiteProfile]:
    """Yield the profiles of named sites, and of examined ones, evenly chosen if there are many."""
    examined = [
        site
        for site, verdict in sites.verdicts.items()
        if verdict.state is SiteState.EXAMINED and site in sites.pages and site not in sites.given
    ]
    step = max(1, -(-len(examined) // MAX_FITTED_SITES))
    named = [site for site in sites.given if site in sites.pages]
    for site in (*named, *examined[::step]):
        bags = _bags(session, profile_pages(sites.pages[site]))
        relevance = float(sites.given[site]) if site in sites.given else float("nan")
        yield SiteProfile(site, bags, relevance)


def _given_pages(session: Session, sites: PortalSites) -> Mapping[str, list[Bag]]:
    return {site: _bags(session, sites.pages[site]) for site in sites.given if site in sites.pages}


def _bags(session: Session, pages: Sequence[SitePage]) -> list[Bag]:
    """Return the terms of pages; pages without any are left out."""
    numbers: list[PageId] = [page.page for page in pages]
    vectors = vectors_of_all(session, set(numbers), TERMS)
    bags = [unpack(vectors.get(number, b"")) for number in numbers]
    return [bag for bag in bags if len(bag)]
