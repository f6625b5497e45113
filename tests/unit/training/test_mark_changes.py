"""What is marked in search results, what is learned from it, and what moves."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from motherlode.crawl.refresh import policy_of
from motherlode.documents.spaces import TERMS
from motherlode.explain.explainer import explain
from motherlode.policies import Visit
from motherlode.policies.bingo.feedback import archetypes
from motherlode.policies.bingo.relearning import (
    Relearned,
    Wanted,
    keep_relearned,
    keep_reviewed,
    relearn,
    review,
)
from motherlode.portal import Portal
from motherlode.records import (
    ROOT,
    BadInputError,
    Document,
    Entry,
    Follow,
    Judgement,
    Mark,
    Origin,
    PageId,
    TopicId,
    UrlId,
    UsageError,
    Word,
)
from motherlode.search.last_search import ResultSet, load_last_search, save_last_search
from motherlode.search.ranking import parse_weights
from motherlode.search.service import SearchRequest
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.judged import judgements_of
from motherlode.store.marks import Marked, give_marks, take_back
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.mark_changes import Sayings, marks_from, marks_listed, withdrawn
from motherlode.training.marks import LEAST, Marks
from motherlode.training.review import Effect, Flow
from motherlode.training.training_set import page_behind, syllabus_of
from motherlode.urls import address
from support.crawl_runs import SEEDS, examples_by, fields, go_out
from support.databases import both_databases
from support.search_portals import Paper, found, searched, shelve
from support.training_webs import EACH, VOCABULARY, add_example, number_of, place, planted, text

OWLS = [place("owl", n) for n in range(EACH)]
HERONS = [place("heron", n) for n in range(EACH)]
NEWS = [place("news", n) for n in range(EACH)]
PAPERS = {
    place(kind, n): Paper(f"{kind.title()} {n}", text(kind, n))
    for kind in ("owl", "heron", "news")
    for n in range(EACH)
}
OUTING = {"owls": SEEDS, "bats": [], "OTHERS": []}
# A heron among the owls' examples: the topic is taken to be about both.
TOPICS = {"owls": [OWLS[0], HERONS[0]], "OTHERS": NEWS[:2]}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    settings = {"store__url": database_url} if database_url else {}
    planted(tmp_path / "p", TOPICS, learning__semantic="off", **settings)  # if it can be had here or not
    shelve(tmp_path / "p", PAPERS)
    train(tmp_path / "p")
    return tmp_path / "p"


def learned(path: Path, only: tuple[PageId, ...] | None = None) -> Relearned:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return relearn(session, portal.tree(), portal.config, Wanted(only=only, offline=True))


def train(path: Path, only: tuple[PageId, ...] | None = None) -> Effect:
    made = learned(path, only)
    with Portal.crawling(path, "test") as portal:
        keep_relearned(portal, made, {})
    return made.effect


def say(path: Path, topic: str | None = None, now: float = 1.0, **said: Sequence[str]) -> list[Mark]:
    given = {way: tuple(urls) for way, urls in said.items()}
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        tree = portal.tree()
        meant = None if topic is None else tree.at(parse_path(topic)).id
        made = marks_from(session, tree, Sayings(**given, topic=meant), now)  # type: ignore[arg-type]
        give_marks(session, made)
        return made


def on_topic(path: Path, topic: str = "owls") -> set[str]:
    number = number_of(path, topic)
    return {url for url, said in judged(path).items() if said.topic == number and said.confidence > 0}


def judged(path: Path) -> dict[str, Judgement]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        pages = {url: page.id for url in PAPERS if (page := page_behind(session, url)) is not None}
        known = judgements_of(session, list(pages.values()))
        return {url: known[page] for url, page in pages.items() if page in known}


def words(path: Path) -> set[tuple[str, str, str]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return {(one.url, one.word, one.topic) for one in marks_listed(session, portal.tree())}


def taught(path: Path, topic: str = "owls") -> set[str]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        lessons = syllabus_of(session, portal.tree(), portal.config.learning).lessons
        return {str(one.example.url) for one in lessons.get(number_of(path, topic), ())}


# --- what moves ---


@both_databases
def test_three_bad_and_two_good_pages_move_the_others(portal: Path) -> None:
    assert on_topic(portal) >= set(HERONS)
    say(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    assert on_topic(portal) >= set(HERONS)  # nothing was learned yet
    before = learned(portal).effect
    assert Flow("owls", "OTHERS", EACH) in before.flows
    assert on_topic(portal) >= set(HERONS)  # it was only looked at
    effect = train(portal)
    assert effect == before
    assert on_topic(portal) == set(OWLS)
    assert {one.url for one in effect.shifts if one.after == "OTHERS"} == set(HERONS)
    assert all((one.was or 0) > 0 > one.confidence for one in effect.shifts if one.after == "OTHERS")
    assert [one.topic for one in effect.topics] == ["owls"]
    assert [one.examples for one in effect.topics] == [3]
    assert found(portal, "heron", topic="owls") == []
    assert {one.split("/")[2] for one in OWLS} >= {
        f"{host}.test" for host in found(portal, "owl", topic="owls")
    }


def test_without_marks_nothing_moves(portal: Path) -> None:
    """That the test above can fail."""
    effect = train(portal)
    assert (effect.shifted, effect.flows, effect.shifts) == (0, (), ())
    assert on_topic(portal) >= set(HERONS)


def test_what_is_taken_back_leaves_nothing_behind(portal: Path) -> None:
    before = judged(portal)
    say(portal, "owls", 1.0, bad=HERONS[:3])
    say(portal, "owls", 2.0, good=OWLS[2:4], clear=[HERONS[1]])
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert take_back(session) == 3
    assert words(portal) == {(url, "bad", "owls") for url in HERONS[:3]}
    say(portal, clear=["all"])
    assert words(portal) == set()
    train(portal)
    after = judged(portal)
    assert {url: (one.topic, one.confidence) for url, one in before.items()} == {
        url: (one.topic, one.confidence) for url, one in after.items()
    }


def test_a_dropped_example_teaches_nothing_and_is_no_counterexample(portal: Path) -> None:
    say(portal, drop=[HERONS[0]])
    assert taught(portal) == {OWLS[0]}
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        syllabus = syllabus_of(session, opened.tree(), opened.config.learning)
        assert len(syllabus.others[ROOT].user) == 2
    say(portal, bad=[HERONS[0]])
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        syllabus = syllabus_of(session, opened.tree(), opened.config.learning)
        assert len(syllabus.others[ROOT].user) == 3
        assert page_behind(session, HERONS[0]).id in syllabus.shown  # type: ignore[union-attr]


def test_what_is_good_is_no_counterexample_any_more(portal: Path) -> None:
    say(portal, "owls", good=[NEWS[0]])
    assert taught(portal) == {OWLS[0], HERONS[0], NEWS[0]}
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert len(syllabus_of(session, opened.tree(), opened.config.learning).others[ROOT].user) == 1


def test_an_example_that_a_person_names_again_is_one(portal: Path) -> None:
    say(portal, bad=[HERONS[0]])
    assert HERONS[0] not in taught(portal)
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        tree = opened.tree()
        give_marks(session, withdrawn(session, tree, [HERONS[0]], number_of(portal, "owls"), 2.0))
    assert HERONS[0] in taught(portal)


# --- a person's word ---


def test_a_persons_word_counts_whatever_the_model_thinks(portal: Path) -> None:
    say(portal, "owls", good=[NEWS[4]])
    say(portal, bad=[OWLS[0]], now=2.0)
    with Portal.writing(portal, "test") as opened:
        with opened.store.reading() as session:  # by the model that knows nothing of it
            made = review(session, opened.tree(), None, lambda _done, _of: None)
        assert keep_reviewed(opened, made) == len(PAPERS)
    assert judged(portal)[NEWS[4]].topic == number_of(portal, "owls")
    assert judged(portal)[NEWS[4]].confidence == LEAST
    assert (judged(portal)[OWLS[0]].topic, judged(portal)[OWLS[0]].confidence) == (ROOT, 0.0)
    assert {(one.before, one.after) for one in made.effect.shifts} == {("owls", "OTHERS"), ("OTHERS", "owls")}
    assert searched(portal, "tawny OR barn").results[0].marked or searched(portal, "barn").results[0].marked
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        told = explain(session, opened.config, address(OWLS[0]))
        assert told is not None
        assert told.marked == ("bad for owls",)


def test_below_a_topic_a_bad_page_goes_to_the_one_above(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"birds/owls": [], "birds/herons": [], "news": []})
    with Portal.reading(path) as portal:
        tree = portal.tree()
    birds, owls, herons, news = (
        number_of(path, name) for name in ("birds", "birds/owls", "birds/herons", "news")
    )
    one, two, three = PageId(1), PageId(2), PageId(3)
    marks = Marks(
        [
            Marked(Mark(one, owls, Word.BAD, 1.0), "http://a.test/", ""),
            Marked(Mark(two, birds, Word.BAD, 1.0), "http://b.test/", ""),
            Marked(Mark(three, birds, Word.GOOD, 1.0), "http://c.test/", ""),
        ],
        tree,
    )

    def now(page: PageId, topic: TopicId) -> tuple[TopicId, float]:
        said = marks.overrule(page, Judgement(topic, 0.4))
        return said.topic, said.confidence

    assert now(one, owls) == (birds, 0.4)
    assert now(one, herons) == (herons, 0.4)
    assert now(two, owls) == now(two, birds) == (ROOT, 0.0)
    assert now(two, news) == (news, 0.4)
    assert now(three, owls) == (owls, 0.4)
    assert now(three, news) == (birds, LEAST)
    assert marks.keep_out(two, owls)
    assert not marks.keep_out(one, birds)
    assert [(example.topic, example.url) for example in marks.counterexamples()] == [
        (birds, "http://a.test/"),
        (ROOT, "http://b.test/"),
    ]


def test_a_new_word_takes_back_what_contradicts_it(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"birds/owls": [], "news": []})
    shelve(path, {OWLS[0]: Paper("Owl", text("owl", 0), topic="birds/owls")})
    say(path, "birds/owls", 1.0, good=[OWLS[0]])
    say(path, "birds", 2.0, bad=[OWLS[0]])
    assert words(path) == {(OWLS[0], "bad", "birds")}
    say(path, "birds/owls", 3.0, good=[OWLS[0]])
    assert words(path) == {(OWLS[0], "good", "birds/owls")}
    say(path, "news", 4.0, bad=[OWLS[0]])
    assert words(path) == {(OWLS[0], "good", "birds/owls"), (OWLS[0], "bad", "news")}


def test_the_topic_that_a_page_is_on_is_meant(portal: Path) -> None:
    (bad,) = say(portal, bad=[OWLS[0]])
    assert bad.topic == number_of(portal, "owls")
    (nowhere,) = say(portal, bad=[NEWS[3]])
    assert nowhere.topic == ROOT
    (only,) = say(portal, good=[NEWS[3]])[:1]
    assert only.topic == number_of(portal, "owls")  # there is no other


# --- crawls ---


def test_marks_hold_through_the_lessons_of_a_crawl(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", OUTING, crawl__learn_at_home=False, crawl__learn_pages=10)
    go_out(path, tmp_path / "web", fields(), feedback=True)
    bad, dropped, *rest = [str(one.url) for one in examples_by(path, Origin.ARCHETYPE)]
    assert rest
    say(path, "owls", bad=[bad], drop=[dropped])
    with Portal.reading(path) as portal, portal.store.reading() as session:
        assert not {bad, dropped} & {one.url for one in archetypes(session, portal.tree())}
    go_out(path, tmp_path / "web")
    assert not {bad, dropped} & taught(path)
    assert taught(path) >= set(SEEDS)
    with Portal.reading(path) as portal, portal.store.reading() as session:
        page = page_behind(session, bad)
        assert page is not None
        said = judgements_of(session, [page.id])[page.id]
        assert (said.topic, said.confidence <= 0) == (ROOT, True)


def test_what_was_dropped_is_never_chosen_again(tmp_path: Path) -> None:
    """That pages do come back of which nothing was said, test_feedback.py shows."""
    path = planted(tmp_path / "p", OUTING, crawl__learn_at_home=False, crawl__learn_pages=10)
    go_out(path, tmp_path / "web", fields(), feedback=True)
    chosen = [str(one.url) for one in examples_by(path, Origin.ARCHETYPE)]
    assert chosen
    say(path, drop=chosen)
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        for url in chosen:
            assert topic_rows.remove_example(session, number_of(path, "owls"), url)
    go_out(path, tmp_path / "web")
    assert not {str(one.url) for one in examples_by(path, Origin.ARCHETYPE)} & set(chosen)


class _SaysOwls:
    """A policy that thinks everything is of one topic."""

    spaces: Sequence[str] = (TERMS,)

    def __init__(self, topic: TopicId) -> None:
        self.topic = topic

    def seed(self) -> Iterator[Follow]:
        return iter(())

    def judge(self, visits: Sequence[Visit]) -> list[Judgement | None]:
        return [Judgement(self.topic, 0.9)] * len(visits)

    def steer(self, _visit: Visit, _judgement: Judgement | None) -> Iterator[Follow]:
        return iter(())


def test_a_refresh_keeps_to_what_was_marked(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"owls": []})
    shelve(path, PAPERS)
    owls = number_of(path, "owls")
    say(path, "owls", bad=[OWLS[0]])
    with Portal.reading(path) as portal:
        policy = policy_of(portal, _SaysOwls(owls))
    visits = [
        Visit(Entry(UrlId(0), url, address(url).key, owls, 1.0), Document()) for url in (OWLS[0], OWLS[1])
    ]
    assert policy.judge(visits) == [Judgement(ROOT, 0.0), Judgement(owls, 0.9)]


# --- the result set ---


def asked(text: str, **parts: object) -> SearchRequest:
    return SearchRequest(parse_weights("bm25=1,confidence=3"), text, **parts)  # type: ignore[arg-type]


def search_for(path: Path, text: str, **parts: object) -> list[str]:
    results = searched(path, text, "bm25=1,confidence=3", **parts)
    with Portal.reading(path) as portal:
        save_last_search(portal, asked(text, **parts), results)
    return [one.url for one in results.results]


@both_databases
def test_only_the_result_set_is_judged_anew_and_its_order_shown(portal: Path) -> None:
    first = search_for(portal, "heron OR mice", topic="owls")
    say(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        results = ResultSet(opened, session, opened.tree())
        assert len(results.pages) >= len(first)
        made = relearn(session, opened.tree(), opened.config, Wanted(only=results.pages, offline=True))
        order = {one.url: (one.before, one.after) for one in results.order(dict(made.thoughts))}
    assert [order[url][0] for url in first] == list(range(1, len(first) + 1))
    assert {url for url, (_, after) in order.items() if after is None} == set(HERONS) & set(order)
    assert set(HERONS) & set(order)
    model = judged(portal)[NEWS[0]].model
    train(portal, results.pages)
    after = {url: one.model for url, one in judged(portal).items()}
    assert after[NEWS[0]] == model
    assert after[first[0]] != model
    now = search_for(portal, "heron OR mice", topic="owls")
    assert now == [url for url, (_, place) in sorted(order.items(), key=lambda one: one[1][1] or 99) if place]


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
        with opened.store.reading() as session, pytest.raises(UsageError, match="There is no last search"):
            ResultSet(opened, session, opened.tree())


# --- what cannot be done ---


def test_what_cannot_be_marked_is_said_and_nothing_is_kept(portal: Path) -> None:
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
    for sentence, said in wrong.items():
        with pytest.raises(UsageError, match=sentence):
            say(portal, **said)  # type: ignore[arg-type]
    assert words(portal) == set()


def test_a_page_on_no_topic_is_good_for_one_that_is_named(tmp_path: Path) -> None:
    path = shelve(planted(tmp_path / "p", {"owls": [], "bats": []}), PAPERS)
    with pytest.raises(UsageError, match="say with --topic"):
        say(path, good=[OWLS[0]])
    say(path, "bats", good=[OWLS[0]])
    with (
        Portal.reading(path) as portal,
        portal.store.reading() as session,
        pytest.raises(BadInputError, match="Nothing was learned"),
    ):
        review(session, portal.tree(), None, lambda _done, _of: None)


# --- a kill ---

TRAIN = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from motherlode.training import review as reviewing
from motherlode.training import training_set as training
from motherlode.policies.bingo.relearning import Wanted, keep_relearned, relearn
from motherlode.portal import Portal
from support.training_webs import VOCABULARY
training.common_vocabulary = lambda: VOCABULARY
reviewing._AT_ONCE = 5
keep, kept = reviewing.keep_judgements, []
def keep_some(session, made):
    if len(kept) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    keep(session, made)
    kept.append(made)
reviewing.keep_judgements = keep_some
with Portal.crawling(Path(sys.argv[1]), "test") as portal:
    with portal.store.reading() as session:
        made = relearn(session, portal.tree(), portal.config, Wanted(offline=True))
    keep_relearned(portal, made, {})
"""


@both_databases
def test_a_kill_while_judging_leaves_everything_as_it_was(portal: Path) -> None:
    say(portal, "owls", bad=HERONS[:3], good=OWLS[2:4])
    before = judged(portal)
    tests = str(Path(__file__).parents[2])
    run = subprocess.run([sys.executable, "-c", TRAIN, str(portal), tests], check=False, timeout=60)
    assert run.returncode == -9
    assert judged(portal) == before
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        model = ledger.latest_model(session, training.KIND)
        assert model is not None
        assert {one.model for one in before.values()} == {model.id}
    train(portal)
    assert on_topic(portal) == set(OWLS)
