"""Build collections for many subjects: the portal, the hits of each subject, the crawl (SPEC
T1).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.collect import MAX_SUBJECTS, CollectRequest
from motherlode.app.services.crawl import CrawlObserver, CrawlResult, ShowCrawl, crawl_directory
from motherlode.app.services.open_sources import SourceAnswer, open_sources
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.crawl.progress import Limits, Progress
from motherlode.documents.text.terms import spell
from motherlode.fetch.event_loop import run
from motherlode.policies.registry import TUNNEL
from motherlode.policies.tunnel.subjects import CollectionSubject, fit_model, subjects_of
from motherlode.portal import Portal, create_portal
from motherlode.portal.config import Config
from motherlode.portal.config_reader import default_config, parse_override
from motherlode.portal.directory import CONFIG, config_of, plant_into
from motherlode.portal.editor import keep_setting
from motherlode.records import BadInputError, Example, Folder, Origin, TopicId, UsageError
from motherlode.sources.bookmarks import holds_bookmarks, read_bookmarks
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import text_of
from motherlode.topics import Planting, TopicPath, TopicTree, parse_path, show_path
from motherlode.topics.tree_builder import Planted
from motherlode.training.training_document import page_at_url
from motherlode.urls import UrlError, address

HITS_ASKED = 12  # of a subject: some cannot be read, and the next ones take their places
MAX_SUBJECT_CHARS = 200
MAX_SNIPPET_CHARS = 500
CENTROID_TERMS = 15  # shown of a centroid
MIN_WATCHED_PAGES, MAX_WATCHED_PAGES = 200, 10_000
MAX_NAMED_SUBJECTS = 5
_UNPLACED = TopicId(0)

Say = Callable[[str], None]


class CollectionPortal(Struct, frozen=True):
    """The portal of a collect command. `is_new`: it was just made."""

    path: Path
    is_new: bool
    subjects: int


class CentroidView(Struct, frozen=True):
    """A subject's centroid: its hits, and its heaviest terms with their weights.

    `dropped` says why the subject has no centroid; empty if it has one.
    """

    subject: str
    hits: tuple["HitView", ...]
    terms: dict[str, float]
    dropped: str = ""


class HitView(Struct, frozen=True):
    """A hit of a subject; `problem` says why the centroid is not made of it."""

    url: str
    title: str
    problem: str = ""


def collect_directory(
    directory: Path, request: CollectRequest, show: ShowCrawl, say: Say
) -> tuple[Progress, CrawlResult]:
    """Make or open the portal, ask for hits where subjects lack them, and crawl."""
    place = open_collection_portal(directory, request)
    if place.is_new:
        say(f"Made {place.path} with {place.subjects} subjects.")
    for sentence in find_hits(directory, request):
        say(sentence)
    return crawl_directory(directory, request.crawl_request(), watched(show))


class SubjectWatch:
    """Tells the user early which subjects have no page yet, and what to do.

    It does so once, after a tenth of the crawl, but not before `MIN_WATCHED_PAGES`.
    """

    def __init__(self, observer: CrawlObserver, tree: TopicTree, limits: Limits) -> None:
        self._observer, self._tree = observer, tree
        self._pages = max(MIN_WATCHED_PAGES, min(limits.pages, MAX_WATCHED_PAGES) // 10)
        self._is_told = False

    def say(self, sentence: str) -> None:
        self._observer.say(sentence)

    def update(self, progress: Progress) -> None:
        self._observer.update(progress)
        if not self._is_told and progress.pages >= self._pages:
            self._is_told = True
            missing = [
                show_path(self._tree.path(topic.id))
                for topic in self._tree
                if not self._tree.children(topic.id) and not progress.topics.get(topic.id)
            ]
            if missing:
                self._observer.say(_nothing_found(missing, progress.pages))


def watched(show: ShowCrawl) -> ShowCrawl:
    """Return a display that also tells which subjects find nothing."""

    @contextmanager
    def watching(tree: TopicTree, limits: Limits) -> Iterator[SubjectWatch]:
        with show(tree, limits) as observer:
            yield SubjectWatch(observer, tree, limits)

    return watching


def _nothing_found(subjects: Sequence[str], pages: int) -> str:
    named = ", ".join(f"'{subject}'" for subject in subjects[:MAX_NAMED_SUBJECTS])
    others = len(subjects) - MAX_NAMED_SUBJECTS
    more = f" and {others} more" if others > 0 else ""
    return (
        f"No nugget after {pages:,} pages: {named}{more}. --centroids shows what is looked for; "
        "other words, another source or nearer seeds may help."
    )


def open_collection_portal(directory: Path, request: CollectRequest) -> CollectionPortal:
    """Make the portal with its subjects, or add new subjects to the one that exists.

    Raises `UsageError` if something is missing that a new portal needs.
    """
    exists = (directory / CONFIG).is_file()
    overrides = request.crawl_request().settings
    config = config_of(directory, overrides) if exists else default_config(overrides)
    names = subjects_in(request)
    planting = Planting(tuple(map(_planted, names)))
    if not exists:
        _check_new(request, names)
        user_agent(config)  # raises without a contact, before anything is made
        create_portal(directory, planting, _settings(request, config))
    else:
        _check_is_collection(directory, config)
        _extend(directory, request, planting, config)
    return CollectionPortal(directory, not exists, len(names))


def _extend(directory: Path, request: CollectRequest, planting: Planting, config: Config) -> None:
    """Add subjects, seeds and sources to an existing portal."""
    if planting.topics:
        with Portal.writing(directory, "lode collect") as portal, portal.batch() as session:
            plant_into(session, Planting(tuple(_new_subjects(session, planting.topics))))
    seeds = dict.fromkeys((*config.crawl.seeds, *(_seed(seed, config) for seed in request.seed)))
    if request.seed and tuple(seeds) != config.crawl.seeds:
        keep_setting(directory, "crawl.seeds", list(seeds))
    sources = dict.fromkeys((*config.tunnel.sources, *request.source))
    if request.source and tuple(sources) != config.tunnel.sources:
        keep_setting(directory, "tunnel.sources", list(sources))


def _new_subjects(session: Session, subjects: Sequence[Planted]) -> Iterator[Planted]:
    """Yield the subjects that a portal does not look for yet: a command may be typed again."""
    tree = TopicTree(topic_rows.all_topics(session))
    examples = topic_rows.examples_of(session)
    queried = {example.topic for example in examples if example.origin is Origin.QUERY}
    for subject in subjects:
        topic = tree.find(subject.path)
        if topic is None or topic.id not in queried:
            yield subject


def subjects_in(request: CollectRequest) -> list[TopicPath]:
    """Return the subjects of a request as topic paths, each once, in their order."""
    lines = _lines_of(Path(request.subjects)) if request.subjects else []
    paths = [parse_path(line[:MAX_SUBJECT_CHARS]) for line in (*lines, *request.subject)]
    unique = list(dict.fromkeys(path for path in paths if path))
    if len(unique) > MAX_SUBJECTS:
        raise UsageError(f"There are {len(unique):,} subjects, and {MAX_SUBJECTS:,} are allowed.")
    if request.subjects and not unique:
        raise BadInputError(f"{request.subjects} names no subject; write one per line.")
    return unique


def find_hits(directory: Path, request: CollectRequest) -> list[str]:
    """Ask the search sources for the subjects that lack hits; return sentences for the user.

    The hits of each subject are written at once, so that an interruption loses nothing.
    """
    with Portal.writing(directory, "lode collect", request.crawl_request().settings) as portal:
        config = portal.config
        lacking = _subjects_without_hits(portal)
        names = request.source or config.tunnel.sources
        if not lacking:
            return []
        problems = run(_ask_sources(portal, lacking, names)) if names else [_no_source(lacking)]
        with portal.store.reading() as session:
            examples = topic_rows.examples_of(session)
    if all(example.origin is Origin.QUERY for example in examples):
        raise BadInputError(f"No subject has hits, so there is nothing to crawl for. {problems[0]}")
    return problems


def centroids_in(directory: Path, overrides: Sequence[str] = ()) -> list[CentroidView]:
    """Return what the centroid of each subject is made of, by the hits fetched so far."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        subjects = subjects_of(session, tree, portal.config.tunnel)
        model = fit_model(session, portal, with_meanings=False)
        views = []
        for subject in subjects:
            heaviest: dict[str, float] = {}
            if model is not None and not subject.is_dropped:
                terms = dict(model.centroids.heaviest_terms(int(subject.topic), CENTROID_TERMS))
                pages = [page_at_url(session, hit.url) for hit in subject.hits if not hit.problem]
                text = "\n".join(
                    f"{page.title}\n{text_of(session, page.id)}" for page in pages if page
                )
                words = spell(terms, text)
                heaviest = {words.get(term, f"#{term}"): weight for term, weight in terms.items()}
            views.append(_view(subject, heaviest, portal.config))
        return views


