"""Each reference format, as programs write it."""

import gzip

import pytest

from motherlode.library.formats.registry import read_references
from motherlode.records import BadInputError
from motherlode.records.library import Identifier, LibraryObject, Person

RIS = """\ufeffTY - JOUR
T1 - Owls at
night
AU - Doe, Jane
PY - 2004///
SP - 1
EP - 9
KW - owls; mice
DO - doi:10.1000/1
TY  - BOOK
TI  - Second
ER  -
"""
MEDLINE = """
PMID- 123
TI  - A title that goes
      on.
FAU - Long, Vicky
AU  - Long V
DP  - 2009 May 3
JT  - Journal
LID - 10.1000/2 [doi]
MH  - Women, Working/*history

PMID- 124
TI  - Next.
AU  - Doe JA
"""
ENDNOTE_XML = """<?xml version="1.0" encoding="UTF-8"?><xml><records>
<record><ref-type name="Journal Article">17</ref-type><contributors><authors><author>
<style face="normal">Lim, R</style></author></authors></contributors>
<titles><title><style>Painless</style><style> title</style></title>
<secondary-title>Med</secondary-title></titles><dates><year>2018</year></dates>
<urls><related-urls><url>http://a.example/</url></related-urls></urls></record>
<record><titles><title>Cut off"""
ZOTERO_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:dcterms="http://purl.org/dc/terms/" xmlns:bib="http://purl.org/net/biblio#">
<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType><dc:title>T</dc:title>
<dcterms:isPartOf><bib:Journal><dc:title>J</dc:title><dc:identifier>DOI 10.1000/3</dc:identifier>
</bib:Journal></dcterms:isPartOf></bib:Article>
<z:Collection rdf:about="#c1"><dc:title>Birds</dc:title><dcterms:hasPart rdf:resource="#c2"/>
</z:Collection>
<z:Collection rdf:about="#c2"><dc:title>Owls</dc:title><dcterms:hasPart rdf:resource="#item_1"/>
</z:Collection></rdf:RDF>"""
ZOTERO_JSON = """{"items": [
 {"itemType": "journalArticle", "key": "A1", "title": "On <i>owls</i>", "date": "May 2004",
  "creators": [{"creatorType": "author", "lastName": "Doe", "firstName": "J."},
               {"creatorType": "editor", "name": "Owl Society"}],
  "tags": [{"tag": "owls"}], "extra": "PMID: 77", "itemID": 5},
 {"itemType": "attachment", "parentItem": "A1", "url": "http://a.example/a.pdf"}, 7],
 "collections": {"c1": {"name": "Birds", "items": []},
                 "c2": {"name": "Owls", "parent": "c1", "items": [5]}}}"""


def objects_in(text: str, name: str = "") -> tuple[LibraryObject, ...]:
    return read_references(text.encode(), "library", name)[1].objects


def test_ris_is_read_with_one_blank_without_er_and_with_lines_that_go_on() -> None:
    first, second = objects_in(RIS)
    assert first == LibraryObject(
        kind="article-journal",
        title="Owls at night",
        authors=(Person("Doe", "Jane"),),
        date="2004",
        pages="1-9",
        keywords=("owls", "mice"),
        identifiers=(Identifier("doi", "10.1000/1"),),
    )
    assert (second.kind, second.title) == ("book", "Second")


def test_medline_names_are_full_where_they_can_be() -> None:
    first, second = objects_in(MEDLINE)
    assert first.authors == (Person("Long", "Vicky"),)
    assert (first.title, first.date, first.keywords) == (
        "A title that goes on.",
        "2009-05-03",
        ("Women, Working",),
    )
    assert first.identifiers == (Identifier("pmid", "123"), Identifier("doi", "10.1000/2"))
    assert second.authors == (Person("Doe", "JA"),)


def test_of_xml_that_is_cut_off_the_whole_records_are_kept() -> None:
    _, result = read_references(ENDNOTE_XML.encode(), "a.xml")
    (entry,) = result.objects
    assert (entry.title, entry.venue, entry.date) == ("Painless title", "Med", "2018")
    assert entry.links == ("http://a.example/",)
    assert len(result.problems) == 1


def test_xml_with_entities_of_its_own_is_refused() -> None:
    bomb = '<!DOCTYPE xml [<!ENTITY a "aaaa">]><xml><records><record>&a;</record></records></xml>'
    _, result = read_references(bomb.encode(), "a.xml", "endnote-xml")
    assert result.objects == ()
    assert "declares entities" in result.problems[0]


def test_zotero_collections_become_folders() -> None:
    (from_rdf,) = objects_in(ZOTERO_RDF)
    assert (from_rdf.title, from_rdf.venue, from_rdf.folders) == ("T", "J", (("Birds", "Owls"),))
    assert from_rdf.identifiers == (Identifier("doi", "10.1000/3"),)
    _, result = read_references(ZOTERO_JSON.encode(), "a.json")
    (from_json,) = result.objects
    assert from_json.title == "On owls"
    assert from_json.folders == (("Birds", "Owls"),)
    assert from_json.authors == (Person("Doe", "J."),)
    assert from_json.editors == (Person("Owl Society"),)
    assert from_json.links == ("http://a.example/a.pdf",)
    assert from_json.identifiers == (Identifier("pmid", "77"),)
    assert result.problems == ("Item 3 is no object with fields.",)


def test_yaml_with_aliases_is_refused() -> None:
    text = "cff-version: 1.2.0\ntitle: &a X\nabstract: *a\n"
    _, result = read_references(text.encode(), "CITATION.cff")
    assert result.objects == ()
    assert "aliases" in result.problems[0]


@pytest.mark.parametrize("body", [b"", b"hello", gzip.compress(b"x"), b"\x00" * 100])
def test_a_file_of_no_known_format_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(BadInputError, match="in no format that is known"):
        read_references(body, "notes.txt")


@pytest.mark.parametrize("name", ["csl-json", "zotero-json", "mods", "office-xml", "cff", "ovid"])
@pytest.mark.parametrize("body", ["", "[", "{}", "null", "<a>", "<1>", "- - -", "deep"])
def test_odd_texts_give_problems_and_no_errors(name: str, body: str) -> None:
    text = "[" * 100_000 if body == "deep" else body
    _, result = read_references(text.encode(), "x", name)
    assert all(isinstance(problem, str) for problem in result.problems)
