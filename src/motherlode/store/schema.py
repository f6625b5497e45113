"""The tables, once for both databases.

Three things are arranged for bulk speed (docs/design.md has the measurements):

- `urls.id` counts up in order of discovery and `urls.key` is the sieve: new rows are appended,
  links carry small integers, and the only index that is written at random is narrow and clustered
  by host.
- `frontier` is keyed by share, lane, queue and rank, so that the links of a page land side by side.
  A URL that is found again at a better rank gets a second row; the worse one is stale once the URL
  is settled (frontier.py). A share is a part of the frontier that one engine owns: hosts are
  divided by registrable domain. One engine owns everything, which is share 0.
- `links_in` begins with a segment of page numbers, so that of this index too only a small part is
  being written at any time. A look-up asks each segment (pages.py).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
)
from sqlalchemy.types import JSON

VERSION = 9
SEGMENT_BITS = 12  # pages a segment of `links_in`, as a power of two

metadata = MetaData()

# SQLite gives its fast row number only to a column declared INTEGER, which holds 64 bits there
# anyway.
_Id = BigInteger().with_variant(Integer, "sqlite")


about = Table(
    "about",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

topics = Table(
    "topics",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("parent_id", ForeignKey("topics.id")),
    Column("name", Text, nullable=False),
    Column("folded", Text, nullable=False),  # the name without case: what siblings must differ in
    Column("is_others", Boolean, nullable=False),
    UniqueConstraint("parent_id", "folded"),
    # a model may still name a removed topic: its number is not given again
    sqlite_autoincrement=True,
)

examples = Table(
    "examples",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("topic_id", ForeignKey("topics.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text),
    Column("title", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("text", Text),
    Column("origin", Text, nullable=False),
    Column("added_at", Double, nullable=False),
    UniqueConstraint("topic_id", "url"),
)

urls = Table(
    "urls",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("not_before", Double),  # while it waits for another attempt
    Column("reason", Text),
    Index("urls_key", "key", unique=True),
)

frontier = Table(
    "frontier",
    metadata,
    Column("share", SmallInteger, primary_key=True, autoincrement=False),
    Column("lane", SmallInteger, primary_key=True, autoincrement=False),
    Column("queue", Integer, primary_key=True, autoincrement=False),
    Column(
        "cost", Double, primary_key=True
    ),  # minus the rank, so that the key's own order is best first
    Column("url_id", BigInteger, primary_key=True),
    Column("depth", Integer, nullable=False),
    Column("distance", Double, nullable=False),
    Column("via", BigInteger),
    sqlite_with_rowid=False,
)

pages = Table(
    "pages",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("run_id", Integer),
    Column("fetched_at", Double, nullable=False),
    Column("status", SmallInteger, nullable=False),
    Column("mime", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("etag", Text, nullable=False),
    Column("last_modified", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("fingerprint", BigInteger, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("distance", Double, nullable=False),
    Column("rank", Double, nullable=False),
    Column("via", BigInteger),
    Column("archive_file", Text),
    Column("archive_offset", BigInteger),
    Column("archive_length", BigInteger),
    Index("pages_url", "url_id", unique=True),
    Index("pages_digest", "digest"),  # copies of a page under other addresses
)

texts = Table(
    "texts",
    metadata,
    Column("page_id", _Id, primary_key=True, autoincrement=False),
    Column("packed", LargeBinary, nullable=False),  # texts.py says how
)

fingerprints = Table(
    "fingerprints",
    metadata,
    Column("quarter", SmallInteger, primary_key=True, autoincrement=False),
    Column("bits", Integer, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

vectors = Table(
    "vectors",
    metadata,
    Column("page_id", BigInteger, primary_key=True),
    Column("space", Text, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
)

links = Table(
    "links",
    metadata,
    Column("page_id", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("anchor", Text, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)
# Spelled out, not bound: SQLite uses an index on an expression only where the query has it to the
# letter.
segment_of_link = links.c.page_id.op(">>")(literal_column(str(SEGMENT_BITS)))
Index("links_in", segment_of_link, links.c.url_id)

redirects = Table(
    "redirects",
    metadata,
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),
    Column("target_id", BigInteger, nullable=False),
    Column("status", SmallInteger, nullable=False),
)

hosts = Table(
    "hosts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("domain", Text, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("pages", BigInteger, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("delay", Double, nullable=False),
    Column("next_at", Double, nullable=False),
    Column("aliases", Text, nullable=False, server_default=""),
)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("status", SmallInteger, nullable=False),
    Column("body", LargeBinary),
    Column("fetched_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
)

judgements = Table(
    "judgements",
    metadata,
    Column("page_id", _Id, primary_key=True, autoincrement=False),
    Column("topic_id", Integer, nullable=False),
    Column("confidence", Double, nullable=False),
    Column("model_id", Integer),
    Column("score", Double),  # on the model's own scale; none: the confidence is it
    Column("probability", Double),  # that the page is on the topic; none: unknown
    Index("judgements_topic", "topic_id", "confidence"),
)

models = Table(
    "models",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("packed", LargeBinary, nullable=False),
    Column("report", JSON, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("command", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("end", Text, nullable=False),
    Column("pages", BigInteger, nullable=False),
)

feedback = Table(
    "feedback",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("page_id", BigInteger, nullable=False),
    Column("topic_id", ForeignKey("topics.id", ondelete="CASCADE"), nullable=False),
    Column("verdict", SmallInteger, nullable=False),
    Column("given_at", Double, nullable=False),
    Column("note", Text, nullable=False),
)

marks = Table(
    "marks",
    metadata,
    Column(
        "id", Integer, primary_key=True
    ),  # of several on a page and a topic the last counts (marks.py)
    Column("page_id", BigInteger, nullable=False),
    Column("topic_id", ForeignKey("topics.id", ondelete="CASCADE"), nullable=False),
    Column("word", SmallInteger, nullable=False),
    Column("given_at", Double, nullable=False),
    Column("note", Text, nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column(
        "kind", Text, primary_key=True
    ),  # what a policy writes down with a page, such as a site's verdict
    Column("key", Text, primary_key=True),
    Column("value", JSON, nullable=False),
    Column("page_id", BigInteger),
)

# Topics have no foreign keys here: choices about a removed topic hold again when it is restored.
collection_choices = Table(
    "collection_choices",
    metadata,
    Column("id", Integer, primary_key=True),  # of several for a URL the last counts
    Column("batch", Integer, nullable=False),  # given, and taken back, together
    Column("url", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("topic_id", Integer),  # whose collection the page joins
    Column("former_topic_id", Integer),  # whose collection had it before
    Column("given_at", Double, nullable=False),
    Column("undone_at", Double),  # when the choice was taken back
)

library_folders = Table(
    "library_folders",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("parent_id", Integer),
    Column("name", Text, nullable=False),
)

library_objects = Table(
    "library_objects",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("value", JSON, nullable=False),
)

library_members = Table(
    "library_members",
    metadata,
    Column("folder_id", Integer, primary_key=True, autoincrement=False),
    Column("object_id", Integer, primary_key=True, autoincrement=False),
)

archives = Table(
    "archives",
    metadata,
    Column("file", Text, primary_key=True),
    Column("size", BigInteger, nullable=False),  # what is committed; anything behind it is cut off
)
