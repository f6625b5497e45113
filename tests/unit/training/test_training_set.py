"""What a portal learns from, and what it makes of it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits
from motherlode.documents.meanings import Meanings, NoMeaningsError
from motherlode.lab.clock import run_virtually
from motherlode.lab.opening import open_web
from motherlode.lab.replay import Replay
from motherlode.learning.options import LearningOptions, SemanticMode, SettingName, VotingRule
from motherlode.learning.tree import VERSION
from motherlode.lexicon.wordnet import NoWordNetError
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import ROOT, BadInputError, Judgement, Model, ModelId, PageId, Redirect
from motherlode.store import Store, ledger, outcomes
from motherlode.store.judged import keep_judgements
from motherlode.store.pages import count_pages, judgement_of, page_at
from motherlode.topics import plant_query
from motherlode.training import training_set as training
from motherlode.training.report import Lore, report_on
from motherlode.training.review import keep_thoughts, thoughts_on
from motherlode.training.training_set import (
    can_tell,
    page_behind,
    syllabus_of,
)
from motherlode.urls import address
from support.small_webs import html, page_analysed
from support.store_records import keep_one, outcome, take
from support.training_webs import (
    BIRDS,
    EACH,
    VOCABULARY,
    add_example,
    fetch,
    learned,
    number_of,
    odd_pages,
    pages,
    paper,
    place,
    planted,
)
from support.word_vectors import tiny

ON, OFF = LearningOptions(semantic=SemanticMode.ON), LearningOptions(semantic=SemanticMode.OFF)
NO_WORDS = "WordNet cannot be had today (no network)."


@pytest.fixture(autouse=True)
def vocabulary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)


@pytest.fixture
def wordless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without WordNet."""

    def none() -> dict[str, str]:
        raise NoWordNetError(NO_WORDS)

    monkeypatch.setattr(training, "common_vocabulary", none)


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """A portal on owls and herons that has its examples."""
    portal = planted(tmp_path / "p", BIRDS)
    assert fetch(portal, pages(), tmp_path / "web") == 9
    return portal


def crawl_all(portal: Path, web: Path) -> None:
    """Fetch every page there is."""
    seeds = [address(url) for url in pages()]
    with Portal.crawling(portal, "test") as opened:
        work = crawl(opened, Replay(open_web(web)), BreadthFirst(seeds), Limits(100))
        run_virtually(work)


def judged(portal: Path, options: LearningOptions | None = None) -> dict[str, Judgement]:
    """Train as `lode train` does, keep what the model thinks, and return it by URL."""
    syllabus, classifier, tree = learned(portal, options)
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        model = ledger.keep_model(session, Model(ModelId(0), "tree", VERSION, 1.0, classifier.pack()))
        assert keep_thoughts(session, thoughts_on(session, classifier), model.id) == count_pages(session)
    report_on(classifier, syllabus, tree, options or LearningOptions())
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        found = {}
        for url in (*pages(), *odd_pages()):
            page = page_at(session, address(url).key)
            said = judgement_of(session, page.id) if page is not None else None
            if said is not None:
                found[url] = said
    return found


def reports(portal: Path, options: LearningOptions | None = None) -> dict[str, Lore]:
    syllabus, classifier, tree = learned(portal, options)
    return {one.path: one for one in report_on(classifier, syllabus, tree, options or LearningOptions())}


# --- what is learned from ---


def test_examples_are_learned_from_as_the_pages_that_they_are(birds: Path) -> None:
    syllabus, classifier, tree = learned(birds)
    owls, herons = (number_of(birds, path) for path in ("owls", "herons"))
    assert syllabus.parents == {owls: ROOT, herons: ROOT}
    assert [lesson.document.title for lesson in syllabus.lessons[owls]] == ["Owl 0", "Owl 1", "Owl 2"]
    assert not any(lesson.virtual for found in syllabus.lessons.values() for lesson in found)
    assert len(syllabus.others[ROOT].user) == 3
    assert syllabus.missing == ()
    assert len(syllabus.shown) == 9
    for topic, lessons in syllabus.lessons.items():
        verdicts = classifier.judge([lesson.sample for lesson in lessons])
        assert [said.topic for said in verdicts] == [topic] * 3
        assert all(said.confidence > 0 for said in verdicts)  # training documents have one, too (SPEC B8)
    assert len(tree) == 3


