"""Learning from few examples of a web: what is read, drawn, judged and reported."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.documents.features.spaces import ANCHORS, NEIGHBOURS, PAIRS, TERMS, URLS
from motherlode.documents.text.terms import bag_of
from motherlode.lab.generated.dice import Dice
from motherlode.lab.learned import baselines, trees
from motherlode.lab.learned.baselines import BASELINES
from motherlode.lab.learned.figures import Figures, MethodScores, average_precision, mean, measured
from motherlode.lab.learned.pages import LabelledPages, read_pages
from motherlode.lab.learned.portals import FOUR, ONE, TREE, Draw, SampledPortal, lesson, portals
from motherlode.lab.learned.study import Choice, Estimate, StudyFindings, choices, estimates, study
from motherlode.lab.learned.tables import BEGIN, END, markdown, sheets, write_markdown
from motherlode.lab.loader import open_web
from motherlode.learning.options import TrainingSettings, VotingRule
from motherlode.learning.tree import ROOT
from motherlode.lexicon import NoWordNetError, common_vocabulary
from motherlode.records import BadInputError, LodeError, UsageError
from support.helpers import CliRun, lacks, said_one_sentence
from support.small_webs import Said, html, record_web
from support.word_vectors import tiny

SAID = {
    "Animals/Birds": "owl hawk wing feather nest beak egg flight song claw prey goose duck eagle finch",
    "Animals/Fish": "fin gill scale river sea swim trout salmon shark net hook carp eel pond reef",
    "Machines": "engine wheel gear piston fuel motor brake road truck valve pump axle steel oil belt",
    "Music": "song violin piano drum chord melody concert opera choir tune rhythm flute organ note band",
}
WORDS = {topic: said.split() for topic, said in SAID.items()}
PER_TOPIC = 8
SPACES = (TERMS, PAIRS, ANCHORS, NEIGHBOURS, URLS)
DRAW = Draw(examples=(2, 3), repeat=1, least=5)


def pages_of(topic: str) -> dict[str, Said]:
    """Pages on a topic, each linked to the next two by the topic's words."""
    host = f"http://{topic.rpartition('/')[2].lower()}.test"
    made: dict[str, Said] = {}
    for number in range(PER_TOPIC):
        dice = Dice("words", topic, number)
        text = " ".join(dice.pick(WORDS[topic]) for _ in range(60))
        links = "".join(
            f'<a href="/{(number + step) % PER_TOPIC}">{WORDS[topic][step]}</a> ' for step in (1, 2)
        )
        made[f"{host}/{number}"] = (
            f"<!DOCTYPE html><title>{WORDS[topic][number]}</title><p>{text} and so on</p><p>{links}</p>"
        )
    return made


def url_of(topic: str, number: int) -> str:
    return f"http://{topic.rpartition('/')[2].lower()}.test/{number}"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    said = {url: page for topic in WORDS for url, page in pages_of(topic).items()}
    said["http://hub.test/"] = html("Hub", "owls here", url_of("Animals/Birds", 0))
    said["http://gone.test/"] = (404, {"Content-Type": "text/html"}, b"gone")
    labels = {url_of(topic, number): topic for topic in WORDS for number in range(PER_TOPIC)}
    return record_web(
        tmp_path_factory.mktemp("webs") / "topics", said, labels | {"http://gone.test/": "Machines"}
    )


@pytest.fixture(scope="module")
def pages(web: Path) -> LabelledPages:
    opened = open_web(web)
    return read_pages(opened, opened.labels(), SPACES)


@pytest.fixture(scope="module")
def words() -> None:
    """Common vocabulary, which OTHERS are made of."""
    try:
        common_vocabulary()
    except NoWordNetError as error:
        lacks(f"WordNet 3.0: {error}")


# Reading


def test_labelled_pages_are_read_in_every_space(pages: LabelledPages) -> None:
    assert (
        len(pages) == len(WORDS) * PER_TOPIC
    )  # without the one that is gone, and the one without a label
    first = next(page for page in pages.pages if page.url == url_of("Animals/Birds", 0))
    assert first.topics == {"Animals/Birds"}
    assert set(first.sample) == set(SPACES)
    assert set(bag_of("and so on owl").terms.tolist()) <= set(first.sample[TERMS].terms.tolist())
    assert set(first.sample[URLS].terms.tolist()) == set(bag_of("birds test").terms.tolist())


