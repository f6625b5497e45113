"""Marks: put into a tree before it is turned into text, they tell where in the text things stand.

So what a link or a heading says, and what is said around it, costs no walk of its own. A mark is a
number between two zero characters: HTML lets none into a tree, however a page may spell them.
"""

from functools import cache
from itertools import accumulate

from turbohtml import Element, Text

_ZERO = "\0"

# Where in a text each mark stood, by its number, in the order of the text.
Places = dict[int, int]


@cache  # of some ten thousand numbers at most
def _marks(number: int) -> tuple[str, str]:
    return f"\0{2 * number}\0", f"\0{2 * number + 1}\0"


def mark(element: Element, number: int) -> None:
    """Mark the beginning of what an element says by twice the number, and its end by one more."""
    beginning, end = _marks(number)
    only = element[0] if len(element) == 1 else None
    if type(only) is Text:  # as a rule, and three times faster than nodes of their own
        only.data = f"{beginning}{only.data}{end}"
    elif len(element):
        element.insert(0, Text(beginning))
        element.append(Text(end))
    elif (
        element.parent is not None
    ):  # what is empty may be of a kind of which nothing inside is shown
        element.insert_before(Text(beginning))
        element.insert_after(Text(end))


def has_short_text(element: Element, most: int) -> bool:
    """Whether there is one piece of text in an element, of so many characters at most, and nothing
    else.
    """
    only = element[0] if len(element) == 1 else None
    return type(only) is Text and len(only.data) <= most


def placed(marked: str) -> tuple[str, Places]:
    """Text without its marks, and where in it each of them stood."""
    parts = marked.split(_ZERO)
    pieces = parts[::2]
    return "".join(pieces), dict(
        zip(map(int, parts[1::2]), accumulate(map(len, pieces)), strict=False)
    )


def unmarked(text: str) -> str:
    """Text without its marks, wherever they stood."""
    return "".join(text.split(_ZERO)[::2]) if _ZERO in text else text
