"""Marks on pages, and their effect on training, judgements, crawls and searches."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from motherlode.crawl.refresh import refresh_policy
from motherlode.explain.explainer import explain
from motherlode.policies import Visit
from motherlode.policies.bingo.archetype_list import (
    list_archetypes,
)
from motherlode.policies.bingo.user_retraining import (
    RetrainedModel,
    RetrainingOptions,
    rejudge,
    retrain,
    save_rejudged,
    save_retrained,
)
from motherlode.policies.policy import NO_MOVES, Moves, PolicyDefaults
from motherlode.portal import Portal
from motherlode.records import (
    ROOT,
    TOPIC_MODEL,
    BadInputError,
    Document,
    Entry,
    Follow,
    Judgement,
    Mark,
    Origin,
    PageId,
    QueueId,
    TopicId,
    UrlId,
    UsageError,
    Word,
)
from motherlode.search.last_search import ResultSet, load_last_search, save_last_search
from motherlode.search.ranking import parse_weights
from motherlode.search.service import SearchRequest
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import judgements_of
from motherlode.store.tables.marks import Marked, give_marks, take_back
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.feedback.mark_changes import (
    RequestedMarks,
    list_marks,
    new_marks,
    withdrawn_marks,
)
from motherlode.training.feedback.marks import MARKED_CONFIDENCE, PortalMarks
from motherlode.training.feedback.review import Effect
from motherlode.training.training_document import page_at_url
from motherlode.training.training_set import training_set_of
from motherlode.urls import address
from support.crawl_runs import SEEDS, examples_by, fields, go_out
from support.databases import both_databases
from support.search_portals import SamplePage, fill_portal, found_hosts, search_portal
from support.training_webs import EACH, VOCABULARY, add_example, number_of, place, planted, text

OWLS = [place("owl", number) for number in range(EACH)]
HERONS = [place("heron", number) for number in range(EACH)]
NEWS = [place("news", number) for number in range(EACH)]
PAGES = {
    place(kind, number): SamplePage(f"{kind.title()} {number}", text(kind, number))
    for kind in ("owl", "heron", "news")
    for number in range(EACH)
}
CRAWLED_TOPICS = {"owls": SEEDS, "bats": [], "OTHERS": []}
# A heron is among the owls' examples, so the topic is learned as both.
TOPICS = {"owls": [OWLS[0], HERONS[0]], "OTHERS": NEWS[:2]}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    settings = {"store__url": database_url} if database_url else {}
    planted(tmp_path / "p", TOPICS, learning__semantic="off", **settings)
    fill_portal(tmp_path / "p", PAGES)
    train(tmp_path / "p")
    return tmp_path / "p"


def try_training(path: Path, only: tuple[PageId, ...] | None = None) -> RetrainedModel:
    options = RetrainingOptions(only=only, offline=True)
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return retrain(session, portal.tree(), portal.config, options)


def train(path: Path, only: tuple[PageId, ...] | None = None) -> Effect:
    retrained = try_training(path, only)
    with Portal.crawling(path, "test") as portal:
        save_retrained(portal, retrained, {})
    return retrained.effect


def mark(
    path: Path,
    topic: str | None = None,
    now: float = 1.0,
    **urls_by_word: Sequence[str],
) -> list[Mark]:
    urls: dict[str, Any] = {word: tuple(given) for word, given in urls_by_word.items()}
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        tree = portal.tree()
        topic_id = None if topic is None else tree.at(parse_path(topic)).id
        marks = new_marks(session, tree, RequestedMarks(**urls, topic=topic_id), now)
        give_marks(session, marks)
        return marks


def on_topic(path: Path, topic: str = "owls") -> set[str]:
    number = number_of(path, topic)
    accepted = {url: judgement for url, judgement in judged(path).items() if judgement.is_accepted}
    return {url for url, judgement in accepted.items() if judgement.topic == number}


def judged(path: Path) -> dict[str, Judgement]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        pages = {url: page.id for url in PAGES if (page := page_at_url(session, url)) is not None}
        judgements = judgements_of(session, list(pages.values()))
        return {url: judgements[page] for url, page in pages.items() if page in judgements}


def marks_of(path: Path) -> set[tuple[str, str, str]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        marks = list_marks(session, portal.tree())
        return {(mark.url, mark.word, mark.topic) for mark in marks}


def examples_of(path: Path, topic: str = "owls") -> set[str]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        documents = training_set_of(session, portal.tree(), portal.config.learning).documents
        return {str(document.example.url) for document in documents.get(number_of(path, topic), ())}


# --- the effect of marks ---


@both_databases
def test_three_bad_and_two_good_pages_move_the_others(portal: Path) -> None:
    assert on_topic(portal) >= set(HERONS)
    mark(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    assert on_topic(portal) >= set(HERONS)  # no training yet
    preview = try_training(portal).effect
    (flow,) = preview.flows
    assert (flow.before, flow.after, flow.pages) == ("owls", "OTHERS", EACH)
    assert on_topic(portal) >= set(HERONS)  # a trial saves nothing
    effect = train(portal)
    assert effect == preview
    assert on_topic(portal) == set(OWLS)
    departures = [page for page in effect.shifts if page.after == "OTHERS"]
    assert {page.url for page in departures} == set(HERONS)
    assert all((page.was or 0) > 0 > (page.margin or 0) for page in departures)
    assert [(estimate.topic, estimate.examples) for estimate in effect.topics] == [("owls", 3)]
    assert found_hosts(portal, "heron", topic="owls") == []
    hosts = {f"{host}.test" for host in found_hosts(portal, "owl", topic="owls")}
    assert {url.split("/")[2] for url in OWLS} >= hosts


def test_without_marks_nothing_moves(portal: Path) -> None:
    """The test above can fail."""
    effect = train(portal)
    assert (effect.shifted, effect.flows, effect.shifts) == (0, (), ())
    assert on_topic(portal) >= set(HERONS)


def test_marks_that_are_taken_back_leave_nothing_behind(portal: Path) -> None:
    before = judged(portal)
    mark(portal, "owls", 1.0, bad=HERONS[:3])
    mark(portal, "owls", 2.0, good=OWLS[2:4], clear=[HERONS[1]])
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert take_back(session) == 3
    assert marks_of(portal) == {(url, "bad", "owls") for url in HERONS[:3]}
    mark(portal, clear=["all"])
    assert marks_of(portal) == set()
    train(portal)
    after = judged(portal)
    old, new = (
        {url: (judgement.topic, judgement.confidence) for url, judgement in judgements.items()}
        for judgements in (before, after)
    )
    assert old == new


def test_a_dropped_example_is_neither_example_nor_counterexample(portal: Path) -> None:
    mark(portal, drop=[HERONS[0]])
    assert examples_of(portal) == {OWLS[0]}
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        training_set = training_set_of(session, opened.tree(), opened.config.learning)
        assert len(training_set.others[ROOT].user) == 2
    mark(portal, bad=[HERONS[0]])
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        training_set = training_set_of(session, opened.tree(), opened.config.learning)
        assert len(training_set.others[ROOT].user) == 3
        page = page_at_url(session, HERONS[0])
        assert page is not None
        assert page.id in training_set.example_pages


def test_a_page_marked_good_is_no_counterexample_any_more(portal: Path) -> None:
    mark(portal, "owls", good=[NEWS[0]])
    assert examples_of(portal) == {OWLS[0], HERONS[0], NEWS[0]}
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        training_set = training_set_of(session, opened.tree(), opened.config.learning)
        assert len(training_set.others[ROOT].user) == 1


def test_an_example_that_is_given_again_loses_its_bad_mark(portal: Path) -> None:
    mark(portal, bad=[HERONS[0]])
    assert HERONS[0] not in examples_of(portal)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        tree = opened.tree()
        owls = number_of(portal, "owls")
        give_marks(session, withdrawn_marks(session, tree, [HERONS[0]], owls, 2.0))
    assert HERONS[0] in examples_of(portal)


# --- marks and judgements ---


def test_marks_overrule_the_model(portal: Path) -> None:
    mark(portal, "owls", good=[NEWS[4]])
    mark(portal, bad=[OWLS[0]], now=2.0)
    with Portal.writing(portal, "test") as opened:
        with opened.store.reading() as session:  # by the model from before the marks
            rejudged = rejudge(session, opened.tree(), None, lambda _done, _total: None)
        assert save_rejudged(opened, rejudged) == len(PAGES)
    good, bad = judged(portal)[NEWS[4]], judged(portal)[OWLS[0]]
    assert (good.topic, good.confidence) == (number_of(portal, "owls"), MARKED_CONFIDENCE)
    assert (bad.topic, bad.confidence) == (ROOT, 0.0)
    moves = {(page.before, page.after) for page in rejudged.effect.shifts}
    assert moves == {("owls", "OTHERS"), ("OTHERS", "owls")}
    assert (
        search_portal(portal, "tawny OR barn").results[0].marked
        or search_portal(portal, "barn").results[0].marked
    )
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        explanation = explain(session, opened.config, address(OWLS[0]))
        assert explanation is not None
        assert explanation.marked == ("bad for owls",)


def test_a_page_marked_bad_goes_to_the_parent_topic(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"birds/owls": [], "birds/herons": [], "news": []})
    with Portal.reading(path) as portal:
        tree = portal.tree()
    birds, owls, herons, news = (
        number_of(path, name) for name in ("birds", "birds/owls", "birds/herons", "news")
    )
    first, second, third = PageId(1), PageId(2), PageId(3)
    marks = PortalMarks(
        [
            Marked(Mark(first, owls, Word.BAD, 1.0), "http://a.test/", ""),
            Marked(Mark(second, birds, Word.BAD, 1.0), "http://b.test/", ""),
            Marked(Mark(third, birds, Word.GOOD, 1.0), "http://c.test/", ""),
        ],
        tree,
    )

    def overruled(page: PageId, topic: TopicId) -> tuple[TopicId, float]:
        judgement = marks.overrule(page, Judgement(topic, 0.4))
        return judgement.topic, judgement.confidence

    assert overruled(first, owls) == (birds, 0.4)
    assert overruled(first, herons) == (herons, 0.4)
    assert overruled(second, owls) == overruled(second, birds) == (ROOT, 0.0)
    assert overruled(second, news) == (news, 0.4)
    assert overruled(third, owls) == (owls, 0.4)
    assert overruled(third, news) == (birds, MARKED_CONFIDENCE)
    assert marks.excludes(second, owls)
    assert not marks.excludes(first, birds)
    assert [(example.topic, example.url) for example in marks.counterexamples()] == [
        (birds, "http://a.test/"),
        (ROOT, "http://b.test/"),
    ]


def test_a_new_mark_withdraws_marks_that_contradict_it(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"birds/owls": [], "news": []})
    fill_portal(path, {OWLS[0]: SamplePage("Owl", text("owl", 0), topic="birds/owls")})
    mark(path, "birds/owls", 1.0, good=[OWLS[0]])
    mark(path, "birds", 2.0, bad=[OWLS[0]])
    assert marks_of(path) == {(OWLS[0], "bad", "birds")}
    mark(path, "birds/owls", 3.0, good=[OWLS[0]])
    assert marks_of(path) == {(OWLS[0], "good", "birds/owls")}
    mark(path, "news", 4.0, bad=[OWLS[0]])
    assert marks_of(path) == {(OWLS[0], "good", "birds/owls"), (OWLS[0], "bad", "news")}


def test_without_a_topic_the_page_is_marked_for_its_own(portal: Path) -> None:
    (bad,) = mark(portal, bad=[OWLS[0]])
    assert bad.topic == number_of(portal, "owls")
    (nowhere,) = mark(portal, bad=[NEWS[3]])
    assert nowhere.topic == ROOT
    (only,) = mark(portal, good=[NEWS[3]])[:1]
    assert only.topic == number_of(portal, "owls")  # there is no other


# --- crawls ---


def paused_crawl(folder: Path) -> Path:
    """Return a portal whose crawl waits for feedback."""
    settings: dict[str, Any] = {"crawl__learn_at_home": False, "crawl__learn_pages": 10}
    path = planted(folder / "p", CRAWLED_TOPICS, **settings)
    go_out(path, folder / "web", fields(), feedback=True)
    return path


def archetype_urls(path: Path) -> list[str]:
    return [str(example.url) for example in examples_by(path, Origin.ARCHETYPE)]


def test_marks_hold_through_the_retrainings_of_a_crawl(tmp_path: Path) -> None:
    path = paused_crawl(tmp_path)
    bad, dropped, *rest = archetype_urls(path)
    assert rest
    mark(path, "owls", bad=[bad], drop=[dropped])
    with Portal.reading(path) as portal, portal.store.reading() as session:
        listed = {archetype.url for archetype in list_archetypes(session, portal.tree())}
        assert not {bad, dropped} & listed
    go_out(path, tmp_path / "web")
    assert not {bad, dropped} & examples_of(path)
    assert examples_of(path) >= set(SEEDS)
    with Portal.reading(path) as portal, portal.store.reading() as session:
        page = page_at_url(session, bad)
        assert page is not None
        judgement = judgements_of(session, [page.id])[page.id]
        assert (judgement.topic, judgement.confidence <= 0) == (ROOT, True)


def test_dropped_pages_never_become_archetypes_again(tmp_path: Path) -> None:
    """Pages without marks do, as test_feedback.py shows."""
    path = paused_crawl(tmp_path)
    dropped = archetype_urls(path)
    assert dropped
    mark(path, drop=dropped)
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        for url in dropped:
            assert topic_rows.remove_example(session, number_of(path, "owls"), url)
    go_out(path, tmp_path / "web")
    assert not set(archetype_urls(path)) & set(dropped)


class _OwlsOnly(PolicyDefaults):
    """A policy that judges every page to be on one topic."""

    name = "owls"

    def __init__(self, topic: TopicId) -> None:
        self.topic = topic

    def seed(self) -> Iterator[Follow]:
        return iter(())

    def judge(self, visits: Sequence[Visit]) -> list[Judgement | None]:
        return [Judgement(self.topic, 0.9)] * len(visits)

    def steer(self, _visit: Visit, _judgement: Judgement | None) -> Moves:
        return NO_MOVES


def test_a_refresh_respects_marks(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"owls": []})
    fill_portal(path, PAGES)
    owls = number_of(path, "owls")
    mark(path, "owls", bad=[OWLS[0]])
    with Portal.reading(path) as portal:
        policy = refresh_policy(portal, _OwlsOnly(owls))
    visits = [
        Visit(Entry(UrlId(0), url, address(url).key, QueueId(owls), 1.0), Document())
        for url in (OWLS[0], OWLS[1])
    ]
    assert policy.judge(visits) == [
        Judgement(ROOT, 0.0),
        Judgement(owls, 0.9),
    ]


# --- the result set ---


def search_request(text: str, **parts: Any) -> SearchRequest:
    return SearchRequest(parse_weights("bm25=1,confidence=3"), text, **parts)


def search_for(path: Path, text: str, **parts: Any) -> list[str]:
    results = search_portal(path, text, "bm25=1,confidence=3", **parts)
    with Portal.reading(path) as portal:
        save_last_search(portal, search_request(text, **parts), results)
    return [result.url for result in results.results]


@both_databases
def test_only_the_result_set_is_judged_again_and_its_order_shown(portal: Path) -> None:
    first = search_for(portal, "heron OR mice", topic="owls")
    mark(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        results = ResultSet(opened, session, opened.tree())
        assert len(results.pages) >= len(first)
        options = RetrainingOptions(only=results.pages, offline=True)
        retrained = retrain(session, opened.tree(), opened.config, options)
        moved = results.order(dict(retrained.judgements))
        order = {result.url: (result.before, result.after) for result in moved}
    assert [order[url][0] for url in first] == list(range(1, len(first) + 1))
    assert {url for url, (_, after) in order.items() if after is None} == set(HERONS) & set(order)
    assert set(HERONS) & set(order)
    model = judged(portal)[NEWS[0]].model
    train(portal, results.pages)
    models = {url: judgement.model for url, judgement in judged(portal).items()}
    assert models[NEWS[0]] == model
    assert models[first[0]] != model
    second = search_for(portal, "heron OR mice", topic="owls")
    positions = {after: url for url, (_, after) in order.items() if after}
    assert second == [positions[after] for after in sorted(positions)]


def test_the_last_search_is_remembered_with_its_further_pages(portal: Path) -> None:
    pages = [search_for(portal, "owl OR heron", limit=3, page=page) for page in (1, 2)]
    with Portal.reading(portal) as opened:
        last = load_last_search(opened)
        assert last is not None
        assert last.results == dict(enumerate(pages[0] + pages[1], start=1))
        search_for(portal, "minister")
        last = load_last_search(opened)
        assert last is not None
        assert set(last.results.values()) <= set(NEWS)
        (portal / "index" / "last-search").write_bytes(b"\xff\x00")
        assert load_last_search(opened) is None
        (portal / "index" / "last-search").unlink()
        no_search = pytest.raises(UsageError, match="There is no last search")
        with opened.store.reading() as session, no_search:
            ResultSet(opened, session, opened.tree())


# --- wrong requests ---


def test_a_wrong_request_is_refused_and_nothing_is_marked(portal: Path) -> None:
    add_example(portal, "owls", url="http://nowhere.test/", title="Owls that were never fetched")
    wrong: dict[str, dict[str, object]] = {
        "is no page of the portal": {"good": [OWLS[0], "http://nowhere.test/"]},
        "at once": {"good": [OWLS[0]], "bad": [OWLS[0]]},
        "marked and cleared": {"good": [OWLS[0]], "clear": [OWLS[0]]},
        "is no training document": {"drop": [NEWS[5]]},
        "is not marked": {"clear": [OWLS[0]]},
        "Nothing is marked": {"clear": ["all"]},
        "OTHERS is where": {"good": [OWLS[0]], "topic": "OTHERS"},
        "The root has no examples": {"good": [OWLS[0]], "topic": "/"},
    }
    for sentence, arguments in wrong.items():
        with pytest.raises(UsageError, match=sentence):
            mark(portal, **arguments)  # type: ignore[arg-type]
    assert marks_of(portal) == set()


def test_a_page_on_no_topic_can_be_marked_good_for_a_named_topic(tmp_path: Path) -> None:
    path = fill_portal(planted(tmp_path / "p", {"owls": [], "bats": []}), PAGES)
    with pytest.raises(UsageError, match="say with --topic"):
        mark(path, good=[OWLS[0]])
    mark(path, "bats", good=[OWLS[0]])
    with (
        Portal.reading(path) as portal,
        portal.store.reading() as session,
        pytest.raises(BadInputError, match="Nothing was learned"),
    ):
        rejudge(session, portal.tree(), None, lambda _done, _total: None)


# --- a kill ---

TRAIN = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from motherlode.training.feedback import review as reviewing
from motherlode.training import training_set as training
from motherlode.policies.bingo.user_retraining import RetrainingOptions, retrain, save_retrained
from motherlode.portal import Portal
from support.training_webs import VOCABULARY
training.common_vocabulary = lambda: VOCABULARY
reviewing._BATCH_PAGES = 5
keep, kept = reviewing.keep_judgements, []
def keep_some(session, rows):
    if len(kept) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    keep(session, rows)
    kept.append(rows)
reviewing.keep_judgements = keep_some
with Portal.crawling(Path(sys.argv[1]), "test") as portal:
    with portal.store.reading() as session:
        options = RetrainingOptions(offline=True)
        retrained = retrain(session, portal.tree(), portal.config, options)
    save_retrained(portal, retrained, {})
"""


@both_databases
def test_a_kill_while_judging_leaves_everything_as_it_was(portal: Path) -> None:
    mark(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    before = judged(portal)
    tests = str(Path(__file__).parents[3])
    run = subprocess.run([sys.executable, "-c", TRAIN, str(portal), tests], check=False, timeout=60)
    assert run.returncode == -9
    assert judged(portal) == before
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, TOPIC_MODEL)
        assert model is not None
        assert {judgement.model for judgement in before.values()} == {model.id}
    train(portal)
    assert on_topic(portal) == set(OWLS)
