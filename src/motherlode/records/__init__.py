"""The frozen records that travel between the rooms, and the error family.

They are `msgspec` structs rather than dataclasses: sixty links a page are made, cross a process
boundary and are dropped again, and a struct is made five times faster and pickles ten times smaller.
"""

from motherlode.records.crawl import Entry, Fate, Follow, Outcome, Redirect, UrlState
from motherlode.records.errors import (
    BadInputError,
    DiskFullError,
    LockedError,
    LodeError,
    NewerStoreError,
    NoPortalError,
    NoSuchTopicError,
    OlderStoreError,
    ReadOnlyError,
    StoreError,
    TopicError,
    UsageError,
)
from motherlode.records.identifiers import (
    ROOT,
    ExampleId,
    FeedbackId,
    ModelId,
    PageId,
    RunId,
    TopicId,
    UrlId,
    UrlKey,
)
from motherlode.records.learning import Feedback, Judgement, Model, Verdict
from motherlode.records.pages import (
    Archived,
    Document,
    Host,
    HostState,
    Link,
    LinkFlag,
    Page,
    Run,
    RunEnd,
)
from motherlode.records.topics import Bookmark, Example, Folder, Origin, Topic

__all__ = [
    "ROOT",
    "Archived",
    "BadInputError",
    "Bookmark",
    "DiskFullError",
    "Document",
    "Entry",
    "Example",
    "ExampleId",
    "Fate",
    "Feedback",
    "FeedbackId",
    "Folder",
    "Follow",
    "Host",
    "HostState",
    "Judgement",
    "Link",
    "LinkFlag",
    "LockedError",
    "LodeError",
    "Model",
    "ModelId",
    "NewerStoreError",
    "NoPortalError",
    "NoSuchTopicError",
    "OlderStoreError",
    "Origin",
    "Outcome",
    "Page",
    "PageId",
    "ReadOnlyError",
    "Redirect",
    "Run",
    "RunEnd",
    "RunId",
    "StoreError",
    "Topic",
    "TopicError",
    "TopicId",
    "UrlId",
    "UrlKey",
    "UrlState",
    "UsageError",
    "Verdict",
]
