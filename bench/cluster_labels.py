"""Print the labels of clusters, to be judged: `python -m bench.cluster_labels ../shared/webs`.

Ten topics are crawled from eight examples each, 500 pages, and divided into four clusters.
"""

import sys
from pathlib import Path

from motherlode.lab.clock import run_virtually
from motherlode.lab.loader import open_web
from motherlode.lab.replay import Replay, Timing
from motherlode.lab.trials.document_cache import Readings
from motherlode.lab.trials.seeds import draw_seeds
from motherlode.lab.trials.trial import (
    Budget,
    TrialSetup,
    crawl_portal,
    plant_topic,
    policy_settings,
    throwaway,
)
from motherlode.lab.web import LabWeb
from motherlode.policies.kind import load_policy
from motherlode.policies.registry import BINGO
from motherlode.topics import parse_path
from motherlode.training.clusters import ClusterOptions, clusters_of
from motherlode.urls import Address, address

TOPICS = (
    ("schools", "Science/Biology/Birds"),
    ("schools", "Science/Biology/Health_and_medicine"),
    ("schools", "History/Military_History_and_War"),
    ("schools", "Science/Chemistry"),
    ("schools", "Everyday_life/Food_and_agriculture"),
    ("schools", "Business_Studies/Companies"),
    ("schools", "Religion"),
    ("schools", "Science/Biology/Plants"),
    ("rsites", "web"),
    ("campus", ""),  # it has no labels: pages with "research" in their URL
)
EXAMPLES, PAGES, CLUSTERS, SHOWN = 8, 500, 4, 6


def main(webs: Path) -> None:
    for name, topic in TOPICS:
        web = open_web(webs / name)
        _show(web, _examples(web, topic), topic or "research")


def _examples(web: LabWeb, topic: str) -> tuple[Address, ...]:
    if topic:
        return draw_seeds(web.labels(), topic, EXAMPLES, 1)
    urls = sorted(url for url in web.urls() if "research" in url and not url.endswith(".pdf"))
    return tuple(map(address, urls[:: len(urls) // EXAMPLES][:EXAMPLES]))


def _show(web: LabWeb, seeds: tuple[Address, ...], topic: str) -> None:
    kind, timing = load_policy(BINGO), Timing()
    with throwaway(plant_topic(seeds), policy_settings(kind), timing) as portal:
        setup = TrialSetup(kind, seeds, Budget(PAGES), timing)
        run_virtually(crawl_portal(portal, Replay(web, timing), setup, Readings(web, whole=True)))
        tree = portal.tree()
        with portal.store.reading() as session:
            found = tree.at(parse_path("topic")).id
            clustering = clusters_of(session, tree, found, ClusterOptions(CLUSTERS))
    print(f"\n{topic}, {clustering.pages} pages")
    for cluster in clustering.clusters:
        titles = "; ".join(page.title for page in cluster.pages[:SHOWN])
        print(f"  {cluster.name} ({', '.join(cluster.words)}), {cluster.size} pages: {titles}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