def test_an_example_without_a_page_teaches_by_what_is_said_of_it(birds: Path) -> None:
    add_example(birds, "owls", url="http://gone.test/", title="Snowy owls of the tundra", tags=("arctic",))
    add_example(birds, "owls", url=place("owl", 0) + "x", title="")
    syllabus, _, _ = learned(birds)
    lesson = syllabus.lessons[number_of(birds, "owls")][-1]
    assert (lesson.virtual, lesson.document.title) == (True, "Snowy owls of the tundra")
    assert [(one.example.url, one.why) for one in syllabus.missing] == [
        (place("owl", 0) + "x", "not fetched")
    ]
    assert (reports(birds)["owls"].examples, reports(birds)["owls"].virtual) == (4, 1)


def test_an_example_that_cannot_be_fetched_is_missing_and_why_is_said(tmp_path: Path) -> None:
    urls = [f"http://{name}.test/" for name in ("nowhere", "hidden", "closed", "empty", "busy")]
    portal = planted(tmp_path / "p", {**BIRDS, "owls": [*BIRDS["owls"], *urls]})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    syllabus, _, _ = learned(portal)
    assert [one.why for one in syllabus.missing] == [
        "not there: status 404",
        "noindex",
        "robots.txt",
        "no words",
        "unavailable: status 503; it is tried again next time",
    ]
    assert len(syllabus.lessons[number_of(portal, "owls")]) == 3


def test_a_page_that_several_examples_lead_to_is_one_lesson(tmp_path: Path) -> None:
    owls = [place("owl", 0), "http://copy.test/", place("owl", 5), "http://moved.test/"]
    portal = planted(tmp_path / "p", {**BIRDS, "owls": owls})
    assert fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web") == 8
    syllabus, _, _ = learned(portal)
    titles = [lesson.document.title for lesson in syllabus.lessons[number_of(portal, "owls")]]
    assert titles == ["Owl 0", "Owl 5"]
    assert syllabus.missing == ()


def test_a_url_may_be_an_example_of_two_topics(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {**BIRDS, "owls/barn": [place("owl", 0)], "night": [place("owl", 0)]})
    fetch(portal, pages(), tmp_path / "web")
    syllabus, classifier, tree = learned(portal)
    for path in ("owls", "owls/barn", "night"):
        topic = number_of(portal, path)
        assert syllabus.lessons[topic][0].document.title == "Owl 0"
        assert classifier.planes(topic)
    assert report_on(classifier, syllabus, tree, LearningOptions())


def test_an_example_of_a_topic_and_of_others_stops_nobody(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {**BIRDS, "OTHERS": [place("owl", 0), place("news", 0)]})
    fetch(portal, pages(), tmp_path / "web")
    syllabus, classifier, _ = learned(portal)
    assert can_tell(classifier)
    assert len(syllabus.others[ROOT].user) == 2


def test_examples_of_the_root_are_of_no_topic(birds: Path) -> None:
    add_example(birds, "/", url="http://loose.test/", title="Anything at all")
    syllabus, classifier, _ = learned(birds)
    assert ROOT not in syllabus.lessons
    assert classifier.pack() == learned(birds)[1].pack()


def test_loose_bookmarks_alone_teach_nothing(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": []})
    add_example(portal, "/", url="http://loose.test/", title="Anything at all")
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_topics_without_examples_are_passed_over(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"gulls": [], **BIRDS, "gulls/black": [], "owls/none": []})
    fetch(portal, pages(), tmp_path / "web")
    told = reports(portal)
    assert list(told) == ["owls", "herons"]
    assert judged(portal)[place("owl", 0)].topic == number_of(portal, "owls")


def test_a_parent_learns_from_the_topics_below_it(tmp_path: Path) -> None:
    topics = {f"birds/{name}" if name != "OTHERS" else name: urls for name, urls in BIRDS.items()}
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    told = reports(portal)
    assert {path: one.examples for path, one in told.items()} == {
        "birds": 6,
        "birds/owls": 3,
        "birds/herons": 3,
    }
    assert {"owl", "heron"} & set(told["birds"].terms)
    assert "owl" in told["birds/owls"].terms
    assert judged(portal)[place("heron", 1)].topic == number_of(portal, "birds/herons")


