"""Words: WordNet, found or fetched, and what is made of it for whoever needs words that are not the crawl's.

What is slow to make is kept in the user's cache (`motherlode.lexicon.cache`).
"""

from motherlode.lexicon.vocabulary import common_vocabulary, vocabulary_is_here
from motherlode.lexicon.wordnet import NoWordNetError

__all__ = ["NoWordNetError", "common_vocabulary", "vocabulary_is_here"]
