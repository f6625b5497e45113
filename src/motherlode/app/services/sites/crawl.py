"""Find websites like those that a user names: the portal, its examples, the crawl (SPEC W1)."""

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.app.requests.sites import ENOUGH_SITES, SitesRequest
from motherlode.app.services.crawl import CrawlResult, ShowCrawl, crawl_directory
from motherlode.app.services.sites.named_sites import NamedSites, named_sites
from motherlode.app.text import count
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.crawl.progress import Progress
from motherlode.policies.registry import WEBSITES, WEBSITES_2004
from motherlode.policies.websites.model import topic_of_sites
from motherlode.policies.websites.stored_sites import given_sites
from motherlode.portal import Portal, create_portal
from motherlode.portal.config import Config
from motherlode.portal.config_reader import default_config, parse_override
from motherlode.portal.directory import CONFIG, config_of, plant_into
from motherlode.portal.editor import keep_setting
from motherlode.records import BadInputError, Example, Origin, TopicId, UsageError
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import OTHERS, Planting, TopicPath, TopicTree, is_others, parse_path
from motherlode.topics.tree_builder import Planted
from motherlode.urls.site_rules import SiteRules, check_groups, tidy_prefix

DEFAULT_TOPIC = "sites"
MAX_PROBLEMS_SHOWN = 10
_UNPLACED = TopicId(0)

Groups = tuple[tuple[str, ...], ...]
Say = Callable[[str], None]


class SitePortal(Struct, frozen=True):
    """The portal of a sites command. `told` are sentences about what was made and left out."""

    path: Path
    is_new: bool
    told: tuple[str, ...] = ()


def find_sites(
    directory: Path, request: SitesRequest, show: ShowCrawl, say: Say
) -> tuple[Progress, CrawlResult]:
    """Make or open the portal with the sites that the request names, and crawl."""
    for sentence in open_site_portal(directory, request).told:
        say(sentence)
    return crawl_directory(directory, request.crawl_request(), show)


def open_site_portal(directory: Path, request: SitesRequest) -> SitePortal:
    """Make the portal with the sites that are named, or add them to the one that exists.

    Raises `UsageError` if a new portal lacks sites, or if a portal is not one of sites.
    """
    exists = (directory / CONFIG).is_file()
    overrides = request.crawl_request().settings
    config = config_of(directory, overrides) if exists else default_config(overrides)
    groups = joined_groups(config.websites.sites, request.groups)
    named = named_sites(request, SiteRules(groups), config.urls)
    if not exists:
        return _new_portal(directory, request, config, named)
    check_is_site_portal(directory, config)
    keep_groups(directory, request.groups)
    told = _problems(named.problems)
    if named.like or named.unlike:
        told += _add_sites(directory, request, SiteRules(groups), named)
    return SitePortal(directory, is_new=False, told=tuple(told))


def keep_groups(directory: Path, groups: Groups) -> None:
    """Write what counts as one site into the configuration of a portal, beside what it has."""
    config = config_of(directory)
    joined = joined_groups(config.websites.sites, groups)
    if joined != config.websites.sites:
        keep_setting(directory, "websites.sites", [list(group) for group in joined])


def joined_groups(known: Sequence[Sequence[str]], new: Groups) -> Groups:
    """Return known groups of hosts and parts of hosts with new ones.

    A new group replaces those that it shares a member with. A host alone is a site anyway. Raises
    `UsageError` for a group that is none.

    >>> joined_groups([["a.org", "b.org"]], (("b.org", "c.org"), ("d.org/~anna",)))
    (('b.org', 'c.org'), ('d.org/~anna',))
    >>> joined_groups([["a.org", "b.org"]], (("a.org",),))
    ()
    """
    try:
        check_groups(new)
    except ValueError as error:
        raise UsageError(f"--site: {error}.") from error
    named = {tidy_prefix(prefix) for group in new for prefix in group}
    kept = [
        tuple(group) for group in known if named.isdisjoint(tidy_prefix(prefix) for prefix in group)
    ]
    telling = [group for group in new if len(group) > 1 or tidy_prefix(group[0]).count("/") > 1]
    return (*kept, *telling)


