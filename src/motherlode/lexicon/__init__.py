"""Words from outside a crawl: WordNet, and the common vocabulary that is made of it.

Results that take long to make are cached for the user. Texts of pages belong to `documents`.
"""

from motherlode.lexicon.vocabulary import common_vocabulary, vocabulary_is_here
from motherlode.lexicon.wordnet import NoWordNetError

__all__ = ["NoWordNetError", "common_vocabulary", "vocabulary_is_here"]
