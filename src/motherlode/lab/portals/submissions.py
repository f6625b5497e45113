"""What a form sends: the names and values of a request, in each of the three encodings."""

from email import message_from_bytes
from email.message import Message
from urllib.parse import parse_qs

from motherlode.lab.web import SandboxRequest

MAX_FIELDS = 100
MAX_VALUE_CHARS = 2_000
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def submitted_values(request: SandboxRequest, encoding: str) -> dict[str, str]:
    """Return the fields of a GET or POST by name, the first value of each, within bounds."""
    if request.method != "POST":
        return _urlencoded_values(request.target.partition("?")[2], encoding)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == URLENCODED:
        return _urlencoded_values(request.body.decode("latin-1"), encoding)
    return _multipart_values(request, encoding) if kind == MULTIPART else {}


def _urlencoded_values(text: str, encoding: str) -> dict[str, str]:
    try:
        values = parse_qs(
            text, encoding=encoding, errors="replace", max_num_fields=MAX_FIELDS,
            keep_blank_values=True,
        )  # fmt: skip
    except ValueError:  # too many fields
        return {}
    return {name: texts[0][:MAX_VALUE_CHARS] for name, texts in values.items()}


def _multipart_values(request: SandboxRequest, encoding: str) -> dict[str, str]:
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode("latin-1", "replace")
    message = message_from_bytes(head + request.body)
    parts = message.get_payload() if message.is_multipart() else []
    values: dict[str, str] = {}
    for part in list(parts)[:MAX_FIELDS]:
        name = part.get_param("name", header="content-disposition")
        if isinstance(part, Message) and isinstance(name, str):
            content = part.get_payload(decode=True)
            text = content.decode(encoding, "replace") if isinstance(content, bytes) else ""
            values.setdefault(name, text[:MAX_VALUE_CHARS])
    return values