def test_counterexamples_count_below_their_own_parent(tmp_path: Path) -> None:
    topics = {"birds/owls": BIRDS["owls"], "birds/OTHERS": BIRDS["herons"], "OTHERS": BIRDS["OTHERS"]}
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    syllabus, _, _ = learned(portal)
    assert len(syllabus.others[ROOT].user) == 3
    assert len(syllabus.others[number_of(portal, "birds")].user) == 3
    assert all(one.common for one in syllabus.others.values())


def test_a_query_alone_is_learned_from(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", plant_query("barn owls hunting mice at night"), {})
    syllabus, classifier, tree = learned(tmp_path / "p")
    ((lesson,),) = syllabus.lessons.values()
    assert lesson.virtual
    (said,) = classifier.judge([lesson.sample])
    assert (said.topic, said.confidence > 0) == (lesson.example.topic, True)
    (told,) = report_on(classifier, syllabus, tree, LearningOptions())
    assert set(told.terms) == {"barn", "owls", "hunting", "mice", "night"}
    assert told.confusions == {}  # a single document cannot be left out


# --- where nothing can be learned ---


def test_without_examples_nothing_is_learned(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": [], "herons/grey": []})
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_counterexamples_alone_teach_nothing(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"OTHERS": BIRDS["OTHERS"], "owls": []})
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_if_no_example_could_be_had_the_first_is_named_with_its_reason(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://nowhere.test/"]})
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError, match=r"\(http://nowhere.test/: not there: status 404\)\.$"):
        learned(portal)


@pytest.mark.usefixtures("wordless")
@pytest.mark.parametrize(
    "topics", [{"owls": BIRDS["owls"]}, {"birds/owls": BIRDS["owls"], "birds/herons": BIRDS["herons"]}]
)
def test_one_topic_cannot_be_told_from_nothing(tmp_path: Path, topics: dict[str, list[str]]) -> None:
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError) as refused:
        learned(portal)
    assert NO_WORDS.rstrip(".") in str(refused.value)
    assert str(refused.value).count(". ") == 0  # one sentence


@pytest.mark.usefixtures("wordless")
def test_topics_are_told_from_each_other_where_there_is_no_vocabulary(birds: Path) -> None:
    syllabus, classifier, _ = learned(birds)
    assert syllabus.wordless == NO_WORDS
    assert len(syllabus.others[ROOT].documents) == 3
    (said,) = classifier.judge([syllabus.lessons[number_of(birds, "owls")][0].sample])
    assert said.topic == number_of(birds, "owls")


def test_offline_no_vocabulary_is_fetched(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "vocabulary_is_here", lambda: False)
    monkeypatch.setattr(training, "common_vocabulary", lambda: pytest.fail("fetched"))
    syllabus, _, _ = learned(birds, offline=True)
    assert "nothing is to be fetched" in syllabus.wordless
    monkeypatch.setattr(training, "vocabulary_is_here", lambda: True)
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
    assert learned(birds, offline=True)[0].wordless == ""


# --- pages of the crawl as counterexamples ---


def test_pages_that_are_surely_rejected_join_others(birds: Path, tmp_path: Path) -> None:
    before = learned(birds)[0].others[ROOT]
    assert before.rejected == ()  # all pages there are examples
    crawl_all(birds, tmp_path / "web")
    after = learned(birds)[0].others[ROOT]
    assert len(after.user) == len(before.user) == 3
    assert 0 < len(after.rejected) <= 4  # the other half of the news, and the hub


def test_no_example_is_ever_a_counterexample_to_itself(birds: Path, tmp_path: Path) -> None:
    """However the model that was there before thought of it."""
    crawl_all(birds, tmp_path / "web")
    with Portal.writing(birds, "test") as portal, portal.batch() as session:
        known = [PageId(number) for number in range(1, count_pages(session) + 1)]
        keep_judgements(session, [(page, Judgement(ROOT, -0.9)) for page in known])
    syllabus, _, _ = learned(birds)
    shown = {lesson.sample["terms"].pack() for found in syllabus.lessons.values() for lesson in found}
    assert not shown & {sample["terms"].pack() for sample in syllabus.others[ROOT].documents}
    own = {sample["terms"].pack() for sample in syllabus.others[ROOT].user}
    assert not own & {sample["terms"].pack() for sample in syllabus.others[ROOT].rejected}


