"""Labels of the clusters of a topic, from pages such as those of an encyclopaedia."""

import pytest

from motherlode.documents.analysis import analyse_one
from motherlode.documents.extracts import Raw
from motherlode.portal import Portal
from motherlode.records import Judgement, TopicId
from motherlode.training.clusters import Cluster, ClusterOptions, clusters_of
from support.store_records import keep_one
from support.training_webs import planted

TOPIC = TopicId(2)
PAGES_EACH = 8
NAVIGATION = "<ul><li>Home</li><li>Contents</li><li>Edit</li></ul>"
CITATIONS = (
    "Jarvis, E. D.; Mirarab, S. et al. (2014). Whole-genome analyses. Science 346 (6215): 1320-31.",
    "Hackett S. J. et al. (2008). A phylogenomic study of birds. doi:10.1126/science.1157704.",
    *(
        f"Jarvis ED, Ye C, et al. ({year}). Phylogenomic data. PMID 2574144{year}."
        for year in range(5)
    ),
)

# The title of each kind of pages, and two sentences of their texts.
KINDS = {
    "evolution": (
        "Evolution of {}",
        "The evolution of birds is known from fossils, and {} show it well. ",
        "Most studies of bird evolution put {} among the oldest clades of living birds. ",
    ),
    "mind": (
        "{} (philosophy of mind)",
        "In the philosophy of mind, {} is the view that mental states are states of the brain. ",
        "Critics of {} in the philosophy of mind point to consciousness and mental states. ",
    ),
    "blood": (
        "High blood pressure and {}",
        "A high blood pressure is a risk for {}, and doctors measure blood pressure twice. ",
        "Patients with {} take medicine that lowers their blood pressure within weeks. ",
    ),
    "war": (
        "{} in World War II",
        "During World War II the army of {} fought on two fronts, until the war ended. ",
        "The losses of {} in World War II were higher than in any war before. ",
    ),
}
SUBJECTS = {
    "evolution": "owls falcons parrots ducks herons gulls ostriches penguins",
    "mind": "dualism functionalism behaviourism physicalism idealism monism solipsism panpsychism",
    "blood": "stroke diabetes angina gout obesity migraine pregnancy stress",
    "war": "Poland Norway Greece Finland Hungary Romania Italy Canada",
}


def page_html(kind: str, subject: str) -> str:
    title, *sentences = (text.format(subject) for text in KINDS[kind])
    text = "".join(f"<p>{sentence * 3}</p>" for sentence in sentences)
    cited = "".join(f"<li>{citation}</li>" for citation in CITATIONS) if kind == "evolution" else ""
    references = f"<h2>References</h2><ol>{cited}</ol>" if cited else ""
    external = "<h2>External links</h2>" + "<p>Links to mind sites</p>" * 8
    return (
        f"<html lang=en><title>{title}</title><body>{NAVIGATION}<h1>{title}</h1>{text}{references}"
        f"{external if kind == 'mind' else ''}</body></html>"
    )


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Cluster]:
    """The cluster of each kind of pages."""
    directory = planted(tmp_path_factory.mktemp("labels") / "p", {"science": []})
    with Portal.writing(directory, "test") as portal:
        for kind, subjects in SUBJECTS.items():
            for number, subject in enumerate(subjects.split()):
                url = f"http://{kind}{number % 3}.test/{subject}"
                document = analyse_one(Raw(url, page_html(kind, subject).encode()))
                keep_one(portal.store, url, document=document, judgement=Judgement(TOPIC, 0.5))
        with portal.store.reading() as session:
            clustering = clusters_of(session, portal.tree(), TOPIC, ClusterOptions(len(KINDS)))
    return {_kind(cluster.pages[0].url): cluster for cluster in clustering.clusters}


def _kind(url: str) -> str:
    return next(kind for kind in KINDS if url.startswith(f"http://{kind}"))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("evolution", "evolution"),
        ("mind", "philosophy of mind"),
        ("blood", "high blood pressure"),
        ("war", "World War II"),
    ],
)
def test_a_cluster_is_named_as_people_would(
    clusters: dict[str, Cluster], kind: str, name: str
) -> None:
    assert clusters[kind].size == PAGES_EACH
    assert name in clusters[kind].name.split(", ")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        ("et", "al", "doi", "pmid", "science", "references"),
        ("jarvis", "mirarab", "hackett", "ye", "phylogenomic"),
        ("links", "link", "home", "contents", "edit", "external"),
        ("war ii", "pressure", "philosophy", "blood"),
    ],
    ids=["citations", "cited authors", "navigation", "fragments"],
)
def test_labels_have_no(clusters: dict[str, Cluster], kind: str, words: tuple[str, ...]) -> None:
    label = {phrase.casefold() for phrase in clusters[kind].words}
    assert not label & set(words)


def test_names_are_unique_and_begin_with_the_first_phrases(clusters: dict[str, Cluster]) -> None:
    names = [cluster.name for cluster in clusters.values()]
    assert len(set(names)) == len(KINDS)
    for cluster in clusters.values():
        assert ", ".join(cluster.words).startswith(cluster.name)
