"""What a form sends: the names and values of a request, in each of the three encodings."""

import re
from urllib.parse import parse_qs

from motherlode.lab.web import SandboxRequest

MAX_FIELDS = 100
MAX_VALUE_CHARS = 2_000
URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_PART_NAME = re.compile(r'content-disposition:[^\r\n]*[;\s]name="([^"\r\n]{0,100})"', re.IGNORECASE)


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
    """Return the text of each part by its name (RFC 7578)."""
    boundary = _BOUNDARY.search(request.headers["content-type"])
    if boundary is None:
        return {}
    mark = b"\r\n--" + (boundary[1] or boundary[2]).encode("latin-1", "replace")
    values: dict[str, str] = {}
    for part in (b"\r\n" + request.body).split(mark, MAX_FIELDS + 1)[1 : MAX_FIELDS + 1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = _PART_NAME.search(head.decode(encoding, "replace"))
        if name is not None:
            values.setdefault(name[1], content.decode(encoding, "replace")[:MAX_VALUE_CHARS])
    return values
