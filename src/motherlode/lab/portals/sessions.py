"""Visitors of a portal: their sessions, one-time tokens, and the queries that are kept for them."""

import re
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b

MAX_KEPT = 10_000  # tokens, and as many queries
COOKIE = "catsession"
_COOKIE_PAIR = re.compile(rf"(?:^|;)\s*{COOKIE}=([0-9a-f]{{16}})\s*(?=;|$)")


class Sessions:
    """Tokens and queries of one portal in memory; the oldest are forgotten first.

    Processes that serve the same portal do not know each other's tokens.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._issued = 0
        self._tokens: OrderedDict[str, str] = OrderedDict()
        self._queries: OrderedDict[str, tuple[str, Mapping[str, str]]] = OrderedDict()

    def session_of(self, cookies: str) -> str:
        """Return the session that a Cookie header names; empty if it names none."""
        match = _COOKIE_PAIR.search(cookies)
        return match[1] if match else ""

    def start(self) -> str:
        """Return a new session."""
        return self._new_name()

    def issue_token(self, session: str) -> str:
        """Return a token that the session may use once."""
        token = self._new_name()
        self._tokens[token] = session
        if len(self._tokens) > MAX_KEPT:
            self._tokens.popitem(last=False)
        return token

    def redeem(self, token: str, session: str) -> bool:
        """Whether the token belongs to the session and was not used before; it is used now."""
        return bool(session) and self._tokens.pop(token, "") == session

    def keep_query(self, session: str, values: Mapping[str, str]) -> str:
        """Keep a query for a session; return the name of its results."""
        name = self._new_name()
        self._queries[name] = (session, values)
        if len(self._queries) > MAX_KEPT:
            self._queries.popitem(last=False)
        return name

    def query(self, name: str, session: str) -> Mapping[str, str] | None:
        """Return the query of some results; None: they are not this session's, or forgotten."""
        owner, values = self._queries.get(name, ("", {}))
        return values if session and owner == session else None

    def _new_name(self) -> str:
        self._issued += 1
        return blake2b(f"{self._name} {self._issued}".encode(), digest_size=8).hexdigest()