def check_is_site_portal(directory: Path, config: Config) -> None:
    """Raise `UsageError` for a portal that another policy crawls."""
    if config.crawl.policy not in (WEBSITES, WEBSITES_2004):
        raise UsageError(
            f"{directory} is crawled by {config.crawl.policy}, not for whole websites; "
            "name another directory, or add --policy websites."
        )


def _new_portal(
    directory: Path, request: SitesRequest, config: Config, named: NamedSites
) -> SitePortal:
    if not named.like:
        raise UsageError(
            "A new portal needs sites to find others like: --like URL, --bookmarks FILE or "
            "--csv FILE."
        )
    user_agent(config)  # raises without a contact, before anything is made
    topic = _topic_path(request) or (DEFAULT_TOPIC,)
    create_portal(directory, _planting(topic, named), _settings(request))
    like, unlike = count(len(named.like), "site"), f"{len(named.unlike):,} to avoid"
    sentence = f"Made {directory} from {like} to find others like{_and(named.unlike, unlike)}."
    return SitePortal(directory, is_new=True, told=(*_problems(named.problems), sentence))


def _and(condition: object, text: str) -> str:
    return f", and {text}" if condition else ""


def _add_sites(
    directory: Path, request: SitesRequest, rules: SiteRules, named: NamedSites
) -> list[str]:
    """Add sites to a portal as examples, and return sentences for the user."""
    with Portal.writing(directory, "lode sites") as portal, portal.batch() as session:
        given = given_sites(session, rules, {})
        topic = _topic_path(request) or _known_topic(session)
        both = [
            home
            for is_like, homes in ((True, named.like), (False, named.unlike))
            for home in homes
            if given.get(rules.site_of(home), is_like) != is_like
        ]
        fresh = NamedSites(
            tuple(home for home in named.like if home not in both),
            tuple(home for home in named.unlike if home not in both),
        )
        added = plant_into(session, _planting(topic, fresh))
    told = [f"Added {count(added, 'site')}."] if added else []
    place = shlex.quote(str(directory))
    told += [
        f"{home} is named the other way already; 'lode sites {place} --accept SITE' or --reject "
        "changes that."
        for home in both[:MAX_PROBLEMS_SHOWN]
    ]
    return told


def _planting(topic: TopicPath, named: NamedSites) -> Planting:
    planted = [Planted(topic, _examples(named.like))]
    if named.unlike:
        planted.append(Planted((OTHERS,), _examples(named.unlike)))
    return Planting(tuple(planted))


def _examples(homes: Sequence[str]) -> tuple[Example, ...]:
    return tuple(Example(_UNPLACED, home, origin=Origin.PERSON) for home in homes)


def _topic_path(request: SitesRequest) -> TopicPath | None:
    if request.topic is None:
        return None
    path = parse_path(request.topic)
    if not path or any(map(is_others, path)):
        raise UsageError(f"A topic of sites cannot be called {request.topic[:60]!r}.")
    return path


def _known_topic(session: Session) -> TopicPath:
    """Return the topic of the sites that were named before."""
    try:
        return TopicTree(topic_rows.all_topics(session)).path(topic_of_sites(session))
    except BadInputError:  # all of them were taken out again
        return (DEFAULT_TOPIC,)


def _settings(request: SitesRequest) -> dict[str, object]:
    """Return the settings of a new portal. Limits of its first crawl are not among them."""
    given = dict(parse_override(override) for override in request.settings)
    lasting = {key: value for key, value in request.chosen.items() if key != ENOUGH_SITES}
    groups = [list(group) for group in joined_groups((), request.groups)]
    return {
        "crawl.policy": WEBSITES,
        **({"websites.sites": groups} if groups else {}),
        **lasting,
        **given,
    }


def _problems(problems: Sequence[str]) -> list[str]:
    hidden = len(problems) - MAX_PROBLEMS_SHOWN
    more = [f"{count(hidden, 'more problem')} like these."] if hidden > 0 else []
    return [*problems[:MAX_PROBLEMS_SHOWN], *more]
