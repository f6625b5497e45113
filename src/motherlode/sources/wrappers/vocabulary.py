"""Which attributes the words of a label or a name speak of."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from motherlode.lexicon import NoWordNetError
from motherlode.lexicon.concepts import Concepts, concepts_are_here, noun_concepts
from motherlode.lexicon.similarity import noun_similarity
from motherlode.sources.wrappers.attributes import IDENTIFIERS, NAMES, YEARS, Attribute
from motherlode.sources.wrappers.vocabulary_tables import (
    ABBREVIATIONS,
    FROM_WORDS,
    MEANINGS,
    OTHER,
    OWN_WORDS,
    PREPOSITIONS,
    TO_WORDS,
    WEB_WORDS,
)

MAX_TEXT_CHARS = 300
MAX_TOKENS = 30
MAX_PHRASE = 5  # words
MIN_SIMILARITY = 0.85  # below, two nouns of WordNet are not the same attribute
WEB_SCORE = 0.97  # of a word in the web table; the attribute's own name is surer
LIST_SCORE = 0.85  # of a label that lists several attributes
SHORT = 2  # letters of an abbreviation that counts only at the end of a name
ENDS = FROM_WORDS | TO_WORDS
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")
_REMARK = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]|\b(?:e\.\s?g\.|z\.\s?B\.|for example|such as).*", re.IGNORECASE
)
_LIST = re.compile(r"[,/|;&+•]|\b(?:or|and|oder|und|ou|et|o|y|e)\b", re.IGNORECASE)


class Mention(Struct, frozen=True):
    """An attribute that a text speaks of, how surely, and at which of its words."""

    attribute: str
    score: float
    place: int
    is_exact: bool = True


class Vocabulary:
    """Recognises attributes in texts, by words, by habits of the Web, and by WordNet."""

    def __init__(self, concepts: Concepts | None = None, *, web_words: bool = True) -> None:
        self._concepts = concepts
        self._own = _phrases(OWN_WORDS)
        self._words = (_phrases(WEB_WORDS) if web_words else {}) | self._own
        self._short = self._words | (_phrases(ABBREVIATIONS) if web_words else {})
        self._similar: dict[str, tuple[str, float]] = {}

    @property
    def has_wordnet(self) -> bool:
        """Whether similar words count, or only those in the tables."""
        return self._concepts is not None

    def of_label(self, text: str) -> dict[Attribute, float]:
        """Return the attributes that a label speaks of, with scores up to 1."""
        plain = _REMARK.sub(" ", text[:MAX_TEXT_CHARS])
        words = tokens(plain) or tokens(text)
        mentions = list(self._mentions(words, self._words))
        exact = {mention.attribute for mention in mentions if mention.is_exact}
        if len(exact) > 1 and (together := _list_of(exact, plain)):
            return {together: LIST_SCORE}
        return _attributes(mentions, words)

    def of_name(self, name: str) -> dict[Attribute, float]:
        """Return the attributes that the internal name of a field speaks of, with scores."""
        words = tokens(name)
        return _attributes(list(self._mentions(words, self._short)), words)

    def _mentions(
        self, words: Sequence[str], phrases: Mapping[tuple[str, ...], str]
    ) -> Iterator[Mention]:
        """Yield what the words speak of; the longest phrases come first at each word."""
        place = 0
        while place < len(words):
            length = _phrase_length(words, place, phrases)
            if length:
                phrase = tuple(words[place : place + length])
                score = 1.0 if phrase in self._own else WEB_SCORE
                yield Mention(phrases[phrase], score, place)
            elif similar := self._similar_attribute(words[place]):
                yield Mention(*similar, place, is_exact=False)
            place += max(length, 1)

    def _similar_attribute(self, word: str) -> tuple[str, float] | None:
        """Return the attribute whose meaning is nearest to a noun's, if any is near."""
        if self._concepts is None or len(word) <= SHORT:
            return None
        if word not in self._similar:
            self._similar[word] = self._nearest(self._concepts, word)
        attribute, score = self._similar[word]
        return (attribute, score) if score >= MIN_SIMILARITY else None

    def _nearest(self, concepts: Concepts, word: str) -> tuple[str, float]:
        scores = (
            (attribute, noun_similarity(concepts, map(concepts.place_of, offsets), word))
            for attribute, offsets in MEANINGS.items()
        )
        return max(scores, key=lambda pair: pair[1])


