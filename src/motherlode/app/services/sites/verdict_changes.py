"""Learn from what the user has said of sites, and report which verdicts that changes (SPEC W7)."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Self

from msgspec import Struct

from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.kind import relearn
from motherlode.policies.websites.site_table import SiteTable
from motherlode.portal import Portal
from motherlode.records import BadInputError
from motherlode.records.shell_words import shell_word

Say = Callable[[str], None]


class VerdictChanges(Struct, frozen=True):
    """The other sites whose verdict changed; `not_learned` says why nothing could be learned."""

    became_relevant: tuple[str, ...] = ()
    became_irrelevant: tuple[str, ...] = ()
    not_learned: str = ""

    @classmethod
    def between(
        cls, before: SiteTable, after: SiteTable, named: AbstractSet[str], not_learned: str = ""
    ) -> Self:
        """Return the changes between two tables, without the sites that the user has named."""
        old, new = before.relevant_sites(), after.relevant_sites()
        return cls(
            became_relevant=_in_order(after, new - old - named),
            became_irrelevant=_in_order(before, old - new - named),
            not_learned=not_learned,
        )


def relearn_sites(portal: Portal, say: Say, sentence: str) -> str:
    """Learn from the sites as they are now; return why nothing can be learned, empty if it was.

    `sentence` is said before the learning, which takes a while.
    """
    policy = portal.config.crawl.policy
    if policy not in (WEBSITES, WEBSITES_2004):
        crawl = f"lode sites {shell_word(str(portal.path))} --crawl --policy {WEBSITES}"
        return f"the portal is crawled by {policy}, not for whole websites; '{crawl}' changes that."
    say(sentence)
    try:
        relearn(portal)
    except BadInputError as error:  # such as: no page of a relevant site was read yet
        text = str(error)
        return f"{text[:1].lower()}{text[1:]}"
    return ""


def _in_order(table: SiteTable, sites: AbstractSet[str]) -> tuple[str, ...]:
    return tuple(row.site for row in table.rows if row.site in sites)
