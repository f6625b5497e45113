"""Responses of OAI-PMH, verb by verb and error by error, from a portal made by hand."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from sqlalchemy import update

from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.requests.feedback import PageMove
from motherlode.app.services.collections import make_choices
from motherlode.app.services.oai.repository import identifier_of
from motherlode.app.services.oai.responses import oai_response
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.portal import Portal
from motherlode.records.pages import REFRESH
from motherlode.store.schema import models
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import parse_path
from support.collection_portals import (
    FETCHED_AT,
    HERONS,
    HITS,
    OWLS,
    PAPER,
    MadePage,
    add_pages,
    bird_pages,
    judge_pages,
    make_collections,
)

NS = {
    "o": "http://www.openarchives.org/OAI/2.0/",
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "dc": "http://purl.org/dc/elements/1.1/",
}
BASE = "http://127.0.0.1:8420/portals/birds/oai"
MODEL_AT = FETCHED_AT - 1_000
NOW = FETCHED_AT + 10**6
DAY_S = 86_400
NEW = "http://new.test/"
EVIL = "]]> <b> & \x00\x0b\x1f\x7f\x85 \u202e \ufffe\uffff \U0001f989 \udc80"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A portal whose centroids are older than its pages; one page is newer than the others."""
    new = MadePage("A new owl", "An owl was seen again.", OWLS, 0.55, fetched_at=FETCHED_AT + 500)
    make_collections(tmp_path / "birds", {**bird_pages(), NEW: new})
    with Portal.writing(tmp_path / "birds", "test") as portal, portal.store.writing() as session:
        session.connection.execute(update(models).values(created_at=MODEL_AT))
    return tmp_path


def ask(place: Path, page_records: int = 100, /, **arguments: str) -> ET.Element:
    pairs = [(name.rstrip("_"), value) for name, value in arguments.items()]
    body = oai_response(PortalRegistry(place), "birds", BASE, pairs, NOW, page_records)
    assert body.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="')
    return ET.fromstring(body)  # noqa: S314


def code(place: Path, **arguments: str) -> str | None:
    error = ask(place, **arguments).find("o:error", NS)
    return None if error is None else error.get("code")


def texts(root: ET.Element, path: str) -> list[str]:
    return [element.text or "" for element in root.findall(path, NS)]


def records(place: Path, **arguments: str) -> dict[str, ET.Element]:
    root = ask(place, verb="ListRecords", metadataPrefix="oai_dc", **arguments)
    return {
        texts(record, "o:header/o:identifier")[0]: record
        for record in root.findall("o:ListRecords/o:record", NS)
    }


def choose(place: Path, at: float, **choices: object) -> None:
    make_choices(place / "birds", CollectionsRequest(**choices), at)  # type: ignore[arg-type]


def test_identify(place: Path) -> None:
    root = ask(place, verb="Identify")
    assert [child.tag.partition("}")[2] for child in root] == [
        "responseDate",
        "request",
        "Identify",
    ]
    request = root.find("o:request", NS)
    assert request is not None
    assert (request.text, request.attrib) == (BASE, {"verb": "Identify"})
    identity = {child.tag.partition("}")[2]: child.text for child in root[2]}
    assert identity == {
        "repositoryName": "birds",
        "baseURL": BASE,
        "protocolVersion": "2.0",
        "adminEmail": "nobody@motherlode.local",
        "earliestDatestamp": "2023-11-14T21:56:40Z",
        "deletedRecord": "transient",
        "granularity": "YYYY-MM-DDThh:mm:ssZ",
    }


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("mailto:me@example.org", "me@example.org"),
        ("me@example.org", "me@example.org"),
        ("https://me@example.org/", "nobody@motherlode.local"),
    ],
)
def test_the_contact_is_the_crawlers_if_it_is_an_address(
    tmp_path: Path, contact: str, shown: str
) -> None:
    make_collections(tmp_path / "birds", crawler__contact=contact)
    assert texts(ask(tmp_path, verb="Identify"), "o:Identify/o:adminEmail") == [shown]


def test_formats_and_sets(place: Path) -> None:
    formats = ask(place, verb="ListMetadataFormats", identifier=identifier_of(PAPER))
    assert texts(formats, ".//o:metadataPrefix") == ["oai_dc"]
    sets = ask(place, verb="ListSets")
    assert texts(sets, ".//o:setSpec") == ["topic-3", "topic-4", "topic-5"]
    assert texts(sets, ".//o:setName")[:2] == [OWLS, HERONS]


