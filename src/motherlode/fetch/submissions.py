"""Which requests with a body are sent, whatever web sends them."""

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import FetchError, Request

MAX_POST_BYTES = 2**20  # far more than a form sends without files


def check_submission(request: Request) -> None:
    """Raise `FetchError` for a request that is not sent, whatever its URL."""
    if request.method == "POST":
        if len(request.body) > MAX_POST_BYTES:
            detail = f"more than {MAX_POST_BYTES:,} bytes to send"
            raise FetchError(FailureKind.TOO_LARGE, request.url, detail)
    elif request.method != "GET" or request.body:
        detail = "only GET without a body and POST are sent"
        raise FetchError(FailureKind.PROTOCOL, request.url, detail)