def test_what_links_say_and_what_is_near_comes_from_the_whole_web(pages: LabelledPages) -> None:
    sample = next(page.sample for page in pages.pages if page.url == url_of("Animals/Birds", 0))
    said = " ".join(
        [*WORDS["Animals/Birds"][1:3], "http://birds.test/0"]
    )  # by its siblings and by the hub
    assert set(sample[ANCHORS].terms.tolist()) == set(bag_of(said).terms.tolist())
    near = set(sample[NEIGHBOURS].terms.tolist())
    assert set(bag_of("hub owls").terms.tolist()) <= near
    assert not set(bag_of("engine piston salmon").terms.tolist()) & near


def test_pages_without_labels_are_read_only_where_they_are_wanted(web: Path) -> None:
    told: list[tuple[int, int]] = []

    def read(*spaces: str) -> None:
        opened = open_web(web)
        read_pages(
            opened,
            opened.labels(),
            spaces,
            lambda done, everything: told.append((done, everything)),
        )

    read(TERMS, PAIRS)
    labelled = len(WORDS) * PER_TOPIC + 1
    assert told == [(done, labelled) for done in range(labelled + 1)]
    told.clear()
    read(TERMS, ANCHORS)
    assert told[-1] == (labelled + 1, labelled + 1)


def test_a_web_without_labels_teaches_nothing(tmp_path: Path) -> None:
    bare = open_web(record_web(tmp_path / "bare", {"http://a.test/": html("A", "text")}))
    with pytest.raises(BadInputError, match="no labels"):
        read_pages(bare, bare.labels(), SPACES)


# Drawing


def test_examples_are_drawn_by_chance_and_never_judged(pages: LabelledPages) -> None:
    drawn = list(portals(pages, DRAW))
    assert [portal.kind for portal in drawn] == [TREE] + [ONE] * 8 + [FOUR] * 2
    for portal in drawn:
        taken = [place for places in portal.examples.values() for place in places]
        assert {len(places) for places in portal.examples.values()} == {3}
        assert len(set(taken)) == len(taken)
        assert sorted([*taken, *portal.unseen.tolist()]) == list(range(len(pages)))
        for topic, places in portal.examples.items():
            assert all(pages.pages[place].topics == {topic} for place in places)
    again = list(portals(pages, DRAW))
    assert [portal.examples for portal in again] == [portal.examples for portal in drawn]
    other = next(portals(pages, Draw(examples=(2, 3), repeat=1, least=5, seed=2)))
    assert other.examples != drawn[0].examples


def test_a_tree_has_the_topics_between(pages: LabelledPages) -> None:
    tree = next(portals(pages, DRAW))
    assert set(tree.numbers) == {"Animals", *WORDS}
    assert tree.parents[tree.numbers["Animals/Birds"]] == tree.numbers["Animals"]
    assert tree.line("Animals/Birds") == [tree.numbers["Animals"], tree.numbers["Animals/Birds"]]
    assert tree.line("Music") == [tree.numbers["Music"]]


