"""The link model of a crawl: the lift of words, and the weight of each kind of evidence."""

import msgspec
from msgspec import Struct

from motherlode.learning.links.mentions import Mentions
from motherlode.learning.links.weights import LinkWeights

VERSION = 1


class LinkModel(Struct, frozen=True):
    """The words that pages on the topics mention, and the weight of each kind of evidence."""

    mentions: Mentions = Mentions()
    weights: LinkWeights = LinkWeights()
    version: int = VERSION

    def pack(self) -> bytes:
        """Return the model as bytes, with its version."""
        return msgspec.msgpack.encode(self)


def unpack_link_model(packed: bytes) -> LinkModel:
    """Return the model that was packed.

    Raises `ValueError` for a model of another version, and for bytes that are not a model.
    """
    try:
        model = msgspec.msgpack.decode(packed, type=LinkModel)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"no model: {error}") from error
    if model.version != VERSION:
        raise ValueError(f"a model of version {model.version}; this Motherlode knows {VERSION}")
    if not (model.mentions.is_valid() and model.weights.is_valid()):
        raise ValueError("no model: its words and weights do not belong together")
    return model
