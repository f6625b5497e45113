"""When enough pages of a site were read, and which of its pages are files."""

import pytest

from motherlode.policies.websites.judges import is_enough
from motherlode.policies.websites.options import WebsitesOptions

OPTIONS = WebsitesOptions(threshold=0.9, min_pages=2, unlikely=0.5, decide_pages=4)


@pytest.mark.parametrize(
    ("pages", "probability", "enough"),
    [
        (1, 0.49, True),  # unlikely
        (1, 0.99, False),  # likely, and fewer than the least number
        (2, 0.95, True),  # sure
        (2, 0.6, False),  # likely, not sure: one more page
        (3, 0.89, False),
        (4, 0.6, True),  # the most that is read to decide
    ],
)
def test_a_likely_site_is_read_until_it_is_sure_and_an_unlikely_one_is_not(
    pages: int,
    probability: float,
    enough: bool,  # noqa: FBT001
) -> None:
    assert is_enough(pages, probability, OPTIONS) is enough
