"""The sites that the user has named and of which no page could be read: why, and what to do."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.text import count
from motherlode.fetch.reachability import NO_ANSWER
from motherlode.policies.websites.stored_sites import PortalSites
from motherlode.records import Origin
from motherlode.records.shell_words import shell_word
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.training.training_document import unusable_example

_MAX_LISTED = 5


class UnreadSite(Struct, frozen=True):
    """A named site that was tried and could not be read. `is_waiting`: a crawl tries it again."""

    site: str
    home: str
    reason: str
    is_like: bool
    is_waiting: bool

    @property
    def is_unanswered(self) -> bool:
        """Whether no server answered, so that the network may be to blame."""
        return any(part.partition(";")[0] in NO_ANSWER for part in self.reason.split(": "))


def unread_sites(session: Session, sites: PortalSites) -> tuple[UnreadSite, ...]:
    """Return the sites among the examples that were tried, and of which no page was read."""
    unread: dict[str, UnreadSite] = {}
    for example in topic_rows.examples_of(session):
        if not example.url or example.origin is not Origin.PERSON:
            continue
        site = sites.site_of(example.url)
        if site in unread or sites.pages.get(site):
            continue
        unusable = unusable_example(session, example)
        if unusable.could_not_be_fetched:
            unread[site] = UnreadSite(
                site=site,
                home=example.url,
                reason=unusable.reason,
                is_like=sites.given.get(site, True),
                is_waiting=unusable.is_waiting,
            )
    return tuple(unread.values())


def unread_text(directory: Path, unread: Sequence[UnreadSite]) -> str:
    """Return which named sites could not be read, why, and what to do; empty if there are none."""
    if not unread:
        return ""
    listed = ", ".join(f"{site.site} ({site.reason})" for site in unread[:_MAX_LISTED])
    more = f" and {len(unread) - _MAX_LISTED:,} more" if len(unread) > _MAX_LISTED else ""
    which = f"{count(len(unread), 'named site')} could not be read: {listed}{more}."
    return f"{which} {_advice(directory, unread)}"


def _advice(directory: Path, unread: Sequence[UnreadSite]) -> str:
    place, site = shell_word(str(directory)), shell_word(unread[0].site)
    pronoun = "it" if len(unread) == 1 else "one"
    check = f"Check the address{'' if len(unread) == 1 else 'es'}"
    if any(site.is_unanswered for site in unread):
        check += " and your network"
    again = ""
    if any(site.is_waiting for site in unread):
        again = f"'lode sites {place} --crawl' tries again. "
    elif unread[0].is_unanswered:
        again = f"'lode hosts {place} --forgive {site}' lets the next crawl try again. "
    return (
        f"{check}. {again}To take {pronoun} out: 'lode sites {place} --forget {site}'; to name "
        "another: --like URL."
    )
