"""The numbers of blocks, as users write them."""

import pytest

from motherlode.app.services.feedback.archetypes import blocks_in
from motherlode.records import UsageError


def test_blocks_as_people_write_them() -> None:
    assert blocks_in("9, 3-5,4") == (3, 4, 5, 9)
    assert blocks_in(" all ") == ()
    for wrong in ("", "0", "a", "3-", "-3", "5-4", "1,,2", "9" * 20, "1-999999"):
        with pytest.raises(UsageError):
            blocks_in(wrong)
