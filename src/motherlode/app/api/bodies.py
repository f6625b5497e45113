"""What is asked of the API: the options of the commands, under their names."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from motherlode.app.services.registry import LONGEST_NAME

Url = Annotated[str, Field(max_length=4_000)]
Setting = Annotated[str, Field(max_length=4_000, examples=["crawler.contact=you@example.org"])]


class Body(BaseModel):
    """An unknown option is an error, as on the command line."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NewTopic(Body):
    """A topic with its examples; one called OTHERS holds counterexamples."""

    topic: Annotated[str, Field(min_length=1, max_length=2_000, examples=["science/physics"])]
    seeds: Annotated[list[Url], Field(max_length=10_000)] = []


class NewPortal(Body):
    """A portal to be, about what one of three says: a bookmark file's text, topics with seeds, or a query."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    bookmarks: str | None = None
    topics: Annotated[list[NewTopic], Field(max_length=10_000)] = []
    query: Annotated[str | None, Field(max_length=2_000)] = None
    settings: Annotated[list[Setting], Field(max_length=200, alias="set")] = []


class Crawl(Body):
    """How far a crawl goes, and which way; see `lode crawl`."""

    pages: Annotated[int | None, Field(ge=1, le=10**9)] = None
    time: Annotated[str | None, Field(max_length=40, examples=["90s", "10m", "2h"])] = None
    learn_pages: Annotated[int | None, Field(ge=0, le=10**9)] = None
    policy: Literal["bingo", "bingo-2003", "best-first", "breadth-first"] | None = None
    feedback: bool = False
    settings: Annotated[list[Setting], Field(max_length=200, alias="set")] = []


class Index(Body):
    """See `lode index`."""

    rebuild: bool = False