def dropped_reason(subject: CollectionSubject, config: Config) -> str:
    """Return why a subject has no centroid; empty if it has one."""
    if not subject.is_dropped:
        return ""
    if not subject.hits:
        return "no hits"
    least = config.tunnel.min_hits
    return f"{subject.used} of {len(subject.hits)} hits can be used, and {least} are needed"


def _view(subject: CollectionSubject, terms: dict[str, float], config: Config) -> CentroidView:
    hits = tuple(HitView(hit.url, hit.title, hit.problem) for hit in subject.hits)
    return CentroidView(subject.name, hits, terms, dropped_reason(subject, config))


def _lines_of(path: Path) -> list[str]:
    """Return the subjects in a file: its lines, or the folders of a bookmark file."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if b"<" in text[:1_000] and holds_bookmarks(path):
        return ["/".join(names) for names in _folder_paths(read_bookmarks(path), ())]
    try:
        lines = text.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text.") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _folder_paths(folder: Folder, path: TopicPath) -> list[TopicPath]:
    """Return the folders without folders in them."""
    below = [
        found
        for child in folder.folders
        for found in _folder_paths(child, (*path, child.name.replace("/", "-")))
    ]
    return below or ([path] if path else [])


def _planted(path: TopicPath) -> Planted:
    """Return a subject's topic, with its words as the query that hits are searched by."""
    words = " ".join(path[-2:])
    query = Example(_UNPLACED, None, title=words, text=words, origin=Origin.QUERY)
    return Planted(path, (query,))


