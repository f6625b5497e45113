"""Labels of clusters: contrast, longer phrases, boilerplate, and how many phrases make a name."""

from collections.abc import Sequence

from motherlode.learning.clusters.labels import ClusterLabel, cluster_labels
from motherlode.learning.clusters.salience import LabelledDocument


def document(
    title: str, *prose: str, host: str = "", headings: Sequence[str] = ()
) -> LabelledDocument:
    host = host or f"{len(title) % 7}.test"
    return LabelledDocument(host=host, title=title, headings=headings, prose=prose)


def labels_of(*clusters: Sequence[LabelledDocument]) -> list[ClusterLabel]:
    documents = [document for cluster in clusters for document in cluster]
    numbers = [number for number, cluster in enumerate(clusters) for _ in cluster]
    return cluster_labels(documents, numbers, len(clusters))


OWLS = [
    document(f"{kind} owl", f"The {kind} owl is a bird that hunts at night.", host=f"{kind}.test")
    for kind in ("barn", "tawny", "snowy", "eagle")
]
HERONS = [
    document(f"{kind} heron", f"The {kind} heron is a bird that eats fish.", host=f"{kind}.test")
    for kind in ("grey", "purple", "night", "tiger")
]


def test_what_all_clusters_share_is_no_label() -> None:
    owls, herons = labels_of(OWLS, HERONS)
    assert (owls.name, herons.name) == (("owl",), ("heron",))
    assert "bird" not in owls.phrases + herons.phrases


def test_a_phrase_stands_for_the_words_in_it() -> None:
    countries = ("Poland", "Norway", "Greece", "Finland")
    wars = [
        document(f"{name} in World War II", f"In World War II {name} was attacked.")
        for name in countries
    ]
    label, _ = labels_of(wars, OWLS)
    assert label.name[0] == "World War II"
    assert not {"War", "World", "War II"} & set(label.phrases)


def test_the_form_is_that_within_sentences() -> None:
    pages = [
        document(f"Blood Pressure and {name}", f"Doctors measure the blood pressure in {name}.")
        for name in ("stroke", "gout", "angina")
    ]
    label, _ = labels_of(pages, OWLS)
    assert label.phrases[0] == "blood pressure"


def test_headings_and_lines_that_pages_share_are_no_labels() -> None:
    pages = [
        document(
            f"{page.title} | Kent Owl Trust",
            "Join the Trust as a volunteer.",
            *page.prose,
            headings=["Plumage", "Volunteers"],
            host="kent.test",
        )
        for page in OWLS
    ]
    label, _ = labels_of(pages, HERONS)
    assert label.phrases[0] == "owl"
    assert not {"Plumage", "Volunteers", "volunteer", "Trust"} & set(label.phrases)


def test_a_name_has_two_phrases_where_one_says_half() -> None:
    gulls = [
        document(f"{kind} gull", f"The {kind} gull is a bird that lives near ports.")
        for kind in ("herring", "common", "ivory", "sooty")
    ]
    mixed, _ = labels_of([*OWLS, *gulls], [*HERONS, *HERONS])
    assert set(mixed.name) == {"owl", "gull"}


def test_clusters_without_names_or_documents_have_no_phrases() -> None:
    assert labels_of([document("", "Owls hunt.")] * 3, []) == [ClusterLabel(), ClusterLabel()]
