"""The configuration as a type: every section is the options record of the room that it steers.

A section that is a dictionary has one section below it for each name: `[sources.NAME]`.
"""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.documents.options import ReadingOptions
from motherlode.fetch import (
    DnsOptions,
    NetworkOptions,
    PolitenessOptions,
    RobotsOptions,
    TypeOptions,
)
from motherlode.learning.options import LearningOptions
from motherlode.policies.bingo.options import BingoOptions
from motherlode.policies.options import CrawlOptions
from motherlode.policies.ordinal.options import OrdinalOptions
from motherlode.policies.tunnel.options import TunnelOptions
from motherlode.policies.websites.options import WebsitesOptions
from motherlode.search.options import IndexOptions
from motherlode.sources.search.options import SourceOptions
from motherlode.store import StoreOptions
from motherlode.store.archive import ArchiveOptions
from motherlode.urls import UrlRules
from motherlode.urls.traps import TrapRules


class PortalOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """What the portal is called."""

    title: Annotated[str, Meta(description="The portal's title; empty: its directory's name.")] = ""


class CrawlerOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How the crawler introduces itself to the sites it visits and in the archive."""

    name: Annotated[
        str, Meta(min_length=1, pattern=r"^[A-Za-z0-9._-]+\Z", description="The crawler's name.")
    ] = "motherlode"
    contact: Annotated[
        str,
        Meta(description="A web page or mail address where a site's owner reaches you."),
    ] = ""


class Config(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that `lode.toml` can say."""

    portal: PortalOptions = PortalOptions()
    crawler: CrawlerOptions = CrawlerOptions()
    network: NetworkOptions = NetworkOptions()
    dns: DnsOptions = DnsOptions()
    politeness: PolitenessOptions = PolitenessOptions()
    robots: RobotsOptions = RobotsOptions()
    types: TypeOptions = TypeOptions()
    traps: TrapRules = TrapRules()
    urls: UrlRules = UrlRules()
    reading: ReadingOptions = ReadingOptions()
    learning: LearningOptions = LearningOptions()
    crawl: CrawlOptions = CrawlOptions()
    bingo: BingoOptions = BingoOptions()
    tunnel: TunnelOptions = TunnelOptions()
    websites: WebsitesOptions = WebsitesOptions()
    ordinal: OrdinalOptions = OrdinalOptions()
    store: StoreOptions = StoreOptions()
    archive: ArchiveOptions = ArchiveOptions()
    index: IndexOptions = IndexOptions()
    sources: dict[str, SourceOptions] = {}
