"""Pages fetched again: what has changed, what has not, what is gone; and the crawl goes on as before."""

import asyncio
import shutil
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from msgspec.structs import replace
from sqlalchemy import update

from motherlode.crawl import refresh as refreshing
from motherlode.crawl.context import Control
from motherlode.crawl.log import CRAWL_LOG, CrawlLog
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits
from motherlode.crawl.refresh import (
    RefreshContext,
    RefreshResult,
    RefreshSelection,
    conditional_headers,
    refresh,
    refresh_policy,
    select_pages,
)
from motherlode.documents.analysis import Manner
from motherlode.documents.text.terms import bag_of
from motherlode.fetch import Request
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import Headers
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.learning.tree import VERSION
from motherlode.policies.baselines import BreadthFirst
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.policies.policy import Visit
from motherlode.portal import Portal
from motherlode.records import (
    NO_QUEUE,
    TOPIC_MODEL,
    Document,
    Entry,
    Lane,
    Link,
    Mark,
    Model,
    ModelId,
    QueueId,
    StoreGoneError,
    UrlId,
    UrlState,
    Word,
)
from motherlode.records.digests import is_older, older_digest_of
from motherlode.records.texts import pack_text
from motherlode.store.schema import pages as page_rows
from motherlode.store.schema import texts as text_rows
from motherlode.store.schema import urls as url_rows
from motherlode.store.tables import frontier, ledger
from motherlode.store.tables.marks import give_marks
from motherlode.store.tables.pages import (
    KeptPage,
    KnownUrl,
    judgement_of,
    known_url,
    links_from,
    page_at,
    redirect_of,
    text_of,
)
from motherlode.urls import address, url_key
from motherlode.workers.worker_pool import InlineWorkerPool
from support.helpers import follow
from support.scripted_web import Plain, Said, ScriptedWeb, moved
from support.small_webs import record_web
from support.training_webs import BIRDS, learned, number_of, pages, paper, place, planted

ALL = RefreshSelection(before=1e12, pages=1000)
LATER = 5000.0  # seconds between a crawl and a refresh
SEED = "http://a.test/"
SAID: dict[str, Said] = {
    SEED: paper("A", "first", {"/1": "one", "/2": "two", "/3": "three"}),
    "http://a.test/1": paper("One", "the first of them"),
    "http://a.test/2": paper("Two", "the second of them", {"/4": "four"}),
    "http://a.test/3": paper("Three", "the third of them"),
    "http://a.test/4": paper("Four", "the fourth of them"),
}


