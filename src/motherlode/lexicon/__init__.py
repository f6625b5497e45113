"""Words from outside a crawl: WordNet, and the common vocabulary that is made of it, in a cache.

Nothing here knows a portal; the texts of pages belong to `documents`.
"""

from motherlode.lexicon.vocabulary import common_vocabulary, vocabulary_is_here
from motherlode.lexicon.wordnet import NoWordNetError

__all__ = ["NoWordNetError", "common_vocabulary", "vocabulary_is_here"]
