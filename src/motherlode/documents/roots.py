"""With what all words begin that have one stem.

Most stemmers take endings away, so that words of one stem share their beginning; some also spell a few
letters otherwise. Where that is so, the words of a stem are found in any list of words that is sorted, and
the index need not keep stems. Others take away what a word begins with (Arabic, Indonesian, Irish), or change
its middle (Dutch, Finnish, Turkish), or are written with marks that part words (Hindi, Tamil): there it must.
"""

from itertools import product

from motherlode.documents.terms import has_stemmer, stem_of

_PLAIN: dict[str, tuple[str, ...]] = {}
_HEAD = 3  # letters that are tried in all their spellings; more would be too many
# The languages whose stemmers change nothing but endings, and the spellings that are one letter to them.
_SPELLINGS: dict[str, dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("da", "en", "eu", "hu", "hy", "lt", "nb", "no", "pt", "sv"), _PLAIN),
    "ca": {"a": ("à", "á"), "e": ("è", "é"), "i": ("í", "ï"), "o": ("ò", "ó"), "u": ("ú", "ü")},
    "de": {"a": ("ä", "ae"), "o": ("ö", "oe"), "u": ("ü", "ue")},
    "es": {"a": ("á",), "e": ("é",), "i": ("í",), "o": ("ó",), "u": ("ú", "ü")},
    "fr": {
        "e": ("é", "è", "ê", "ë"),
        "c": ("ç",),
        "i": ("î", "ï"),
        "a": ("à", "â"),
        "o": ("ô",),
        "u": ("ù", "û"),
    },
    "it": {"à": ("á",), "è": ("é",), "ì": ("í",), "ò": ("ó",), "ù": ("ú",)},
    "ro": {"ș": ("ş",), "ț": ("ţ",)},
    "ru": {"\u0435": ("\u0451",)},
}


def is_rooted(language: str) -> bool:
    """Whether words of one stem begin alike in a language; without a name it is English."""
    return not has_stemmer(language) or (language or "en") in _SPELLINGS


def heads(word: str, language: str) -> list[str]:
    """What every word begins with, in one of these ways, that has the stem of this one, in a language that is
    rooted; none, if the word does not count.

    >>> heads("owls", "en"), heads("Häuser", "de")
    (['ow'], ['hau', 'haü', 'haue', 'häu', 'häü', 'häue', 'haeu', 'haeü', 'haeue'])
    """
    stem = stem_of(word, language)
    if not has_stemmer(language):
        return _spelled(stem, _PLAIN)
    spellings = _SPELLINGS[language or "en"]
    same = stem[: max(1, len(stem) - 1)]  # the last letter may be of the stemmer's own making
    return _spelled(same[:_HEAD] if spellings else same, spellings)


def _spelled(head: str, spellings: dict[str, tuple[str, ...]]) -> list[str]:
    """A beginning in all its spellings. What is compared has ss for ß, but the words of the index have ß;
    where a beginning ends in s, the other s of it may have been cut off.

    >>> _spelled("gros", _PLAIN), _spelled("grosse", _PLAIN)
    (['gros', 'groß'], ['grosse', 'große'])
    """
    letters = [(letter, *spellings.get(letter, ())) for letter in head]
    found = ["".join(chosen) for chosen in product(*letters)] if head else []
    sharp = [one.replace("ss", "ß") for one in found if "ss" in one]
    return [*found, *sharp, *(f"{one[:-1]}ß" for one in (*found, *sharp) if one.endswith("s"))]
