"""What a browser sends when a form is submitted (HTML standard, form submission)."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from motherlode.records import Form


class Submission(Struct, frozen=True):
    """A request that submits a form. A GET has no body and no content type."""

    url: str
    method: str  # "get" or "post"
    body: bytes = b""
    content_type: str = ""


def submission_of(
    form: Form, values: Mapping[str, str | Sequence[str]] | None = None
) -> Submission:
    """Return what a browser sends for a form with these values; all else keeps its default.

    Raise `BadInputError` if the form cannot be submitted, or if it has no such field or option.
    """
    raise NotImplementedError
