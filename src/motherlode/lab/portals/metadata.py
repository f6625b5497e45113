"""A paper's data in the forms that machines read: meta tags, JSON-LD, BibTeX."""

import json
import re

from motherlode.lab.portals.records import PaperRecord, parse_author

_BIBTEX_SPECIAL = re.compile(r"[{}\\]")
_NO_KEY = re.compile(r"[^A-Za-z0-9:.-]")
_BIBTEX_KINDS = {"article": "article", "report": "techreport", "thesis": "phdthesis"}
_VENUE_FIELDS = {"article": "journal", "report": "institution", "thesis": "school"}


def citation_tags(paper: PaperRecord, pdf_url: str) -> list[tuple[str, str]]:
    """Return the names and contents of citation_* meta tags."""
    tags = [("citation_title", paper.title)]
    tags += [("citation_author", author) for author in paper.authors]
    tags += [
        ("citation_publication_date", str(paper.year or "")),
        ("citation_journal_title", paper.venue),
        ("citation_doi", paper.identifiers.get("doi", "")),
        ("citation_keywords", "; ".join(paper.keywords)),
        ("citation_pdf_url", pdf_url if paper.has_full_text else ""),
    ]
    return [(name, content) for name, content in tags if content]


def dublin_core_tags(paper: PaperRecord) -> list[tuple[str, str]]:
    """Return the names and contents of Dublin Core meta tags."""
    tags = [("DC.title", paper.title)]
    tags += [("DC.creator", author) for author in paper.authors]
    tags += [("DC.subject", keyword) for keyword in paper.keywords]
    tags += [
        ("DC.date", str(paper.year or "")),
        ("DC.source", paper.venue),
        ("DC.identifier", paper.identifiers.get("doi", "")),
        ("DC.description", paper.abstract),
    ]
    return [(name, content) for name, content in tags if content]


def json_ld(paper: PaperRecord, url: str) -> str:
    """Return a ScholarlyArticle that can stand in a script element."""
    article = {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": paper.title,
        "author": [{"@type": "Person", "name": parse_author(a).full} for a in paper.authors],
        "datePublished": str(paper.year or ""),
        "isPartOf": {"@type": "Periodical", "name": paper.venue},
        "keywords": list(paper.keywords),
        "abstract": paper.abstract,
        "url": url,
    }
    return json.dumps(article).replace("<", "\\u003c")


def bibtex(paper: PaperRecord) -> str:
    """Return the paper as a BibTeX entry."""
    fields = {
        "title": paper.title,
        "author": " and ".join(paper.authors),
        _VENUE_FIELDS.get(paper.kind, "journal"): paper.venue,
        "year": str(paper.year or ""),
        "keywords": ", ".join(paper.keywords),
        "doi": paper.identifiers.get("doi", ""),
        "abstract": paper.abstract,
    }
    lines = [
        f"  {name} = {{{_BIBTEX_SPECIAL.sub('', text)}}},\n"
        for name, text in fields.items()
        if text
    ]
    kind = _BIBTEX_KINDS.get(paper.kind, "misc")
    return f"@{kind}{{{_NO_KEY.sub('-', paper.id)},\n{''.join(lines)}}}\n"
