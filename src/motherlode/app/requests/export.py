"""The request that writes a portal in another format."""

from typing import Annotated

from msgspec import Struct, field

from motherlode.app.requests.fields import CommandLineSettings, check_values, described
from motherlode.export.formats.registry import FORMATS


def format_names() -> tuple[str, ...]:
    """Return the names of all export formats."""
    return tuple(FORMATS)


def formats_with_texts() -> tuple[str, ...]:
    """Return the names of the formats that have a place for the texts of pages."""
    return tuple(name for name, format_ in FORMATS.items() if format_.has_texts)


FormatName = Annotated[
    str,
    described(
        "The format to write; see above.",
        max_length=40,
        examples=["jsonl", "site"],
        choices=format_names,
        label="Format",
    ),
]
WithinTopic = Annotated[
    str,
    described(
        "Only the pages of this topic and its subtopics, such as science/physics.",
        max_length=2_000,
        label="Topic",
    ),
]
WithText = Annotated[
    bool,
    described(
        f"Include the text of the pages ({', '.join(formats_with_texts())}).",
        label="With the text of the pages",
    ),
]
MaxBookmarks = Annotated[
    int,
    described(
        "At most this many pages of a topic, best first (bookmarks, bibtex).", ge=1, le=10**6
    ),
]


class ExportRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The format and the pages of an export; see `lode export`."""

    format: FormatName
    topic: WithinTopic | None = None
    text: WithText = False
    most: MaxBookmarks = 100
    settings: CommandLineSettings = field(default=(), name="set")

    def __post_init__(self) -> None:
        check_values(self)