def test_pages_that_nothing_is_known_of_do_not_join(birds: Path) -> None:
    with Portal.writing(birds, "test") as portal:
        for name, text in (("greek", "ρδσξ ψωζχ κμνλ φγηθ"), ("blank", "")):
            body = html("", text).encode()
            document = page_analysed("http://x.test/", "text/html; charset=utf-8", body)
            keep_one(portal.store, f"http://{name}.test/", document=document)
    assert learned(birds)[0].others[ROOT].rejected == ()


def test_training_twice_gives_the_same(birds: Path, tmp_path: Path) -> None:
    crawl_all(birds, tmp_path / "web")
    first = learned(birds)[1].pack()
    judged(birds)
    assert learned(birds)[1].pack() == first
    add_example(birds, "owls", title="Snowy owls of the tundra")
    assert learned(birds)[1].pack() != first


# --- every page is judged ---


def test_all_pages_that_a_crawl_brought_are_judged(birds: Path, tmp_path: Path) -> None:
    crawl_all(birds, tmp_path / "web")
    found = judged(birds)
    assert set(found) == set(pages())
    assert {said.model for said in found.values()} == {ModelId(1)}
    topics = {"owl": number_of(birds, "owls"), "heron": number_of(birds, "herons"), "news": ROOT}
    wrong = [
        url
        for kind, topic in topics.items()
        for url in (place(kind, number) for number in range(EACH))
        if found[url].topic != topic or (found[url].confidence > 0) != (topic != ROOT)
    ]
    assert wrong == []
    assert {said.model for said in judged(birds).values()} == {ModelId(2)}


def test_an_empty_page_is_on_no_topic(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {**BIRDS, "owls": [*BIRDS["owls"], "http://empty.test/"]})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    said = judged(portal)["http://empty.test/"]
    assert (said.topic, said.confidence < 0) == (ROOT, True)


SPACES = (
    ("terms",),
    ("pairs",),
    ("terms", "anchors"),
    ("terms", "pairs", "anchors", "neighbours", "urls"),
    ("urls",),
)


@pytest.mark.parametrize("spaces", SPACES, ids="+".join)
def test_topics_are_learned_in_whichever_spaces(birds: Path, tmp_path: Path, spaces: tuple[str, ...]) -> None:
    crawl_all(birds, tmp_path / "web")
    options = LearningOptions(spaces=spaces)  # type: ignore[arg-type]
    found = judged(birds, options)
    assert {found[url].topic for url in BIRDS["owls"]} == {number_of(birds, "owls")}
    assert {found[url].topic for url in BIRDS["herons"]} == {number_of(birds, "herons")}
    told = reports(birds, options)["owls"]
    assert set(told.features) <= set(spaces)
    assert set(told.precision) == set(told.recall) == set(told.error) == set(told.features)


@pytest.mark.parametrize("rule", VotingRule)
def test_spaces_decide_by_each_rule(birds: Path, rule: VotingRule) -> None:
    found = judged(birds, LearningOptions(spaces=("terms", "pairs"), rule=rule))
    assert {found[url].topic for url in BIRDS["owls"]} == {number_of(birds, "owls")}


def test_the_setting_of_the_paper_is_another(birds: Path) -> None:
    options = LearningOptions(setting=SettingName.BINGO_2003)
    assert learned(birds, options)[1].pack() != learned(birds)[1].pack()
    assert judged(birds, options)[place("owl", 0)].topic == number_of(birds, "owls")


# --- what words mean ---


@pytest.fixture
def meaningful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where the meanings of a few words are known."""
    monkeypatch.setattr(training, "meanings_are_here", lambda: True)
    monkeypatch.setattr(training, "word_meanings", tiny)


@pytest.fixture
def meaningless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine where no meanings are known."""

    def none() -> Meanings:
        raise NoMeaningsError("No meanings today.")

    monkeypatch.setattr(training, "meanings_are_here", lambda: False)
    monkeypatch.setattr(training, "word_meanings", none)


@pytest.mark.usefixtures("meaningful")
def test_what_words_mean_counts_where_it_is_known(birds: Path) -> None:
    syllabus, classifier, _ = learned(birds)
    assert syllabus.meanings is classifier.meanings is tiny()
    assert learned(birds, ON)[1].pack() == classifier.pack()
    assert learned(birds, OFF)[1].meanings_digest == ""


