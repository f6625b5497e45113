"""Training sets, and the classifiers and judgements that come of them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits
from motherlode.documents.features.meanings import Meanings, NoMeaningsError
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.learning.options import LearningOptions, SemanticMode, SettingName, VotingRule
from motherlode.learning.tree import VERSION
from motherlode.lexicon.wordnet import NoWordNetError
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import ROOT, BadInputError, Judgement, Model, ModelId, PageId, Redirect
from motherlode.store import Store
from motherlode.store.tables import ledger, outcomes
from motherlode.store.tables.judgements import keep_judgements
from motherlode.store.tables.pages import count_pages, judgement_of, page_at
from motherlode.topics import plant_query
from motherlode.training import training_set as training
from motherlode.training.feedback.review import judge_pages, save_judgements
from motherlode.training.report import TopicReport, report_on
from motherlode.training.trainer import knows_topics
from motherlode.training.training_document import page_at_url
from motherlode.training.training_set import training_set_of
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
def without_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
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
    """Fetch every page of the web."""
    seeds = [address(url) for url in pages()]
    with Portal.crawling(portal, "test") as opened:
        work = crawl(opened, Replay(open_web(web)), BreadthFirst(seeds), Limits(100))
        run_virtually(work)


def judged(portal: Path, options: LearningOptions | None = None) -> dict[str, Judgement]:
    """Train as `lode train` does, save the judgements, and return them by URL."""
    training_set, classifier, tree = learned(portal, options)
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        new = Model(ModelId(0), "tree", VERSION, 1.0, classifier.pack())
        model = ledger.keep_model(session, new)
        saved = save_judgements(session, judge_pages(session, classifier), model.id)
        assert saved == count_pages(session)
    report_on(classifier, training_set, tree, options or LearningOptions())
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        judgements = {}
        for url in (*pages(), *odd_pages()):
            page = page_at(session, address(url).key)
            judgement = judgement_of(session, page.id) if page is not None else None
            if judgement is not None:
                judgements[url] = judgement
    return judgements


def reports(portal: Path, options: LearningOptions | None = None) -> dict[str, TopicReport]:
    training_set, classifier, tree = learned(portal, options)
    all_reports = report_on(classifier, training_set, tree, options or LearningOptions())
    return {report.path: report for report in all_reports}


# --- training documents ---


def test_the_pages_of_examples_are_learned_from(birds: Path) -> None:
    training_set, classifier, tree = learned(birds)
    owls, herons = (number_of(birds, path) for path in ("owls", "herons"))
    assert training_set.parents == {owls: ROOT, herons: ROOT}
    titles = [document.document.title for document in training_set.documents[owls]]
    assert titles == ["Owl 0", "Owl 1", "Owl 2"]
    all_documents = [document for group in training_set.documents.values() for document in group]
    assert not any(document.virtual for document in all_documents)
    assert len(training_set.others[ROOT].user) == 3
    assert training_set.unusable == ()
    assert len(training_set.example_pages) == 9
    for topic, documents in training_set.documents.items():
        verdicts = classifier.judge([document.sample for document in documents])
        assert [verdict.topic for verdict in verdicts] == [topic] * 3
        assert all(verdict.confidence > 0 for verdict in verdicts)  # SPEC B8
    assert len(tree) == 3


def test_an_example_without_a_page_is_a_virtual_document(birds: Path) -> None:
    title = "Snowy owls of the tundra"
    add_example(birds, "owls", url="http://gone.test/", title=title, tags=("arctic",))
    add_example(birds, "owls", url=place("owl", 0) + "x", title="")
    training_set, _, _ = learned(birds)
    document = training_set.documents[number_of(birds, "owls")][-1]
    assert (document.virtual, document.document.title) == (True, title)
    (unusable,) = training_set.unusable
    assert (unusable.example.url, unusable.reason) == (place("owl", 0) + "x", "not fetched")
    assert (reports(birds)["owls"].examples, reports(birds)["owls"].virtual) == (4, 1)


def test_examples_that_cannot_be_fetched_have_a_reason(tmp_path: Path) -> None:
    urls = [f"http://{name}.test/" for name in ("nowhere", "hidden", "closed", "empty", "busy")]
    portal = planted(tmp_path / "p", {**BIRDS, "owls": [*BIRDS["owls"], *urls]})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    training_set, _, _ = learned(portal)
    assert [unusable.reason for unusable in training_set.unusable] == [
        "not there: status 404",
        "noindex",
        "robots.txt",
        "no words",
        "unavailable: status 503; it is tried again next time",
    ]
    assert len(training_set.documents[number_of(portal, "owls")]) == 3


def test_a_page_that_several_examples_lead_to_is_one_document(tmp_path: Path) -> None:
    owls = [place("owl", 0), "http://copy.test/", place("owl", 5), "http://moved.test/"]
    portal = planted(tmp_path / "p", {**BIRDS, "owls": owls})
    assert fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web") == 8
    training_set, _, _ = learned(portal)
    documents = training_set.documents[number_of(portal, "owls")]
    assert [document.document.title for document in documents] == ["Owl 0", "Owl 5"]
    assert training_set.unusable == ()


def test_a_url_may_be_an_example_of_two_topics(tmp_path: Path) -> None:
    owl = [place("owl", 0)]
    portal = planted(tmp_path / "p", {**BIRDS, "owls/barn": owl, "night": owl})
    fetch(portal, pages(), tmp_path / "web")
    training_set, classifier, tree = learned(portal)
    for path in ("owls", "owls/barn", "night"):
        topic = number_of(portal, path)
        assert training_set.documents[topic][0].document.title == "Owl 0"
        assert classifier.planes(topic)
    assert report_on(classifier, training_set, tree, LearningOptions())


def test_a_page_may_be_an_example_of_a_topic_and_of_others(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {**BIRDS, "OTHERS": [place("owl", 0), place("news", 0)]})
    fetch(portal, pages(), tmp_path / "web")
    training_set, classifier, _ = learned(portal)
    assert knows_topics(classifier)
    assert len(training_set.others[ROOT].user) == 2


def test_examples_of_the_root_belong_to_no_topic(birds: Path) -> None:
    add_example(birds, "/", url="http://loose.test/", title="Anything at all")
    training_set, classifier, _ = learned(birds)
    assert ROOT not in training_set.documents
    assert classifier.pack() == learned(birds)[1].pack()


def test_examples_of_the_root_alone_are_not_enough(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": []})
    add_example(portal, "/", url="http://loose.test/", title="Anything at all")
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_topics_without_examples_are_ignored(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"gulls": [], **BIRDS, "gulls/black": [], "owls/none": []})
    fetch(portal, pages(), tmp_path / "web")
    by_path = reports(portal)
    assert list(by_path) == ["owls", "herons"]
    assert judged(portal)[place("owl", 0)].topic == number_of(portal, "owls")


def test_a_parent_learns_from_the_topics_below_it(tmp_path: Path) -> None:
    topics = {f"birds/{name}" if name != "OTHERS" else name: urls for name, urls in BIRDS.items()}
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    by_path = reports(portal)
    assert {path: report.examples for path, report in by_path.items()} == {
        "birds": 6,
        "birds/owls": 3,
        "birds/herons": 3,
    }
    assert {"owl", "heron"} & set(by_path["birds"].terms)
    assert "owl" in by_path["birds/owls"].terms
    assert judged(portal)[place("heron", 1)].topic == number_of(portal, "birds/herons")


def test_counterexamples_count_below_their_own_parent(tmp_path: Path) -> None:
    topics = {
        "birds/owls": BIRDS["owls"],
        "birds/OTHERS": BIRDS["herons"],
        "OTHERS": BIRDS["OTHERS"],
    }
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    training_set, _, _ = learned(portal)
    assert len(training_set.others[ROOT].user) == 3
    assert len(training_set.others[number_of(portal, "birds")].user) == 3
    assert all(others.common for others in training_set.others.values())


def test_a_query_alone_is_learned_from(tmp_path: Path) -> None:
    create_portal(tmp_path / "p", plant_query("barn owls hunting mice at night"), {})
    training_set, classifier, tree = learned(tmp_path / "p")
    ((document,),) = training_set.documents.values()
    assert document.virtual
    (verdict,) = classifier.judge([document.sample])
    assert (verdict.topic, verdict.confidence > 0) == (document.example.topic, True)
    (report,) = report_on(classifier, training_set, tree, LearningOptions())
    assert set(report.terms) == {"barn", "owls", "hunting", "mice", "night"}
    assert report.confusions == {}  # a single document cannot be held out


# --- too little to learn from ---


def test_without_examples_nothing_is_learned(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": [], "herons/grey": []})
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_counterexamples_alone_are_not_enough(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"OTHERS": BIRDS["OTHERS"], "owls": []})
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError, match="no topic has an example"):
        learned(portal)


def test_if_all_examples_are_unusable_the_first_is_named_with_its_reason(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://nowhere.test/"]})
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError, match=r"\(http://nowhere.test/: not there: status 404\)\.$"):
        learned(portal)


@pytest.mark.usefixtures("without_wordnet")
@pytest.mark.parametrize(
    "topics",
    [{"owls": BIRDS["owls"]}, {"birds/owls": BIRDS["owls"], "birds/herons": BIRDS["herons"]}],
)
def test_a_single_topic_needs_counterexamples(tmp_path: Path, topics: dict[str, list[str]]) -> None:
    portal = planted(tmp_path / "p", topics)
    fetch(portal, pages(), tmp_path / "web")
    with pytest.raises(BadInputError) as refused:
        learned(portal)
    assert NO_WORDS.rstrip(".") in str(refused.value)
    assert str(refused.value).count(". ") == 0  # one sentence


@pytest.mark.usefixtures("without_wordnet")
def test_without_vocabulary_topics_are_learned_against_each_other(birds: Path) -> None:
    training_set, classifier, _ = learned(birds)
    assert training_set.vocabulary_error == NO_WORDS
    assert len(training_set.others[ROOT].documents) == 3
    owls = number_of(birds, "owls")
    (verdict,) = classifier.judge([training_set.documents[owls][0].sample])
    assert verdict.topic == owls


def test_offline_no_vocabulary_is_fetched(birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "vocabulary_is_here", lambda: False)
    monkeypatch.setattr(training, "common_vocabulary", lambda: pytest.fail("fetched"))
    training_set, _, _ = learned(birds, offline=True)
    assert "nothing is to be fetched" in training_set.vocabulary_error
    monkeypatch.setattr(training, "vocabulary_is_here", lambda: True)
    monkeypatch.setattr(training, "common_vocabulary", lambda: VOCABULARY)
    assert learned(birds, offline=True)[0].vocabulary_error == ""


# --- pages of the crawl as counterexamples ---


def test_pages_that_are_surely_rejected_join_others(birds: Path, tmp_path: Path) -> None:
    before = learned(birds)[0].others[ROOT]
    assert before.rejected == ()  # all fetched pages are examples
    crawl_all(birds, tmp_path / "web")
    after = learned(birds)[0].others[ROOT]
    assert len(after.user) == len(before.user) == 3
    assert 0 < len(after.rejected) <= 4  # the other half of the news, and the hub


def test_no_example_is_ever_a_counterexample_to_itself(birds: Path, tmp_path: Path) -> None:
    """Not even if an earlier model rejected it."""
    crawl_all(birds, tmp_path / "web")
    with Portal.writing(birds, "test") as portal, portal.batch() as session:
        known = [PageId(number) for number in range(1, count_pages(session) + 1)]
        keep_judgements(session, [(page, Judgement(ROOT, -0.9)) for page in known])
    training_set, _, _ = learned(birds)
    all_documents = [document for group in training_set.documents.values() for document in group]
    examples = {document.sample["terms"].pack() for document in all_documents}
    assert not examples & {sample["terms"].pack() for sample in training_set.others[ROOT].documents}
    own = {sample["terms"].pack() for sample in training_set.others[ROOT].user}
    assert not own & {sample["terms"].pack() for sample in training_set.others[ROOT].rejected}


def test_pages_without_known_words_do_not_join_others(birds: Path) -> None:
    with Portal.writing(birds, "test") as portal:
        for name, text in (("greek", "ρδσξ ψωζχ κμνλ φγηθ"), ("blank", "")):
            body = html("", text).encode()
            document = page_analysed("http://x.test/", "text/html; charset=utf-8", body)
            keep_one(portal.store, f"http://{name}.test/", document=document)
    assert learned(birds)[0].others[ROOT].rejected == ()


def test_training_twice_gives_the_same_model(birds: Path, tmp_path: Path) -> None:
    crawl_all(birds, tmp_path / "web")
    first = learned(birds)[1].pack()
    judged(birds)
    assert learned(birds)[1].pack() == first
    add_example(birds, "owls", title="Snowy owls of the tundra")
    assert learned(birds)[1].pack() != first


# --- judgements ---


def test_all_pages_of_a_crawl_are_judged(birds: Path, tmp_path: Path) -> None:
    crawl_all(birds, tmp_path / "web")
    judgements = judged(birds)
    assert set(judgements) == set(pages())
    assert {judgement.model for judgement in judgements.values()} == {ModelId(1)}
    topics = {"owl": number_of(birds, "owls"), "heron": number_of(birds, "herons"), "news": ROOT}
    wrong = [
        url
        for kind, topic in topics.items()
        for url in (place(kind, number) for number in range(EACH))
        if judgements[url].topic != topic or judgements[url].is_accepted != (topic != ROOT)
    ]
    assert wrong == []
    assert {judgement.model for judgement in judged(birds).values()} == {ModelId(2)}


def test_an_empty_page_is_on_no_topic(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {**BIRDS, "owls": [*BIRDS["owls"], "http://empty.test/"]})
    fetch(portal, {**pages(), **odd_pages()}, tmp_path / "web")
    judgement = judged(portal)["http://empty.test/"]
    assert (judgement.topic, judgement.confidence < 0) == (ROOT, True)


SPACES = (
    ("terms",),
    ("pairs",),
    ("terms", "anchors"),
    ("terms", "pairs", "anchors", "neighbours", "urls"),
    ("urls",),
)


@pytest.mark.parametrize("spaces", SPACES, ids="+".join)
def test_topics_are_learned_in_all_spaces(
    birds: Path,
    tmp_path: Path,
    spaces: tuple[str, ...],
) -> None:
    crawl_all(birds, tmp_path / "web")
    options = LearningOptions(spaces=spaces)  # type: ignore[arg-type]
    judgements = judged(birds, options)
    assert {judgements[url].topic for url in BIRDS["owls"]} == {number_of(birds, "owls")}
    assert {judgements[url].topic for url in BIRDS["herons"]} == {number_of(birds, "herons")}
    report = reports(birds, options)["owls"]
    assert set(report.features) <= set(spaces)
    assert set(report.xi_alpha) == set(report.features)


@pytest.mark.parametrize("rule", VotingRule)
def test_spaces_decide_by_each_rule(birds: Path, rule: VotingRule) -> None:
    judgements = judged(birds, LearningOptions(spaces=("terms", "pairs"), rule=rule))
    assert {judgements[url].topic for url in BIRDS["owls"]} == {number_of(birds, "owls")}


def test_the_setting_of_the_paper_gives_another_model(birds: Path) -> None:
    options = LearningOptions(setting=SettingName.BINGO_2003)
    assert learned(birds, options)[1].pack() != learned(birds)[1].pack()
    assert judged(birds, options)[place("owl", 0)].topic == number_of(birds, "owls")


# --- meanings of words ---


@pytest.fixture
def with_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has the meanings of a few words."""
    monkeypatch.setattr(training, "meanings_are_here", lambda: True)
    monkeypatch.setattr(training, "word_meanings", tiny)


