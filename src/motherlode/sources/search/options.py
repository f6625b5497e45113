"""The configuration of one search source, a section `[sources.NAME]` of `lode.toml`."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MAX_NAME_CHARS = 40
NAME_PATTERN = rf"[A-Za-z0-9_-]{{1,{MAX_NAME_CHARS}}}"

# In the order of `registry.KINDS`.
KindName = Literal[
    "opensearch",
    "searxng",
    "mediawiki",
    "openalex",
    "crossref",
    "arxiv",
    "brave",
    "marginalia",
    "form",
    "file",
    "portal",
]


class SourceOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """A search source; 'lode sources DIR add NAME KIND' writes a section for each."""

    kind: Annotated[
        KindName, Meta(description="The kind of the source; 'lode sources --kinds' lists them.")
    ] = "opensearch"
    url: Annotated[
        str,
        Meta(
            pattern=r"^https?://.+|^\Z",
            description="The address of the service; empty: the public one of this kind.",
        ),
    ] = ""
    file: Annotated[
        str,
        Meta(
            description="The file of URLs by subject, for the kind file, or the wrapper of a form."
        ),
    ] = ""
    portal: Annotated[
        str, Meta(description="The directory of another portal, for the kind portal.")
    ] = ""
    key_variable: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z_][A-Za-z0-9_]*\Z|^\Z",
            description="The environment variable that holds the key; empty: that of this kind.",
        ),
    ] = ""
    contact: Annotated[
        str,
        Meta(description="The mail address for services that ask for one; empty: crawler.contact."),
    ] = ""
    language: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9-]{2,20}\Z|^\Z",
            description="The language of the pages, such as en or de-CH; empty: any.",
        ),
    ] = ""
    delay: Annotated[
        float,
        Meta(ge=0, le=3600, description="Seconds between two requests, if the kind asks for less."),
    ] = 0.0