def _settings(request: CollectRequest, config: Config) -> dict[str, object]:
    """Return the settings of a new portal."""
    given = dict(parse_override(override) for override in request.settings)
    seeds = [_seed(seed, config) for seed in request.seed]
    return {
        "crawl.policy": TUNNEL,
        **({"crawl.seeds": seeds} if seeds else {}),
        **({"tunnel.sources": list(request.source)} if request.source else {}),
        **request.chosen,
        **given,
    }


def _seed(url: str, config: Config) -> str:
    try:
        return address(url, rules=config.urls).url
    except UrlError as error:
        raise UsageError(f"{url[:200]} is no page to begin at: {error.kind}.") from error


def _check_new(request: CollectRequest, names: Sequence[TopicPath]) -> None:
    if not names:
        raise UsageError(
            "A new portal needs subjects: --subjects FILE with one per line, or --subject WORDS."
        )
    if not request.source:
        raise UsageError(
            "Name a search source for the hits of each subject: --source KIND:URL; "
            "'lode sources --kinds' lists the kinds."
        )


def _check_is_collection(directory: Path, config: Config) -> None:
    if not config.crawl.policy.startswith(TUNNEL):
        raise UsageError(
            f"{directory} is crawled by {config.crawl.policy}, not for collections; "
            "name another directory, or add --policy tunnel."
        )


def _subjects_without_hits(portal: Portal) -> list[tuple[TopicId, str, str]]:
    """Return topic, name and query of the subjects that no source was asked for successfully."""
    with portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        examples = topic_rows.examples_of(session)
    has_documents = {example.topic for example in examples if example.origin is not Origin.QUERY}
    return [
        (example.topic, "/".join(tree.path(example.topic)), example.text or "")
        for example in examples
        if example.origin is Origin.QUERY and example.topic not in has_documents
    ]


async def _ask_sources(
    portal: Portal, lacking: Sequence[tuple[TopicId, str, str]], names: Sequence[str]
) -> list[str]:
    """Ask for the hits of each subject, and return one sentence for each problem."""
    problems: dict[str, None] = {}
    thin: list[str] = []
    async with open_sources(portal.config, names) as sources:
        for topic, name, query in lacking:
            answer: SourceAnswer = await sources.search(query, HITS_ASKED)
            problems.update(dict.fromkeys(answer.problems))
            _write_hits(portal, topic, answer)
            if len(answer.hits) < portal.config.tunnel.min_hits:
                thin.append(f"'{name}' ({len(answer.hits)})")
    sentences = list(problems)
    if thin:
        least = portal.config.tunnel.min_hits
        sentences.append(
            f"Fewer than {least} hits, so these subjects are dropped: {', '.join(thin)}. "
            "Try other words, or another --source."
        )
    return sentences


def _write_hits(portal: Portal, topic: TopicId, answer: SourceAnswer) -> None:
    hits = [
        Example(
            topic,
            hit.url,
            title=hit.title[:MAX_SNIPPET_CHARS],
            note=hit.snippet[:MAX_SNIPPET_CHARS],
            origin=Origin.HIT,
        )
        for hit in answer.hits
    ]
    with portal.batch() as session:
        topic_rows.add_examples(session, hits)


def _no_source(lacking: Sequence[tuple[TopicId, str, str]]) -> str:
    names = ", ".join(f"'{name}'" for _, name, _ in lacking[:MAX_NAMED_SUBJECTS])
    others = len(lacking) - MAX_NAMED_SUBJECTS
    more = f" and {others} more" if others > 0 else ""
    return f"No source was named to find hits for {names}{more}; add --source KIND:URL."
