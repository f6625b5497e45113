"""The kinds of search sources with their terms; a kind is loaded when a source of it is opened."""

from difflib import get_close_matches
from importlib import import_module
from typing import Literal

from msgspec import Struct

from motherlode.records import UsageError
from motherlode.sources.search.source import SearchSource, SourceSetup


class SourceKind(Struct, frozen=True, kw_only=True):
    """A kind of search source.

    `opener` is where the function is that opens one, as `module:attribute`. `place` is the option
    that says where the source is; with a `default_url`, it can be left out. `interval` is the
    seconds between two requests. `asks_robots`: the source is a page for people, so that its
    robots.txt counts. `terms` are read at `terms_url`.
    """

    name: str
    summary: str
    opener: str
    place: Literal["url", "file", "portal"] = "url"
    default_url: str = ""
    key: Literal["none", "optional", "required"] = "none"
    key_variable: str = ""
    interval: float = 0.0
    asks_robots: bool = False
    terms: str
    terms_url: str = ""

    @property
    def needs_place(self) -> bool:
        """True if the option `place` cannot be left out."""
        return not self.default_url

    def open(self, setup: SourceSetup) -> SearchSource:
        module, _, attribute = self.opener.partition(":")
        source: SearchSource = getattr(import_module(module), attribute)(setup)
        return source


KINDS = (
    SourceKind(
        name="opensearch",
        summary="Any site with an OpenSearch description: results as RSS, Atom or HTML.",
        opener="motherlode.sources.search.opensearch:OpenSearch",
        terms="As the site says; politeness.delay between two requests.",
        terms_url="https://github.com/dewitt/opensearch",
    ),
    SourceKind(
        name="searxng",
        summary="A SearXNG server, which asks many search engines; its JSON must be switched on.",
        opener="motherlode.sources.search.searxng:SearXNG",
        terms="As the server says; politeness.delay between two requests.",
        terms_url="https://docs.searxng.org/dev/search_api.html",
    ),
    SourceKind(
        name="mediawiki",
        summary="The pages of a wiki, by the API of MediaWiki (its api.php).",
        opener="motherlode.sources.search.mediawiki:MediaWiki",
        default_url="https://en.wikipedia.org/w/api.php",
        interval=1.0,
        terms="No key; one request at a time, with a contact in the User-Agent.",
        terms_url="https://www.mediawiki.org/wiki/API:Etiquette",
    ),
    SourceKind(
        name="openalex",
        summary="Scholarly works of all subjects, with open-access copies where there are some.",
        opener="motherlode.sources.search.openalex:OpenAlex",
        default_url="https://api.openalex.org/works",
        key="required",
        key_variable="OPENALEX_API_KEY",
        interval=0.2,
        terms="A key, which is free; about 1,000 searches a day.",
        terms_url="https://developers.openalex.org/api-reference/authentication",
    ),
    SourceKind(
        name="crossref",
        summary="Scholarly works that have a DOI; the hits are DOI links.",
        opener="motherlode.sources.search.crossref:Crossref",
        default_url="https://api.crossref.org/works",
        interval=1.0,
        terms="No key; a mail address (contact) is sent along; one request a second.",
        terms_url="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    ),
    SourceKind(
        name="arxiv",
        summary="Preprints in physics, mathematics, computer science and near subjects.",
        opener="motherlode.sources.search.arxiv:Arxiv",
        default_url="https://export.arxiv.org/api/query",
        interval=3.0,
        terms="No key; one request in three seconds.",
        terms_url="https://info.arxiv.org/help/api/tou.html",
    ),
    SourceKind(
        name="brave",
        summary="The Web, by the independent index of Brave.",
        opener="motherlode.sources.search.brave:Brave",
        default_url="https://api.search.brave.com/res/v1/web/search",
        key="required",
        key_variable="BRAVE_API_KEY",
        interval=1.0,
        terms="A key, for which a payment card is registered; one request a second.",
        terms_url="https://api-dashboard.search.brave.com/documentation",
    ),
    SourceKind(
        name="marginalia",
        summary="Small, text-heavy and non-commercial sites.",
        opener="motherlode.sources.search.marginalia:Marginalia",
        default_url="https://api2.marginalia-search.com/search",
        key="optional",
        key_variable="MARGINALIA_API_KEY",
        interval=1.0,
        terms="The key 'public', shared and often exhausted, or your own; CC-BY-NC-SA 4.0.",
        terms_url="https://about.marginalia-search.com/article/api",
    ),
    SourceKind(
        name="form",
        summary="Any portal with a search form: asked by title, author, year or free words.",
        asks_robots=True,
        opener="motherlode.sources.wrappers.form_source:open_form_source",
        terms="As the site says; politeness.delay between two requests.",
        terms_url="https://html.spec.whatwg.org/multipage/forms.html",
    ),
    SourceKind(
        name="file",
        summary="A file of URLs by subject: CSV, TSV or text.",
        opener="motherlode.sources.search.url_file:UrlFile",
        place="file",
        terms="Yours; nothing is sent to anybody.",
    ),
    SourceKind(
        name="portal",
        summary="The search index of another portal on this machine.",
        opener="motherlode.search.portal_source:PortalSource",
        place="portal",
        terms="Yours; nothing is sent to anybody.",
    ),
)
KINDS_BY_NAME = {kind.name: kind for kind in KINDS}


def kind_named(name: str) -> SourceKind:
    """Return the kind of this name. Raises `UsageError` that names the nearest if there is none."""
    kind = KINDS_BY_NAME.get(name)
    if kind is not None:
        return kind
    near = get_close_matches(name[:100], KINDS_BY_NAME, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KINDS_BY_NAME)}."
    raise UsageError(f"There is no kind of search source {name[:40]!r}; {hint}")