def test_a_record_in_dublin_core(place: Path) -> None:
    record = records(place)[identifier_of("http://a.test/")]
    assert texts(record, "o:header/o:datestamp") == ["2023-11-14T22:13:20Z"]
    assert texts(record, "o:header/o:setSpec") == ["topic-3"]
    core = record.find("o:metadata/oai_dc:dc", NS)
    assert core is not None
    elements = [(child.tag.partition("}")[2], child.text) for child in core]
    assert elements[0] == ("title", "Barn owls")
    assert ("identifier", "http://a.test/") in elements
    assert ("subject", OWLS) in elements
    assert ("date", "2023-11-14") in elements
    assert ("format", "text/html") in elements
    assert ("language", "en") in elements
    descriptions = [text for name, text in elements if name == "description"]
    assert descriptions[1] == f"Figure of merit in the collection '{OWLS}': 0.900"
    assert "owl" in str(descriptions[0])


def test_a_file_that_was_not_read_names_the_page_with_the_link(place: Path) -> None:
    record = ask(place, verb="GetRecord", identifier=identifier_of(PAPER), metadataPrefix="oai_dc")
    assert texts(record, ".//dc:relation") == ["http://a.test/"]
    assert texts(record, ".//dc:date") == texts(record, ".//dc:format") == []


def test_any_text_makes_well_formed_xml(place: Path) -> None:
    url = "http://evil.test/?a=1&b=%3C2"
    with Portal.crawling(place / "birds", "test") as portal:
        evil = {url: MadePage(EVIL, f"{EVIL} is what it says.", HERONS, 0.9)}
        add_pages(portal, evil)
        judge_pages(portal, evil)
        with portal.store.writing() as session:
            herons = portal.tree().at(parse_path(HERONS)).id
            topic_rows.rename_topic(session, herons, "<herons> & 'egrets'")
    record = records(place)[identifier_of(url)]
    (title,) = texts(record, ".//dc:title")
    assert title.startswith("]]> <b> & \ufffd")
    assert not any(ord(character) < 32 for character in title)
    assert texts(record, ".//dc:identifier") == [url]
    assert texts(record, ".//dc:subject") == ["birds/<herons> & 'egrets'"]
    assert code(place, verb="GetRecord", identifier=EVIL, metadataPrefix="oai_dc") == (
        "idDoesNotExist"
    )


def test_every_error_of_the_protocol(place: Path) -> None:
    paper = identifier_of(PAPER)
    assert code(place, verb="Nothing") == "badVerb"
    assert code(place, verb="ListRecords") == "badArgument"
    assert code(place, verb="ListRecords", resumptionToken="x") == "badResumptionToken"
    assert code(place, verb="ListSets", resumptionToken="x") == "badResumptionToken"
    assert code(place, verb="ListRecords", metadataPrefix="marc") == "cannotDisseminateFormat"
    get = {"verb": "GetRecord", "identifier": paper, "metadataPrefix": "marc"}
    assert code(place, **get) == "cannotDisseminateFormat"
    assert code(place, **{**get, "identifier": "x", "metadataPrefix": "oai_dc"}) == "idDoesNotExist"
    assert code(place, verb="ListMetadataFormats", identifier="x") == "idDoesNotExist"
    none = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc"}
    for missing in ({"set": "topic-99"}, {"set": "x:y"}, {"until": "1999-01-01"}):
        assert code(place, **none, **missing) == "noRecordsMatch"


def test_the_request_is_shown_unless_it_is_bad(place: Path) -> None:
    bad = ask(place, verb="ListRecords", set="x").find("o:request", NS)
    good = ask(place, verb="ListIdentifiers", metadataPrefix="marc", set="x").find("o:request", NS)
    assert bad is not None
    assert good is not None
    assert bad.attrib == {}
    assert good.attrib == {"verb": "ListIdentifiers", "metadataPrefix": "marc", "set": "x"}


def test_harvesting_by_moment(place: Path) -> None:
    everything, new = records(place), identifier_of(NEW)
    assert len(everything) == 16
    assert list(records(place, from_="2023-11-14T22:13:21Z")) == [new]
    assert list(records(place, from_="2023-11-14T22:21:40Z", until="2023-11-14T22:21:40Z")) == [new]
    assert new not in records(place, until="2023-11-14T22:21:39Z")
    assert len(records(place, from_="2023-11-14", until="2023-11-14")) == 16
    assert len(records(place, set="topic-4")) == 6


