"""Addresses that a site makes up without end (SPEC B26): told by their looks alone."""

from collections import Counter
from typing import Annotated

from msgspec import Meta, Struct


class TrapRules(Struct, frozen=True, forbid_unknown_fields=True):
    """Which URLs are taken for traps."""

    max_depth: Annotated[int, Meta(ge=1, description="Most segments in a path.")] = 20
    max_repeats: Annotated[
        int,
        Meta(ge=1, description="Most times that a segment may occur in a path."),
    ] = 3
    max_parameters: Annotated[int, Meta(ge=0, description="Most parameters in a query.")] = 20
    pages_per_host: Annotated[
        int, Meta(ge=0, description="Most pages that are fetched from a host; 0: no limit.")
    ] = 0


DEFAULT_TRAPS = TrapRules()
_SLASHES = 2  # of a URL before its host


def trap_in(url: str, rules: TrapRules = DEFAULT_TRAPS) -> str:
    """Why a URL looks like a trap, in a word or two; empty if it does not.

    >>> trap_in("http://a.test/x/y/x/y/x/y/x/y/")
    'repeating path'
    """
    slashes = url.count("/") - _SLASHES
    if (
        rules.max_depth >= slashes <= rules.max_repeats and "?" not in url
    ):  # as most are: too short to be any
        return ""
    path, _, query = url.partition("://")[2].partition("?")
    segments = [segment for segment in path.split("/")[1:] if segment]
    if len(segments) > rules.max_depth:
        return "deep path"
    if len(segments) > rules.max_repeats and max(Counter(segments).values()) > rules.max_repeats:
        return "repeating path"
    if query and query.count("&") + query.count(";") >= rules.max_parameters:
        return "many parameters"
    return ""
