"""The requests that change the topic tree; see `lode topics`."""

from typing import Annotated

from msgspec import Struct

from motherlode.app.requests.fields import Url, described
from motherlode.app.requests.portals import MAX_SEEDS

MAX_PATH_CHARS = 20_000
MAX_TOPIC_NAME_CHARS = 2_000

TopicText = Annotated[
    str,
    described(
        "The topic, such as science/physics.",
        min_length=1,
        max_length=MAX_PATH_CHARS,
        examples=["science/physics"],
    ),
]
ParentTopic = Annotated[
    str,
    described("The new parent topic; / is the root.", min_length=1, max_length=MAX_PATH_CHARS),
]
TopicName = Annotated[
    str,
    described(
        "The name of the topic, without those above it.",
        min_length=1,
        max_length=MAX_TOPIC_NAME_CHARS,
        label="Name",
    ),
]
FirstExamples = Annotated[
    tuple[Url, ...], described("The first examples of the topic.", max_length=MAX_SEEDS)
]
RemovalId = Annotated[str, described("The id of a removal; by default the latest.", max_length=100)]
ExampleUrls = Annotated[
    tuple[Url, ...],
    described(
        "Pages that are good examples of the topic.",
        min_length=1,
        max_length=MAX_SEEDS,
        label="Addresses, one a line",
        placeholder="https://",
    ),
]
RemoveExamples = Annotated[bool, described("Take these examples out, instead of adding them.")]


class AddTopic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics add`; seeds are its first examples."""

    topic: TopicText
    seeds: FirstExamples = ()


class RenameTopic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics rename`."""

    topic: TopicText
    name: TopicName


class MoveTopic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics move`; / is the root."""

    topic: TopicText
    parent: ParentTopic


class RemoveTopic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics remove`."""

    topic: TopicText


class RestoreTopics(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics restore`; without an id, the latest removal is undone."""

    id: RemovalId = ""


class ChangeExamples(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """See `lode topics example`."""

    topic: TopicText
    urls: ExampleUrls
    remove: RemoveExamples = False
