"""The answer to a query: its order, near duplicates, and snippets."""

import shutil
from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ROOT, Judgement, Origin
from motherlode.search.answers import QueryAnswer, answer_query, query_snippet
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.judgements import judged_for, keep_judgements
from motherlode.topics import parse_path
from motherlode.training import training_set as training
from support.crawl_runs import go_out
from support.training_webs import EACH, VOCABULARY, add_example, pages, paper, place, planted, text

QUERY = "barn owls hunting mice"
FILLER = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200))


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a crawled portal about owls; two of its pages differ in one word only."""
    folder = tmp_path_factory.mktemp("answers")
    long_text = " ".join(text("owl", n) for n in range(EACH))
    twins = {
        "http://twin1.test/": paper("Twin", f"{long_text} Many more of them live here."),
        "http://twin2.test/": paper("Twin", f"{long_text} Many more of them live there."),
        "http://index.test/": paper(
            "Owls",
            text("owl", 0),
            ["http://twin1.test/", "http://twin2.test/"],
        ),
        "http://eule.test/": "<html lang=de><title>Barn Owl</title><p>Die Schleiereule, "
        "englisch barn owl, jagt in der Nacht lautlos über den Wiesen nach Mäusen und brütet "
        "in den Scheunen der Bauern.",
    }
    seeds = [place("owl", 0), place("owl", 1), "http://index.test/", "http://eule.test/"]
    path = planted(folder / "p", {"owls": seeds, "news": [place("news", 0)]})
    add_example(path, "owls", title=QUERY, text=QUERY, origin=Origin.QUERY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
        go_out(path, folder / "web", {**pages(), **twins})
    return path


def answer(portal: Path, query: str = QUERY, limit: int = 20) -> QueryAnswer:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        tree = opened.tree()
        return answer_query(session, tree, tree.at(parse_path("owls")).id, query, limit)


def test_pages_are_ranked_by_the_sum_of_confidence_and_cosine(portal: Path) -> None:
    owls = answer(portal)
    assert owls.topic == "owls"
    assert owls.pages > owls.on_topic >= EACH
    scores = [page.score for page in owls.finds]
    assert scores == sorted(scores, reverse=True)
    for page in owls.finds:
        assert page.margin is not None
        assert page.score == pytest.approx(page.margin + page.cosine)
        assert page.margin > 0
        assert 0 <= page.cosine <= 1.0001
        assert not page.near
        assert "news" not in page.url


def test_the_query_decides_between_pages_of_the_same_topic(portal: Path) -> None:
    hoots = {page.url: page.cosine for page in answer(portal, "tawny owl hoots").finds}
    mice = {page.url: page.cosine for page in answer(portal).finds}
    assert hoots[place("owl", 1)] > hoots[place("owl", 4)]
    assert mice[place("owl", 1)] < mice[place("owl", 4)]


def test_seeds_are_marked_but_archetypes_are_not(portal: Path) -> None:
    seeds = {page.url for page in answer(portal).finds if page.seed}
    assert place("owl", 0) in seeds
    assert place("owl", 3) not in seeds


def test_near_duplicates_are_one_answer(portal: Path) -> None:
    twins = [page for page in answer(portal).finds if page.title == "Twin"]
    assert len(twins) == 1
    assert {twins[0].url, *twins[0].alike} == {"http://twin1.test/", "http://twin2.test/"}


def test_rejected_pages_may_be_answers_if_there_is_one_topic(portal: Path, tmp_path: Path) -> None:
    """A rejected page is nearest to the only topic; with two topics, that is not known."""
    shutil.copytree(portal, tmp_path / "p")
    with Portal.writing(tmp_path / "p", "test") as opened, opened.store.writing() as session:
        news = opened.tree().at(("news",)).id
        owls = opened.tree().at(("owls",)).id
        pages = [judged.page for judged in judged_for(session, [owls], 100)]
        keep_judgements(session, [(page, Judgement(ROOT, -0.01)) for page in pages[1:]])
        keep_judgements(session, [(pages[0], Judgement(ROOT, -0.99))])
    assert answer(tmp_path / "p").finds == ()
    with Portal.writing(tmp_path / "p", "test") as opened, opened.store.writing() as session:
        topic_rows.remove_topics(session, [news], ROOT, [])
    rejected = answer(tmp_path / "p")
    assert rejected.on_topic == 0
    assert rejected.finds
    assert all(page.near and page.confidence == -0.01 and page.score > 0 for page in rejected.finds)


def test_an_answer_has_at_most_limit_pages(portal: Path) -> None:
    assert len(answer(portal, limit=2).finds) == 2
    assert answer(portal, limit=2).finds == answer(portal).finds[:2]


def test_the_query_is_stemmed_in_the_language_of_the_page(portal: Path) -> None:
    cosines = {page.url: page.cosine for page in answer(portal, "die Schleiereulen").finds}
    assert cosines.pop("http://eule.test/") > 0
    assert set(cosines.values()) == {0}


# --- snippets ---


def snippet_and_marks(text: str, query: str, language: str = "en") -> tuple[str, list[str]]:
    snippet = query_snippet(text, query, language)
    return snippet.text, [snippet.text[start:end] for start, end in snippet.marks]


def test_a_snippet_marks_words_with_any_ending() -> None:
    text = "Barn owls hunted a mouse.\nHunting owls, Owlish barns."
    snippet, marks = snippet_and_marks(text, "barn owl hunting")
    assert snippet == "Barn owls hunted a mouse. Hunting owls, Owlish barns."
    assert marks == ["Barn", "owls", "hunted", "Hunting", "owls", "barns"]


def test_a_snippet_shows_most_of_the_words_close_together() -> None:
    text = f"One owl. {FILLER} A barn owl hunts at night. {FILLER} An owl and an owl."
    snippet, marks = snippet_and_marks(text, "barn owl night")
    assert marks == ["barn", "owl", "night"]
    assert snippet.startswith("… word")
    assert snippet.endswith(" …")
    assert len(snippet) <= 244
    for word in snippet.strip("… ").split():
        assert word in FILLER or word in "A barn owl hunts at night."


def test_a_snippet_without_the_words_is_the_beginning() -> None:
    snippet, marks = snippet_and_marks(f"It begins. {FILLER}", "owl")
    assert snippet.startswith("It begins. word")
    assert snippet.endswith(" …")
    assert marks == []
    assert snippet_and_marks("", "owl") == ("", [])


def test_marks_are_right_after_letters_that_case_folding_makes_longer() -> None:
    text = "Straße ﬁnden: EULEN"
    assert snippet_and_marks(text, "Eule", "de") == (text, ["EULEN"])


@pytest.mark.parametrize(
    "text",
    ["owl" * 100_000, "owl " * 100_000, "x" * 500 + " owl " + "y" * 500],
)
def test_a_snippet_of_any_text_is_short(text: str) -> None:
    snippet = query_snippet(text, "owl")
    assert len(snippet.text) <= 244
    assert all(snippet.text[start:end] == "owl" for start, end in snippet.marks)
