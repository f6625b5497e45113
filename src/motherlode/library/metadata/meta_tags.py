"""Meta tags: of Highwire, PRISM, Dublin Core and Open Graph, and those of HTML itself.

Names: https://scholar.google.com/intl/en/scholar/inclusion.html#indexing (Highwire),
https://www.dublincore.org/specifications/dublin-core/dcmi-terms/, https://ogp.me/, and the PRISM
metadata specification. Dots and colons in names count as the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from motherlode.library.metadata.statements import UNKNOWN_KIND, object_of
from motherlode.records.library import LibraryObject

Tags = Mapping[str, Sequence[str]]
Vocabulary = Mapping[str, tuple[str, ...]]
MAX_TAGS = 5_000

HIGHWIRE: Vocabulary = {
    "title": ("citation_title",),
    "authors": ("citation_author", "citation_authors"),
    "editors": ("citation_editor", "citation_editors"),
    "date": (
        *("citation_publication_date", "citation_cover_date", "citation_date"),
        *("citation_online_date", "citation_year"),
    ),
    "abstract": ("citation_abstract",),
    "keywords": ("citation_keywords", "citation_keyword"),
    "venue": (
        *("citation_journal_title", "citation_conference_title", "citation_conference"),
        *("citation_inbook_title", "citation_book_title"),
    ),
    "publisher": (
        *("citation_publisher", "citation_dissertation_institution"),
        "citation_technical_report_institution",
    ),
    "volume": ("citation_volume",),
    "issue": ("citation_issue", "citation_technical_report_number"),
    "first_page": ("citation_firstpage",),
    "last_page": ("citation_lastpage",),
    "language": ("citation_language",),
    "doi": ("citation_doi",),
    "isbn": ("citation_isbn",),
    "issn": ("citation_issn",),
    "arxiv": ("citation_arxiv_id",),
    "pmid": ("citation_pmid",),
    "pmcid": ("citation_pmcid",),
}
PRISM: Vocabulary = {
    "date": ("prism.publicationdate", "prism.coverdate"),
    "venue": ("prism.publicationname",),
    "volume": ("prism.volume",),
    "issue": ("prism.number", "prism.issueidentifier"),
    "pages": ("prism.pagerange",),
    "first_page": ("prism.startingpage",),
    "last_page": ("prism.endingpage",),
    "keywords": ("prism.keyword",),
    "doi": ("prism.doi",),
    "isbn": ("prism.isbn",),
    "issn": ("prism.issn", "prism.eissn"),
}
DUBLIN_CORE: Vocabulary = {
    "title": ("dc.title",),
    "authors": ("dc.creator", "dc.creator.personalname"),
    "date": ("dc.issued", "dc.date.issued", "dc.date", "dc.created", "dc.date.created"),
    "abstract": ("dc.abstract", "dc.description.abstract", "dc.description"),
    "keywords": ("dc.subject",),
    "venue": ("dc.ispartof", "dc.relation.ispartof", "dc.source"),
    "publisher": ("dc.publisher",),
    "volume": ("dc.source.volume",),
    "issue": ("dc.source.issue",),
    "pages": ("dc.identifier.pagenumber",),
    "language": ("dc.language",),
    "doi": ("dc.identifier.doi", "dc.identifier"),
    "isbn": ("dc.identifier.isbn",),
    "issn": ("dc.source.issn",),
}
OPEN_GRAPH: Vocabulary = {
    "title": ("og.title",),
    "authors": ("article.author", "book.author"),
    "date": ("article.published_time", "book.release_date"),
    "abstract": ("og.description",),
    "keywords": ("article.tag", "book.tag"),
    "venue": ("og.site_name",),
    "isbn": ("book.isbn",),
}
HTML: Vocabulary = {
    "title": ("title",),
    "authors": ("author",),
    "date": ("date",),
    "abstract": ("description",),
    "keywords": ("keywords",),
    "language": ("language",),
}
# The first tag of these that a page has names the kind of an object.
_HIGHWIRE_KINDS = {
    "citation_journal_title": "article-journal",
    "citation_conference_title": "paper-conference",
    "citation_conference": "paper-conference",
    "citation_dissertation_institution": "thesis",
    "citation_technical_report_institution": "report",
    "citation_inbook_title": "chapter",
    "citation_book_title": "chapter",
    "citation_arxiv_id": "article",
    "citation_isbn": "book",
}
_DUBLIN_CORE_KINDS = {
    "article": "article-journal",
    "journal article": "article-journal",
    "text.serial.journal": "article-journal",
    "conference paper": "paper-conference",
    "conferenceobject": "paper-conference",
    "book": "book",
    "book chapter": "chapter",
    "bookpart": "chapter",
    "thesis": "thesis",
    "doctoralthesis": "thesis",
    "masterthesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "software": "software",
}
_OPEN_GRAPH_KINDS = {"book": "book", "books.book": "book"}


def tags_of(pairs: Iterable[tuple[str, str]]) -> Tags:
    """Return the contents of meta tags by their names: lower case, dots for colons."""
    tags: dict[str, list[str]] = defaultdict(list)
    for number, (name, content) in enumerate(pairs):
        if number == MAX_TAGS:
            break
        key = name.strip()[:100].lower().replace(":", ".").replace("dcterms.", "dc.")
        if content.strip():
            tags[key].append(content)
    return tags


def read_highwire(tags: Tags) -> LibraryObject:
    """Return what citation tags state."""
    kinds = (kind for name, kind in _HIGHWIRE_KINDS.items() if name in tags)
    return _read(tags, HIGHWIRE, next(kinds, UNKNOWN_KIND))


def read_prism(tags: Tags) -> LibraryObject:
    """Return what PRISM tags state, which publishers of journals use."""
    return _read(tags, PRISM, UNKNOWN_KIND)


def read_dublin_core(tags: Tags) -> LibraryObject:
    """Return what Dublin Core tags state. A source that is an address names no venue."""
    kinds = (_DUBLIN_CORE_KINDS.get(_last_part(text)) for text in tags.get("dc.type", ()))
    kind = next(filter(None, kinds), UNKNOWN_KIND)
    named = {name: [text for text in tags.get(name, ()) if "://" not in text] for name in _SOURCES}
    return _read({**tags, **named}, DUBLIN_CORE, kind)


_SOURCES = DUBLIN_CORE["venue"]


def _last_part(text: str) -> str:
    """Return a type without the vocabulary that it is from, such as `info:eu-repo/semantics/`."""
    return text[:100].rpartition("/")[2].strip().lower()


def read_open_graph(tags: Tags) -> LibraryObject:
    """Return what Open Graph tags state."""
    kinds = (_OPEN_GRAPH_KINDS.get(text.strip().lower()) for text in tags.get("og.type", ()))
    return _read(tags, OPEN_GRAPH, next(filter(None, kinds), UNKNOWN_KIND))


def read_html_tags(tags: Tags) -> LibraryObject:
    """Return what the meta tags of HTML state, and its `title`."""
    return _read(tags, HTML, UNKNOWN_KIND)


def _read(tags: Tags, vocabulary: Vocabulary, kind: str) -> LibraryObject:
    return object_of(
        {
            field: [text for name in names for text in tags.get(name, ())]
            for field, names in vocabulary.items()
        },
        kind,
    )
