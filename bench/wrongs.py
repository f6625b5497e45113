"""What must be true of a portal, whatever was done to its crawl: nothing lost, nothing twice or broken."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, func, select
from warcio.archiveiterator import ArchiveIterator

from motherlode.documents.analysis import Manner, analyse_one
from motherlode.documents.extracts import Raw
from motherlode.learning.tree import TreeClassifier
from motherlode.portal import Portal
from motherlode.records import TOPIC_MODEL, UrlState
from motherlode.records.digests import digest_of
from motherlode.search.index import IndexContents, PageIndex
from motherlode.search.indexer import index_directory, pending_changes, topic_term, update_index
from motherlode.search.query import MatchMode, QueryWord
from motherlode.search.query_builder import Filters, LanguageGroup, QueryBuilder
from motherlode.store.schema import frontier, judgements, links, models, pages, redirects, urls
from motherlode.store.session import Session
from motherlode.store.tables.pages import KeptPage, count_pages, links_from, page_numbered


class Snapshot(Struct, frozen=True):
    """What a crawl has found, without numbers and times: of each page its content and links, of each URL its
    fate, and where redirects lead."""

    pages: dict[str, tuple[bytes, str, tuple[tuple[str, str, int], ...]]]
    urls: dict[str, tuple[int, str | None]]
    redirects: dict[str, str]


def snapshot(portal: Path) -> Snapshot:
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        run = session.connection.execute
        said = {
            url: (
                bytes(digest),
                title,
                tuple((link.url, link.anchor, link.flags) for link in links_from(session, number)),
            )
            for number, url, digest, title in run(
                select(pages.c.id, urls.c.url, pages.c.digest, pages.c.title).join(
                    urls, urls.c.id == pages.c.url_id
                )
            ).all()
        }
        fates = {
            url: (
                state,
                "" if state == UrlState.MOVED else why,
            )  # a copy is found before or after it is fetched
            for url, state, why in run(select(urls.c.url, urls.c.state, urls.c.reason))
        }
        target = urls.alias()
        hops = select(urls.c.url, target.c.url).select_from(redirects)
        hops = hops.join(urls, urls.c.id == redirects.c.url_id).join(
            target, target.c.id == redirects.c.target_id
        )
        return Snapshot(said, fates, {source: to for source, to in run(hops)})  # noqa: C416 - rows are no tuples


def wrongs_of(portal: Path, *, is_over: bool = True) -> list[str]:
    """What is not as it must be after any number of kills; nothing, one hopes. The index is behind until a
    crawl `is_over`, and not there before its first pages."""
    with Portal.reading(portal) as opened, opened.store.reading() as session:
        return [
            *_wrong_in_tables(session),
            *_wrong_in_file(session),
            *_wrong_in_pages(opened, session),
            *_wrong_in_archive(portal / "archive", session),
            *_wrong_in_models(session),
            *(_wrong_in_index(opened, session) if is_over else ()),
        ]


def _wrong_in_tables(session: Session) -> Iterator[str]:
    fetched, paired = urls.c.state == UrlState.FETCHED, pages.c.url_id == urls.c.id
    twice = func.count() > 1
    wrong: dict[str, Select[Any]] = {
        "URLs fetched without a page": select(urls.c.id)
        .outerjoin(pages, paired)
        .where(fetched, pages.c.id.is_(None)),
        "pages of URLs that are not fetched": select(pages.c.id).join(urls, paired).where(~fetched),
        "pages twice": select(pages.c.url_id).group_by(pages.c.url_id).having(twice),
        "contents twice": select(pages.c.digest).group_by(pages.c.digest).having(twice),
    }
    for column in (frontier.c.url_id, links.c.url_id, pages.c.url_id):
        unknown = select(column).outerjoin(urls, urls.c.id == column).where(urls.c.id.is_(None))
        wrong[f"rows of {column.table} for unknown URLs"] = unknown
    for column in (links.c.page_id, judgements.c.page_id):
        unknown = select(column).outerjoin(pages, pages.c.id == column).where(pages.c.id.is_(None))
        wrong[f"rows of {column.table} for unknown pages"] = unknown
    for what, query in wrong.items():
        number = session.connection.execute(
            select(func.count()).select_from(query.subquery())
        ).scalar_one()
        if number:
            yield f"{number} {what}"


def _wrong_in_file(session: Session) -> Iterator[str]:
    if session.connection.dialect.name == "sqlite":
        for check, good in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
            said = [tuple(row) for row in session.connection.exec_driver_sql(f"PRAGMA {check}")]
            if said != good:
                yield f"{check} says {said[:5]}"


def _wrong_in_pages(portal: Portal, session: Session) -> Iterator[str]:
    """Every page lies in the archive, and all its links are in the store."""
    for kept in _all_pages(session):
        page = kept.page
        if page.archived is None:
            yield f"{page.url} is not archived"
            continue
        body = portal.archive.read(page.archived).body
        if digest_of(body) != page.digest:
            yield f"{page.url} is another in the archive"
        document = analyse_one(
            Raw(page.url, body, page.mime, page.mime), Manner(portal.config.urls)
        )
        if [one.url for one in document.links] != [one.url for one in links_from(session, kept.id)]:
            yield f"{page.url} has other links in the store"


def _all_pages(session: Session) -> Iterator[KeptPage]:
    for number in session.connection.execute(select(pages.c.id)).scalars().all():
        kept = page_numbered(session, number)
        if kept is not None:
            yield kept


def _wrong_in_archive(directory: Path, session: Session) -> Iterator[str]:
    """Another program reads it to the last record, and finds each page once."""
    found: Counter[str] = Counter()
    for path in sorted(directory.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type == "response":
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
    stored = count_pages(session)
    if found.total() != stored or len(found) != stored:
        yield f"{stored} pages, and {found.total()} records of {len(found)} pages"


def _wrong_in_models(session: Session) -> Iterator[str]:
    for number, packed in session.connection.execute(
        select(models.c.id, models.c.packed).where(models.c.kind == TOPIC_MODEL)
    ):
        try:
            TreeClassifier.unpack(bytes(packed))
        except ValueError as error:
            yield f"model {number}: {error}"


def _wrong_in_index(portal: Portal, session: Session) -> Iterator[str]:
    """The index has every page once, as one has that is made anew: found by its title and under its topic."""
    index, tree = PageIndex.open(index_directory(portal)), portal.tree()
    if index is None:
        yield "there is no index"
        return
    known, lacks = index.contents(), pending_changes(session, tree, index.contents())
    if lacks.change_count:
        yield f"the index lacks {len(lacks.to_write)} pages and has {len(lacks.to_remove)} that are gone"
    if not len(known.pages) == len(set(known.pages.tolist())) == count_pages(session):
        yield f"{count_pages(session)} pages, and {len(known.pages)} documents in the index"
    builder = QueryBuilder(index.schema, str)
    for kept in _all_pages(session):
        titled = builder.build(
            QueryWord(kept.title, MatchMode.EXACT, "title"), [LanguageGroup((), {})], Filters()
        )
        if kept.id not in index.search(titled, index.page_count).pages:
            yield f"{kept.page.url} is not found by its title"
    for topic in tree:
        below = judgements.c.topic_id.in_(tree.descendants(topic.id))
        judged = select(judgements.c.page_id).where(below, judgements.c.confidence > 0)
        filed = index.search(
            builder.build_all(Filters(topics=(topic_term(topic.id),))), index.page_count
        ).pages
        if sorted(filed.tolist()) != sorted(session.connection.execute(judged).scalars()):
            yield f"other pages are on topic {topic.id} in the index"
    if session.connection.dialect.name == "sqlite":  # elsewhere links have no order
        update_index(portal, rebuild=True)
        index.reload()
        if _seen(index.contents()) != _seen(known):
            yield "an index made anew is another"


def _seen(known: IndexContents) -> list[tuple[int, int, int]]:
    return sorted(
        zip(known.pages.tolist(), known.stamps.tolist(), known.anchor_stamps.tolist(), strict=True)
    )
