"""What a page or a PDF states about itself, in all vocabularies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.documents.extracts import Raw
from motherlode.lab.portals.metadata import citation_tags, dublin_core_tags, json_ld
from motherlode.lab.portals.records import PaperRecord
from motherlode.library.metadata.reader import read_metadata
from motherlode.records.library import Identifier, LibraryObject, Person

URL = "http://papers.test/owls/7"
DOI = Identifier("doi", "10.1000/owls.7")
PAPER = PaperRecord(
    id="7",
    title="How owls hear",
    authors=("Strix, Anna", "Bubo, Karl"),
    year=2004,
    venue="Annals of Owls",
    kind="article",
    keywords=("owls", "hearing"),
    abstract="They hear well.",
    identifiers={"doi": DOI.value},
)
AUTHORS = (Person("Strix", "Anna"), Person("Bubo", "Karl"))


def read(head: str, url: str = URL, body: str = "") -> LibraryObject:
    html = f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"
    return read_metadata(Raw(url, html.encode(), "text/html", "text/html; charset=utf-8"))


def meta(*pairs: tuple[str, str], name: str = "name") -> str:
    return "".join(f'<meta {name}="{key}" content="{value}">' for key, value in pairs)


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    ("head", "kind", "stated"),
    [
        (meta(*citation_tags(PAPER, "")), "article-journal", {"doi"}),
        (meta(*dublin_core_tags(PAPER)), "webpage", {"doi", "abstract"}),
        (f'<script type="application/ld+json">{json_ld(PAPER, URL)}</script>', "article-journal", {"abstract"}),
    ],
    ids=["citation tags", "Dublin Core", "JSON-LD"],
)  # fmt: skip
def test_pages_of_the_sandbox_state_their_papers(head: str, kind: str, stated: set[str]) -> None:
    entry = read(f"<title>Portal</title>{head}")
    assert (entry.title, entry.authors, entry.date) == (PAPER.title, AUTHORS, "2004")
    assert (entry.venue, entry.keywords, entry.kind) == (PAPER.venue, PAPER.keywords, kind)
    assert (DOI in entry.identifiers) is ("doi" in stated)
    assert (entry.abstract == PAPER.abstract) is ("abstract" in stated)
    assert entry.links == (URL,)


def test_tags_for_citing_come_before_those_for_previews_and_gaps_are_filled() -> None:
    entry = read(
        "<title>Nest Press | How owls hear</title>"
        + meta(("og:title", "Hear, hear!"), ("og:description", "Owls."), name="property")
        + meta(("DC.title", "How Owls Hear"), ("DCTERMS.issued", "2004-05-17"))
        + meta(("citation_title", "How owls hear"), ("citation_firstpage", "12"))
        + meta(("citation_lastpage", "19"), ("prism.volume", "3"), ("citation_pdf_url", "7.pdf"))
        + '<link rel="alternate" type="application/pdf" href="/mirror/7.pdf">'
    )
    assert (entry.title, entry.date, entry.abstract) == ("How owls hear", "2004-05-17", "Owls.")
    assert (entry.pages, entry.volume) == ("12-19", "3")
    assert entry.links == (
        URL,
        "http://papers.test/owls/7.pdf",
        "http://papers.test/mirror/7.pdf",
    )


def test_a_graph_is_read_with_its_references_and_the_way_to_the_journal() -> None:
    graph = [
        {"@type": "WebPage", "name": "Page", "@id": URL},
        {"@type": "Person", "@id": "#a", "givenName": "Anna", "familyName": "Strix"},
        {
            "@type": ["Thing", "http://schema.org/ScholarlyArticle"],
            "headline": "How owls hear",
            "author": [{"@id": "#a"}, {"@type": "Organization", "name": "Owl Society"}],
            "isPartOf": {
                "@type": "PublicationIssue",
                "issueNumber": 2,
                "isPartOf": {
                    "@type": ["PublicationVolume", "Periodical"],
                    "name": "Annals of Owls",
                    "volumeNumber": "3",
                    "issn": "0955-2359",
                },
            },
            "identifier": {"@type": "PropertyValue", "propertyID": "DOI", "value": DOI.value},
            "pageStart": 12,
            "pageEnd": "19",
        },
    ]
    entry = read(
        ld("no node") + "<script type='application/ld+json'>{</script>" + ld({"@graph": graph})
    )
    assert (entry.kind, entry.title) == ("article-journal", "How owls hear")
    assert entry.authors == (Person("Strix", "Anna"), Person("Owl Society"))
    assert (entry.venue, entry.volume, entry.issue) == ("Annals of Owls", "3", "2")
    assert (entry.pages, entry.identifier("issn")) == ("12-19", "0955-2359")
    assert DOI in entry.identifiers


def test_of_several_articles_the_one_that_names_the_page_is_taken() -> None:
    teasers = [
        {"@type": "Article", "headline": f"Teaser {n}", "url": f"{URL}{n}"} for n in range(3)
    ]
    own = {"@type": "Article", "headline": "Own", "mainEntityOfPage": {"@id": f"{URL}#main"}}
    assert read(ld([*teasers, own])).title == "Own"


COINS = (
    "ctx_ver=Z39.88-2004&amp;rft_val_fmt=info%3Aofi%2Ffmt%3Akev%3Amtx%3Ajournal&amp;"
    "rft.genre=article&amp;rft.atitle=How+owls+hear&amp;rft.title=Annals+of+Owls&amp;"
    "rft.aulast=Strix&amp;rft.aufirst=Anna&amp;rft.au=Karl+Bubo&amp;rft.date=2004-05&amp;"
    "rft.spage=12&amp;rft_id=info%3Adoi%2F10.1000%2Fowls.7"
)


def test_a_context_object_is_read_but_not_a_bibliography() -> None:
    span = f'<span class="Z3988" title="{COINS}"></span>'
    entry = read("<title>Portal</title>", body=span)
    assert (entry.title, entry.venue, entry.kind) == (
        "How owls hear",
        "Annals of Owls",
        "article-journal",
    )
    assert (entry.authors, entry.date, entry.pages) == (AUTHORS, "2004-05", "12")
    assert DOI in entry.identifiers
    several = span + span.replace("How+owls", "How+mice")
    assert read("<title>Portal</title>", body=several).title == "Portal"


def test_a_page_without_metadata_is_a_web_page_with_its_title_and_address() -> None:
    assert read("<title> My  owls </title>") == LibraryObject(
        kind="webpage", title="My owls", links=(URL,)
    )
    assert read("", body="<h1>Owls</h1>").title == "Owls"
    assert read("").title == "7"
    plain = read_metadata(Raw("http://a.test/", b"words", "text/plain", "text/plain"))
    assert plain == LibraryObject(kind="webpage", title="a.test", links=("http://a.test/",))


def test_addresses_of_profiles_are_no_authors_and_a_list_of_names_is_divided() -> None:
    head = meta(("article:author", "https://social.test/anna"), name="property")
    assert read(head + meta(("author", "Anna Strix, Karl Bubo and Otto Asio"))).authors == (
        *AUTHORS,
        Person("Asio", "Otto"),
    )


def test_an_arxiv_page_has_its_number() -> None:
    entry = read("<title>x</title>", url="https://arxiv.org/abs/2101.00001v2")
    assert entry.identifiers == (Identifier("arxiv", "2101.00001"),)


def pdf(information: str, xmp: str = "") -> bytes:
    """Return a PDF of one empty page, with information and XMP as they are written."""
    parts = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        f"<<{information}>>",
        f"<</Length {len(xmp)}>>stream\n{xmp}\nendstream",
    )
    objects = "".join(f"{number} 0 obj\n{part}\nendobj\n" for number, part in enumerate(parts, 1))
    return f"%PDF-1.4\n{objects}trailer\n<</Root 1 0 R/Info 4 0 R>>\n%%EOF".encode()


XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="rdf" xmlns:dc="dc" xmlns:prism="p">'
    "<rdf:Description><dc:title><rdf:Alt><rdf:li>How owls hear</rdf:li></rdf:Alt></dc:title>"
    "<dc:creator><rdf:Seq><rdf:li>Anna Strix</rdf:li><rdf:li>Karl Bubo</rdf:li></rdf:Seq></dc:creator>"
    "<prism:doi>10.1000/owls.7</prism:doi></rdf:Description></rdf:RDF></x:xmpmeta>"
)


def test_a_pdf_states_its_title_and_authors() -> None:
    url = "http://papers.test/7.pdf"
    information = "/Title(How owls hear)/Author(Anna Strix; Karl Bubo)/CreationDate(D:20040517)"
    entry = read_metadata(Raw(url, pdf(information), "application/pdf"))
    assert (entry.title, entry.authors, entry.date) == ("How owls hear", AUTHORS, "2004")
    word = read_metadata(Raw(url, pdf("/Title(Microsoft Word - v7.doc)"), "application/pdf"))
    assert (word.title, word.links, word.kind) == ("7.pdf", (url,), "document")
    both = read_metadata(Raw(url, pdf("/Title(v7.doc)", XMP), "application/pdf"))
    assert (both.title, both.authors) == ("How owls hear", AUTHORS)
    assert DOI in both.identifiers


def test_a_broken_pdf_has_the_name_of_its_file() -> None:
    entry = read_metadata(Raw("http://a.test/x.pdf", b"%PDF-1.4 nothing", "application/pdf"))
    assert entry.title == "x.pdf"


def test_hostile_pages_are_bounded() -> None:
    long = "owl " * 100_000
    authors = [("citation_author", f"{long[:4_000]}{n}") for n in range(60)]
    head = meta(("citation_title", long), *authors)
    nested = "[" * 100_000
    head += f'<script type="application/ld+json">{nested}</script>' * 3
    head += ld({"@type": "Article", "@id": {"@id": []}, "author": [[["x"]]], "isPartOf": [1, None]})
    entry = read(head)
    assert len(entry.title) <= 1_000
    assert all(len(person.full_name) <= 200 for person in entry.authors)
    assert len(entry.authors) == 60


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["@type", "@id", "@graph", "name", "author", "isPartOf", "identifier", "mainEntity"]
            ),
            inner | st.sampled_from(["ScholarlyArticle", "Periodical"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON, st.text(max_size=60))
def test_no_statement_is_too_odd(value: object, text: str) -> None:
    entry = read(
        ld(value)
        + meta(
            ("citation_title", "x"),
            ("citation_author", text.replace('"', "")),
            ("dc.date", text.replace('"', "")),
        ),
        body=f'<span class="Z3988" title="{text}">',
    )
    assert entry.title
    assert entry.links[0] == URL
