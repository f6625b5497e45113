"""What a crawl has learned of links, packed and read again."""

import numpy as np
import pytest
from msgspec.structs import replace

from motherlode.learning.links.mentions import Mentions
from motherlode.learning.links.model import LinkModel, unpack_link_model
from motherlode.learning.links.weights import LinkWeights

MENTIONS = Mentions(
    np.array([3, 7], np.uint32).tobytes(),
    np.array([0.5, -1.0], np.float32).tobytes(),
)
MODEL = LinkModel(MENTIONS, LinkWeights(share=2.0, words=0.5))


def test_a_model_is_read_as_it_was_packed() -> None:
    assert unpack_link_model(MODEL.pack()) == MODEL


@pytest.mark.parametrize(
    "model",
    [
        replace(MODEL, mentions=Mentions(MENTIONS.terms, MENTIONS.lifts[:4])),
        replace(MODEL, weights=LinkWeights(near=-1.0)),
        replace(MODEL, version=99),
    ],
)
def test_a_model_that_cannot_be_used_is_refused(model: LinkModel) -> None:
    with pytest.raises(ValueError, match="model"):
        unpack_link_model(model.pack())


@pytest.mark.parametrize("packed", [b"", b"no model", b"\xc0"])
def test_bytes_that_are_no_model_are_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match="no model"):
        unpack_link_model(packed)
