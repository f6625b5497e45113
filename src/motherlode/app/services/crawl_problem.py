"""Say what failed when a crawl came to little: examples that are gone, or a Web that does not
answer.
"""

import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct

from motherlode.app.text import count
from motherlode.fetch.failures import FailureKind
from motherlode.records import Origin, RunEnd
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.training.training_document import (
    NEVER_TRIED,
    UnusableExample,
    page_at_url,
    unusable_example,
)

_MAX_LISTED = 3  # examples, and kinds of errors
# Failures to reach any server: where nothing else happened, the network may be down.
_NO_CONNECTION = frozenset(
    {
        FailureKind.NO_SUCH_HOST,
        FailureKind.NAME_SERVER,
        FailureKind.REFUSED,
        FailureKind.UNREACHABLE,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.PROXY,
    }
)
_STOPPED = frozenset({RunEnd.INTERRUPTED, RunEnd.FEEDBACK})


class ExampleCheck(Struct, frozen=True):
    """How many examples with a URL the topics have, and which of them could not be fetched."""

    examples: int
    missing: tuple[UnusableExample, ...]

    @property
    def most_are_missing(self) -> bool:
        return len(self.missing) * 2 > self.examples


def check_examples(session: Session) -> ExampleCheck:
    """Check the examples that users gave; those of OTHERS do not count."""
    tree = TopicTree(topic_rows.all_topics(session))
    examples = {
        example.url: example
        for example in topic_rows.examples_of(session)
        if example.url
        and example.origin is not Origin.ARCHETYPE
        and not tree[example.topic].is_others
    }
    unfetched = [
        unusable_example(session, example)
        for url, example in sorted(examples.items())
        if page_at_url(session, url) is None
    ]
    missing = tuple(example for example in unfetched if example.reason != NEVER_TRIED)
    return ExampleCheck(len(examples), missing)


def problem_with(
    end: str, pages: int, errors: Mapping[str, int], check: ExampleCheck, directory: str
) -> str:
    """Return what failed in a crawl, why, and what to do; empty if nothing did.

    `pages` and `errors` are those of this crawl.
    """
    if end in _STOPPED:
        return ""
    if check.examples and check.most_are_missing:
        return f"{_examples_failed(check)} {_advice(check, directory)}"
    if errors and not pages and all(error in _NO_CONNECTION for error in errors):
        return (
            f"No page could be fetched: {_listed_errors(errors)}. "
            "Check your network, proxy and name server, and run the same command again."
        )
    return ""


def _examples_failed(check: ExampleCheck) -> str:
    missing = check.missing
    listed = ", ".join(
        f"{example.example.url} ({example.reason})" for example in missing[:_MAX_LISTED]
    )
    more = f" and {len(missing) - _MAX_LISTED:,} more" if len(missing) > _MAX_LISTED else ""
    if len(missing) < check.examples:
        which = f"{len(missing):,} of {count(check.examples, 'example')} could not be fetched"
    elif check.examples == 1:
        which = "The only example could not be fetched"
    else:
        which = f"None of the {check.examples:,} examples could be fetched"
    return f"{which}: {listed}{more}."


def _advice(check: ExampleCheck, directory: str) -> str:
    command = f"lode topics {shlex.quote(directory)} example TOPIC URL"
    replace = f"give the topics other examples by '{command}'"
    if any(example.is_waiting for example in check.missing):
        return (
            "Check your network, proxy and name server, and run the same command again later; "
            f"or {replace}."
        )
    return f"{replace[0].upper()}{replace[1:]}."


def _listed_errors(errors: Mapping[str, int]) -> str:
    most: Sequence[tuple[str, int]] = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} ({number:,})" for reason, number in most[:_MAX_LISTED])
