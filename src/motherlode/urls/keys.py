"""A URL's key: 64 bits, the same on every machine and in every run.

BINGO! compares hash codes of visited URLs, "with a small risk of falsely dismissing a new document"
(section 4.2). Here the upper 16 bits come from the host and the lower 48 from the whole URL, so
that the URLs of a host lie together in the store's index and a page's links touch few of its
leaves. A new URL on a host of a million known ones is taken for an old one with probability 4e-9.
"""

from functools import lru_cache
from hashlib import blake2b

from motherlode.records import UrlKey

_URL_BITS = 48


def url_key(url: str, host: str) -> UrlKey:
    """The key of a canonical URL; a signed 64-bit integer, as databases like them."""
    digest = blake2b(url.encode(), digest_size=6).digest()
    return UrlKey(_host_part(host) | int.from_bytes(digest, "big"))


@lru_cache(maxsize=65536)
def _host_part(host: str) -> int:
    digest = blake2b(host.encode(), digest_size=2).digest()
    return int.from_bytes(digest, "big", signed=True) << _URL_BITS
