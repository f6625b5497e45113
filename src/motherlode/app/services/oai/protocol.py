"""Requests of OAI-PMH 2.0: verbs, arguments, moments and resumption tokens.

A resumption token holds all that goes on with a list, so the server remembers nothing, and a token
never expires. It names the last record that was sent: records that join or leave a collection in
the middle of a harvest make it neither skip nor repeat others.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import msgspec
from msgspec import Struct

MAX_TOKEN_CHARS = 2_000
MAX_VALUE_CHARS = 4_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SECOND = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_REQUIRED = {
    "Identify": (),
    "ListMetadataFormats": (),
    "ListSets": (),
    "GetRecord": ("identifier", "metadataPrefix"),
    "ListIdentifiers": ("metadataPrefix",),
    "ListRecords": ("metadataPrefix",),
}
_OPTIONAL = {
    "ListMetadataFormats": ("identifier",),
    "ListIdentifiers": ("from", "until", "set"),
    "ListRecords": ("from", "until", "set"),
}
_RESUMABLE = ("ListSets", "ListIdentifiers", "ListRecords")


class OaiErrorCode(StrEnum):
    """The error codes of the protocol."""

    BAD_ARGUMENT = "badArgument"
    BAD_TOKEN = "badResumptionToken"  # noqa: S105 - no password
    BAD_VERB = "badVerb"
    CANNOT_DISSEMINATE = "cannotDisseminateFormat"
    NO_ID = "idDoesNotExist"
    NO_RECORDS = "noRecordsMatch"
    NO_FORMATS = "noMetadataFormats"
    NO_SETS = "noSetHierarchy"


class OaiError(Exception):
    """An error that the protocol has a code for, with one sentence."""

    def __init__(self, code: OaiErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class OaiRequest(Struct, frozen=True):
    """A valid request. `arguments` are as they came."""

    verb: str
    arguments: dict[str, str]


class ListPosition(Struct, frozen=True, array_like=True):
    """A list request and how far its answers have come: what a resumption token holds.

    `since` and `until` are seconds since 1970, both included. `after` is the identifier of the last
    record that was sent, and `sent` the number of them.
    """

    verb: str
    prefix: str
    set_spec: str | None
    since: int | None
    until: int | None
    after: str = ""
    sent: int = 0


def parse_request(pairs: Iterable[tuple[str, str]]) -> OaiRequest:
    """Return the request of a query. Raises `OaiError` for one that the protocol does not allow."""
    arguments: dict[str, str] = {}
    repeated = None
    for name, value in pairs:
        repeated = repeated or (name if name in arguments else None)
        arguments[name] = value[:MAX_VALUE_CHARS]
    verb = arguments.pop("verb", "")
    if verb not in _REQUIRED or repeated == "verb":
        raise OaiError(
            OaiErrorCode.BAD_VERB, f"The verb is one of {', '.join(_REQUIRED)}, and named once."
        )
    if repeated is not None:
        raise OaiError(OaiErrorCode.BAD_ARGUMENT, f"The argument {repeated[:40]} is given twice.")
    _check_arguments(verb, arguments)
    return OaiRequest(verb, arguments)


def _check_arguments(verb: str, arguments: dict[str, str]) -> None:
    if verb in _RESUMABLE and "resumptionToken" in arguments:
        if len(arguments) > 1:
            raise OaiError(
                OaiErrorCode.BAD_ARGUMENT, "A resumptionToken goes with no other argument."
            )
        return
    allowed = (*_REQUIRED[verb], *_OPTIONAL.get(verb, ()))
    for name in arguments:
        if name not in allowed:
            raise OaiError(OaiErrorCode.BAD_ARGUMENT, f"{verb} has no argument {name[:40]}.")
    for name in _REQUIRED[verb]:
        if not arguments.get(name):
            raise OaiError(OaiErrorCode.BAD_ARGUMENT, f"{verb} needs the argument {name}.")


def list_position(request: OaiRequest) -> ListPosition:
    """Return where a list request begins or goes on.

    Raises `OaiError` for moments that are none, and for a token of another request or of nobody.
    """
    token = request.arguments.get("resumptionToken")
    if token is not None:
        return _parse_token(request.verb, token)
    since, until = (request.arguments.get(name) for name in ("from", "until"))
    if since is not None and until is not None and len(since) != len(until):
        raise OaiError(OaiErrorCode.BAD_ARGUMENT, "from and until are both days, or both moments.")
    position = ListPosition(
        verb=request.verb,
        prefix=request.arguments["metadataPrefix"],
        set_spec=request.arguments.get("set"),
        since=None if since is None else _seconds(since, end=False),
        until=None if until is None else _seconds(until, end=True),
    )
    if None not in (position.since, position.until) and position.since > position.until:  # type: ignore[operator]
        raise OaiError(OaiErrorCode.BAD_ARGUMENT, "from is later than until.")
    return position


def token_of(position: ListPosition) -> str:
    """Return a resumption token: letters, digits, hyphens and underscores."""
    return urlsafe_b64encode(msgspec.json.encode(position)).decode().rstrip("=")


def _parse_token(verb: str, token: str) -> ListPosition:
    position = _unpacked(token) if len(token) <= MAX_TOKEN_CHARS else None
    is_ours = position is not None and token_of(position) == token
    if position is None or not is_ours or position.sent < 1 or not position.after:
        raise OaiError(OaiErrorCode.BAD_TOKEN, "This server did not give that resumptionToken.")
    if position.verb != verb:
        raise OaiError(OaiErrorCode.BAD_TOKEN, "That resumptionToken goes on with another list.")
    return position


def _unpacked(token: str) -> ListPosition | None:
    try:
        packed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        return msgspec.json.decode(packed, type=ListPosition)
    except ValueError:  # of msgspec, of base64, or not ASCII
        return None


def _seconds(text: str, *, end: bool) -> int:
    """Return the first or the last second that a day or a moment of the protocol names."""
    try:
        if _DAY.fullmatch(text):
            day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
            return int(day.timestamp()) + (int(timedelta(days=1).total_seconds()) - 1) * end
        if _SECOND.fullmatch(text):
            return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z").timestamp())
    except ValueError:
        pass
    raise OaiError(
        OaiErrorCode.BAD_ARGUMENT,
        f"{text[:40]!r} is no day such as 2026-01-31, and no moment such as 2026-01-31T12:00:00Z.",
    )


def shown_moment(seconds: float) -> str:
    """Return a moment as the protocol writes it.

    >>> shown_moment(1.9)
    '1970-01-01T00:00:01Z'
    """
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
