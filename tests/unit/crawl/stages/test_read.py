"""What a crawl makes of documents that are no pages: archives, and what kills or hangs its reader."""

from functools import partial
from pathlib import Path

import pytest

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.progress import Limits, Progress
from motherlode.documents.analysis import Manner
from motherlode.documents.extracts import Raw
from motherlode.documents.options import ReadingOptions
from motherlode.fetch.event_loop import run
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.baselines import BreadthFirst
from motherlode.portal import Portal, create_portal
from motherlode.records import UrlState
from motherlode.store.queries.url_traces import hops_to
from motherlode.store.session import Session
from motherlode.store.tables.near_duplicates import near
from motherlode.store.tables.pages import (
    KeptPage,
    known_url,
    links_from,
    main_text_of,
    page_at,
    page_log,
    text_of,
    vectors_of,
)
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules, address, host_of, url_key
from motherlode.workers.document_reader import WARM_UP_PAGES
from motherlode.workers.process_pool import ProcessPool
from motherlode.workers.worker_pool import ProcessWorkerPool
from support.document_files import zipped
from support.small_webs import Said, html, record_web
from support.worker_tasks import read_or_suffer

ZIP = "http://a.test/all.zip"
EAGER: dict[str, object] = {"politeness.delay": 0.0}  # these crawls run on the clock
INNER = (
    "<!DOCTYPE html><title>Inside</title><p>A page about barn owls, mice and voles in an archive, which is "
    "long enough for a fingerprint: night, snow, hearing, feathers, fences, fields and farmers, "
    'see <a href="http://b.test/x">elsewhere</a>.'
)
ARCHIVE = zipped({"page.html": INNER, "in.zip": zipped({"deep/notes.txt": "Deep words."})})


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    create_portal(tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules()), EAGER)
    return tmp_path / "p"


def crawled(
    portal: Path, web: Path, workers: ProcessWorkerPool | None = None, pages: int = 100
) -> Progress:
    """A crawl on the clock: worker processes know no other."""

    async def work(opened: Portal) -> Progress:
        policy = BreadthFirst([address("http://a.test/")])
        limits, replay = Limits(pages, connections=4), Replay(open_web(web))
        if workers is None:
            return await crawl(opened, replay, policy, limits)
        async with workers:
            return await crawl(opened, replay, policy, limits, CrawlContext(workers))

    with Portal.crawling(portal, "test") as opened:
        return run(work(opened))


def kept(session: Session, url: str) -> KeptPage:
    found = page_at(session, url_key(url, host_of(url)))
    assert found is not None, url
    return found


def test_files_in_an_archive_are_kept_as_pages(portal: Path, tmp_path: Path) -> None:
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/all.zip"),
        ZIP: (200, {"Content-Type": "application/zip"}, ARCHIVE),
    }
    progress = crawled(portal, record_web(tmp_path / "web", said))
    assert progress.pages == 2  # fetched ones
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert [url for url, _, _ in page_log(session)] == [
            "http://a.test/",
            ZIP,
            f"{ZIP}#page.html",
            f"{ZIP}#in.zip",
            f"{ZIP}#in.zip#deep/notes.txt",
        ]
        page, notes = (
            kept(session, f"{ZIP}#page.html"),
            kept(session, f"{ZIP}#in.zip#deep/notes.txt"),
        )
        assert (page.title, page.page.mime, page.language) == ("Inside", "text/html", "en")
        assert "barn owls" in text_of(session, page.id)
        assert text_of(session, notes.id) == main_text_of(session, notes.id) == "Deep words."
        assert vectors_of(session, page.id).keys() == {"terms"}
        assert [link.url for link in links_from(session, page.id)] == ["http://b.test/x"]
        assert near(session, page.fingerprint % 2**64) == [page.id]
        assert page.page.archived is None
        outer = kept(session, ZIP)
        assert outer.page.archived is not None
        assert opened.archive.read(outer.page.archived).body == ARCHIVE
        inside = known_url(session, url_key(f"{ZIP}#page.html", "a.test"))
        assert inside is not None
        assert inside.state is UrlState.FETCHED