@pytest.mark.usefixtures("meaningful")
@pytest.mark.parametrize(
    "options", [OFF, LearningOptions(setting=SettingName.BINGO_2003), LearningOptions(spaces=("pairs",))]
)
def test_what_words_mean_is_left_alone_where_it_is_of_no_use(birds: Path, options: LearningOptions) -> None:
    assert learned(birds, options)[0].meanings is None


@pytest.mark.usefixtures("meaningless")
def test_whoever_insists_on_meanings_is_told_that_there_are_none(birds: Path) -> None:
    assert learned(birds)[0].meanings is None
    with pytest.raises(NoMeaningsError):
        learned(birds, ON)
    with pytest.raises(BadInputError, match="nothing is to be fetched"):
        learned(birds, ON, offline=True)


@pytest.mark.usefixtures("meaningless")
def test_meanings_that_cannot_be_had_after_all_stop_nobody(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "meanings_are_here", lambda: True)
    assert learned(birds)[0].meanings is None


def test_no_word_in_the_chosen_space_is_said(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://alone.test/"]})
    fetch(portal, {"http://alone.test/": paper("Alone", "An owl that nobody links to")}, tmp_path / "web")
    options = LearningOptions(spaces=("anchors",))
    with pytest.raises(BadInputError, match=r"in the space of anchors.*\(http://alone.test/: no words\)"):
        learned(portal, options)
    with pytest.raises(BadInputError, match="nothing in the space of urls to tell the topic from"):
        learned(portal, replace(options, spaces=("urls",)))


# --- the report ---


def test_the_report_says_where_examples_go_that_are_left_out(birds: Path) -> None:
    told = reports(birds)
    for path in ("owls", "herons"):
        one = told[path]
        assert sum(one.confusions.values()) == one.examples == 3
        assert set(one.confusions) <= {"owls", "herons", "OTHERS"}
        assert 0 <= one.precision["terms"] <= 1
        assert 0 <= one.recall["terms"] <= 1
        assert one.features["terms"] > 10
        assert len(one.terms) == 10
    assert "owl" in told["owls"].terms
    assert "heron" in told["herons"].terms


@pytest.mark.usefixtures("wordless")
def test_an_example_that_leaves_nothing_behind_goes_to_others(tmp_path: Path) -> None:
    """Each space has then one topic that says anything in it, and nothing to tell it from."""
    portal = planted(tmp_path / "p", {"owls": [], "herons": []})
    add_example(portal, "owls", title="owl")
    add_example(portal, "owls", url="http://strigiformes.test/", title="the of and")
    add_example(portal, "herons", title="heron")
    told = reports(portal, LearningOptions(spaces=("terms", "urls")))
    assert told["owls"].confusions["OTHERS"] >= 1
    assert "" not in told["owls"].confusions


# --- redirects ---


def redirect(store: Store, *hops: tuple[str, str]) -> None:
    made = []
    for source, target in hops:
        one, other = address(source), address(target)
        made.append(Redirect(one.url, one.key, other.url, other.key, 302))
    with store.writing() as session:
        outcomes.keep(
            session, [outcome(take(session, hops[0][0]), page=None, document=None, redirects=tuple(made))]
        )


def test_the_page_behind_redirects_is_found(tmp_path: Path) -> None:
    planted(tmp_path / "p", {"owls": []})
    with Portal.writing(tmp_path / "p", "test") as portal:
        page = keep_one(portal.store, "http://c.test/")
        redirect(portal.store, ("http://a.test/", "http://b.test/"), ("http://b.test/", "http://c.test/"))
        redirect(portal.store, ("http://x.test/", "http://y.test/"), ("http://y.test/", "http://x.test/"))
        redirect(portal.store, ("http://to.test/", "http://nothing.test/"))
        with portal.store.reading() as session:
            for url in ("http://a.test/", "http://b.test/", "http://c.test/"):
                found = page_behind(session, url)
                assert found is not None
                assert found.id == page
            for url in ("http://x.test/", "http://to.test/", "http://never.test/"):
                assert page_behind(session, url) is None


def test_gathering_alone_does_not_judge(birds: Path) -> None:
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        syllabus = syllabus_of(session, portal.tree(), portal.config.learning)
        assert syllabus.others[ROOT].rejected == ()
