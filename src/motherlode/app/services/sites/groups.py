"""Groups of hosts, and parts of hosts, that count as one site in a portal (SPEC W1)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.services.sites.verdict_changes import Say, VerdictChanges, relearn_sites
from motherlode.app.services.sites.views import sites_of
from motherlode.policies.websites.site_table import SiteTable
from motherlode.portal import Portal
from motherlode.portal.directory import config_of
from motherlode.portal.editor import keep_setting
from motherlode.records import UsageError
from motherlode.urls.site_rules import check_groups, tidy_prefix

Groups = tuple[tuple[str, ...], ...]


class SiteGroupsResult(Struct, frozen=True):
    """Messages about the groups that were stored, and the verdicts that they changed."""

    messages: tuple[str, ...]
    changes: VerdictChanges | None = None


def group_sites(
    directory: Path,
    groups: Groups,
    settings: Sequence[str] = (),
    say: Say = lambda _sentence: None,
) -> SiteGroupsResult:
    """Store what counts as one site in a portal with sites, and learn from it.

    Raises `UsageError` for a group that is none and for a portal that is not one of sites, and
    `LockedError` while another process writes the portal.
    """
    with Portal.writing(directory, "lode sites", settings) as portal:
        with portal.store.reading() as session:
            before = sites_of(portal, session, may_be_empty=True).table
        known = config_of(directory).websites.sites
        messages = keep_groups(directory, groups)
        is_changed = config_of(directory).websites.sites != known
    with Portal.writing(directory, "lode sites", settings) as portal:  # with the new groups
        not_learned = ""
        if is_changed:
            not_learned = relearn_sites(portal, say, "Learning from the new sites ...")
        with portal.store.reading() as session:
            after = sites_of(portal, session, may_be_empty=True).table
    named = {
        table.sites.rules.site_of(_url(prefix))
        for table in (before, after)
        for group in groups
        for prefix in group
    }
    return SiteGroupsResult(
        messages=(*messages, *_unknown(before, after, groups)),
        changes=VerdictChanges.between(before, after, named, not_learned) if is_changed else None,
    )


def keep_groups(directory: Path, groups: Groups) -> tuple[str, ...]:
    """Write what counts as one site into a portal's configuration; return what has changed."""
    known = config_of(directory).websites.sites
    joined = joined_groups(known, groups)
    if set(joined) != set(map(tuple, known)):
        keep_setting(directory, "websites.sites", [list(group) for group in joined])
    return tuple(_sentences(known, joined, groups))


def joined_groups(known: Sequence[Sequence[str]], new: Groups) -> Groups:
    """Return known groups of hosts and parts of hosts with new ones.

    A new group replaces those with one of its members or with a part of one. A host alone is a site
    anyway. Raises `UsageError` for a group that is none.

    >>> joined_groups([["a.org", "b.org"]], (("b.org", "c.org"), ("d.org/~anna",)))
    (('b.org', 'c.org'), ('d.org/~anna',))
    >>> joined_groups([["a.org/~anna"], ["b.org", "c.org"]], (("a.org",), ("b.org",)))
    ()
    """
    named = [prefix for group in new for prefix in _tidy(group)]
    try:
        check_groups(new)
    except ValueError as error:
        raise UsageError(f"--site: {error}.") from error
    kept = [
        tuple(group)
        for group in known
        if not any(part.startswith(prefix) for part in _tidy(group) for prefix in named)
    ]
    return (*kept, *(group for group in new if not _is_host(group)))


def _tidy(group: Sequence[str]) -> list[str]:
    """Return the members of a group as prefixes that end in a slash."""
    try:
        prefixes = [tidy_prefix(prefix) for prefix in group]
    except ValueError as error:
        raise UsageError(f"--site: {error}.") from error
    for place, prefix in enumerate(prefixes):
        if prefix in prefixes[:place]:
            raise UsageError(f"--site: {group[place]!r} is named twice.")
    return prefixes


def _is_host(group: Sequence[str]) -> bool:
    """Return whether a group is a single host, which is a site anyway."""
    return len(group) == 1 and tidy_prefix(group[0]).count("/") == 1


def _sentences(known: Sequence[Sequence[str]], joined: Groups, new: Groups) -> Iterator[str]:
    """Yield what each new group means, and which former ones no longer hold."""
    before = set(map(tuple, known))
    dissolved = [tuple(group) for group in known if tuple(group) not in joined]
    for group in new:
        when = "already" if group in before else "now"
        if len(group) > 1:
            yield f"{', '.join(group)}: these are one site {when}, called {group[0]}."
        elif not _is_host(group):
            yield f"{group[0]} is a site of its own {when}."
        else:
            again = "by itself again" if dissolved else "by itself already"
            yield f"{group[0]} is a site {again}."
    for group in dissolved:
        if len(group) > 1:
            yield f"{', '.join(group)}: these are no longer one site."
        else:
            yield f"{group[0]} is no longer a site of its own."


def _unknown(before: SiteTable, after: SiteTable, groups: Groups) -> Iterator[str]:
    """Yield a sentence for each member that the portal knows nothing of."""
    for group in groups:
        table = before if len(group) > 1 or _is_host(group) else after
        for prefix in group:
            if table.sites.site_of(_url(prefix)) not in table.row_of:
                yield (
                    f"{prefix} is not known here yet: no page of it was read, and no page that was "
                    "read links to it."
                )


def _url(prefix: str) -> str:
    return f"http://{tidy_prefix(prefix)}"