@pytest.fixture
def without_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has no meanings of words."""

    def none() -> Meanings:
        raise NoMeaningsError("No meanings today.")

    monkeypatch.setattr(training, "meanings_are_here", lambda: False)
    monkeypatch.setattr(training, "word_meanings", none)


@pytest.mark.usefixtures("with_meanings")
def test_meanings_are_used_where_they_are_available(birds: Path) -> None:
    training_set, classifier, _ = learned(birds)
    assert training_set.meanings is classifier.meanings is tiny()
    assert learned(birds, ON)[1].pack() == classifier.pack()
    assert learned(birds, OFF)[1].meanings_digest == ""


@pytest.mark.usefixtures("with_meanings")
@pytest.mark.parametrize(
    "options",
    [OFF, LearningOptions(setting=SettingName.BINGO_2003), LearningOptions(spaces=("pairs",))],
)
def test_meanings_are_not_loaded_where_they_are_not_used(
    birds: Path,
    options: LearningOptions,
) -> None:
    assert learned(birds, options)[0].meanings is None


@pytest.mark.usefixtures("without_meanings")
def test_missing_meanings_are_an_error_only_if_they_are_required(birds: Path) -> None:
    assert learned(birds)[0].meanings is None
    with pytest.raises(NoMeaningsError):
        learned(birds, ON)
    with pytest.raises(BadInputError, match="nothing is to be fetched"):
        learned(birds, ON, offline=True)


@pytest.mark.usefixtures("without_meanings")
def test_meanings_that_fail_to_load_are_left_out(
    birds: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(training, "meanings_are_here", lambda: True)
    assert learned(birds)[0].meanings is None


def test_a_space_without_words_is_named(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"owls": ["http://alone.test/"]})
    page = paper("Alone", "An owl that nobody links to")
    fetch(portal, {"http://alone.test/": page}, tmp_path / "web")
    options = LearningOptions(spaces=("anchors",))
    no_words = r"in the space of anchors.*\(http://alone.test/: no words\)"
    with pytest.raises(BadInputError, match=no_words):
        learned(portal, options)
    with pytest.raises(BadInputError, match="nothing in the space of urls to tell the topic from"):
        learned(portal, replace(options, spaces=("urls",)))


# --- the report ---


def test_the_report_counts_the_topics_of_held_out_examples(birds: Path) -> None:
    by_path = reports(birds)
    for path in ("owls", "herons"):
        report = by_path[path]
        assert sum(report.confusions.values()) == report.examples == 3
        assert set(report.confusions) <= {"owls", "herons", "OTHERS"}
        assert 0 <= report.xi_alpha["terms"].precision <= 1
        assert 0 <= report.xi_alpha["terms"].recall <= 1
        assert report.features["terms"] > 10
        assert len(report.terms) == 10
    assert "owl" in by_path["owls"].terms
    assert "heron" in by_path["herons"].terms


@pytest.mark.usefixtures("without_wordnet")
def test_a_held_out_example_goes_to_others_if_its_topic_cannot_be_learned(tmp_path: Path) -> None:
    """Each space then has words of one topic only, and nothing to tell it from."""
    portal = planted(tmp_path / "p", {"owls": [], "herons": []})
    add_example(portal, "owls", title="owl")
    add_example(portal, "owls", url="http://strigiformes.test/", title="the of and")
    add_example(portal, "herons", title="heron")
    report = reports(portal, LearningOptions(spaces=("terms", "urls")))["owls"]
    assert report.confusions["OTHERS"] >= 1
    assert "" not in report.confusions


# --- redirects ---


def redirect(store: Store, *hops: tuple[str, str]) -> None:
    redirects = []
    for source, target in hops:
        start, end = address(source), address(target)
        redirects.append(Redirect(start.url, start.key, end.url, end.key, 302))
    with store.writing() as session:
        entry = take(session, hops[0][0])
        moved = outcome(entry, page=None, document=None, redirects=tuple(redirects))
        outcomes.keep(session, [moved])


def test_a_page_is_found_through_redirects(tmp_path: Path) -> None:
    planted(tmp_path / "p", {"owls": []})
    with Portal.writing(tmp_path / "p", "test") as portal:
        page = keep_one(portal.store, "http://c.test/")
        a, b, c, x, y = (f"http://{name}.test/" for name in "abcxy")
        redirect(portal.store, (a, b), (b, c))
        redirect(portal.store, (x, y), (y, x))
        redirect(portal.store, ("http://to.test/", "http://nothing.test/"))
        with portal.store.reading() as session:
            for url in (a, b, c):
                stored = page_at_url(session, url)
                assert stored is not None
                assert stored.id == page
            for url in (x, "http://to.test/", "http://never.test/"):
                assert page_at_url(session, url) is None


def test_a_training_set_alone_has_no_rejected_pages(birds: Path) -> None:
    with Portal.reading(birds) as portal, portal.store.reading() as session:
        training_set = training_set_of(session, portal.tree(), portal.config.learning)
        assert training_set.others[ROOT].rejected == ()