def test_fewer_topics_are_taken_if_asked_for(pages: LabelledPages) -> None:
    few = Draw(examples=(2,), repeat=1, least=5, topics=2, kinds=(TREE, FOUR))
    (tree,) = portals(pages, few)  # of two topics there is no portal of four
    assert len(tree.topics) == 2


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (Draw(examples=(50,)), "leave none to judge"),
        (Draw(examples=(2,), least=99), "99 labelled pages"),
    ],
)
def test_a_draw_that_cannot_be_made_says_why(pages: LabelledPages, draw: Draw, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        next(portals(pages, draw))


@pytest.mark.usefixtures("words")
def test_a_lesson_has_the_first_examples_and_others_of_every_parent(pages: LabelledPages) -> None:
    portal = next(portals(pages, DRAW))
    taught = lesson(portal, pages, 2, SPACES)
    birds = portal.numbers["Animals/Birds"]
    assert taught.documents[birds] == pages.samples(portal.examples["Animals/Birds"][:2])
    assert set(taught.others) == {ROOT, portal.numbers["Animals"]}
    assert all(set(sample) == set(SPACES) for sample in taught.others[ROOT])
    assert all(len(sample[TERMS]) and not len(sample[ANCHORS]) for sample in taught.others[ROOT])


# Figures


def test_average_precision_by_hand() -> None:
    relevant = np.array([True, False, True, False])
    assert average_precision(np.array([4.0, 3.0, 2.0, 1.0]), relevant) == pytest.approx(
        (1 + 2 / 3) / 2
    )
    assert average_precision(np.array([1.0, 4.0, 1.0, 4.0]), relevant) == pytest.approx(2 / 4)


def test_equal_scores_are_worth_what_chance_is() -> None:
    relevant = np.array([True, True, False, False])
    assert (
        average_precision(np.zeros(4), relevant)
        == average_precision(np.zeros(4), relevant[::-1])
        == 0.5
    )


def test_figures_of_topics_and_their_means() -> None:
    relevant = {"a": np.array([True, True, False]), "b": np.array([False, False, True])}
    judged = MethodScores(
        {"a": np.array([2.0, 1.0, 3.0]), "b": np.array([0.0, 0.0, 1.0])},
        {"a": np.array([True, False, True]), "b": np.array([False, False, False])},
    )
    found = measured(judged, relevant | {"c": np.zeros(3, bool)})
    assert set(found) == {"a", "b"}
    assert (found["a"].precision, found["a"].recall, found["a"].f1) == (0.5, 0.5, 0.5)
    assert (found["b"].precision, found["b"].recall, found["b"].f1) == (0.0, 0.0, 0.0)
    assert found["b"].average_precision == 1.0
    assert mean(found.values()).recall == 0.25


# Methods


@pytest.fixture(scope="module")
def portal(pages: LabelledPages, words: None) -> SampledPortal:  # noqa: ARG001 - it skips where they are not
    return next(portals(pages, DRAW))


def relevant_to(
    portal: SampledPortal, pages: LabelledPages
) -> dict[str, "np.ndarray[tuple[int], np.dtype[np.bool_]]"]:
    return {topic: pages.on(topic)[portal.unseen] for topic in portal.topics}


@pytest.mark.parametrize("rule", VotingRule)
def test_pages_are_judged_as_the_classifier_itself_would(
    portal: SampledPortal, pages: LabelledPages, rule: VotingRule
) -> None:
    tree = trees.fitted(lesson(portal, pages, 3, SPACES), TrainingSettings(), SPACES)
    tree.rule = rule
    judged = trees.judged(portal, trees.distances(tree, portal, pages), SPACES, rule)
    verdicts = tree.judge(pages.samples(portal.unseen.tolist()))
    for topic in portal.topics:
        own = [portal.numbers[topic] == said.topic for said in verdicts]
        assert judged.accepted[topic].tolist() == own


def test_a_page_on_a_topic_is_no_surer_than_it_is_on_the_topics_above(
    portal: SampledPortal, pages: LabelledPages
) -> None:
    tree = trees.fitted(lesson(portal, pages, 3, (TERMS,)), TrainingSettings(), (TERMS,))
    judged = trees.judged(
        portal, trees.distances(tree, portal, pages), (TERMS,), VotingRule.WEIGHTED
    )
    samples = pages.samples(portal.unseen.tolist())
    above = tree.distances(samples)[portal.numbers["Animals"]]
    below = tree.distances(samples, portal.numbers["Animals"])[portal.numbers["Animals/Birds"]]
    assert judged.scores["Animals/Birds"] == pytest.approx(np.minimum(above, below))


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_learn_the_same_lesson(
    portal: SampledPortal, pages: LabelledPages, name: str
) -> None:
    made = baselines.matrices(portal, lesson(portal, pages, 3, (TERMS,)), pages)
    judged = baselines.judged(portal, BASELINES[name](made))
    found = measured(judged, relevant_to(portal, pages))
    assert mean(found.values()).average_precision > 0.9
    one = next(
        one for one in portals(pages, DRAW) if one.kind == ONE
    )  # two classes are a case of their own
    made = baselines.matrices(one, lesson(one, pages, 3, (TERMS,)), pages)
    (alone,) = measured(
        baselines.judged(one, BASELINES[name](made)), relevant_to(one, pages)
    ).values()
    assert alone.average_precision > 0.7


def test_without_scikit_learn_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "import_module", _missing)
    with pytest.raises(LodeError, match=r"pip install 'motherlode\[lab\]'"):
        baselines.check_library()


def _missing(name: str) -> None:
    raise ImportError(name)


# Estimates


def test_estimates_are_those_of_the_planes(portal: SampledPortal, pages: LabelledPages) -> None:
    tree = trees.fitted(lesson(portal, pages, 3, SPACES), TrainingSettings(), SPACES)
    apart = trees.distances(tree, portal, pages)
    found = list(estimates(tree, portal, apart, relevant_to(portal, pages)))
    assert {one.topic for one in found} == {"Machines", "Music"}  # the others stand below Animals
    planes = tree.planes(portal.numbers["Music"])
    for one in found:
        if one.topic == "Music":
            assert one.expected_precision == planes[one.space].precision
            assert one.expected_recall == planes[one.space].recall


