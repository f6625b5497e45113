"""Cookies, for portals that want them: what a host set is told to that host again, for this crawl
only.
"""

from collections import OrderedDict

from motherlode.fetch.web import Response

_MAX_HOSTS = 10_000
_MAX_COOKIES = 20
_MAX_SIZE = 4096


class Cookies:
    """Each host's own, whatever domain they claim to be for."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, dict[str, str]] = OrderedDict()

    def learn(self, host: str, response: Response) -> None:
        for told in response.all_headers("set-cookie"):
            name, equals, value = told.partition(";")[0].strip().partition("=")
            if equals and name and len(told) <= _MAX_SIZE and (name + value).isprintable():
                known = self._of.setdefault(host, {})
                known[name] = value
                if len(known) > _MAX_COOKIES:
                    del known[next(iter(known))]
        while len(self._of) > _MAX_HOSTS:
            self._of.popitem(last=False)

    def header(self, host: str) -> str:
        """A line for a request's head; none, if there is nothing to tell."""
        known = self._of.get(host)
        if not known:
            return ""
        return "Cookie: " + "; ".join(f"{name}={value}" for name, value in known.items()) + "\r\n"
