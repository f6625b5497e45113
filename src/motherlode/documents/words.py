"""Text made tidy."""


def tidy(text: str) -> str:
    """Words with one space between them.

    >>> tidy("  barn \\n owls ")
    'barn owls'
    """
    return " ".join(text.split())


def tidy_lines(text: str) -> str:
    """Blocks of text, one a line, none of them empty."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
