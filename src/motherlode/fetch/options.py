"""How the network is reached, as a portal's configuration says it."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

_PLACE = r"([0-9A-Za-z_.\-]+|\[[0-9A-Fa-f:]+\])"


class NetworkOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How the network is reached."""

    connect: Annotated[
        str,
        Meta(
            pattern=rf"^{_PLACE}:[0-9]{{1,5}}\Z|^\Z",
            description="Connect to this HOST:PORT, in plain HTTP, instead of any URL's host:"
            " to a sandbox.",
        ),
    ] = ""
    overrides: Annotated[
        tuple[
            Annotated[str, Meta(pattern=rf"^(\*\.)?[0-9A-Za-z_.\-]+={_PLACE}(:[0-9]{{1,5}})?\Z")],
            ...,
        ],
        Meta(
            description="Where single hosts are: HOST=ADDRESS or HOST=ADDRESS:PORT; *.HOST for all"
            " below it."
        ),
    ] = ()
    proxy: Annotated[
        str,
        Meta(
            pattern=r"^(http://.+|none)\Z|^\Z",
            description="An HTTP proxy, as http://HOST:PORT; empty: as HTTP_PROXY, HTTPS_PROXY and "
            "NO_PROXY say; none: no proxy.",
        ),
    ] = ""
    private: Annotated[
        bool, Meta(description="Connect to loopback, private and link-local addresses, too.")
    ] = False
    verify: Annotated[bool, Meta(description="Refuse hosts whose certificate is not in order.")] = (
        True
    )
    http2: Annotated[
        Literal["never", "needed", "always"],
        Meta(
            description="Speak HTTP/2: never, with hosts that refuse HTTP/1.1, or wherever it is"
            " offered."
        ),
    ] = "needed"
    cookies: Annotated[
        bool, Meta(description="Keep the cookies of a host for the length of a crawl.")
    ] = False
    connect_timeout: Annotated[
        float, Meta(gt=0, description="Seconds until a connection is given up.")
    ] = 15.0
    tls_timeout: Annotated[
        float, Meta(gt=0, description="Seconds until a TLS handshake is given up.")
    ] = 15.0
    first_byte_timeout: Annotated[
        float, Meta(gt=0, description="Seconds until an answer that has not begun is given up.")
    ] = 30.0
    idle_timeout: Annotated[
        float, Meta(gt=0, description="Seconds without a byte until a transfer is given up.")
    ] = 20.0
    timeout: Annotated[float, Meta(gt=0, description="Seconds until a fetch is given up.")] = 120.0
    min_rate: Annotated[
        float,
        Meta(ge=0, description="Bytes a second below which a transfer is given up; 0: never."),
    ] = 100.0
    rate_after: Annotated[
        float, Meta(gt=0, description="Seconds after which the rate of a transfer is looked at.")
    ] = 30.0
    keep_alive: Annotated[
        float, Meta(ge=0, description="Seconds that an idle connection is kept open; 0: none is.")
    ] = 15.0
    idle_connections: Annotated[
        int, Meta(ge=0, description="Idle connections that are kept at most.")
    ] = 1000
    max_bytes: Annotated[
        int, Meta(ge=1, description="Give any body up that unpacks to more bytes than this.")
    ] = 50 * 2**20


class DnsOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How names are resolved."""

    servers: Annotated[
        tuple[str, ...],
        Meta(description="Name servers (ADDRESS or ADDRESS:PORT); none: the system's."),
    ] = ()
    timeout: Annotated[
        float, Meta(gt=0, le=300, description="Seconds until a look-up is given up.")
    ] = 10.0
    patience: Annotated[
        float, Meta(gt=0, le=300, description="Seconds until the next server is asked as well.")
    ] = 1.0
    cache: Annotated[int, Meta(ge=1, description="Names that are remembered.")] = 100_000
    min_ttl: Annotated[
        float, Meta(ge=0, description="Seconds that an answer is kept at least.")
    ] = 30.0
    max_ttl: Annotated[float, Meta(ge=0, description="Seconds that an answer is kept at most.")] = (
        86_400.0
    )
    negative_ttl: Annotated[
        float,
        Meta(
            ge=0, description="Seconds for which a name that does not exist is not asked for again."
        ),
    ] = 300.0


class PolitenessOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How sites are treated."""

    delay: Annotated[
        float, Meta(ge=0, description="Seconds that a host rests after each fetch.")
    ] = 1.0
    sandbox_delay: Annotated[
        float, Meta(ge=0, description="The same where network.connect leads to a sandbox.")
    ] = 0.0
    slowdown: Annotated[
        float,
        Meta(
            ge=0,
            description="A host rests this many times as long as its answer took, if that is more.",
        ),
    ] = 1.0
    max_delay: Annotated[
        float,
        Meta(ge=0, description="The longest rest, whatever a host asks for or however slow it is."),
    ] = 60.0
    host_connections: Annotated[int, Meta(ge=1, description="Connections to a host at once.")] = 2
    domain_connections: Annotated[
        int, Meta(ge=1, description="Connections to the hosts of a registrable domain at once.")
    ] = 5


class RobotsOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How robots.txt and its relatives are kept to."""

    obey: Annotated[bool, Meta(description="Keep to robots.txt. Turning this off is logged.")] = (
        True
    )
    ignore: Annotated[
        tuple[str, ...],
        Meta(
            description="Hosts whose robots.txt is not kept to; *.HOST for all below. It is logged."
        ),
    ] = ()
    page_rules: Annotated[
        bool, Meta(description="Keep to noindex and nofollow in pages, links and X-Robots-Tag.")
    ] = True
    keep: Annotated[
        float, Meta(gt=0, description="Seconds after which robots.txt is fetched anew.")
    ] = 86_400.0
    retry: Annotated[
        float, Meta(gt=0, description="Seconds until a robots.txt that failed is asked for again.")
    ] = 300.0
    sitemaps: Annotated[bool, Meta(description="Take the pages that sitemaps list as links.")] = (
        False
    )
