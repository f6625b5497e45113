"""The crawler's own rules on top of the WHATWG ones, as a person may configure them."""

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct

TRACKING = (
    "utm_*",
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "msclkid",
    "yclid",
    "twclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "mkt_tok",
    "ref_src",
    "wt_mc",
    "pk_campaign",
    "pk_kwd",
)
SESSION = (
    "jsessionid",
    "phpsessid",
    "aspsessionid*",
    "sessionid",
    "session_id",
    "sessid",
    "cfid",
    "cftoken",
    "oscsid",
    "zenid",
    "x-transid",
)


class UrlRules(Struct, frozen=True, forbid_unknown_fields=True, cache_hash=True):
    """Which spellings count as one URL, and which are refused as traps (SPEC B26)."""

    tracking_parameters: Annotated[
        tuple[str, ...],
        Meta(description="Query parameters that never change the page; * stands for anything."),
    ] = TRACKING
    session_parameters: Annotated[
        tuple[str, ...],
        Meta(description="Parameters that name a visitor's session, in the query or after a ';'."),
    ] = SESSION
    sort_query: Annotated[
        bool, Meta(description="Sort query parameters by name; some sites care for their order.")
    ] = False
    max_url: Annotated[
        int, Meta(ge=50, le=8000, description="Longest URL in characters; a longer one is a trap.")
    ] = 1000
    max_host: Annotated[
        int, Meta(ge=10, le=255, description="Longest host name in characters.")
    ] = 255


DEFAULT_RULES = UrlRules()

# A bare `sid` is a session where it looks like one, and a section or a story elsewhere.
_OPAQUE_SID = re.compile(
    r"s(es)?s?id?=(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{20,}", re.IGNORECASE
)


_IN_PATH = re.compile(r";([^=/;?]*+)=[^/;?]*+|/\(S\([0-9a-z]{24}\)\)(?=/|$)", re.IGNORECASE)


@lru_cache(maxsize=64)
def droppable(rules: UrlRules) -> Callable[[str], bool]:
    """Whether one `name=value` of a query is to be dropped under these rules."""
    is_tracking, is_session = (
        _matcher(rules.tracking_parameters),
        _matcher(rules.session_parameters),
    )
    by_looks = bool(rules.session_parameters)

    def drop(parameter: str) -> bool:
        name = parameter.partition("=")[0]
        if is_tracking(name) or is_session(name):
            return True
        return by_looks and _OPAQUE_SID.fullmatch(parameter) is not None

    return drop


@lru_cache(maxsize=64)
def session_remover(rules: UrlRules) -> Callable[[str], str]:
    """Takes `;jsessionid=...` out of a path, and ASP.NET's `/(S(...))`."""
    is_session = _matcher(rules.session_parameters)

    def without(found: re.Match[str]) -> str:
        return "" if found[1] is None or is_session(found[1]) else found[0]

    return lambda path: _IN_PATH.sub(without, path)


def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a name fits one of the patterns, in any case."""
    fits = re.compile("|".join(translate(pattern) for pattern in patterns) or "(?!)", re.IGNORECASE)
    return lru_cache(maxsize=4096)(lambda name: fits.match(name) is not None)
