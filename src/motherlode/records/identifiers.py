"""Identifiers: plain integers that the type checker keeps apart."""

from typing import Final, NewType

UrlId = NewType("UrlId", int)  # a URL's row in this store, in order of discovery
UrlKey = NewType("UrlKey", int)  # a URL's 64-bit fingerprint, the same in every store (urls.keys)
PageId = NewType("PageId", int)
TopicId = NewType("TopicId", int)
ExampleId = NewType("ExampleId", int)
ModelId = NewType("ModelId", int)
RunId = NewType("RunId", int)
FeedbackId = NewType("FeedbackId", int)

ROOT: Final = TopicId(1)  # the union of the person's topics; every other topic lies below it
