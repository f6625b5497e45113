"""Addresses that stand in running text."""

import re
from collections.abc import Iterator

_URL = re.compile(r"""https?://[^\s<>"'`{}|\\^\x00-\x1f]{2,2000}""", re.IGNORECASE)
_AFTER = ".,;:!?*_~…。，、；：！？»”’"  # noqa: RUF001 - punctuation of all scripts, which ends a sentence and not an address
_PAIRS = {")": "(", "]": "["}


def urls_in(text: str) -> Iterator[str]:
    """Every address once, in order, without the punctuation of the sentence around it.

    >>> list(urls_in("See http://example.org/a_(b), or (http://example.org/c)."))
    ['http://example.org/a_(b)', 'http://example.org/c']
    """
    seen = set()
    for found in _URL.finditer(text):
        url = trimmed(found[0])
        if url not in seen:
            seen.add(url)
            yield url


def trimmed(url: str) -> str:
    """Without a bracket that was not opened in it, and without what ends a sentence."""
    while url:
        last = url[-1]
        if last in _AFTER or (last in _PAIRS and url.count(last) > url.count(_PAIRS[last])):
            url = url[:-1]
        else:
            break
    return url
