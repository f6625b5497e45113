"""The answer to a query: ranked, folded, with snippets."""

import shutil
from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ROOT, Judgement, Origin
from motherlode.search.answers import QueryAnswer, answer_query, query_snippet
from motherlode.store import topics as topic_rows
from motherlode.store.judged import judged_for, keep_judgements
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from support.crawl_runs import go_out
from support.training_webs import EACH, VOCABULARY, add_example, pages, paper, place, planted, text

QUERY = "barn owls hunting mice"
FAR = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A portal on owls, crawled; one of its pages is there twice, but for a word."""
    folder = tmp_path_factory.mktemp("answers")
    long = " ".join(text("owl", n) for n in range(EACH))
    twins = {
        "http://twin1.test/": paper("Twin", f"{long} Many more of them live here."),
        "http://twin2.test/": paper("Twin", f"{long} Many more of them live there."),
        "http://index.test/": paper("Owls", text("owl", 0), ["http://twin1.test/", "http://twin2.test/"]),
        "http://eule.test/": "<html lang=de><title>Barn Owl</title><p>Die Schleiereule, englisch barn owl, "
        "jagt in der Nacht lautlos über den Wiesen nach Mäusen und brütet in den Scheunen der Bauern.",
    }
    seeds = [place("owl", 0), place("owl", 1), "http://index.test/", "http://eule.test/"]
    path = planted(folder / "p", {"owls": seeds, "news": [place("news", 0)]})
    add_example(path, "owls", title=QUERY, text=QUERY, origin=Origin.QUERY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        go_out(path, folder / "web", {**pages(), **twins})
    return path


def answered(portal: Path, query: str = QUERY, most: int = 20) -> QueryAnswer:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        return answer_query(session, tree, tree.at(parse_path("owls")).id, query, most)


def test_the_best_by_the_sum_of_confidence_and_cosine_come_first(portal: Path) -> None:
    found = answered(portal)
    assert found.topic == "owls"
    assert found.pages > found.on_topic >= EACH
    scores = [one.score for one in found.finds]
    assert scores == sorted(scores, reverse=True)
    assert all(one.score == pytest.approx(one.confidence + one.cosine) for one in found.finds)
    assert all(one.confidence > 0 and 0 <= one.cosine <= 1.0001 and not one.near for one in found.finds)
    assert not [one.url for one in found.finds if "news" in one.url]


def test_the_query_tells_pages_apart_that_are_equally_on_the_topic(portal: Path) -> None:
    hoots = {one.url: one.cosine for one in answered(portal, "tawny owl hoots").finds}
    mice = {one.url: one.cosine for one in answered(portal).finds}
    assert hoots[place("owl", 1)] > hoots[place("owl", 4)]
    assert mice[place("owl", 1)] < mice[place("owl", 4)]


def test_seeds_are_marked_archetypes_are_not(portal: Path) -> None:
    seeds = {one.url for one in answered(portal).finds if one.seed}
    assert place("owl", 0) in seeds
    assert place("owl", 3) not in seeds


def test_pages_that_say_nearly_the_same_are_one_answer(portal: Path) -> None:
    finds = answered(portal).finds
    twins = [one for one in finds if one.title == "Twin"]
    assert len(twins) == 1
    assert {twins[0].url, *twins[0].alike} == {"http://twin1.test/", "http://twin2.test/"}


def test_what_is_nearly_on_an_only_topic_may_be_an_answer(portal: Path, tmp_path: Path) -> None:
    """Once there is one topic alone: what is judged to be on none is nearest to that."""
    shutil.copytree(portal, tmp_path / "p")
    with Portal.writing(tmp_path / "p", "test") as opened, opened.store.writing() as session:
        news = opened.tree().at(("news",)).id
        pages = [one.page for one in judged_for(session, [opened.tree().at(("owls",)).id], 100)]
        keep_judgements(session, [(page, Judgement(ROOT, -0.01)) for page in pages[1:]])
        keep_judgements(session, [(pages[0], Judgement(ROOT, -0.99))])
    assert answered(tmp_path / "p").finds == ()
    with Portal.writing(tmp_path / "p", "test") as opened, opened.store.writing() as session:
        topic_rows.remove_topics(session, [news], ROOT)
    found = answered(tmp_path / "p")
    assert found.on_topic == 0
    assert found.finds
    assert all(one.near and one.confidence == -0.01 and one.score > 0 for one in found.finds)


def test_no_more_than_so_many(portal: Path) -> None:
    assert len(answered(portal, most=2).finds) == 2
    assert answered(portal, most=2).finds == answered(portal).finds[:2]


def test_a_page_in_another_language_is_asked_in_its_own(portal: Path) -> None:
    found = {one.url: one for one in answered(portal, "die Schleiereulen").finds}
    assert found["http://eule.test/"].cosine > 0
    assert all(one.cosine == 0 for url, one in found.items() if url != "http://eule.test/")


# --- snippets ---


def marked(text: str, query: str, language: str = "en") -> tuple[str, list[str]]:
    found = query_snippet(text, query, language)
    return found.text, [found.text[start:end] for start, end in found.marks]


def test_a_snippet_marks_words_whatever_their_endings() -> None:
    said, marks = marked("Barn owls hunted a mouse.\nHunting owls, Owlish barns.", "barn owl hunting")
    assert said == "Barn owls hunted a mouse. Hunting owls, Owlish barns."
    assert marks == ["Barn", "owls", "hunted", "Hunting", "owls", "barns"]


def test_a_snippet_is_where_most_of_the_words_stand_together() -> None:
    said, marks = marked(
        f"One owl. {FAR} A barn owl hunts at night. {FAR} An owl and an owl.", "barn owl night"
    )
    assert marks == ["barn", "owl", "night"]
    assert said.startswith("… word")
    assert said.endswith(" …")
    assert len(said) <= 244
    assert all(word in FAR or word in "A barn owl hunts at night." for word in said.strip("… ").split())


def test_a_snippet_without_the_words_is_the_beginning() -> None:
    said, marks = marked(f"It begins. {FAR}", "owl")
    assert said.startswith("It begins. word")
    assert said.endswith(" …")
    assert marks == []
    assert marked("", "owl") == ("", [])


def test_a_snippet_of_letters_that_grow_when_folded_marks_the_right_ones() -> None:
    assert marked("Straße ﬁnden: EULEN", "Eule", "de") == ("Straße ﬁnden: EULEN", ["EULEN"])


@pytest.mark.parametrize("text", ["owl" * 100_000, "owl " * 100_000, "x" * 500 + " owl " + "y" * 500])
def test_a_snippet_of_anything_is_short(text: str) -> None:
    found = query_snippet(text, "owl")
    assert len(found.text) <= 244
    assert all(found.text[start:end] == "owl" for start, end in found.marks)
