"""Words of a command line that a message suggests.

Messages quote commands with single quotes, so a word that needs quotes gets double ones if
possible.
"""

import re
import shlex
from collections.abc import Iterable

_SPECIAL = frozenset('"$`\\!')  # within double quotes
_DIRECTORY = re.compile(r"(\blode [a-z]+ )DIR\b")


def shell_word(text: str) -> str:
    """Return a text as one word of a command line.

    >>> print(shell_word("owls"), shell_word("my owls"), shell_word("Bob's $1"))
    owls "my owls" 'Bob'"'"'s $1'
    """
    quoted = shlex.quote(text)
    return quoted if quoted == text or _SPECIAL.intersection(text) or not text else f'"{text}"'


def shell_line(words: Iterable[str]) -> str:
    """Return a command line of these words."""
    return " ".join(map(shell_word, words))


def name_directory(message: str, directory: str) -> str:
    """Return a message whose commands name this directory, not `DIR`.

    >>> name_directory("Nothing was learned yet; 'lode train DIR' does so.", "my owls")
    'Nothing was learned yet; \\'lode train "my owls"\\' does so.'
    """
    word = shell_word(directory)
    return _DIRECTORY.sub(lambda match: match[1] + word, message)
