"""Find websites like those that a user names: the portal, its examples, the crawl (SPEC W1)."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.sites import ENOUGH_SITES, POLICIES, SitesRequest
from motherlode.app.services.crawl import CrawlResult, ShowCrawl, crawl_directory
from motherlode.app.services.crawl_problem import check_examples
from motherlode.app.services.sites.groups import joined_groups, keep_groups
from motherlode.app.services.sites.named_sites import NamedSites, named_sites
from motherlode.app.services.sites.unread_sites import unread_text
from motherlode.app.services.sites.verdict_changes import Say
from motherlode.app.services.sites.views import (
    OpenSites,
    check_is_site_portal,
    name_sites_text,
    open_sites,
)
from motherlode.app.text import count
from motherlode.crawl.fetcher_setup import user_agent
from motherlode.crawl.progress import Progress
from motherlode.policies.registry import WEBSITES
from motherlode.policies.websites.model import topic_of_sites
from motherlode.policies.websites.stored_sites import given_sites
from motherlode.portal import Portal, create_portal
from motherlode.portal.config import Config
from motherlode.portal.config_reader import default_config, parse_override
from motherlode.portal.directory import CONFIG, config_of, plant_into
from motherlode.portal.editor import keep_setting
from motherlode.records import BadInputError, Example, Origin, RunEnd, TopicId, UsageError
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import OTHERS, Planting, TopicPath, TopicTree, is_others, parse_path
from motherlode.topics.tree_builder import Planted
from motherlode.urls.site_rules import SiteRules

DEFAULT_TOPIC = "sites"
MAX_PROBLEMS_SHOWN = 10
_UNPLACED = TopicId(0)


class SitePortal(Struct, frozen=True):
    """The portal of a sites command. `messages` are sentences about what was made and left out."""

    path: Path
    is_new: bool
    messages: tuple[str, ...] = ()


class SiteCrawl(Struct, frozen=True):
    """A crawl for sites. `end_reason` says why it ended; empty where it ended as any crawl does."""

    progress: Progress
    result: CrawlResult
    end_reason: str = ""


def find_sites(directory: Path, request: SitesRequest, show: ShowCrawl, say: Say) -> SiteCrawl:
    """Make or open the portal with the sites that the request names, and crawl.

    Says which of the named sites could not be read. Raises `BadInputError` if that are all of them.
    """
    for sentence in open_site_portal(directory, request).messages:
        say(sentence)
    crawl = request.crawl_request()
    try:
        progress, result = crawl_directory(directory, crawl, show)
    except BadInputError as error:
        with open_sites(directory, crawl.settings, may_be_empty=True) as opened:
            if not opened.names_sites:
                raise BadInputError(name_sites_text(directory)) from error
            if opened.has_read_named_sites or not opened.unread:
                raise
            raise BadInputError(unread_text(directory, opened.unread)) from error
    with open_sites(directory, crawl.settings, may_be_empty=True) as opened:
        unread = unread_text(directory, opened.unread)
        reason = _end_reason(progress, opened)
        is_about_sites = unread and check_examples(opened.session).most_are_missing
    if unread and not result.problem:
        say(unread)
    elif result.problem and is_about_sites:
        result = replace(result, problem=unread)
    return SiteCrawl(progress, result, reason)


def _end_reason(progress: Progress, opened: OpenSites) -> str:
    """Return why a crawl for sites ended; empty where the progress says it."""
    if progress.end != RunEnd.ENOUGH:
        return ""
    wanted, found = opened.config.websites.enough_sites, opened.relevant_sites_found
    if 0 < wanted <= found:
        verb = "is" if found == 1 else "are"
        return f"{count(found, 'relevant site')} {verb} found, and you wanted {wanted:,}"
    return "each relevant site costs too many pages by now (websites.rising_cost)"


def open_site_portal(directory: Path, request: SitesRequest) -> SitePortal:
    """Make the portal with the sites that are named, or add them to the one that exists.

    Raises `UsageError` if a new portal lacks sites, or if a portal is not one of sites.
    """
    exists = (directory / CONFIG).is_file()
    if exists and request.topic is not None and not request.names_sites:
        raise UsageError("--topic names the topic of new sites; add --like URL or a file of sites.")
    overrides = request.crawl_request().settings
    config = config_of(directory, overrides) if exists else default_config(overrides)
    groups = joined_groups(config.websites.sites, request.groups)
    named = named_sites(request, SiteRules(groups), config.urls)
    if not exists:
        return _new_portal(directory, request, config, named)
    check_is_site_portal(directory, config)
    user_agent(config)  # raises without a contact, before anything is written
    messages = [*_policy_stored(directory, request), *keep_groups(directory, request.groups)]
    messages += _messages(named)
    if named.like or named.unlike:
        messages += _add_sites(directory, request, SiteRules(groups), named)
    return SitePortal(directory, is_new=False, messages=tuple(messages))


def _new_portal(
    directory: Path, request: SitesRequest, config: Config, named: NamedSites
) -> SitePortal:
    if not named.like:
        raise UsageError(_no_sites(named))
    user_agent(config)  # raises without a contact, before anything is made
    topic = _topic_path(request) or (DEFAULT_TOPIC,)
    create_portal(directory, _planting(topic, named), _settings(request))
    like, unlike = count(len(named.like), "site"), f"{len(named.unlike):,} to avoid"
    sentence = f"Made {directory} from {like} to find others like{_and(named.unlike, unlike)}."
    return SitePortal(directory, is_new=True, messages=(*_messages(named), sentence))


def _policy_stored(directory: Path, request: SitesRequest) -> list[str]:
    """Make a portal of pages one of websites for good, if the request says so."""
    if request.policy is None or config_of(directory).crawl.policy in POLICIES:
        return []
    keep_setting(directory, "crawl.policy", request.policy)
    return [f"{directory} is crawled by {request.policy} from now on (crawl.policy in lode.toml)."]


def _no_sites(named: NamedSites) -> str:
    """Return why a new portal cannot be made without sites to find others like."""
    if named.unlike:
        only = f"only sites to avoid are named ({len(named.unlike):,})"
        return f"A new portal needs sites to find others like, and {only}; add --like URL."
    if named.remarks:
        only = " ".join(named.remarks)
        return f"A new portal needs sites to find others like; add --like URL. {only}"
    return (
        "A new portal needs sites to find others like: --like URL, --bookmarks FILE or --csv FILE."
    )


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
    messages = [f"Added {count(added, 'site')}."] if added else []
    place = shlex.quote(str(directory))
    messages += [
        f"{home} is already named as {'like' if given[rules.site_of(home)] else 'unlike'}; "
        f"'lode sites {place} --accept {rules.site_of(home)}' or --reject changes that."
        for home in both[:MAX_PROBLEMS_SHOWN]
    ]
    return messages


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
    tree = TopicTree(topic_rows.all_topics(session))
    try:
        return tree.path(topic_of_sites(session))
    except BadInputError:  # all of them were taken out again
        topics = (tree.path(topic.id) for topic in tree if not topic.is_others)
        return next(topics, (DEFAULT_TOPIC,))


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


def _messages(named: NamedSites) -> list[str]:
    """Return sentences on how files were read and on what could not be used, not too many."""
    hidden = len(named.problems) - MAX_PROBLEMS_SHOWN
    more = [f"{count(hidden, 'more problem')} like these."] if hidden > 0 else []
    return [*named.remarks, *named.problems[:MAX_PROBLEMS_SHOWN], *more]
