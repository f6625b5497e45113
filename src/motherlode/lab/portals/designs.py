"""The designs of portals: how each looks, what it asks for, what a reader of forms should see."""

from msgspec import Struct

from motherlode.lab.portals.submissions import MULTIPART, URLENCODED

KINDS = ("article", "report", "thesis")
DECADES = tuple(f"{year}-{year + 9}" for year in range(2000, 1940, -10))
SORTS = ("relevance", "year", "title")


class PortalField(Struct, frozen=True):
    """A control of a search form, and the attribute of a paper that it asks for.

    The attribute is empty if it asks for none. Options are the values of a menu or of buttons.
    """

    name: str
    attribute: str
    control: str = "text"
    options: tuple[str, ...] = ()


class PortalDesign(Struct, frozen=True, kw_only=True):
    """A kind of portal. The template of the same name has its pages.

    `forms` are the purposes of the forms of its search page, in document order; the form at
    `form_index` has the `fields`. A page parameter counts pages from 1, an offset counts results
    from `first`. `charset` is what the HTTP header declares, and `meta_charset` what the page does.
    """

    name: str
    host: str
    title: str
    search_path: str
    fields: tuple[PortalField, ...]
    page_parameter: str
    record_path: str  # what stands before the id of a paper
    form_path: str = "/"
    more_path: str = ""  # of further pages of results; empty: the search path
    forms: tuple[str, ...] = ("search",)
    form_index: int = 0
    method: str = "GET"
    enctype: str = URLENCODED
    counts_pages: bool = False
    first: int = 0
    page_size: int = 10
    language: str = "en"
    encoding: str = "utf-8"
    charset: str = "utf-8"
    meta_charset: str = "utf-8"
    needs_token: bool = False
    needs_script: bool = False
    has_opensearch: bool = False

    def attributes(self) -> dict[str, str]:
        """Return the attribute that each control asks for, where it asks for one."""
        return {field.name: field.attribute for field in self.fields if field.attribute}


_CARDS = PortalDesign(
    name="cards",
    host="openstacks.test",
    title="OpenStacks",
    search_path="/search",
    fields=(PortalField("q", "any"),),
    forms=("search", "newsletter"),
    page_parameter="page",
    counts_pages=True,
    record_path="/paper/",
    has_opensearch=True,
)
_TABLE = PortalDesign(
    name="table",
    host="quarrycat.test",
    title="Quarry University Library",
    form_path="/catalog/",
    search_path="/catalog/results",
    fields=(
        PortalField("ti", "title"),
        PortalField("au", "author"),
        PortalField("yr", "year", "menu", DECADES),
        PortalField("type", "kind", "menu", KINDS),
        PortalField("srt", "sort", "menu", SORTS),
    ),
    forms=("login", "search"),
    form_index=1,
    page_parameter="start",
    page_size=20,
    record_path="/catalog/record?id=",
)
_LIST = PortalDesign(
    name="list",
    host="bibliotheque-centrale.test",
    title="Bibliothèque centrale",
    search_path="/recherche",
    more_path="/recherche/suite",
    fields=(
        PortalField("titre", "title"),
        PortalField("auteur", "author"),
        PortalField("annee", "year"),
        PortalField("mots", "keywords"),
    ),
    forms=("search", "contact"),
    method="POST",
    page_parameter="debut",
    first=1,
    record_path="/notice/",
    language="fr",
    meta_charset="iso-8859-1",  # which is wrong, but the header stands above it
)
_DEFINITIONS = PortalDesign(
    name="definitions",
    host="lookup-archive.test",
    title="Lookup Archive of Preprints",
    form_path="/find/",
    search_path="/find/submit",
    more_path="/find/set",
    fields=(
        PortalField("token", "", "hidden"),
        PortalField("query", "any"),
        PortalField("journal", "venue"),
    ),
    forms=("search", "login"),
    method="POST",
    enctype=MULTIPART,
    page_parameter="from",
    page_size=8,
    record_path="/abs/",
    needs_token=True,
)
_BLOCKS = PortalDesign(
    name="blocks",
    host="scholarsgate.test",
    title="Scholar's Gate",
    form_path="/advanced",
    search_path="/find",
    fields=(
        PortalField("allwords", "any"),
        PortalField("intitle", "title"),
        PortalField("author_first", "first_name"),
        PortalField("author_last", "last_name"),
        PortalField("year", "year"),
        PortalField("doctype", "kind", "radio", KINDS),
        PortalField("pdf", "full_text", "checkbox", ("1",)),
    ),
    forms=("search", "search", "newsletter"),
    form_index=1,
    page_parameter="p",
    counts_pages=True,
    record_path="/doc/",
)
_NESTED = PortalDesign(
    name="nested",
    host="zettelkatalog.test",
    title="Zettelkatalog der Universitätsbibliothek",
    form_path="/katalog.html",
    search_path="/cgi-bin/suche.pl",
    fields=(
        PortalField("V1", "title"),
        PortalField("V2", "author"),
        PortalField("V3", "keywords"),
        PortalField("J", "year"),
    ),
    page_parameter="ab",
    first=1,
    page_size=15,
    record_path="/cgi-bin/titel.pl?nr=",
    language="de",
    encoding="iso-8859-1",
    charset="",
    meta_charset="iso-8859-1",
)
_SCRIPTED = PortalDesign(
    name="scripted",
    host="instantfinder.test",
    title="InstantFinder",
    search_path="/api/papers",
    fields=(PortalField("term", "any"),),
    page_parameter="offset",
    record_path="/item/",
    needs_script=True,
)
DESIGNS = (_CARDS, _TABLE, _LIST, _DEFINITIONS, _BLOCKS, _NESTED, _SCRIPTED)


def designs() -> tuple[PortalDesign, ...]:
    """Return all designs, in the order in which a web gets its portals."""
    return DESIGNS
