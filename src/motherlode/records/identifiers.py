"""Identifiers: plain integers that the type checker keeps apart."""

from typing import Final, NewType

UrlId = NewType("UrlId", int)  # a URL's row in this store, in order of discovery
UrlKey = NewType("UrlKey", int)  # a URL's 64-bit fingerprint, the same in every store (urls.keys)
PageId = NewType("PageId", int)
TopicId = NewType("TopicId", int)
QueueId = NewType("QueueId", int)  # a policy numbers its queues, and names them for people
ExampleId = NewType("ExampleId", int)
ModelId = NewType("ModelId", int)
RunId = NewType("RunId", int)
FeedbackId = NewType("FeedbackId", int)

NO_QUEUE: Final = QueueId(0)  # of what waits for no topic, such as a page to be fetched again
ROOT: Final = TopicId(1)  # the union of the person's topics; every other topic lies below it
