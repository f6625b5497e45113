"""Say what failed when a crawl came to little: its examples are gone, or no server answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct

from motherlode.app.text import count
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.reachability import NO_ANSWER
from motherlode.portal import Portal
from motherlode.records import HostState, Origin, RunEnd, UnfetchedExamplesError
from motherlode.records.shell_words import shell_word
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.training.training_document import (
    NEVER_TRIED,
    UnusableExample,
    page_at_url,
    unusable_example,
)

_MAX_LISTED = 3  # examples, and kinds of errors
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


class RequestCheck(Struct, frozen=True):
    """What became of the requests of a crawl: its pages, and its failures by their kind.

    `bad_hosts` counts the excluded hosts of the portal by the failure that made them bad, and
    `server` is the address that stands for the whole Web, if the settings name one.
    """

    pages: int
    errors: Mapping[str, int]
    requests: int = 0
    bad_hosts: Mapping[str, int] = {}
    server: str = ""

    @property
    def nothing_answered(self) -> bool:
        """Whether there was something to fetch, and no server answered."""
        causes = {*self.errors} - {FailureKind.BAD_HOST}
        if FailureKind.BAD_HOST in self.errors:
            causes |= {*self.bad_hosts}
        return not self.pages and bool(self.errors) and causes <= NO_ANSWER


def bad_hosts_by_cause(session: Session) -> dict[str, int]:
    """Return the number of excluded hosts by the failure that made them bad."""
    hosts = ledger.all_hosts(session)
    return dict(Counter(host.reason for host in hosts if host.state is HostState.BAD))


def problem_with(end: str, crawl: RequestCheck, check: ExampleCheck, directory: str) -> str:
    """Return what failed in a crawl, why, and what to do; empty if nothing did."""
    if end in _STOPPED:
        return ""
    if check.examples and check.most_are_missing:
        return f"{_examples_failed(check)} {_advice(check, directory)}"
    return no_answer(crawl, directory) if crawl.nothing_answered else ""


@contextmanager
def told_examples(portal: Portal) -> Iterator[None]:
    """Say of each example why it could not be fetched, if there is nothing else to learn from."""
    try:
        yield
    except UnfetchedExamplesError as error:
        with portal.store.reading() as session:
            check = check_examples(session)
        if not check.missing:
            raise
        problem = f"{_examples_failed(check)} {_advice(check, str(portal.path))}"
        raise UnfetchedExamplesError(problem) from error


def no_answer(crawl: RequestCheck, directory: str, kept: str = "The queue is kept.") -> str:
    """Return that no server answered, why, and what to do; `kept` says what is not lost."""
    requested = {kind: number for kind, number in crawl.errors.items() if kind in NO_ANSWER}
    if requested:
        requests = max(crawl.requests, sum(requested.values()))
        were = "was" if requests == 1 else "were"
        requested_urls = f"0 of {count(requests, 'request')} {were} answered"
        answered = f"{requested_urls}: {_listed_errors(requested)}."
        advice = f"{_network_advice(crawl.server)}, and run the same command again."
    else:
        answered = "No request was made: all hosts with URLs that wait are excluded as bad."
        advice = f"{_network_advice(crawl.server)}."
    if FailureKind.BAD_HOST not in crawl.errors:
        return f"{answered} {advice} {kept}"
    hosts = count(sum(crawl.bad_hosts.values()), "host")
    forgive = f"lode hosts {shell_word(directory)} --forgive '*'"
    were = "was" if hosts.startswith("1 ") else "were"
    return (
        f"{answered} {hosts} {were} made bad by that in this crawl or before "
        f"({_listed_errors(crawl.bad_hosts)}). {advice} "
        f"This gives the hosts and their URLs another chance: {forgive}"
    )


def serving_advice(server: str) -> str:
    """Return how to serve a sandbox again that is gone from the address in network.connect."""
    serve = f"lode sandbox serve WEB --port {server.rpartition(':')[2]}"
    return (
        f"Serve the web of {server} there again ('{serve}'; the web of a demo is made by "
        "'lode sandbox generate WEB --seed SEED'), or set network.connect to where it is"
    )


def _network_advice(server: str) -> str:
    if server:
        return serving_advice(server)
    return "Check your network, proxy and name server"


def _is_unanswered(example: UnusableExample) -> bool:
    """Return whether no server answered for an example, so that the network may be to blame."""
    kind = example.reason.removeprefix(f"{FailureKind.BAD_HOST}: ").partition(":")[0]
    return kind.partition(";")[0] in NO_ANSWER


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
    command = f"lode topics {shell_word(directory)} example TOPIC URL"
    replace = f"give the topics other examples: {command}"
    if any(example.is_waiting or _is_unanswered(example) for example in check.missing):
        advice = "Check the addresses, and your network, proxy and name server (DNS)"
        return f"{advice}; then run the same command again, or {replace}"
    return f"{replace[0].upper()}{replace[1:]}"


def _listed_errors(errors: Mapping[str, int]) -> str:
    most: Sequence[tuple[str, int]] = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{reason} ({number:,})" for reason, number in most[:_MAX_LISTED])
