"""Which types of document are fetched, and how many bytes of each (SPEC B26).

A transfer past its limit is aborted, whatever its header says.
"""

import re
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct

_MB = 2**20


class TypeOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Which types of document are fetched, and the most bytes of each, unpacked; 0: none."""

    html: Annotated[int, Meta(ge=0, description="Most bytes of a web page; 0: not wanted.")] = (
        10 * _MB
    )
    text: Annotated[
        int, Meta(ge=0, description="Most bytes of text, CSV, Markdown, RTF, XML or a feed.")
    ] = 10 * _MB
    pdf: Annotated[int, Meta(ge=0, description="Most bytes of PDF or PostScript.")] = 50 * _MB
    office: Annotated[
        int,
        Meta(
            ge=0, description="Most bytes of a Microsoft Office or OpenDocument file, or an e-book."
        ),
    ] = 50 * _MB
    archive: Annotated[
        int, Meta(ge=0, description="Most bytes of zip, gzip, bzip2, xz or tar.")
    ] = 50 * _MB
    other: Annotated[int, Meta(ge=0, description="Most bytes of any other type.")] = 0


DEFAULT_TYPES = TypeOptions()

# The first that fits counts.
_GROUPS = tuple(
    (re.compile(pattern, re.IGNORECASE), group)
    for pattern, group in (
        (r"text/html|application/xhtml\+xml", "html"),
        (r"text/(plain|csv|markdown|xml|rtf|x-markdown|tab-separated-values)", "text"),
        (r"application/(xml|rtf|[a-z.-]+\+xml)", "text"),
        (r"application/(x-)?(pdf|postscript|eps)", "pdf"),
        (r"application/(msword|vnd\.ms-(excel|powerpoint|word).*)", "office"),
        (r"application/vnd\.openxmlformats-officedocument\..*", "office"),
        (r"application/(vnd\.oasis\.opendocument\..*|epub\+zip)", "office"),
        (r"application/(x-)?(zip|gzip|tar|bzip2|xz|gtar|compressed-tar|zip-compressed)", "archive"),
    )
)


@lru_cache(maxsize=4096)
def limit_of(mime: str, types: TypeOptions = DEFAULT_TYPES) -> int:
    """The most bytes of a type, 0 if it is not wanted; where no type is named, as of a page.

    >>> limit_of("image/png"), limit_of("text/html") == limit_of("")
    (0, True)
    """
    if not mime:
        return types.html
    group = next((group for pattern, group in _GROUPS if pattern.fullmatch(mime)), "other")
    limit: int = getattr(types, group)
    return limit