@pytest.fixture(scope="module")
def crawled_portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be copied."""
    made = planted(
        tmp_path_factory.mktemp("crawled") / "p", {"a": [SEED]}, crawl__policy="breadth-first"
    )
    crawled(made, SAID)
    return made


@pytest.fixture
def portal(crawled_portal: Path, tmp_path: Path) -> Path:
    return shutil.copytree(crawled_portal, tmp_path / "p")


def crawled(portal: Path, said: Mapping[str, Said], pages: int = 100) -> ScriptedWeb:
    """What was asked for by a crawl."""
    web = ScriptedWeb(said)
    with Portal.crawling(portal, "test") as opened:
        run_virtually(crawl(opened, web, BreadthFirst([address(SEED)]), Limits(pages)))
    return web


def refreshed(
    portal: Path,
    said: Mapping[str, Said],
    wish: RefreshSelection = ALL,
    context: RefreshContext | None = None,
) -> tuple[RefreshResult, ScriptedWeb]:
    web = ScriptedWeb(said)

    async def later() -> RefreshResult:
        await asyncio.sleep(LATER)
        policy = load_policy(opened.config.crawl.policy).make(PolicySetup(opened))
        return await refresh(opened, web, wish, replace(context or RefreshContext(), policy=policy))

    with Portal.crawling(portal, "test") as opened:
        return run_virtually(later()), web


def page(portal: Path, url: str) -> KeptPage:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        found = page_at(session, address(url).key)
    assert found is not None
    return found


def known(portal: Path, url: str) -> KnownUrl:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        found = known_url(session, address(url).key)
    assert found is not None
    return found


def words(portal: Path, url: str) -> str:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return text_of(session, page(portal, url).id)


def sizes(portal: Path, lane: Lane = Lane.CRAWL) -> dict[QueueId, int]:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return frontier.sizes(session, lane)


def counts(found: RefreshResult) -> tuple[int, int, int, int, int]:
    return found.changed, found.unchanged, found.gone, found.moved, found.failed


def tagged(text: str, tag: str) -> Said:
    """A page that answers conditions."""

    def say(request: Request) -> Plain:
        if dict(request.headers).get("If-None-Match") == tag:
            return 304, {}
        return 200, {"Content-Type": "text/html", "ETag": tag}, text.encode()

    return say


def test_a_page_that_says_the_same_is_unchanged_and_fresh(portal: Path) -> None:
    before = page(portal, "http://a.test/1")
    found, web = refreshed(portal, SAID)
    assert counts(found) == (0, 5, 0, 0, 0)
    assert sorted(web.urls()) == sorted(SAID)
    after = page(portal, "http://a.test/1")
    assert after.page.fetched_at >= LATER > before.page.fetched_at
    assert replace(after, page=replace(after.page, fetched_at=before.page.fetched_at)) == before
    assert known(portal, "http://a.test/1").state is UrlState.FETCHED
    assert sizes(portal) == {}


def test_the_log_tells_what_came_though_nothing_has_changed(portal: Path) -> None:
    with Portal.crawling(portal, "test") as opened, CrawlLog(opened, harvests=False) as journal:
        run_virtually(refresh(opened, ScriptedWeb(SAID), ALL, RefreshContext(log=journal)))
    lines = [line.split(" ") for line in (portal / CRAWL_LOG).read_text().splitlines()]
    assert {line[1] for line in lines} == {"200"}
    sizes = {line[3]: int(line[2]) for line in lines}
    assert sizes == {url: len(str(said).encode()) for url, said in SAID.items()}


def test_a_page_without_a_word_is_unchanged_as_long_as_it_has_none(tmp_path: Path) -> None:
    empty: dict[str, Said] = {SEED: (200, {"Content-Type": "text/html"}, b"")}
    made = planted(tmp_path / "p", {"a": [SEED]}, crawl__policy="breadth-first")
    crawled(made, empty)
    assert counts(refreshed(made, empty)[0]) == (0, 1, 0, 0, 0)
    assert counts(refreshed(made, {SEED: paper("A", "words")})[0]) == (1, 0, 0, 0, 0)


def test_a_page_that_could_not_be_read_is_read_once_more(portal: Path) -> None:
    """Whoever read it may have been killed for another reason; even if its host says that nothing is new."""
    one = "http://a.test/1"
    said: dict[str, Said] = {**SAID, one: tagged(paper("One", "words at last"), "v1")}
    crawled(portal, said)
    refreshed(portal, said)
    assert words(portal, one)
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        number = page(portal, one).id
        row = update(url_rows).where(url_rows.c.key == address(one).key)
        session.connection.execute(row.values(reason="unreadable: killed its reader"))
        nothing = (
            update(text_rows)
            .where(text_rows.c.page_id == number)
            .values(packed=pack_text("", "", ()))
        )
        session.connection.execute(nothing)
    refreshed(portal, {**said, one: 500})
    assert known(portal, one).reason.startswith("unreadable: ")  # though it could not be had
    refreshed(portal, said)
    assert "words at last" in words(portal, one)
    assert known(portal, one).reason == ""


def made_older(portal: Path, *urls: str) -> None:
    """A portal as if an older version had kept these pages, by their SHA-1."""
    older = [page(portal, url) for url in urls]
    with Portal.writing(portal, "test") as opened, opened.batch() as session:
        for one in older:
            assert one.page.archived is not None
            digest = older_digest_of(opened.archive.read(one.page.archived).body)
            row = update(page_rows).where(page_rows.c.id == one.id)
            session.connection.execute(row.values(digest=digest))


def test_what_an_older_version_has_kept_is_compared_by_its_own_digest(portal: Path) -> None:
    made_older(portal, *SAID)
    found, _ = refreshed(
        portal, {**SAID, "http://a.test/2": paper("Two", "other words", {"/4": "four"})}
    )
    assert counts(found) == (1, 4, 0, 0, 0)
    assert [is_older(page(portal, f"http://a.test/{path}").page.digest) for path in "12"] == [
        True,
        False,
    ]
    assert counts(refreshed(portal, SAID)[0]) == (1, 4, 0, 0, 0)


def test_copies_of_what_an_older_version_has_kept_are_found(portal: Path) -> None:
    made_older(portal, "http://a.test/1")
    said = {
        **SAID,
        SEED: paper("A", "first", {"/again": "again", "/more": "more"}),
        "http://a.test/again": SAID["http://a.test/1"],
        "http://a.test/more": SAID["http://a.test/3"],
    }
    refreshed(portal, said)
    crawled(portal, said)
    for path, first in (("again", "1"), ("more", "3")):  # of either kind
        copy = known(portal, f"http://a.test/{path}")
        assert (copy.state, copy.reason) == (UrlState.MOVED, f"copy of http://a.test/{first}")


def test_hosts_are_asked_whether_anything_is_new(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [SEED]})
    said: dict[str, Said] = {SEED: tagged(paper("A", "first"), '"one"')}
    crawled(portal, said)
    for _ in range(2):  # the tag is kept, though a 304 need not say it again
        found, _ = refreshed(portal, said)
        assert counts(found) == (0, 1, 0, 0, 0)
        assert page(portal, SEED).page.etag == '"one"'
        assert page(portal, SEED).page.status == 200
    found, _ = refreshed(portal, {SEED: tagged(paper("B", "second"), '"two"')})
    assert counts(found) == (1, 0, 0, 0, 0)
    assert page(portal, SEED).page.etag == '"two"'


def test_conditions_are_not_carried_to_where_a_redirect_leads(tmp_path: Path) -> None:
    portal = planted(tmp_path / "p", {"a": [SEED]})
    crawled(portal, {SEED: tagged(paper("A", "first"), '"one"')})
    new = "http://a.test/new"
    found, _ = refreshed(
        portal, {SEED: moved("/new"), new: tagged(paper("New", "elsewhere"), '"one"')}
    )
    assert counts(found) == (0, 0, 0, 1, 0)
    assert page(portal, new).title == "New"
    assert known(portal, SEED).state is UrlState.MOVED


def test_a_page_that_has_changed_is_replaced_and_keeps_how_it_was_found(portal: Path) -> None:
    before = page(portal, "http://a.test/2")
    new = paper("Two again", "quite another text", {"/5": "five"})
    found, _ = refreshed(portal, {**SAID, "http://a.test/2": new})
    assert counts(found) == (1, 4, 0, 0, 0)
    after = page(portal, "http://a.test/2")
    assert (after.id, after.title) == (before.id, "Two again")
    assert (after.rank, after.depth, after.via) == (before.rank, before.depth, before.via)
    assert after.page.digest != before.page.digest
    assert "quite another text" in words(portal, "http://a.test/2")
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert [link.anchor for link in links_from(session, after.id)] == ["five"]
        assert before.page.archived is not None
        assert after.page.archived is not None
        assert (
            b"second" in opened.archive.read(before.page.archived).body
        )  # what it was is still there
        assert b"quite another" in opened.archive.read(after.page.archived).body


def test_new_links_wait_for_the_crawl_and_are_not_fetched_by_the_refresh(portal: Path) -> None:
    said = {**SAID, "http://a.test/2": paper("Two again", "another", {"/5": "five"})}
    _, web = refreshed(portal, said)
    assert "http://a.test/5" not in web.urls()
    assert sizes(portal) == {QueueId(1): 1}
    web = crawled(portal, {**said, "http://a.test/5": paper("Five", "the fifth")})
    assert web.urls() == ["http://a.test/5"]
    assert page(portal, "http://a.test/5").via == page(portal, "http://a.test/2").id


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_marked_and_keeps_its_text(portal: Path, status: int) -> None:
    found, _ = refreshed(portal, {**SAID, "http://a.test/1": status})
    assert counts(found) == (0, 4, 1, 0, 0)
    gone = known(portal, "http://a.test/1")
    assert (gone.state, gone.reason) == (UrlState.FAILED, f"gone: status {status}")
    assert "the first of them" in words(portal, "http://a.test/1")
    found, web = refreshed(portal, SAID)  # for good
    assert counts(found) == (0, 4, 0, 0, 0)
    assert "http://a.test/1" not in web.urls()


def test_what_a_page_said_that_is_gone_may_be_kept_at_another_address(portal: Path) -> None:
    said = {
        **SAID,
        "http://a.test/1": 404,
        "http://a.test/3": paper("Three", "third", {"/moved": "one"}),
    }
    refreshed(portal, said)
    crawled(portal, {**said, "http://a.test/moved": SAID["http://a.test/1"]})
    assert page(portal, "http://a.test/moved").title == "One"


@pytest.mark.parametrize(
    "trouble", [503, 429, 500, 403, FailureKind.RESET, FailureKind.TOTAL_TIMEOUT]
)
def test_what_cannot_be_had_now_stays_as_it_is_until_the_next_time(
    portal: Path, trouble: Plain
) -> None:
    before = page(portal, "http://a.test/4")
    found, _ = refreshed(portal, {**SAID, "http://a.test/4": trouble})
    assert found.failed >= 1
    assert (found.gone, found.left) == (0, 0)
    state = known(portal, "http://a.test/4")
    assert state.state is UrlState.FETCHED
    assert state.reason.startswith("not refreshed: ")
    assert page(portal, "http://a.test/4") == before
    assert sizes(portal) == {}


def test_a_page_that_asks_not_to_be_shown_any_more_is_gone(portal: Path) -> None:
    hidden = '<meta name="robots" content="noindex"><p>Not any more.'
    found, _ = refreshed(portal, {**SAID, "http://a.test/1": hidden})
    assert counts(found) == (0, 4, 1, 0, 0)
    assert known(portal, "http://a.test/1").state is UrlState.SKIPPED


def test_a_page_that_has_become_a_copy_has_moved(portal: Path) -> None:
    found, _ = refreshed(portal, {**SAID, "http://a.test/3": SAID["http://a.test/1"]})
    assert counts(found) == (0, 4, 0, 1, 0)
    assert known(portal, "http://a.test/3").reason == "copy of http://a.test/1"


def test_files_in_an_archive_come_with_it(tmp_path: Path) -> None:
    box = "http://box.test/all.zip"
    portal = planted(tmp_path / "p", {"a": [box]})
    for number, words in enumerate(("first", "second")):
        packed = BytesIO()
        with ZipFile(packed, "w") as archive:
            archive.writestr("one.html", paper("One", words))
        said = {box: (200, {"Content-Type": "application/zip"}, packed.getvalue())}
        web = Replay(open_web(record_web(tmp_path / f"web{number}", said)))
        with Portal.crawling(portal, "test") as opened:
            if number:
                assert counts(run_virtually(refresh(opened, web, ALL))) == (1, 0, 0, 0, 0)
            else:
                run_virtually(crawl(opened, web, BreadthFirst([address(box)]), Limits(10)))
        with Portal.reading(portal) as opened, opened.store.reading() as session:
            inside = page_at(session, url_key(f"{box}#one.html", "box.test"))
            assert inside is not None
            assert words in text_of(session, inside.id)


def test_files_that_an_archive_has_no_more_are_gone_and_all_are_if_it_is(tmp_path: Path) -> None:
    box = "http://box.test/all.zip"
    portal = planted(tmp_path / "p", {"a": [box]})
    fates = []
    for names in (["one", "two"], ["one"], []):
        packed = BytesIO()
        with ZipFile(packed, "w") as archive:
            for name in names:
                archive.writestr(f"{name}.html", paper(name, f"{name} of {len(names)}"))
        zipped = (200, {"Content-Type": "application/zip"}, packed.getvalue())
        said = {box: zipped if names else (404, {}, b"")}
        web = Replay(open_web(record_web(tmp_path / f"web{len(names)}", said)))
        with Portal.crawling(portal, "test") as opened:
            if len(names) == 2:
                run_virtually(crawl(opened, web, BreadthFirst([address(box)]), Limits(10)))
            else:
                run_virtually(refresh(opened, web, ALL))
        with Portal.reading(portal) as opened, opened.store.reading() as session:
            inside = [
                known_url(session, url_key(f"{box}#{n}.html", "box.test")) for n in ("one", "two")
            ]
            fates.append([one.state for one in inside if one is not None])
    here, gone = UrlState.FETCHED, UrlState.FAILED
    assert fates == [[here, here], [here, gone], [gone, gone]]


def test_a_redirect_that_was_turned_round_leads_to_the_page_where_it_is_now(portal: Path) -> None:
    here, old = "http://a.test/1", "http://a.test/old"
    first = {**SAID, SEED: paper("A", "first", {"/1": "one", "/old": "old"}), old: moved("/1")}
    refreshed(portal, first)
    crawled(portal, first)
    assert known(portal, old).state is UrlState.MOVED
    refreshed(portal, {**first, here: moved("/old"), old: paper("One", "at its old place")})
    assert known(portal, here).state is UrlState.MOVED
    assert known(portal, old).state is UrlState.FETCHED
    assert "at its old place" in words(portal, old)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert redirect_of(session, known(portal, old).id) is None


# --- which pages, and until when ------------------------------------------------------------------------


def test_only_what_is_old_enough_is_fetched_again(portal: Path) -> None:
    refreshed(portal, SAID, RefreshSelection(before=1e12, pages=2))  # these are fresh now
    found, web = refreshed(portal, SAID, RefreshSelection(before=LATER, pages=100))
    assert counts(found) == (0, 3, 0, 0, 0)
    assert len(set(web.urls())) == 3
    assert refreshed(portal, SAID, RefreshSelection(before=0.0, pages=100))[0] == RefreshResult(
        end="done"
    )


def test_the_oldest_come_first_and_nothing_is_left_waiting(portal: Path) -> None:
    found, _ = refreshed(portal, SAID, RefreshSelection(before=1e12, pages=2))
    assert (counts(found), found.left) == ((0, 2, 0, 0, 0), 0)
    assert page(portal, SEED).page.fetched_at >= LATER


@pytest.mark.parametrize("trouble", [500, moved("http://b.test/")], ids=["dead", "moved as it was"])
def test_pages_that_cannot_be_had_are_not_in_the_way_of_others(portal: Path, trouble: Said) -> None:
    said = {**SAID, SEED: trouble, "http://b.test/": SAID[SEED]}
    wish = RefreshSelection(before=page(portal, "http://a.test/4").page.fetched_at + 1, pages=1)
    _, one = refreshed(portal, said, wish)
    _, other = refreshed(portal, said, wish)
    assert one.urls()[0] == SEED
    assert len(other.urls()) == 1
    assert other.urls()[0] != SEED


def test_a_database_that_is_away_for_a_moment_stops_no_refresh(
    portal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Entry] = []

    def look(opened: Portal, entry: Entry) -> Headers:
        looked.append(entry)
        if len(looked) == 1:
            raise StoreGoneError("away")
        return conditional_headers(opened, entry)

    monkeypatch.setattr(refreshing, "conditional_headers", look)
    found, web = refreshed(portal, SAID)
    assert len(web.urls()) == 5
    assert found.unchanged == 5


def test_an_interrupted_refresh_is_gone_on_with(portal: Path) -> None:
    control = Control()

    def stop(_request: Request) -> Plain:
        control.stop()
        return paper("A", "first")

    said: dict[str, Said] = {**SAID, SEED: stop}
    found, web = refreshed(portal, said, ALL, RefreshContext(control=control))
    assert found.end == "interrupted"
    done = set(web.urls())
    found, web = refreshed(
        portal, SAID, RefreshSelection(before=0.0, pages=100)
    )  # nothing is old enough
    assert found.resumed
    assert set(web.urls()) == set(SAID) - done
    assert found.left == 0


def test_what_was_chosen_waits_in_the_store_and_no_crawl_takes_it(portal: Path) -> None:
    with Portal.crawling(portal, "test") as opened:
        assert select_pages(opened, ALL) == (5, False)  # and here the process is killed
    assert sizes(portal, Lane.REFRESH) == {NO_QUEUE: 5}
    with Portal.writing(portal, "test") as opened, opened.store.writing() as session:
        assert (
            frontier.offer(session, [follow("http://a.test/1", 5.0)]) == []
        )  # a link to it is found
        assert frontier.all_waiting(session, 10, None) == []
    assert crawled(portal, SAID).urls() == []
    assert sizes(portal, Lane.REFRESH) == {NO_QUEUE: 5}
    with Portal.crawling(portal, "test") as opened:
        assert select_pages(opened, ALL) == (5, True)
    found, _ = refreshed(portal, SAID)
    assert (counts(found), found.resumed) == ((0, 5, 0, 0, 0), True)


def test_a_host_that_asks_to_be_left_alone_is_left_to_the_next_refresh(portal: Path) -> None:
    with Portal.reading(portal) as opened:
        rest = opened.config.politeness.max_delay
    busy: Said = (503, {"Retry-After": "80000"})
    found, _ = refreshed(portal, dict.fromkeys(SAID, busy))
    assert found.seconds < rest
    assert found.failed >= 1
    assert found.failed + found.left == 5
    assert found.left >= 1
    assert sizes(portal, Lane.REFRESH) == {NO_QUEUE: found.left}


def test_a_refresh_is_a_run_of_its_own(portal: Path) -> None:
    refreshed(portal, SAID)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        run = ledger.all_runs(session)[-1]
    assert (run.command, run.pages) == ("refresh", 5)


# --- judging --------------------------------------------------------------------------------------------


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """A portal that has its examples, and a model of them."""
    made = planted(tmp_path / "birds", BIRDS)
    web = ScriptedWeb(pages())
    with Portal.crawling(made, "test") as opened:
        run_virtually(prepare(opened, web, workers=InlineWorkerPool(Manner())))
    _, classifier, _ = learned(made)
    with Portal.writing(made, "test") as opened, opened.batch() as session:
        ledger.keep_model(session, Model(ModelId(0), TOPIC_MODEL, VERSION, 1.0, classifier.pack()))
    return made


def test_a_changed_page_is_judged_by_the_latest_model(birds: Path) -> None:
    said = pages() | {place("owl", 0): pages()[place("heron", 4)]}
    found, _ = refreshed(birds, said)
    assert counts(found) == (1, 8, 0, 0, 0)
    with Portal.reading(birds) as opened, opened.store.reading() as session:
        judged = judgement_of(session, page(birds, place("owl", 0)).id)
    assert judged is not None
    assert (judged.topic, judged.model) == (number_of(birds, "herons"), 1)
    assert judged.confidence > 0


def test_new_links_wait_in_the_queues_of_topics_and_counterexamples_lead_nowhere(
    birds: Path,
) -> None:
    before = sizes(birds)
    text = str(pages()[place("owl", 0)])
    said = pages() | {
        place("owl", 0): text.replace("index", "index</a><a href='http://owl0.test/new'>owls"),
        place("news", 0): paper("News", "Voters went to the polls", ["http://news0.test/new"]),
    }
    found, _ = refreshed(birds, said)
    assert found.changed == 2
    owls = number_of(birds, "owls")
    with Portal.reading(birds) as opened, opened.store.reading() as session:
        new = {entry.url for entry in frontier.waiting(session, QueueId(owls), 100)}
        everything = {entry.url for entry in frontier.all_waiting(session, 1000, None)}
    assert "http://owl0.test/new" in new
    assert "http://news0.test/new" not in everything
    assert QueueId(owls) not in before


def test_pages_of_one_topic_alone_can_be_fetched_again(birds: Path) -> None:
    refreshed(birds, pages() | {url: f"{pages()[url]} " for url in pages()})
    wish = RefreshSelection(before=1e12, pages=100, topics={number_of(birds, "herons")})
    _, web = refreshed(birds, pages(), wish)
    assert web.urls()
    assert all("heron" in url for url in web.urls())


def test_a_page_that_moved_to_a_counterexample_leads_nowhere(birds: Path) -> None:
    here, news = address("http://here.test/"), address(place("news", 0))
    entry = Entry(UrlId(0), here.url, here.key, NO_QUEUE, 0.0)
    to = address("http://new.test/")
    document = Document(links=(Link(to.url, to.key),))
    with Portal.reading(birds) as opened:
        policy = refresh_policy(opened, BreadthFirst([]))
    assert policy.steer(Visit(entry, document), None).follows
    assert not policy.steer(Visit(entry, document, moved_to=news), None).follows
    was_news = replace(entry, url=news.url, key=news.key)
    assert not policy.steer(Visit(was_news, document, moved_to=here), None).follows


def test_a_mark_counts_at_the_url_that_a_page_has_moved_to(birds: Path) -> None:
    herons = number_of(birds, "herons")
    owl, here = address(place("owl", 0)), address("http://here.test/")
    with Portal.writing(birds, "test") as opened, opened.store.writing() as session:
        give_marks(session, [Mark(page(birds, owl.url).id, herons, Word.GOOD, 1.0)])
    entry = Entry(UrlId(0), here.url, here.key, NO_QUEUE, 0.0)
    document = Document(title="Owl", language="en", text="An owl hunts at night")
    sample = {"terms": bag_of("An owl hunts at night", "en")}
    with Portal.reading(birds) as opened:
        policy = refresh_policy(opened)
    moved_here = Visit(replace(entry, url=owl.url, key=owl.key), document, sample, here)
    visits = [
        Visit(entry, document, sample),
        Visit(entry, document, sample, owl),
        moved_here,
    ]
    topics = [judgement.topic for judgement in policy.judge(visits) if judgement is not None]
    assert topics[0] != herons
    assert topics[1:] == [herons, herons]
