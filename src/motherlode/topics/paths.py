"""Topic names and paths: `science/physics` is physics below science, `/` the root."""

import unicodedata

from motherlode.records import TopicError

TopicPath = tuple[str, ...]

OTHERS = "OTHERS"
MAX_NAME = 120
MAX_DEPTH = 100


def clean_name(text: str) -> str:
    """A name as the tree keeps it: one line, printable, without the separator, not too long.

    >>> clean_name("  TCP/IP \\n networks ")
    'TCP-IP networks'
    """
    printable = "".join(" " if unicodedata.category(c)[0] == "C" else c for c in text)
    name = " ".join(printable.replace("/", "-").split())[:MAX_NAME].rstrip()
    return OTHERS if is_others(name) else name


def is_others(name: str) -> bool:
    """Whether a folder of this name holds counterexamples."""
    return name.strip().casefold() == OTHERS.casefold()


def parse_path(text: str) -> TopicPath:
    """The path that a person wrote; empty steps are errors, a slash in front or behind is not."""
    inner = text.strip().strip("/")
    if not inner:
        return ()
    names = tuple(clean_name(step) for step in inner.split("/"))
    if len(names) > MAX_DEPTH:
        raise TopicError(f"Topics nest at most {MAX_DEPTH} deep.")
    if not all(names):
        raise TopicError(f"{text!r} is not a topic path; write it like 'science/physics'.")
    return names


def show_path(path: TopicPath) -> str:
    return "/".join(path) or "/"