def test_an_archive_that_two_links_lead_to_is_opened_once(portal: Path, tmp_path: Path) -> None:
    zipped_up: Said = (200, {"Content-Type": "application/zip"}, ARCHIVE)
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/all.zip", "/copy.zip", "/all.zip#page.html"),
        ZIP: zipped_up,
        "http://a.test/copy.zip": zipped_up,
    }
    crawled(portal, record_web(tmp_path / "web", said))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert len(list(page_log(session))) == 5


LINKING = (
    "<!DOCTYPE html><title>Linking</title><p>Words <a href=page.html>in here</a> <a href=gone.html>gone</a> "
    "<a href=http://a.test/out>out</a> <a rel=nofollow href=http://a.test/closed>closed</a>"
)


def test_links_out_of_an_archive_are_followed(portal: Path, tmp_path: Path) -> None:
    files = {"linking.html": LINKING, "page.html": INNER}
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/all.zip"),
        ZIP: (200, {"Content-Type": "application/zip"}, zipped(dict(files))),
        "http://a.test/out": html("Out", "reached"),
        "http://a.test/closed": html("Closed", "never reached"),
        "http://a.test/gone.html": html("Gone", "never reached"),
    }
    crawled(portal, record_web(tmp_path / "web", said))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        fetched = [url for url, _, _ in page_log(session)]
        members = [f"{ZIP}#linking.html", f"{ZIP}#page.html"]
        assert fetched == ["http://a.test/", ZIP, *members, "http://a.test/out"]
        linking = kept(session, members[0])
        assert [link.url for link in links_from(session, linking.id)][:2] == [
            members[1],
            "http://a.test/out",
        ]
        out = kept(session, "http://a.test/out")
        assert out.via == linking.id


def test_an_archive_that_asks_for_it_has_no_links_followed(portal: Path, tmp_path: Path) -> None:
    head = {"Content-Type": "application/zip", "X-Robots-Tag": "nofollow"}
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/all.zip"),
        ZIP: (200, head, zipped({"linking.html": LINKING})),
        "http://a.test/out": html("Out", "never reached"),
    }
    crawled(portal, record_web(tmp_path / "web", said))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert [url for url, _, _ in page_log(session)] == [
            "http://a.test/",
            ZIP,
            f"{ZIP}#linking.html",
        ]


@pytest.mark.parametrize("obeying", [True, False])
def test_a_member_that_asks_for_it_is_not_kept(tmp_path: Path, obeying: bool) -> None:  # noqa: FBT001 - a parameter
    portal, planted = tmp_path / "p", plant_seeds([(("a",), ["http://a.test/"])], UrlRules())
    create_portal(portal, planted, {**EAGER, "robots.page_rules": obeying})
    secret = f"<meta name=robots content=noindex>{LINKING}"
    said: dict[str, Said] = {
        "http://a.test/": html("A", "first", "/all.zip"),
        ZIP: (
            200,
            {"Content-Type": "application/zip"},
            zipped({"secret.html": secret, "page.html": INNER}),
        ),
        "http://a.test/out": html("Out", "reached"),
    }
    crawled(portal, record_web(tmp_path / "web", said))
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        urls = {url for url, _, _ in page_log(session)}
        assert {f"{ZIP}#page.html", "http://a.test/out"} <= urls
        assert (f"{ZIP}#secret.html" in urls) is not obeying
        found = known_url(session, url_key(f"{ZIP}#secret.html", "a.test"))
        assert found is not None
        assert found.state is (UrlState.SKIPPED if obeying else UrlState.FETCHED)


HOSTILE = {
    "hang": "took more than 2 s",
    "crash": "killed its reader (SIGSEGV)",
    "exit": "killed its reader",
    "memory": "took too much memory",
    "error": "stopped its reader (ValueError)",
}


def suffering() -> ProcessWorkerPool:
    """Readers whom documents can tell what to suffer."""
    options = ReadingOptions(workers=2, seconds=2.0, memory=512)
    workers = ProcessWorkerPool(Manner(), options)
    workers._readers._pool = ProcessPool(
        partial(read_or_suffer, manner=Manner()), options, WARM_UP_PAGES
    )
    return workers


