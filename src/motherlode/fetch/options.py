"""How the network is reached, as a portal's configuration says it."""

from typing import Annotated

from msgspec import Meta, Struct


class NetworkOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How the network is reached."""

    connect: Annotated[
        str,
        Meta(
            pattern=r"^([0-9A-Za-z_.\-]+|\[[0-9A-Fa-f:]+\]):[0-9]{1,5}$|^$",
            description="Connect to this HOST:PORT instead of the URL's host, as to a sandbox.",
        ),
    ] = ""
    private: Annotated[
        bool, Meta(description="Connect to loopback, private and link-local addresses, too.")
    ] = False
    verify: Annotated[bool, Meta(description="Refuse hosts whose certificate is not in order.")] = True
    connect_timeout: Annotated[float, Meta(gt=0, description="Seconds until a connection is given up.")] = (
        15.0
    )
    idle_timeout: Annotated[
        float, Meta(gt=0, description="Seconds without a byte until a transfer is given up.")
    ] = 20.0
    timeout: Annotated[float, Meta(gt=0, description="Seconds until a fetch is given up.")] = 60.0
    max_bytes: Annotated[
        int, Meta(ge=1, description="Give a body up that unpacks to more bytes than this.")
    ] = 20_000_000