@cache
def default_vocabulary() -> Vocabulary:
    """Return the vocabulary with WordNet where it lies on this machine, else without."""
    if not concepts_are_here():
        return Vocabulary()
    try:
        return Vocabulary(noun_concepts())
    except NoWordNetError:  # another edition lies there
        return Vocabulary()


def tokens(text: str) -> list[str]:
    """Return the words of a label or a name in lower case, without accents.

    >>> tokens("advSearch_pubYear[]"), tokens("Année de publication :")
    (['adv', 'search', 'pub', 'year'], ['annee', 'de', 'publication'])
    """
    apart = _CAMEL.sub(" ", text[:MAX_TEXT_CHARS])
    decomposed = unicodedata.normalize("NFKD", apart)
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [word.lower() for word in _WORD.findall(plain)[:MAX_TOKENS]]


def _phrases(table: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    return {
        tuple(tokens(phrase)): attribute
        for attribute, phrases in table.items()
        for phrase in phrases.split(",")
    }


def _phrase_length(words: Sequence[str], place: int, phrases: Mapping[tuple[str, ...], str]) -> int:
    """Return how many words from a place on are a known phrase; a short one ends the text."""
    for length in range(min(MAX_PHRASE, len(words) - place), 0, -1):
        if tuple(words[place : place + length]) in phrases:
            is_short = length == 1 and len(words[place]) <= SHORT
            return 0 if is_short and not ENDS.issuperset(words[place + 1 :]) else length
    return 0


def _list_of(exact: set[str], text: str) -> Attribute | None:
    """Return the attribute of a label that lists several, such as `Title, author or subject`."""
    known = {Attribute(name) for name in exact if name != OTHER} - {Attribute.ANY}
    if len(known) <= 1 or not _LIST.search(text):
        return None
    if known <= NAMES:
        return Attribute.AUTHOR
    if known <= IDENTIFIERS:
        return Attribute.IDENTIFIER
    return Attribute.ANY


def _attributes(mentions: list[Mention], words: Sequence[str]) -> dict[Attribute, float]:
    """Return the attribute of the head of a phrase, and with less weight those beside it."""
    if any(mention.is_exact for mention in mentions):
        mentions = [mention for mention in mentions if mention.is_exact]
    special = [mention for mention in mentions if mention.attribute != Attribute.ANY] or mentions
    if not special:
        return {}
    head = _head(special, words)
    is_other = any(mention.attribute == OTHER for mention in special)
    if head.attribute == OTHER or (head.attribute == Attribute.YEAR and is_other):
        return {}
    brevity = 1.0 / (1.0 + 0.05 * max(0, len(words) - 3))
    attribute = _with_end(Attribute(head.attribute), words)
    return {attribute: head.score * brevity}


def _head(mentions: Sequence[Mention], words: Sequence[str]) -> Mention:
    """Return the last mention before a preposition, the last of all if none is before one."""
    first = mentions[0].place
    places = (place for place, word in enumerate(words) if word in PREPOSITIONS and place > first)
    end = next(places, len(words))
    return [mention for mention in mentions if mention.place < end][-1]


def _with_end(attribute: Attribute, words: Sequence[str]) -> Attribute:
    """Return which end of a span of years is meant, if the words say so."""
    if attribute not in YEARS:
        return attribute
    if not FROM_WORDS.isdisjoint(words):
        return Attribute.YEAR_FROM if TO_WORDS.isdisjoint(words) else Attribute.YEAR
    return attribute if TO_WORDS.isdisjoint(words) else Attribute.YEAR_TO