def test_a_crawl_survives_documents_that_its_readers_do_not(portal: Path, tmp_path: Path) -> None:
    paths = [f"/{word}" for word in HOSTILE]
    said: dict[str, Said] = {"http://a.test/": html("A", "first", *paths, "/good")}
    for path in paths:
        said[f"http://a.test{path}"] = (
            f"<title>T</title><p>hostile:{path[1:]}</p><a href=/lost>lost</a>"
        )
    said["http://a.test/good"] = html("Good", "words", "/last")
    said["http://a.test/last"] = html("Last", "words to the last")
    progress = crawled(portal, record_web(tmp_path / "web", said), suffering())
    assert (progress.pages, progress.failed) == (len(said), 0)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        assert {url for url, _, _ in page_log(session)} == set(said)
        for path in paths:
            page = kept(session, f"http://a.test{path}")
            assert (page.title, page.fingerprint, text_of(session, page.id)) == ("", 0, "")
            assert links_from(session, page.id) == []
            assert page.page.archived is not None
            assert b"hostile" in opened.archive.read(page.page.archived).body
        assert kept(session, "http://a.test/last").title == "Last"


@pytest.mark.parametrize(("word", "reason"), HOSTILE.items())
def test_a_document_says_why_nothing_came_of_it(word: str, reason: str) -> None:
    async def work() -> list[str]:
        async with suffering() as readers:
            raws = [
                Raw(f"http://a.test/{n}", f"<p>{said}</p>".encode(), "text/html")
                for n, said in enumerate(("a", f"hostile:{word}", "b"))
            ]
            return [one[0].document.unreadable for one in await readers.read_documents(raws)]

    assert run(work()) == ["", reason, ""]


def test_what_is_missing_to_read_a_format_is_told_once_and_each_document_says_why(
    portal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    names = [f"{number}.ps" for number in range(3)]
    script = {
        name: f"%!PS-Adobe-3.0\n%%Title: (Rain {name})\nshowpage\n".encode() for name in names
    }
    pages: dict[str, Said] = {
        f"http://a.test/{name}": (200, {"Content-Type": "application/postscript"}, body)
        for name, body in script.items()
    }
    packed = (
        200,
        {"Content-Type": "application/zip"},
        zipped({"in.ps": b"%!PS-Adobe-3.0\nshowpage\n"}),
    )
    pages |= {
        "http://a.test/": html("Start", "words", *names, "all.zip"),
        "http://a.test/all.zip": packed,
    }
    progress = crawled(portal, record_web(tmp_path / "web", pages))
    (advice,) = progress.advice
    assert "PostScript" in advice
    assert "apt install ghostscript" in advice
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        for name in (*names, "all.zip#in.ps"):
            url = f"http://a.test/{name}"
            known = known_url(session, url_key(url, host_of(url)))
            assert known is not None
            assert (known.state, known.reason) == (
                UrlState.FETCHED,
                "unreadable: needs Ghostscript",
            )
            page = kept(session, url)
            assert page.title == ("in" if "#" in name else f"Rain {name}")
            assert page.page.mime == "application/postscript"


def test_a_page_that_leads_on_by_itself_is_kept_and_redirects(portal: Path, tmp_path: Path) -> None:
    refresh = "<!DOCTYPE html><title>Moved</title><meta http-equiv=refresh content='0; url=/new?b=1'><p>Wait."
    pages: dict[str, Said] = {
        "http://a.test/": refresh,
        "http://a.test/new?b=1": html("New", "Owls are here now."),
    }
    progress = crawled(portal, record_web(tmp_path / "web", pages))
    assert (progress.pages, progress.redirects) == (2, 1)
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        there = known_url(session, url_key("http://a.test/new?b=1", "a.test"))
        assert there is not None
        (hop,) = hops_to(session, there.id, 10)
        assert (hop.url, hop.target, hop.status) == ("http://a.test/", "http://a.test/new?b=1", 200)
        assert kept(session, "http://a.test/").title == "Moved"
