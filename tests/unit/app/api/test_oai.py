"""The harvesting address of a served portal: access, both methods, and a real harvester."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from oaipmh_scythe import Scythe
from oaipmh_scythe.config import HTTPConfig
from oaipmh_scythe.exceptions import BadArgument, IdDoesNotExist, NoRecordsMatch
from oaipmh_scythe.iterator import OAIResponseIterator

from motherlode.app.requests.collections import CollectionsRequest
from motherlode.app.services.collections import make_choices
from motherlode.app.services.oai import responses
from support.app_server import OWLS as OWLS_PORTAL
from support.app_server import serving_here, visitor
from support.collection_portals import (
    HERONS,
    OWLS,
    PAPER,
    MadePage,
    bird_pages,
    make_collections,
)

TOKEN = "a token of some length"
EVIL = "<Owl> \x00\x0b\x1b[31m ]]> &amp; \u202e \ufffe \U0001f989"
OAI = "/portals/birds/oai"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("oai")
    evil = {"http://evil.test/": MadePage(EVIL, f"{EVIL} says the owl.", HERONS, 0.65)}
    make_collections(folder / "birds", {**bird_pages(), **evil})
    return folder


def code_of(body: bytes) -> str | None:
    error = ET.fromstring(body).find("{http://www.openarchives.org/OAI/2.0/}error")  # noqa: S314
    return None if error is None else error.get("code")


def test_both_methods_answer_alike(place: Path) -> None:
    client = visitor(place)
    query = {"verb": "ListIdentifiers", "metadataPrefix": "oai_dc", "set": "topic-3"}
    got, posted = client.get(OAI, params=query), client.post(OAI, data=query)
    assert got.headers["content-type"] == "text/xml; charset=utf-8"
    at = len("<responseDate>2026-01-01T00:00:00Z")
    assert (
        got.text.partition("<responseDate>")[2][at:]
        == (posted.text.partition("<responseDate>")[2][at:])
    )
    assert code_of(got.content) is None
    assert code_of(client.post(f"{OAI}?verb=Identify").content) == "badVerb"
    assert code_of(client.post(OAI, content=b"verb=Identify").content) == "badVerb"
    assert code_of(client.get(f"{OAI}?verb=Identify&verb=Identify").content) == "badVerb"


def test_who_may_not_read_the_portal_may_not_harvest_it(place: Path) -> None:
    client = visitor(place, token=TOKEN)
    refused = client.get(OAI, params={"verb": "Identify"})
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.json() == {"error": "Log in with the token first."}
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert client.get(OAI, params={"verb": "Identify"}, headers=bearer).status_code == 200
    assert client.post(OAI, data={"verb": "Identify"}).status_code == 401
    foreign = {"Sec-Fetch-Site": "cross-site", **bearer}
    assert client.post(OAI, data={"verb": "Identify"}, headers=foreign).status_code == 403


def test_portals_without_collections_say_so(tmp_path: Path) -> None:
    client = visitor(tmp_path)
    assert client.post("/api/v1/portals", json=OWLS_PORTAL).status_code == 201
    missing = client.get("/portals/owls/oai?verb=Identify")
    assert (missing.status_code, missing.json()["error"]) == (
        400,
        "owls has no collections; 'lode collect' makes them.",
    )
    assert client.get("/portals/herons/oai?verb=Identify").status_code == 404


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be served with lists that have four records on a page."""
    evil = {"http://evil.test/": MadePage(EVIL, f"{EVIL} says the owl.", HERONS, 0.65)}
    make_collections(tmp_path / "birds", {**bird_pages(), **evil})
    monkeypatch.setattr(responses, "PAGE_RECORDS", 4)
    return tmp_path


def test_a_real_harvester_gets_everything(served: Path) -> None:
    make_choices(served / "birds", CollectionsRequest(reject=("http://c.test/",)), 2e9)
    with (
        serving_here(served) as server,
        Scythe(f"{server.address}portals/birds/oai") as scythe,
    ):
        identity: Any = scythe.identify()
        assert identity.repositoryName == "birds"
        assert identity.deletedRecord == "transient"
        formats: list[Any] = list(scythe.list_metadata_formats())
        assert [one.metadataPrefix for one in formats] == ["oai_dc"]
        collections: list[Any] = list(scythe.list_sets())
        sets = {one.setName: one.setSpec for one in collections}
        assert list(sets)[:2] == [OWLS, HERONS]

        records: list[Any] = list(scythe.list_records())
        by_url = {
            record.metadata["identifier"][0]: record
            for record in records
            if not record.header.deleted
        }
        deleted = [record for record in records if record.header.deleted]
        assert (len(records), len(by_url), len(deleted)) == (16, 15, 1)
        paper = by_url[PAPER]
        assert paper.metadata["title"] == ["A paper on owls"]
        assert paper.metadata["relation"] == ["http://a.test/"]
        assert paper.header.setSpecs == [sets[OWLS]]
        evil = by_url["http://evil.test/"]
        assert evil.metadata["title"][0].startswith("<Owl> \ufffd")

        by_post = HTTPConfig(http_method="POST")
        with Scythe(scythe.endpoint, iterator=OAIResponseIterator, http_config=by_post) as posting:
            assert len(list(posting.list_records())) == 4

        headers: list[Any] = list(scythe.list_identifiers(set_=sets[HERONS]))
        herons = {
            one.header.identifier
            for one in by_url.values()
            if one.header.setSpecs == [sets[HERONS]]
        }
        assert {header.identifier for header in headers} == herons
        one: Any = scythe.get_record(identifier=paper.header.identifier)
        assert one.metadata == paper.metadata

        later: list[Any] = list(scythe.list_identifiers(from_="2033-05-18"))
        assert [header.identifier for header in later if header.deleted]
        with pytest.raises(IdDoesNotExist):
            scythe.get_record(identifier="oai:motherlode.local:none")
        with pytest.raises(NoRecordsMatch):
            list(scythe.list_records(until="1999-01-01"))
        with pytest.raises(BadArgument):
            list(scythe.list_records(from_="yesterday"))
