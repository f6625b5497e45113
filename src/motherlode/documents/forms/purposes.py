"""The purpose of a form."""

from motherlode.records import Form


def with_purpose(form: Form) -> Form:
    """Return a form with its purpose and its field for search words."""
    return form
