"""A small web of owls, herons and news, and portals that learn from it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from motherlode.crawl.preparation import prepare
from motherlode.documents.analysis import Manner
from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay
from motherlode.learning.options import LearningOptions
from motherlode.learning.tree import TreeClassifier
from motherlode.portal import Portal, create_portal
from motherlode.records import Example, TopicId
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import page_at
from motherlode.topics import TopicTree, parse_path, plant_seeds
from motherlode.training.trainer import train
from motherlode.training.training_set import TrainingSet
from motherlode.urls import UrlRules, address
from motherlode.workers.worker_pool import InlineWorkerPool
from support.small_webs import Said, record_web

_SAID = {
    "owl": (
        "The barn owl hunts mice at night over the meadows.",
        "Owls turn their heads and hear the faintest rustle of prey.",
        "The tawny owl hoots in the forest and nests in hollow trees.",
        "Silent feathers carry the owl over its prey; owls cough up pellets.",
        "An eagle owl has tufts like ears and talons that kill hares.",
        "Owlets wait in the hollow tree until the owl brings mice.",
    ),
    "heron": (
        "The grey heron wades in shallow water and spears fish.",
        "Herons nest in colonies above lakes and slow rivers.",
        "The night heron waits on the shore for frogs and crabs.",
        "Reeds hide the heron, whose long legs wade through the marsh.",
        "A heron swallows eels whole and stands in the water for hours.",
        "Egrets are white herons with plumes, wading in the marsh.",
    ),
    "news": (
        "The minister said that parliament will vote on the budget.",
        "Voters went to the polls, and the election was close.",
        "The president met the ambassador to speak of trade and taxes.",
        "A court heard the case of the mayor who took bribes.",
        "The party leader resigned after the scandal in parliament.",
        "Taxes rise, said the minister of finance to the press.",
    ),
}
KINDS = tuple(_SAID)
EACH = 6
# Stands for WordNet's: what topics are told from, where a person gives nothing.
VOCABULARY = {
    "kitchen": "A pan is a vessel for frying; a spoon stirs the soup; the oven bakes bread and cakes.",
    "sport": "A goal is scored with the ball; the team trains for the match; the referee blows a whistle.",
    "money": "A coin is a piece of metal; the bank lends money at interest; a purse holds coins.",
    "clothes": "A coat is worn over a shirt; shoes have laces; wool and cotton are woven into cloth.",
}


def paper(title: str, text: str, links: Mapping[str, str] | Sequence[str] = ()) -> str:
    """A page with links, each with its words."""
    named = links if isinstance(links, Mapping) else dict.fromkeys(links, "more")
    anchors = "".join(f'<a href="{url}">{words}</a> ' for url, words in named.items())
    return f"<!DOCTYPE html><html lang=en><title>{title}</title><p>{text}</p><p>{anchors}</p>"


def place(kind: str, number: int) -> str:
    return f"http://{kind}{number}.test/"


def text(kind: str, number: int) -> str:
    said = _SAID[kind]
    return " ".join(said[(number + step) % EACH] for step in range(3))


def pages() -> dict[str, Said]:
    """Six hosts of each kind, each linking to the next of its kind and to a hub of all birds."""
    said: dict[str, Said] = {}
    for kind in KINDS:
        for number in range(EACH):
            links = {place(kind, (number + 1) % EACH): f"the next {kind}"}
            if kind != "news":
                links["http://hub.test/"] = "index"
            said[place(kind, number)] = paper(f"{kind.title()} {number}", text(kind, number), links)
    birds = {place(kind, n): f"page {n}" for kind in ("owl", "heron") for n in range(EACH)}
    said["http://hub.test/"] = paper("Index", "Pages that our members wrote", birds)
    return said


def odd_pages() -> dict[str, Said]:
    """What examples may turn out to be."""
    return {
        "http://moved.test/": (302, {"Location": place("owl", 5)}, b""),
        "http://copy.test/": pages()[place("owl", 0)],
        "http://hidden.test/": '<meta name="robots" content="noindex"><p>Owls that nobody is to see.',
        "http://closed.test/robots.txt": (200, {}, b"User-agent: *\nDisallow: /\n"),
        "http://closed.test/": paper("Closed", "Owls behind a fence"),
        "http://empty.test/": (200, {"Content-Type": "text/html"}, b""),
        "http://busy.test/": (503, {"Retry-After": "600"}, b"<p>Come again"),
    }


def planted(directory: Path, topics: Mapping[str, Sequence[str]], **settings: object) -> Path:
    """A portal with topics by their paths, each with the URLs of its examples."""
    seeds = [(parse_path(path), list(urls)) for path, urls in topics.items()]
    chosen = {key.replace("__", "."): value for key, value in settings.items()}
    create_portal(directory, plant_seeds(seeds, UrlRules()), chosen)
    return directory


BIRDS = {
    "owls": [place("owl", n) for n in range(3)],
    "herons": [place("heron", n) for n in range(3)],
    "OTHERS": [place("news", n) for n in range(3)],
}


def fetch(directory: Path, said: Mapping[str, Said], web: Path) -> int:
    """Fetch a portal's examples from these pages, replayed."""
    record_web(web, said)
    with Portal.crawling(directory, "test") as portal:
        return run_virtually(
            prepare(portal, Replay(open_web(web)), workers=InlineWorkerPool(Manner()))
        )


def learned(
    directory: Path, options: LearningOptions | None = None, *, offline: bool = False
) -> tuple[TrainingSet, TreeClassifier, TopicTree]:
    """What a portal learns from what it has."""
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        tree = portal.tree()
        return *train(session, tree, options or portal.config.learning, offline=offline), tree


def edit(directory: Path, change: Callable[[Portal], object]) -> None:
    with Portal.writing(directory, "test") as portal:
        change(portal)


def add_example(directory: Path, path: str, **parts: object) -> None:
    """Give a topic another example, by whatever is said of it."""
    with Portal.writing(directory, "test") as portal, portal.store.writing() as session:
        topic = portal.tree().at(parse_path(path)).id
        given = {"url": None, **parts}
        topic_rows.add_examples(session, [Example(topic, **given)])  # type: ignore[arg-type]


def number_of(directory: Path, path: str) -> TopicId:
    with Portal.reading(directory) as portal:
        return portal.tree().at(parse_path(path)).id


def title_at(directory: Path, url: str) -> str:
    with Portal.reading(directory) as portal, portal.store.reading() as session:
        page = page_at(session, address(url).key)
        assert page is not None
        return page.title