def test_a_choice_makes_its_collection_new_and_a_rejected_page_a_deleted_record(
    place: Path,
) -> None:
    later = FETCHED_AT + DAY_S
    choose(place, later, reject=(PAPER,))
    changed = records(place, from_="2023-11-15")
    paper = changed[identifier_of(PAPER)]
    header = paper.find("o:header", NS)
    assert header is not None
    assert header.get("status") == "deleted"
    assert texts(paper, "o:header/o:setSpec") == ["topic-3"]
    assert paper.find("o:metadata", NS) is None
    assert identifier_of("http://a.test/") in changed  # the next best may have come in
    assert identifier_of(HITS[HERONS][0]) not in changed
    make_choices(place / "birds", CollectionsRequest(undo=True), later + DAY_S)
    again = records(place, from_="2023-11-16")[identifier_of(PAPER)]
    assert again.find("o:metadata", NS) is not None


def test_new_centroids_and_a_refresh_make_everything_new(place: Path) -> None:
    with Portal.writing(place / "birds", "test") as portal, portal.store.writing() as session:
        run = ledger.start_run(session, "refresh", REFRESH, FETCHED_AT + DAY_S)
        assert run.policy == REFRESH
    assert len(records(place, from_="2023-11-15")) == 16
    with Portal.writing(place / "birds", "test") as portal, portal.store.writing() as session:
        later = update(models).values(created_at=FETCHED_AT + 2 * DAY_S)
        session.connection.execute(later)
    assert len(records(place, from_="2023-11-16")) == 16


def pages_of(place: Path, size: int, **arguments: str) -> list[ET.Element]:
    pages = [ask(place, size, **arguments)]
    while token := "".join(texts(pages[-1], ".//o:resumptionToken")):
        assert len(pages) < 50
        pages.append(ask(place, size, verb=arguments["verb"], resumptionToken=token))
    return pages


@pytest.mark.parametrize("size", [1, 5, 15, 16, 17])
@pytest.mark.parametrize("verb", ["ListIdentifiers", "ListRecords"])
def test_long_lists_come_in_pages(place: Path, size: int, verb: str) -> None:
    pages = pages_of(place, size, verb=verb, metadataPrefix="oai_dc")
    identifiers = [one for page in pages for one in texts(page, ".//o:identifier")]
    assert len(identifiers) == len(set(identifiers)) == 16
    assert len(pages) == -(-16 // size)
    tokens = [page.find(".//o:resumptionToken", NS) for page in pages]
    if len(pages) == 1:
        assert tokens == [None]
        return
    shown = [token.attrib for token in tokens if token is not None]
    assert [one["cursor"] for one in shown] == [str(size * at) for at in range(len(pages))]
    assert {one["completeListSize"] for one in shown} == {"16"}
    assert not any("expirationDate" in one for one in shown)


def test_a_list_neither_skips_nor_repeats_when_members_leave(place: Path) -> None:
    first = ask(place, 5, verb="ListIdentifiers", metadataPrefix="oai_dc")
    seen = texts(first, ".//o:identifier")
    choose(place, FETCHED_AT, move=(PageMove(PAPER, HERONS),))
    (token,) = texts(first, ".//o:resumptionToken")
    rest = texts(ask(place, 50, verb="ListIdentifiers", resumptionToken=token), ".//o:identifier")
    assert not set(seen) & set(rest)
    assert len(seen) + len(rest) == 16


def test_a_list_whose_end_is_gone_has_to_begin_again(place: Path) -> None:
    first = ask(place, 5, verb="ListIdentifiers", metadataPrefix="oai_dc", set="topic-4")
    (token,) = texts(first, ".//o:resumptionToken")
    with Portal.writing(place / "birds", "test") as portal, portal.store.writing() as session:
        session.connection.exec_driver_sql("UPDATE judgements SET score = 0.0")
    assert code(place, verb="ListIdentifiers", resumptionToken=token) == "badResumptionToken"
    assert code(place, verb="ListIdentifiers", metadataPrefix="oai_dc") == "noRecordsMatch"


def test_without_subjects_there_are_no_sets(place: Path) -> None:
    with Portal.writing(place / "birds", "test") as portal, portal.store.writing() as session:
        topics = [topic.id for topic in portal.tree()]
        topic_rows.remove_topics(session, topics, topics[0], ())
    assert code(place, verb="ListSets") == "noSetHierarchy"


def test_identifiers_depend_on_the_url_alone() -> None:
    assert identifier_of(PAPER) == identifier_of(PAPER)
    assert identifier_of(PAPER) != identifier_of(PAPER + "?")
