"""Responses, and submitted forms, in the shape in which they are archived."""

from urllib.parse import urlsplit

from motherlode.fetch import Request, Response
from motherlode.store.archive import GZIPPED, Exchange, SentRequest

# Headers that describe the transfer; archived bodies are stored decoded or re-coded.
_TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_SECRET_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization"})


def exchange_of(url: str, response: Response) -> Exchange:
    """Return the archived form of the response to a GET of a URL."""
    headers = [field for field in response.headers if field[0].lower() not in _TRANSFER_HEADERS]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    block = f"HTTP/1.1 {response.status} -\r\n{head}".encode("latin-1", "replace")
    at = response.at
    if response.sent:  # still compressed as it came, which saves compressing it again
        return Exchange(url, at, block + GZIPPED, response.sent, response.address)
    return Exchange(url, at, block, response.body, response.address)


def exchange_of_submission(request: Request, response: Response) -> Exchange:
    """Return the archived form of a submitted form: the request as well, without its secrets.

    `request` is the one that was answered, after redirects. Of a GET, the URL says it all.
    """
    plain = exchange_of(request.url, response)
    if request.method == "GET":
        return plain
    return Exchange(
        url=plain.url,
        fetched_at=plain.fetched_at,
        head=plain.head,
        body=plain.body,
        address=plain.address,
        request=SentRequest(_request_head(request), request.body),
    )


def _request_head(request: Request) -> bytes:
    parts = urlsplit(request.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    fields = [("Host", parts.netloc)]
    if request.content_type:
        fields.append(("Content-Type", request.content_type))
    fields.append(("Content-Length", str(len(request.body))))
    fields += [field for field in request.headers if field[0].lower() not in _SECRET_HEADERS]
    lines = "".join(f"{_one_line(name)}: {_one_line(value)}\r\n" for name, value in fields)
    return f"{request.method} {target} HTTP/1.1\r\n{lines}".encode("utf-8", "replace")


def _one_line(text: str) -> str:
    return " ".join(text.split())
