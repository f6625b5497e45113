"""From bytes to what a page says: text, terms, links."""

from motherlode.documents.analysing import analyse, read
from motherlode.documents.terms import Bag, bag_of, unpack

__all__ = ["Bag", "analyse", "bag_of", "read", "unpack"]