def estimate(topic: str, space: str, expected: float, found: float) -> Estimate:
    return Estimate(topic, space, expected, 0.5, Figures(0.5, 0.5, found))


def test_the_space_of_the_highest_expected_precision_is_chosen() -> None:
    found = [
        estimate("a", TERMS, 0.5, 0.9),
        estimate("a", URLS, 0.8, 0.2),
        estimate("b", TERMS, 0.0, 0.6),
        estimate("b", URLS, 0.0, 0.7),
    ]
    assert list(choices(found)) == [Choice(URLS, 0.2, 0.9, 0.9), Choice(TERMS, 0.6, 0.7, 0.6)]


# The whole


@pytest.fixture(scope="module")
def found(pages: LabelledPages, words: None) -> StudyFindings:  # noqa: ARG001 - it skips where they are not
    return study("topics", pages, Draw(examples=(2,), repeat=1, least=5, kinds=(TREE, FOUR)))


def test_every_method_has_a_row(found: StudyFindings) -> None:
    methods = {row.method for row in found.rows if row.portal == TREE}
    assert {*SPACES, *VotingRule, "bingo-2003", "bingo-2003, weighted", *BASELINES} <= methods
    for row in found.rows:
        assert min(row.precision, row.recall, row.average_precision) >= 0.0
        assert max(row.precision, row.recall, row.average_precision) <= 1.0
    terms = next(row for row in found.rows if (row.portal, row.method) == (TREE, TERMS))
    assert terms.average_precision > 0.9


def test_terms_are_tried_with_what_they_mean(found: StudyFindings, pages: LabelledPages) -> None:
    knowing = study("topics", pages, replace(found.draw, kinds=(FOUR,)), (TERMS,), meanings=tiny())
    assert knowing.spaces == (TERMS, "semantic")
    assert "terms, semantic" in {row.method for row in knowing.rows}
    assert "terms, semantic" not in {row.method for row in found.rows}


def test_the_same_draw_finds_the_same(found: StudyFindings, pages: LabelledPages) -> None:
    assert study("topics", pages, found.draw) == found


def test_tables_say_everything_once(found: StudyFindings) -> None:
    made = list(sheets(found))
    assert len(made) == len(found.draw.kinds) + 3
    for sheet in made:
        assert {len(row) for row in sheet.rows} == {len(sheet.headings)}
    text = markdown(found, "lode lab learn topics")
    assert text.startswith(BEGIN)
    assert text.endswith(END + "\n")
    assert all(sheet.title in text for sheet in made)


def written(command: str, text: str) -> str:
    return f"{BEGIN}: {command} -->\n{text}\n{END}\n"


def test_markdown_replaces_what_the_same_command_wrote(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Before\n\n")
    write_markdown(page, written("one", "old"))
    write_markdown(page, written("two", "other"))
    page.write_text(f"{page.read_text()}\nAfter\n")
    write_markdown(page, written("one", "new"))
    assert (
        page.read_text() == f"# Before\n\n{written('one', 'new')}{written('two', 'other')}\nAfter\n"
    )


# lode lab learn

QUICK = (
    "--examples",
    "2",
    "--repeat",
    "1",
    "--least",
    "5",
    "--portals",
    "tree",
    "--spaces",
    "terms,anchors",
)


@pytest.mark.usefixtures("words")
def test_learn_shows_tables_and_writes_them(lode: CliRun, web: Path, tmp_path: Path) -> None:
    run = lode("lab", "learn", web, *QUICK, "--json", "out.json", "--markdown", "out.md")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(
        "A tree of topics, 4 topics: precision / recall / average precision\n"
    )
    assert "logistic regression" in run.stdout
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert {row["examples"] for row in rows} == {2}
    assert "--least 5 --spaces terms,anchors --seed 1" in (tmp_path / "out.md").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("--examples", "two"),
        ("--examples", "0,2"),
        ("--portals", "forest"),
        ("--spaces", "terms,smells"),
        ("--spaces", ","),
        ("--examples", "2", "--least", "2"),
        ("--markdown", "nowhere/out.md"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(
    lode: CliRun, web: Path, options: tuple[str, ...]
) -> None:
    run = lode("lab", "learn", web, *options)
    assert run.returncode in (2, 3)
    assert said_one_sentence(run)
