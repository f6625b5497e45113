"""How documents are read, as a portal's configuration says it."""

from typing import Annotated

from msgspec import Meta, Struct


class ReadingOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How documents are read: by processes of their own, within limits."""

    workers: Annotated[
        int,
        Meta(ge=0, le=256, description="Processes that read documents; 0: one less than cores."),
    ] = 0
    seconds: Annotated[
        float, Meta(gt=0, le=86_400, description="Seconds until a document is given up.")
    ] = 20.0
    memory: Annotated[
        int, Meta(ge=64, le=1_000_000, description="Megabytes that reading a document may take.")
    ] = 1024
