"""Small webs of whole sites, and crawls for sites on them, on virtual time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.loop import crawl
from motherlode.crawl.preparation import prepare
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.retraining import RetrainingPlan
from motherlode.documents.analysis import Manner
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.policies.kind import PolicySetup, load_policy
from motherlode.policies.websites.stored_sites import PortalSites, SiteState, portal_sites
from motherlode.portal import Portal, create_portal
from motherlode.topics import plant_seeds
from motherlode.urls import UrlRules
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import Said, record_web
from support.training_webs import paper, text

PAGES = 5  # of a site, its home page included
NAMED = ("owl0.test", "owl1.test")


def home(site: str) -> str:
    return f"http://{site}/"


def site_pages(
    site: str, subject: str, links: Sequence[str] = (), pages: int = PAGES
) -> dict[str, Said]:
    """A site on a subject; its last page has the links to other sites."""
    number = sum(map(ord, site))
    inner = [f"http://{site}/{page}" for page in range(1, pages)]
    said: dict[str, Said] = {home(site): paper(f"Home of {site}", text(subject, number), inner)}
    for place, url in enumerate(inner, 1):
        words = f"{text(subject, number + place)} {text(subject, number + place + 2)}"
        onwards = [home(target) for target in links] if url == inner[-1] else []
        said[url] = paper(f"{site} {place}", words, [home(site), *onwards])
    return said


def small_site_web() -> dict[str, Said]:
    """Two named sites on owls that link to others, which link on to more."""
    return {
        **site_pages("owl0.test", "owl", ["owl2.test", "news0.test"]),
        **site_pages("owl1.test", "owl", ["owl3.test", "news1.test", "hub.test"]),
        **site_pages("owl2.test", "owl", ["owl4.test", "hub.test"]),
        **site_pages("owl3.test", "owl", ["owl5.test", "news2.test"]),
        **site_pages("owl4.test", "owl", ["owl6.test"]),
        **site_pages("owl5.test", "owl", ["owl0.test"]),
        **site_pages("owl6.test", "owl"),
        **site_pages("news0.test", "news", ["news3.test"]),
        **site_pages("news1.test", "news", ["news4.test"]),
        **site_pages("news2.test", "news", ["news5.test"]),
        **site_pages("news3.test", "news"),
        **site_pages("news4.test", "news"),
        **site_pages("news5.test", "news"),
        **site_pages("hub.test", "news", ["news3.test", "news4.test", "news5.test"]),
    }


def sites_portal(
    directory: Path,
    policy: str,
    named: Sequence[str] = NAMED,
    others: Sequence[str] = (),
    **settings: object,
) -> Path:
    """A portal that looks for sites like the named ones; `websites__x` sets `websites.x`."""
    topics = [(("sites",), [home(site) for site in named])]
    if others:
        topics.append((("OTHERS",), [home(site) for site in others]))
    config = {key.replace("__", "."): value for key, value in settings.items()}
    create_portal(directory, plant_seeds(topics, UrlRules()), {"crawl.policy": policy, **config})
    return directory


def crawl_sites(directory: Path, web: Path, pages: int = 1000) -> Progress:
    """Crawl as `lode sites` does, without processes; `pages` are those after the preparation."""
    with Portal.crawling(directory, "test") as portal:
        return run_virtually(_crawled(portal, Replay(open_web(web)), pages))


async def _crawled(portal: Portal, web: Replay, pages: int) -> Progress:
    kind, workers = load_policy(portal.config.crawl.policy), InlineWorkerPool(Manner())
    await prepare(portal, web, kind.wanted, workers)
    if kind.before_crawl is not None:
        kind.before_crawl(portal)
    limits = Limits(pages, connections=1, ahead=1)
    if kind.make_retrainer is None:
        policy = kind.make(PolicySetup(portal))
        assert policy is not None
        return await crawl(portal, web, policy, limits, CrawlContext(workers))
    retrainer = kind.make_retrainer(portal, RetrainingPlan())
    context = CrawlContext(workers, retrainer=retrainer)
    return await crawl(portal, web, await retrainer.begin(workers), limits, context)


def sites_in(directory: Path) -> PortalSites:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        return portal_sites(session, portal.config)


def relevant_sites(sites: PortalSites) -> set[str]:
    """The sites that the crawl found relevant, without the named ones."""
    return {
        site
        for site, verdict in sites.verdicts.items()
        if verdict.is_relevant and site not in sites.given
    }


def pages_by_site(sites: PortalSites) -> Mapping[str, int]:
    return {site: len(pages) for site, pages in sites.pages.items()}


def labelled_site_web(directory: Path) -> Path:
    """Record the small web, with the subject of each site as the label of its pages."""
    pages = small_site_web()
    subjects = {"owl": "Animals/Owls", "news": "News"}
    labels = {
        url: label
        for url in pages
        for word, label in subjects.items()
        if url.startswith(f"http://{word}")
    }
    return record_web(directory, pages, labels)


def redirect_to(url: str) -> Said:
    """What a URL says that leads to another one."""
    return 301, {"Location": url}, b""


def crawl_to_the_end(directory: Path, web: Path, pages: int) -> None:
    """Crawl again and again, so many pages at a time, until none comes."""
    while crawl_sites(directory, web, pages).pages:
        pass


def open_sites(sites: PortalSites) -> set[str]:
    """The sites whose examination has not ended."""
    return {site for site, verdict in sites.verdicts.items() if verdict.state is SiteState.OPEN}
