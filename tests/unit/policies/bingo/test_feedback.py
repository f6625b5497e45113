"""What a person says of archetypes, and what a crawl makes of it."""

import shutil
from pathlib import Path

import pytest

from motherlode.documents.spaces import TERMS
from motherlode.documents.terms import bag_of
from motherlode.learning.options import LearningOptions
from motherlode.policies.bingo.feedback import (
    ALL,
    Archetype,
    Block,
    Wishes,
    archetypes,
    blocks_of,
    effect_of,
    keep_ruling,
    ruling_on,
)
from motherlode.portal import Portal
from motherlode.records import BadInputError, Origin, RunEnd, Topic, UsageError, Verdict
from motherlode.store import ledger
from motherlode.store import topics as topic_rows
from motherlode.store.pages import count_pages
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from motherlode.training.review import Effect
from motherlode.training.training_set import syllabus_of
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
    portal = planted(folder / "p", TOPICS, crawl__learn_at_home=False, crawl__learn_pages=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        progress = go_out(portal, folder / "web", fields(), feedback=True)
    assert (progress.end, progress.phase) == (RunEnd.FEEDBACK, "learning")
    return folder


@pytest.fixture
def birds(paused: Path, tmp_path: Path) -> Path:
    shutil.copytree(paused / "p", tmp_path / "p")
    return tmp_path / "p"


def say(portal: Path, wishes: Wishes) -> None:
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        keep_ruling(session, ruling_on(session, opened.tree(), wishes, 1.0))


def tried(portal: Path, wishes: Wishes) -> Effect:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        return effect_of(session, tree, opened.config, ruling_on(session, tree, wishes, 1.0))


def listed(portal: Path, topic: str = "/") -> list[Archetype]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return archetypes(session, opened.tree(), opened.tree().at(parse_path(topic)).id)


def chosen(portal: Path) -> list[str]:
    return [str(one.url) for one in examples_by(portal, Origin.ARCHETYPE)]


def topic_at(portal: Path, path: str) -> Topic:
    with Portal.reading(portal) as opened:
        return opened.tree().at(parse_path(path))


def blocks(portal: Path, url: str) -> list[Block]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return blocks_of(session, url)[1]


def verdicts(portal: Path, path: str) -> list[tuple[Verdict, str]]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [(one.verdict, one.note) for one in ledger.feedback_on(session, number_of(portal, path))]


def taught(portal: Path, url: str) -> str:
    """What the example at a URL teaches."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        lessons = syllabus_of(session, opened.tree(), LearningOptions()).lessons.values()
        (found,) = (one for topic in lessons for one in topic if one.example.url == url)
        assert found.page is not None
        said = f"{found.document.title}: {found.document.text}"
        assert found.sample[TERMS].pack() == bag_of(said, "en").pack()
        return said


# --- the whole cycle ---


def test_a_crawl_goes_on_harvesting_with_what_was_accepted(birds: Path, paused: Path) -> None:
    good, bad, long, *rest = chosen(birds)
    assert rest
    say(birds, Wishes(accept=(good,), reject=(bad,), trim=((long, (1, 2)),)))
    progress = go_out(birds, paused / "web")
    assert (progress.end, progress.phase) == (RunEnd.DONE, "harvesting")
    assert progress.retrainings >= 2  # archetypes were looked for again
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        assert count_pages(session) == FIELDS + len(SEEDS)
    accepted = {one.url: one.text for one in examples_by(birds, Origin.FEEDBACK)}
    assert accepted == {good: None, long: "\n".join(block.text for block in blocks(birds, long)[:2])}
    assert bad not in chosen(birds)


def test_rejected_pages_are_never_chosen_again_others_are(birds: Path, paused: Path) -> None:
    before = chosen(birds)
    say(birds, Wishes(reject=(ALL,)))
    assert chosen(birds) == []
    go_out(birds, paused / "web")
    assert not set(chosen(birds)) & set(before)


def test_taken_out_but_not_rejected_pages_come_back(birds: Path, paused: Path) -> None:
    """That the test above can fail."""
    before = chosen(birds)
    with Portal.writing(birds, "test") as portal, portal.store.writing() as session:
        for url in before:
            assert topic_rows.remove_example(session, number_of(birds, "owls"), url)
    go_out(birds, paused / "web")
    assert set(chosen(birds)) & set(before)


def test_a_second_stop_for_feedback_does_not_come(birds: Path, paused: Path) -> None:
    assert go_out(birds, paused / "web", feedback=True).end == RunEnd.DONE


def test_what_was_accepted_is_never_dropped(birds: Path, paused: Path) -> None:
    """However unsure of it the topic is, and whatever better pages come."""
    say(birds, Wishes(reject=(ALL,)))
    add_example(birds, "owls", url="http://news0.test/", origin=Origin.FEEDBACK)
    go_out(birds, paused / "web")
    assert [one.url for one in examples_by(birds, Origin.FEEDBACK)] == ["http://news0.test/"]


# --- looking ---


def test_archetypes_are_shown_with_what_speaks_for_them(birds: Path) -> None:
    found = listed(birds)
    assert {one.url for one in found} == set(chosen(birds))
    assert [one.confidence for one in found] == sorted([one.confidence or 0 for one in found], reverse=True)
    first = found[0]
    assert (first.topic, first.accepted, first.trimmed) == ("owls", False, False)
    assert first.title.startswith("Owls of field")
    assert "owl" in first.terms or "owls" in first.terms
    assert max(one.authority for one in found) > 0
    assert listed(birds, "bats") == []


def test_blocks_are_numbered_and_say_what_is_main_text(birds: Path) -> None:
    found = blocks(birds, field(0))
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert found[0].text == text("owl", 0)
    assert found[0].main
    assert all(one.kept for one in found)
    with pytest.raises(UsageError, match="never fetched"):
        blocks(birds, "http://nowhere.test/")


# --- ruling ---


def test_a_trimmed_page_teaches_by_that_part_alone(birds: Path) -> None:
    url = chosen(birds)[0]
    whole = blocks(birds, url)
    assert whole[2].text in taught(birds, url)
    say(birds, Wishes(trim=((url, (1,)),)))
    title = next(one.title for one in listed(birds) if one.url == url)
    assert taught(birds, url) == f"{title}: {whole[0].text}"
    assert [one.kept for one in blocks(birds, url)] == [True] + [False] * (len(whole) - 1)
    say(birds, Wishes(trim=((url, ()),)))
    assert taught(birds, url).endswith(whole[-1].text)
    assert [one.url for one in examples_by(birds, Origin.FEEDBACK)] == [url]


def test_a_persons_own_example_can_be_trimmed_and_stays_his_own(birds: Path) -> None:
    say(birds, Wishes(trim=((SEEDS[0], (1,)),)))
    assert taught(birds, SEEDS[0]) == f"Seed 0: {text('owl', 0)}"
    assert SEEDS[0] in [one.url for one in examples_by(birds, Origin.PERSON)]


def test_of_two_examples_that_lead_to_one_page_the_trimmed_one_teaches(tmp_path: Path) -> None:
    owl = place("owl", 5)
    portal = planted(tmp_path / "p", {"owls": ["http://moved.test/", owl], "OTHERS": []})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    say(portal, Wishes(trim=((owl, (1,)),)))
    assert taught(portal, owl) == f"Owl 5: {text('owl', 5)}"


def test_what_belongs_elsewhere_is_moved(birds: Path) -> None:
    url, other = chosen(birds)[:2]
    say(
        birds,
        Wishes(move=((url, topic_at(birds, "bats")), (other, topic_at(birds, "OTHERS"))), note="no owls"),
    )
    moved = {one.url: one.topic for one in examples_by(birds, Origin.FEEDBACK)}
    assert moved == {url: number_of(birds, "bats"), other: number_of(birds, "OTHERS")}
    assert verdicts(birds, "owls") == [(Verdict.BAD, "no owls")] * 2
    assert verdicts(birds, "bats") == [(Verdict.GOOD, "no owls")]
    assert url not in chosen(birds)


def test_all_means_those_that_nothing_else_is_said_of(birds: Path) -> None:
    first, second, *rest = chosen(birds)
    say(birds, Wishes(accept=(ALL,), reject=(first,), trim=((second, (1,)),)))
    assert {one.url for one in examples_by(birds, Origin.FEEDBACK)} == {second, *rest}
    assert chosen(birds) == []
    say(birds, Wishes(reject=(ALL,)))  # what was accepted is meant no more
    assert {one.url for one in examples_by(birds, Origin.FEEDBACK)} == {second, *rest}
    say(birds, Wishes(reject=(second,)))
    assert {one.url for one in examples_by(birds, Origin.FEEDBACK)} == set(rest)


def test_what_cannot_be_done_is_said_and_nothing_is(birds: Path) -> None:
    url, before = chosen(birds)[0], chosen(birds)
    owls, bats = topic_at(birds, "owls"), topic_at(birds, "bats")
    wrong = {
        "is no archetype": Wishes(accept=(url,), reject=("http://nowhere.test/",)),
        "that you gave yourself": Wishes(reject=(SEEDS[0],)),
        "of another topic": Wishes(accept=(url,), topic=bats.id),
        "at once": Wishes(accept=(url,), reject=(url,)),
        "rejected and trimmed": Wishes(reject=(url,), trim=((url, (1,)),)),
        "All of them": Wishes(accept=(ALL,), reject=(ALL,)),
        "there already": Wishes(move=((url, owls),)),
        "The root": Wishes(move=((url, topic_at(birds, "/")),)),
        "there is no block 99": Wishes(trim=((url, (1, 99)),)),
    }
    for sentence, wishes in wrong.items():
        with pytest.raises(UsageError, match=sentence):
            say(birds, wishes)
    assert chosen(birds) == before
    assert verdicts(birds, "owls") == []


# --- trying ---


def test_the_effect_is_shown_and_nothing_is_kept(birds: Path) -> None:
    found = chosen(birds)
    effect = tried(birds, Wishes(move=tuple((url, topic_at(birds, "bats")) for url in found[:4])))
    by_topic = {one.topic: one for one in effect.topics}
    assert set(by_topic) == {"owls", "bats"}
    assert by_topic["bats"].precision[0] == 0.0  # nothing was known of it
    assert effect.judged > len(found)
    assert effect.shifted >= len(effect.shifts) > 0
    assert {(one.before, one.after) for one in effect.shifts} & {("owls", "bats")}
    assert chosen(birds) == found
    assert examples_by(birds, Origin.FEEDBACK) == []
    assert verdicts(birds, "owls") == []


def test_where_nothing_is_said_nothing_changes(birds: Path) -> None:
    effect = tried(birds, Wishes())
    assert effect.shifted == 0
    assert all(one.precision[0] == one.precision[1] for one in effect.topics)


def test_where_nothing_was_learned_there_is_nothing_to_compare(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", TOPICS)
    with pytest.raises(BadInputError, match="lode train"):
        tried(portal, Wishes())
