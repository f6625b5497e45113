"""A user's feedback on archetypes, and its effect on a crawl."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from motherlode.documents.features.spaces import TERMS
from motherlode.documents.text.terms import bag_of
from motherlode.learning.options import LearningOptions
from motherlode.policies.bingo import study
from motherlode.policies.bingo.archetype_list import (
    Archetype,
    Block,
    blocks_of,
    list_archetypes,
)
from motherlode.policies.bingo.archetypes import given_examples, without_new_subtopics
from motherlode.policies.bingo.feedback import (
    ALL,
    RequestedFeedback,
    changes_from,
    effect_of_changes,
    save_changes,
    undo_changes,
)
from motherlode.policies.bingo.levels import level_planes
from motherlode.policies.bingo.user_retraining import BINGO_TRAINING
from motherlode.portal import Portal
from motherlode.records import (
    ROOT,
    BadInputError,
    Example,
    Feedback,
    Judgement,
    Origin,
    PageId,
    RunEnd,
    Topic,
    TopicId,
    UsageError,
    Verdict,
)
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import count_pages
from motherlode.topics import TopicTree, parse_path
from motherlode.training import training_set as training
from motherlode.training.feedback.marks import PortalMarks, user_counterexamples
from motherlode.training.feedback.review import Effect
from motherlode.training.trainer import Trainer
from motherlode.training.training_document import page_at_url
from motherlode.training.training_set import training_set_of
from support.crawl_runs import FIELDS, SEEDS, examples_by, field, fields, go_out
from support.training_webs import (
    VOCABULARY,
    add_example,
    fetch,
    number_of,
    odd_pages,
    pages,
    place,
    planted,
    text,
)

TOPICS = {"owls": SEEDS, "bats": [], "OTHERS": []}


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal whose crawl has learned and waits for feedback, beside its web; to be copied."""
    folder = tmp_path_factory.mktemp("paused")
    portal = planted(folder / "p", TOPICS, bingo__learn_at_home=False, bingo__learn_pages=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        progress = go_out(portal, folder / "web", fields(), feedback=True)
    assert (progress.end, progress.phase) == (RunEnd.FEEDBACK, "learning")
    return folder


@pytest.fixture
def birds(paused: Path, tmp_path: Path) -> Path:
    shutil.copytree(paused / "p", tmp_path / "p")
    return tmp_path / "p"


def give_feedback(portal: Path, requested: RequestedFeedback, now: float = 1.0) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        save_changes(session, changes_from(session, opened.tree(), requested, now))


def effect_of(portal: Path, requested: RequestedFeedback) -> Effect:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        changes = changes_from(session, tree, requested, 1.0)
        return effect_of_changes(session, tree, opened.config, changes, BINGO_TRAINING)


def archetypes_of(portal: Path, topic: str = "/") -> list[Archetype]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return list_archetypes(session, opened.tree(), opened.tree().at(parse_path(topic)).id)


def archetype_urls(portal: Path) -> list[str]:
    return [str(example.url) for example in examples_by(portal, Origin.ARCHETYPE)]


def topic_at(portal: Path, path: str) -> Topic:
    with Portal.reading(portal) as opened:
        return opened.tree().at(parse_path(path))


def blocks(portal: Path, url: str) -> list[Block]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return blocks_of(session, url)[1]


def verdicts(portal: Path, path: str) -> list[tuple[Verdict, str]]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        given = ledger.feedback_on(session, number_of(portal, path))
        return [(feedback.verdict, feedback.note) for feedback in given]


def training_text(portal: Path, url: str) -> str:
    """Return the text that is learned from the example at a URL."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        by_topic = training_set_of(session, opened.tree(), LearningOptions()).documents.values()
        all_documents = [document for documents in by_topic for document in documents]
        (document,) = (document for document in all_documents if document.example.url == url)
        assert document.page is not None
        text = f"{document.document.title}: {document.document.text}"
        assert document.sample[TERMS].pack() == bag_of(text, "en").pack()
        return text


def trained_model(portal: Path) -> bytes:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        examples = topic_rows.examples_of(session)
        tree, config = opened.tree(), opened.config
        trainer = Trainer(session, tree, config.learning)
        _, classifier = study.learn_levelled_topics(session, tree, config, examples, trainer)
        return classifier.pack()


def page_of(portal: Path, url: str) -> PageId:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        page = page_at_url(session, url)
        assert page is not None
        return page.id


def counterexample_pages(portal: Path) -> list[set[PageId]]:
    """Return the pages of the training set that are no documents of a topic, by parent."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        training_set = training_set_of(session, opened.tree(), LearningOptions())
        documents = training_set.documents.values()
        of_topics = {document.page for group in documents for document in group}
        return [set(training_set.example_pages - of_topics)]


# --- what feedback says of a topic ---


def test_accepting_what_the_crawl_chose_moves_no_page(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accepted archetypes were taken for the user's own examples, and made topics a third smaller."""
    assert archetype_urls(birds)

    own_models: list[list[bytes]] = []  # that the levels are taken from

    def spy(model: Any, own: Any, *rest: Any) -> Any:
        own_models.append([classifier.pack() for classifier in own])
        return level_planes(model, own, *rest)

    monkeypatch.setattr(study, "level_planes", spy)
    before = trained_model(birds)
    give_feedback(birds, RequestedFeedback(accept=(ALL,)))
    assert not archetype_urls(birds)
    assert trained_model(birds) == before
    assert own_models[0] == own_models[1]


def test_a_rejected_archetype_is_a_counterexample_until_it_is_accepted(birds: Path) -> None:
    url = archetype_urls(birds)[0]

    def counterexamples() -> list[str | None]:
        with Portal.reading(birds) as opened, opened.store.reading() as session:
            return [example.url for example in user_counterexamples(session, opened.tree())]

    assert counterexamples() == []
    give_feedback(birds, RequestedFeedback(reject=(url,)))
    assert counterexamples() == [url]
    page = page_of(birds, url)
    assert any(page in pages for pages in counterexample_pages(birds))
    with Portal.writing(birds, "test") as opened, opened.store.writing() as session:
        verdict = Feedback(page, number_of(birds, "owls"), Verdict.GOOD, 2.0)
        ledger.give_feedback(session, verdict)
    assert counterexamples() == []


def test_a_rejected_archetype_is_off_its_topic(birds: Path) -> None:
    url = archetype_urls(birds)[0]
    effect = effect_of(birds, RequestedFeedback(reject=(url,)))
    moved = {page.url: (page.before, page.after, page.reason) for page in effect.shifts}
    assert moved[url] == ("owls", "OTHERS", "you rejected it as an archetype of owls")
    give_feedback(birds, RequestedFeedback(reject=(url,)))
    with Portal.reading(birds) as opened, opened.store.reading() as session:
        marks = PortalMarks.of(session)
    judgement = Judgement(number_of(birds, "owls"), 0.5, probability=0.9)
    assert not marks.overrule(page_of(birds, url), judgement).is_accepted


def test_an_archetype_that_is_moved_to_another_topic_is_no_counterexample(birds: Path) -> None:
    url = archetype_urls(birds)[0]
    give_feedback(birds, RequestedFeedback(move=((url, topic_at(birds, "bats")),)))
    assert not any(page_of(birds, url) in pages for pages in counterexample_pages(birds))


def test_examples_that_a_model_chose_count_only_where_there_are_no_others() -> None:
    given = Example(TopicId(2), "http://a.test/")
    accepted = Example(TopicId(2), "http://b.test/", origin=Origin.FEEDBACK)
    alone = Example(TopicId(3), "http://c.test/", origin=Origin.FEEDBACK)
    archetype = Example(TopicId(3), "http://d.test/", origin=Origin.ARCHETYPE)
    assert list(given_examples([given, accepted, alone, archetype])) == [given, alone]


def test_topics_made_of_clusters_do_not_change_the_topic_above() -> None:
    """Right pages left a topic whose clusters became topics: it was learned from their pages."""
    given = Example(TopicId(2), "http://a.test/")
    of_cluster = Example(TopicId(3), "http://b.test/", origin=Origin.FEEDBACK)
    below_cluster = Example(TopicId(4), "http://c.test/", origin=Origin.FEEDBACK)
    parents = {2: ROOT, 3: 2, 4: 3, 5: 2}
    topics = [Topic(TopicId(n), TopicId(parent), f"{n}") for n, parent in parents.items()]
    tree = TopicTree([Topic(ROOT, None, ""), *topics])
    examples = [given, of_cluster, below_cluster]
    assert without_new_subtopics(examples, tree) == [given]
    sibling = Example(TopicId(5), "http://d.test/")  # the two must be told apart
    assert without_new_subtopics([*examples, sibling], tree) == [*examples, sibling]


# --- the whole cycle ---


def test_a_crawl_goes_on_harvesting_with_accepted_archetypes(birds: Path, paused: Path) -> None:
    good, bad, long, *rest = archetype_urls(birds)
    assert rest
    give_feedback(birds, RequestedFeedback(accept=(good,), reject=(bad,), trim=((long, (1, 2)),)))
    progress = go_out(birds, paused / "web")
    assert (progress.end, progress.phase) == (RunEnd.DONE, "harvesting")
    assert progress.retrainings >= 2  # archetypes were looked for again
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        assert count_pages(session) == FIELDS + len(SEEDS)
    accepted = {example.url: example.text for example in examples_by(birds, Origin.FEEDBACK)}
    assert accepted == {
        good: None,
        long: "\n".join(block.text for block in blocks(birds, long)[:2]),
    }
    assert bad not in archetype_urls(birds)


def test_rejected_pages_are_never_chosen_again_others_are(birds: Path, paused: Path) -> None:
    before = archetype_urls(birds)
    give_feedback(birds, RequestedFeedback(reject=(ALL,)))
    assert archetype_urls(birds) == []
    go_out(birds, paused / "web")
    assert not set(archetype_urls(birds)) & set(before)


def test_taken_out_but_not_rejected_pages_come_back(birds: Path, paused: Path) -> None:
    """The test above can fail."""
    before = archetype_urls(birds)
    with Portal.writing(birds, "test") as portal, portal.store.writing() as session:
        for url in before:
            assert topic_rows.remove_example(session, number_of(birds, "owls"), url)
    go_out(birds, paused / "web")
    assert set(archetype_urls(birds)) & set(before)


def test_a_crawl_stops_for_feedback_only_once(birds: Path, paused: Path) -> None:
    assert go_out(birds, paused / "web", feedback=True).end == RunEnd.DONE


def test_an_accepted_archetype_is_never_dropped(birds: Path, paused: Path) -> None:
    """Not even if its confidence is low and better pages are found."""
    give_feedback(birds, RequestedFeedback(reject=(ALL,)))
    add_example(birds, "owls", url="http://news0.test/", origin=Origin.FEEDBACK)
    go_out(birds, paused / "web")
    assert [
        example.url
        for example in examples_by(
            birds,
            Origin.FEEDBACK,
        )
    ] == ["http://news0.test/"]


# --- reading ---


def test_archetypes_are_shown_with_confidence_terms_and_authority(birds: Path) -> None:
    archetypes = archetypes_of(birds)
    assert {archetype.url for archetype in archetypes} == set(archetype_urls(birds))
    confidences = [archetype.confidence or 0 for archetype in archetypes]
    assert confidences == sorted(confidences, reverse=True)
    first = archetypes[0]
    assert (first.topic, first.accepted, first.trimmed) == ("owls", False, False)
    assert first.title.startswith("Owls of field")
    assert "owl" in first.terms or "owls" in first.terms
    assert max(archetype.authority for archetype in archetypes) > 0
    assert archetypes_of(birds, "bats") == []


def test_blocks_have_numbers_and_mark_the_main_text(birds: Path) -> None:
    shown = blocks(birds, field(0))
    assert [block.number for block in shown] == list(range(1, len(shown) + 1))
    assert shown[0].text == text("owl", 0)
    assert shown[0].main
    assert all(block.kept for block in shown)
    with pytest.raises(UsageError, match="never fetched"):
        blocks(birds, "http://nowhere.test/")


# --- changing ---


def test_only_the_kept_blocks_of_a_trimmed_page_are_learned_from(birds: Path) -> None:
    url = archetype_urls(birds)[0]
    whole = blocks(birds, url)
    assert whole[2].text in training_text(birds, url)
    give_feedback(birds, RequestedFeedback(trim=((url, (1,)),)))
    title = next(archetype.title for archetype in archetypes_of(birds) if archetype.url == url)
    assert training_text(birds, url) == f"{title}: {whole[0].text}"
    assert [block.kept for block in blocks(birds, url)] == [True] + [False] * (len(whole) - 1)
    give_feedback(birds, RequestedFeedback(trim=((url, ()),)))
    assert training_text(birds, url).endswith(whole[-1].text)
    assert [example.url for example in examples_by(birds, Origin.FEEDBACK)] == [url]


def test_a_users_own_example_can_be_trimmed_and_stays_the_users(birds: Path) -> None:
    give_feedback(birds, RequestedFeedback(trim=((SEEDS[0], (1,)),)))
    assert training_text(birds, SEEDS[0]) == f"Seed 0: {text('owl', 0)}"
    assert SEEDS[0] in [example.url for example in examples_by(birds, Origin.PERSON)]


def test_of_two_examples_at_one_page_the_trimmed_one_is_learned_from(tmp_path: Path) -> None:
    owl = place("owl", 5)
    portal = planted(tmp_path / "p", {"owls": ["http://moved.test/", owl], "OTHERS": []})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    give_feedback(portal, RequestedFeedback(trim=((owl, (1,)),)))
    assert training_text(portal, owl) == f"Owl 5: {text('owl', 5)}"


def test_an_archetype_can_be_moved_to_another_topic(birds: Path) -> None:
    url, other = archetype_urls(birds)[:2]
    give_feedback(
        birds,
        RequestedFeedback(
            move=((url, topic_at(birds, "bats")), (other, topic_at(birds, "OTHERS"))),
            note="no owls",
        ),
    )
    moved = {example.url: example.topic for example in examples_by(birds, Origin.FEEDBACK)}
    assert moved == {url: number_of(birds, "bats"), other: number_of(birds, "OTHERS")}
    assert verdicts(birds, "owls") == [(Verdict.BAD, "no owls")] * 2
    assert verdicts(birds, "bats") == [(Verdict.GOOD, "no owls")]
    assert url not in archetype_urls(birds)


def test_all_means_archetypes_without_other_feedback(birds: Path) -> None:
    first, second, *rest = archetype_urls(birds)
    give_feedback(birds, RequestedFeedback(accept=(ALL,), reject=(first,), trim=((second, (1,)),)))
    assert {example.url for example in examples_by(birds, Origin.FEEDBACK)} == {second, *rest}
    assert archetype_urls(birds) == []
    give_feedback(birds, RequestedFeedback(reject=(ALL,)))  # accepted ones are no longer included
    assert {example.url for example in examples_by(birds, Origin.FEEDBACK)} == {second, *rest}
    give_feedback(birds, RequestedFeedback(reject=(second,)))
    assert {example.url for example in examples_by(birds, Origin.FEEDBACK)} == set(rest)


def test_a_wrong_request_is_refused_and_changes_nothing(birds: Path) -> None:
    url, before = archetype_urls(birds)[0], archetype_urls(birds)
    owls, bats = topic_at(birds, "owls"), topic_at(birds, "bats")
    wrong = {
        "is no archetype": RequestedFeedback(accept=(url,), reject=("http://nowhere.test/",)),
        "that you gave yourself": RequestedFeedback(reject=(SEEDS[0],)),
        "of another topic": RequestedFeedback(accept=(url,), topic=bats.id),
        "at once": RequestedFeedback(accept=(url,), reject=(url,)),
        "rejected and trimmed": RequestedFeedback(reject=(url,), trim=((url, (1,)),)),
        "All of them": RequestedFeedback(accept=(ALL,), reject=(ALL,)),
        "there already": RequestedFeedback(move=((url, owls),)),
        "The root": RequestedFeedback(move=((url, topic_at(birds, "/")),)),
        "there is no block 99": RequestedFeedback(trim=((url, (1, 99)),)),
    }
    for sentence, requested in wrong.items():
        with pytest.raises(UsageError, match=sentence):
            give_feedback(birds, requested)
    assert archetype_urls(birds) == before
    assert verdicts(birds, "owls") == []


# --- trying ---


def test_feedback_is_undone_one_after_the_other(birds: Path) -> None:
    accepted, rejected, moved, trimmed = archetype_urls(birds)[:4]
    states = []
    for requested in (
        RequestedFeedback(accept=(accepted,), reject=(rejected,), note="why"),
        RequestedFeedback(move=((moved, topic_at(birds, "bats")),)),
        RequestedFeedback(trim=((trimmed, (1, 2)),)),
        RequestedFeedback(reject=(accepted,)),
    ):
        states.append(feedback_state(birds))
        give_feedback(birds, requested, now=float(len(states)))
    assert len({str(state) for state in states}) == len(states)
    for state in reversed(states):
        assert undo_feedback(birds) in (1, 2)
        assert feedback_state(birds) == state
    with pytest.raises(UsageError, match="No feedback was given"):
        undo_feedback(birds)


def test_feedback_that_changes_nothing_is_not_what_undo_takes_back(birds: Path) -> None:
    give_feedback(birds, RequestedFeedback(accept=(ALL,)), now=1.0)
    give_feedback(birds, RequestedFeedback(accept=(ALL,)), now=2.0)  # nothing is left to accept
    undo_feedback(birds)
    assert examples_by(birds, Origin.FEEDBACK) == []


def test_feedback_is_undone_after_a_crawl_too(birds: Path, paused: Path) -> None:
    accepted, rejected = archetype_urls(birds)[:2]
    give_feedback(birds, RequestedFeedback(accept=(accepted,), reject=(rejected,)))
    go_out(birds, paused / "web", None)
    undo_feedback(birds)
    assert {accepted, rejected} <= set(archetype_urls(birds))
    assert examples_by(birds, Origin.FEEDBACK) == []
    assert verdicts(birds, "owls") == []


def test_feedback_on_a_topic_that_is_gone_is_not_undone(birds: Path) -> None:
    give_feedback(birds, RequestedFeedback(accept=(archetype_urls(birds)[0],)))
    with Portal.writing(birds, "test") as opened, opened.store.writing() as session:
        topic_rows.remove_topics(session, [number_of(birds, "owls")], ROOT, [])
    with pytest.raises(UsageError, match=r"was removed since.* 'lode topics DIR restore'"):
        undo_feedback(birds)


def undo_feedback(portal: Path) -> int:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        return undo_changes(session, opened.tree())


def feedback_state(portal: Path) -> object:
    """Return all that feedback changes; an example that came back has another number."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        examples = [
            (example.topic, example.url or "", example.origin.value, example.text, example.note)
            for example in topic_rows.examples_of(session)
        ]
        given = [
            feedback
            for topic in opened.tree()
            for feedback in ledger.feedback_on(session, topic.id)
        ]
        return sorted(examples, key=lambda example: example[:2]), given


def test_the_effect_is_shown_and_nothing_is_saved(birds: Path) -> None:
    urls = archetype_urls(birds)
    moves = tuple((url, topic_at(birds, "bats")) for url in urls[:4])
    effect = effect_of(birds, RequestedFeedback(move=moves))
    by_topic = {estimate.topic: estimate for estimate in effect.topics}
    assert set(by_topic) == {"owls", "bats"}
    assert by_topic["bats"].pages[0] == 0
    assert by_topic["bats"].precision[0] is None  # nothing was known of it
    assert by_topic["owls"].pages[1] < by_topic["owls"].pages[0]
    assert effect.judged > len(urls)
    assert effect.shifted >= len(effect.shifts) > 0
    assert {(page.before, page.after) for page in effect.shifts} & {("owls", "bats")}
    assert archetype_urls(birds) == urls
    assert examples_by(birds, Origin.FEEDBACK) == []
    assert verdicts(birds, "owls") == []


def test_without_feedback_nothing_changes(birds: Path) -> None:
    effect = effect_of(birds, RequestedFeedback())
    assert effect.shifted == 0
    for estimate in effect.topics:
        assert estimate.precision[0] == estimate.precision[1]
        assert estimate.pages[0] == estimate.pages[1]


def test_without_a_model_there_is_no_effect(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", TOPICS)
    with pytest.raises(BadInputError, match="lode train"):
        effect_of(portal, RequestedFeedback())
