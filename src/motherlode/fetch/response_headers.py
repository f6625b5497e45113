"""What a head says to crawlers: X-Robots-Tag, the canonical address in Link (RFC 6596),
Retry-After.
"""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

from motherlode.documents.robots_directives import Directives, parse_directives
from motherlode.fetch.web import Response
from motherlode.urls import UrlError, address

_NAMED = re.compile(r"\s*([A-Za-z0-9_.\-]+)\s*:(.*)", re.DOTALL)
_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_LINK = re.compile(r"<([^<>]*)>\s*((?:;[^,<]*)*)")
_DIGITS = 10
_REL = re.compile(r";\s*rel\s*=([^;]*)", re.IGNORECASE)


SILENT = Directives()
_SPEAKING = frozenset({"x-robots-tag", "link"})


def speaks_to_crawlers(response: Response) -> bool:
    """Whether a head may say anything of what is looked for here; most do not."""
    told = response.told
    if told is None:
        return not _SPEAKING.isdisjoint([name.lower() for name, _ in response.headers])
    return "x-robots-tag" in told or "link" in told


def directives_of(response: Response, agent: str) -> Directives:
    """What X-Robots-Tag says to everybody and to the crawler of this name.

    A name holds for what follows it, up to the next: `one: noindex, other: nofollow`.
    """
    found = SILENT
    for told in response.all_headers("x-robots-tag"):
        to_us = True
        for word in told.split(","):
            named = _NAMED.fullmatch(word)
            if named is None or named[1].lower() in _WITH_VALUE:
                said = word
            else:
                to_us, said = named[1].lower() == agent.lower(), named[2]
            if to_us:
                found &= parse_directives(said)
    return found


def canonical_of(response: Response) -> str:
    """The canonical address that the head names; empty if it names none."""
    for told in response.all_headers("link"):
        for link in _LINK.finditer(told[:10_000]):
            rel = _REL.search(link[2])
            if rel is not None and "canonical" in rel[1].strip(" \t\"'").lower().split():
                try:
                    return address(link[1], response.url).url
                except UrlError:
                    return ""
    return ""


def retry_after(response: Response) -> float | None:
    """The seconds that a host asks to be left alone for, told as a number or as a date; None: it
    does not.
    """
    told = response.header("retry-after").strip()
    if told.isdecimal() and len(told) < _DIGITS:
        return float(told)
    try:
        moment = parsedate_to_datetime(told)
        if moment.tzinfo is None:  # HTTP knows no other time (RFC 9110, section 5.6.7)
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, moment.timestamp() - response.at)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
