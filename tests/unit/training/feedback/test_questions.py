"""Which pages of a portal a user is asked about."""

from pathlib import Path

import pytest

from motherlode.policies.bingo.user_retraining import retrain
from motherlode.portal import Portal
from motherlode.records import Mark, Word
from motherlode.store.tables.marks import give_marks
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.feedback.questions import PageQuestion, choose_questions
from motherlode.training.topic_model import latest_classifier
from motherlode.training.training_document import page_at_url
from motherlode.training.user_retraining import RetrainingOptions, save_retrained
from support.databases import both_databases
from support.search_portals import SamplePage, fill_portal
from support.training_webs import EACH, VOCABULARY, number_of, place, planted, text

PAGES = {
    place(kind, number): SamplePage(f"{kind.title()} {number}", text(kind, number))
    for kind in ("owl", "heron", "news")
    for number in range(EACH)
}
TOPICS = {
    "owls": [place("owl", 0), place("owl", 1)],
    "herons": [place("heron", 0)],
    "OTHERS": [place("news", 0)],
}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def portal(tmp_path: Path, database_url: str) -> Path:
    settings = {"store__url": database_url} if database_url else {}
    planted(tmp_path / "p", TOPICS, learning__semantic="off", **settings)
    fill_portal(tmp_path / "p", PAGES)
    with Portal.crawling(tmp_path / "p", "test") as opened:
        with opened.store.reading() as session:
            options = RetrainingOptions(offline=True)
            retrained = retrain(session, opened.tree(), opened.config, options)
        save_retrained(opened, retrained, {})
    return tmp_path / "p"


def questions(path: Path, count: int, topic: str | None = None) -> list[tuple[str, str]]:
    """Return the topic and the URL of each question."""
    with Portal.reading(path) as opened, opened.store.reading() as session:
        tree = opened.tree()
        classifier = latest_classifier(session, tree)
        assert classifier is not None
        within = None if topic is None else tree.at(parse_path(topic)).id
        urls = {page.id: url for url in PAGES if (page := page_at_url(session, url)) is not None}

        def shown(question: PageQuestion) -> tuple[str, str]:
            return "/".join(tree.path(question.topic)), urls[question.page]

        return [shown(q) for q in choose_questions(session, tree, classifier, count, within)]


@both_databases
def test_topics_are_asked_about_in_turn_and_each_page_once(portal: Path) -> None:
    asked = questions(portal, 4)
    assert [topic for topic, _ in asked][:2] == ["herons", "owls"]  # fewest examples first
    assert len({url for _, url in asked}) == len(asked) == 4
    assert {topic for topic, _ in questions(portal, 3, "owls")} == {"owls"}


def test_what_a_user_has_judged_is_not_asked(portal: Path) -> None:
    examples = {url for urls in TOPICS.values() for url in urls}
    asked = questions(portal, len(PAGES))
    assert not examples & {url for _, url in asked}
    marked = asked[0][1]
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        page = page_at_url(session, marked)
        assert page is not None
        give_marks(session, [Mark(page.id, number_of(portal, "owls"), Word.BAD, 1.0)])
    assert marked not in {url for _, url in questions(portal, len(PAGES))}


def test_the_same_state_gives_the_same_questions(portal: Path) -> None:
    assert questions(portal, 5) == questions(portal, 5)
