"""Names of people: how BibTeX splits them, and how others write them."""

import re
from collections.abc import Iterator

from motherlode.records.library import Person

MAX_PEOPLE = 5_000  # of one entry; physics has papers with three thousand
_BLANKS = re.compile(r"[\s~]+")
_OTHERS = "others"
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "v"})


def split_outside_braces(text: str, separator: re.Pattern[str]) -> list[str]:
    """Return the parts between separators that stand in no braces.

    >>> split_outside_braces("Barnes {and} Noble and Knuth", re.compile(r"\\s+and\\s+"))
    ['Barnes {and} Noble', 'Knuth']
    """
    parts, begin, depth, place = [], 0, 0, 0
    while place < len(text):
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        match = separator.match(text, place) if depth <= 0 else None
        if match and match.end() > place:
            parts.append(text[begin:place])
            begin = place = match.end()
        else:
            place += 1
    return [*parts, text[begin:]]


_AND = re.compile(r"\s+and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*")
_SPACE = re.compile(r"[\s~]+")


def bibtex_names(text: str) -> list[str]:
    """Return the names of a BibTeX field, as they are written in it; `others` is left out."""
    line = f" {_BLANKS.sub(' ', text)} "  # long runs of blanks would be looked at again and again
    names = (name.strip() for name in split_outside_braces(line, _AND)[:MAX_PEOPLE])
    return [name for name in names if name and name.lower() != _OTHERS]


def bibtex_parts(name: str) -> tuple[str, str, str]:
    """Return family name, given names and suffix of one BibTeX name, still in LaTeX.

    >>> bibtex_parts("Ludwig van Beethoven"), bibtex_parts("de la Vall{\\\\'e}e, Jr, Charles")
    (('van Beethoven', 'Ludwig', ''), ("de la Vall{\\\\'e}e", 'Charles', 'Jr'))
    >>> bibtex_parts("{World Health Organization}")
    ('{World Health Organization}', '', '')
    >>> bibtex_parts("family=Berg, given=A, prefix=van")
    ('van Berg', 'A', '')
    """
    parts = split_outside_braces(name.strip(" ,"), _COMMA)
    if all("=" in part for part in parts):
        return _extended_parts(parts)
    if len(parts) == 1:
        return _spoken_parts([word for word in split_outside_braces(parts[0], _SPACE) if word])
    suffix = parts[1] if len(parts) > 2 else ""  # noqa: PLR2004 - "family, suffix, given"
    return parts[0], " ".join(parts[2:] if suffix else parts[1:]), suffix


def _extended_parts(parts: list[str]) -> tuple[str, str, str]:
    """Return the parts of a name in the extended format of BibLaTeX (`family=..., given=...`)."""
    values = {
        key.strip().lower(): value.strip(' "')
        for key, _, value in (p.partition("=") for p in parts)
    }
    family = " ".join(filter(None, (values.get("prefix", ""), values.get("family", ""))))
    return family, values.get("given", ""), values.get("suffix", "")


def _spoken_parts(words: list[str]) -> tuple[str, str, str]:
    """Return the parts of a name without a comma: words in lower case begin the family name."""
    for place, word in enumerate(words[:-1]):
        if place and _is_lower(word):
            return " ".join(words[place:]), " ".join(words[:place]), ""
    if words and _is_lower(words[0]) and len(words) > 1:
        return " ".join(words), "", ""
    return (words[-1] if words else ""), " ".join(words[:-1]), ""


def _is_lower(word: str) -> bool:
    letters = (character for character in re.sub(r"\\[A-Za-z]+|^\{.*\}$", "", word))
    return next((letter.islower() for letter in letters if letter.isalpha()), False)


def person_of(name: str) -> Person:
    """Return the person of a name in plain text, in either order.

    A comma at the end marks the name of an organisation, as in EndNote.

    >>> person_of("Turing, Alan M.") == person_of("Alan M. Turing")
    True
    >>> person_of("Owl Society,").family
    'Owl Society'
    """
    if name.rstrip().endswith(",") and name.count(",") == 1:
        return Person(_BLANKS.sub(" ", name).strip(" ,"))
    family, given, suffix = bibtex_parts(_BLANKS.sub(" ", name).strip())
    if given.lower().strip(".") in _SUFFIXES and suffix:  # "King, Martin, Jr.", not as in BibTeX
        given, suffix = suffix, given
    return Person(family, given, suffix)


def written_name(person: Person) -> str:
    """Return the name with the family name first, as `person_of` reads it.

    >>> written_name(Person("King", "Martin")), written_name(Person("Owl Society"))
    ('King, Martin', 'Owl Society,')
    """
    is_whole = not person.given and not person.suffix
    return f"{person.family}," if is_whole and " " in person.family else person.sorted_name


def people_of(names: list[str]) -> tuple[Person, ...]:
    """Return the people of names in plain text; names without a letter are left out."""
    return tuple(_people(names))


def _people(names: list[str]) -> Iterator[Person]:
    for name in names[:MAX_PEOPLE]:
        person = person_of(name)
        if any(letter.isalnum() for letter in person.family):
            yield person
