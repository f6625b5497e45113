"""The forms of a page."""

from motherlode.records import Form


def read_forms(html: str, url: str, *, charset: str = "") -> tuple[Form, ...]:
    """Return the forms of the page that came from `url`, in order.

    `charset` is the encoding that the page was decoded from; without one, the page's own
    declaration counts, else UTF-8.
    """
    raise NotImplementedError
