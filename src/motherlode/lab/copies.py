"""Which pages of a web are copies of others.

A crawl that recognises a mirror does not keep it twice. A measure that took both for finds would
praise those who do; so one content is one find, for everybody.
"""

from collections.abc import Mapping

import msgspec

from motherlode.fetch.content_codings import decoded
from motherlode.lab.web import Answer, LabWeb
from motherlode.lexicon.cache import cached
from motherlode.records.digests import digest_of

_FORM = 1
_MAX_BODY = 100_000_000
_OK = 200

# The copies of a web, each with the page that stands for all that have its content.
Copies = Mapping[str, str]


def copies_in(web: LabWeb) -> Copies:
    """The copies of a web; read out of its pages once, then out of the cache."""
    name = f"{web.fingerprint}-{_FORM}.copies"
    packed = cached("webs", name, lambda: msgspec.msgpack.encode(_found(web)))
    return msgspec.msgpack.decode(packed, type=dict[str, str])


def _found(web: LabWeb) -> dict[str, str]:
    first: dict[bytes, str] = {}
    copies: dict[str, str] = {}
    for url in web.urls():
        content = _content(web.answer(url))
        stands = first.setdefault(digest_of(content), url) if content else url
        if stands != url:
            copies[url] = stands
    return copies


def _content(said: Answer | None) -> bytes:
    if said is None or said.status != _OK:
        return b""
    try:
        return decoded(said.body, said.header("content-encoding"), _MAX_BODY)
    except ValueError:
        return b""
