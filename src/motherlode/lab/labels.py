"""Which page is about what: `labels.tsv`, one line a label, `url<TAB>topic/path`."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from motherlode.records import BadInputError, NoSuchTopicError
from motherlode.urls import UrlError, canonical

FILE = "labels.tsv"


class Labels:
    """The topics of a web's pages; a topic includes its sub-topics.

    >>> labels = Labels({"http://a.test/": {"Science/Physics"}, "http://b.test/": {"Art"}})
    >>> labels.relevant("Science")
    frozenset({'http://a.test/'})
    """

    def __init__(self, topics_of: Mapping[str, Iterable[str]]) -> None:
        self._topics_of = {url: frozenset(topics) for url, topics in topics_of.items()}

    def __len__(self) -> int:
        return len(self._topics_of)

    def of(self, url: str) -> frozenset[str]:
        """The topics of a page, by its canonical URL."""
        return self._topics_of.get(url, frozenset())

    def items(self) -> Iterator[tuple[str, frozenset[str]]]:
        yield from self._topics_of.items()

    def topics(self) -> dict[str, int]:
        """Every topic, inner ones too, with the number of its pages, in order of their paths."""
        counts: dict[str, int] = {}
        for topics in self._topics_of.values():
            for path in {prefix for topic in topics for prefix in _prefixes(topic)}:
                counts[path] = counts.get(path, 0) + 1
        return dict(sorted(counts.items()))

    def relevant(self, topic: str) -> frozenset[str]:
        """The pages of a topic and its sub-topics. Raises `NoSuchTopicError` if there are none."""
        found = frozenset(
            url
            for url, topics in self._topics_of.items()
            if any(within(path, topic) for path in topics)
        )
        if not found:
            raise NoSuchTopicError(self._unknown(topic))
        return found

    def _unknown(self, topic: str) -> str:
        known = self.topics()
        if not known:
            return "This web has no labels, so there is no topic to look for."
        near = get_close_matches(topic, known, n=1, cutoff=0.6)
        hint = f"did you mean '{near[0]}'?" if near else "'lode sandbox show WEB' lists its topics."
        return f"No page of this web is labelled '{topic}'; {hint}"


def within(path: str, topic: str) -> bool:
    """Whether a path names the topic or one of its sub-topics."""
    return path == topic or path.startswith(f"{topic}/")


def read_labels(path: Path) -> Labels:
    """The labels in a file; a web without the file has none."""
    topics_of: dict[str, set[str]] = {}
    try:
        text = path.read_text("utf-8-sig") if path.exists() else ""
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        url, _, rest = line.partition("\t")
        topic = tidy(rest)
        if not topic or "\t" in topic:
            raise BadInputError(f"{path}, line {number}: expected a URL, a tab and a topic's path.")
        try:
            topics_of.setdefault(canonical(url.strip()), set()).add(topic)
        except UrlError as error:
            raise BadInputError(f"{path}, line {number}: {error}") from error
    return Labels(topics_of)


def tidy(path: str) -> str:
    """A topic's path as it is compared: no empty steps, no blanks around them.

    >>> tidy(" Science //Physics/ ")
    'Science/Physics'
    """
    return "/".join(step for part in path.split("/") if (step := part.strip()))


def write_labels(path: Path, labels: Labels) -> None:
    lines = [f"{url}\t{topic}\n" for url, topics in labels.items() for topic in sorted(topics)]
    path.write_text("".join(lines), "utf-8")


def _prefixes(path: str) -> Iterator[str]:
    steps = path.split("/")
    return ("/".join(steps[:end]) for end in range(1, len(steps) + 1))
