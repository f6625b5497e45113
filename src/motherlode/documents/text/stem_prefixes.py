"""With what all words begin that have one stem.

Porter's stemmer takes endings off English words and puts little in their place, so that words of
one stem share their beginning: they are found in any list of words that is sorted, and the index
need not keep stems. A word of a language whose endings we do not know is its own stem. Other
stemmers spell letters otherwise (German, French, Spanish), take away what a word begins with
(Arabic, Irish) or change its middle (Dutch, Finnish): there it must.
"""

from motherlode.documents.text.terms import has_stemmer, stem_of

_ENGLISH = ("", "en")


def is_rooted(language: str) -> bool:
    """Whether words of one stem begin alike in a language; without a name it is English."""
    return language in _ENGLISH or not has_stemmer(language)


def heads(word: str) -> list[str]:
    """What every English word begins with, in one of these ways, that has the stem of this one;
    none, if the word does not count.

    >>> heads("owls"), heads("cities"), heads("usability"), heads("rating")
    (['owl'], ['citi', 'city'], ['usabl', 'usabi'], ['rat'])
    """
    stem = stem_of(word)
    found = _unstemmed(stem) if stem else []
    # What is compared has ss for ß, but the words of the index have ß.
    return [*found, *(one.replace("ss", "ß") for one in found if "ss" in one)]


def _unstemmed(stem: str) -> list[str]:
    """Only the last letter of a stem may be of the stemmer's own making: i for y, e that was put
    behind what was left, and l in bl for bility.
    """
    if stem.endswith("i"):
        return [stem, f"{stem[:-1]}y"]
    if stem.endswith("bl"):
        return [stem, f"{stem[:-1]}i"]
    return [stem[:-1] or stem] if stem.endswith("e") else [stem]
