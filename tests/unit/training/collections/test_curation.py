"""What a user's request makes of URLs and subjects."""

from pathlib import Path

import pytest

from motherlode.portal import Portal
from motherlode.records import ChoiceKind, TopicId, UsageError
from motherlode.store.tables.collection_choices import add_choices
from motherlode.topics import parse_path
from motherlode.training.collections.curation import RequestedChoice, new_choices
from motherlode.training.collections.portal_collections import PortalCollections
from support.collection_portals import HERONS, OWLS, PAPER, SEED, make_collections


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_collections(tmp_path_factory.mktemp("curation") / "p")


def topic(path: Path, name: str) -> TopicId:
    with Portal.reading(path) as portal:
        return portal.tree().at(parse_path(name)).id


def made(
    path: Path, *requested: RequestedChoice
) -> list[tuple[str, TopicId | None, TopicId | None]]:
    with Portal.reading(path) as portal, portal.store.reading() as session:
        collections = PortalCollections(session, portal.config, portal.tree())
        choices = new_choices(collections, list(requested), 5.0)
    assert all(choice.given_at == 5.0 for choice in choices)
    return [(choice.url, choice.topic, choice.former_topic) for choice in choices]


def test_a_page_is_accepted_where_it_is_or_would_be(path: Path) -> None:
    owls, herons = topic(path, OWLS), topic(path, HERONS)
    below, member = "http://d.test/", "http://a.test/"
    assert made(path, RequestedChoice(ChoiceKind.ACCEPT, member)) == [(member, owls, owls)]
    assert made(path, RequestedChoice(ChoiceKind.PIN, below)) == [(below, owls, None)]
    assert made(path, RequestedChoice(ChoiceKind.PIN, PAPER)) == [(PAPER, owls, owls)]
    assert made(path, RequestedChoice(ChoiceKind.ACCEPT, member, herons)) == [
        (member, herons, owls)
    ]


def test_a_rejected_page_joins_nothing_and_has_left_its_subject(path: Path) -> None:
    owls = topic(path, OWLS)
    assert made(
        path,
        RequestedChoice(ChoiceKind.REJECT, PAPER, owls),
        RequestedChoice(ChoiceKind.REJECT, SEED),
    ) == [(PAPER, None, owls), (SEED, None, None)]


@pytest.mark.parametrize(
    ("requested", "sentence"),
    [
        ([RequestedChoice(ChoiceKind.PIN, "http://no.test/")], "is not in the portal"),
        ([RequestedChoice(ChoiceKind.PIN, SEED)], "near no subject; name the subject"),
        ([RequestedChoice(ChoiceKind.ACCEPT, "http://far.test/")], "near no subject"),
        ([RequestedChoice(ChoiceKind.CLEAR, SEED)], "no choice about http://seed.test/"),
        (
            [RequestedChoice(ChoiceKind.PIN, PAPER), RequestedChoice(ChoiceKind.REJECT, PAPER)],
            "named twice",
        ),
    ],
)
def test_what_cannot_be_chosen(path: Path, requested: list[RequestedChoice], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        made(path, *requested)


def test_a_choice_is_cleared(tmp_path: Path) -> None:
    path = make_collections(tmp_path / "p")
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        collections = PortalCollections(session, portal.config, portal.tree())
        add_choices(
            session, new_choices(collections, [RequestedChoice(ChoiceKind.REJECT, PAPER)], 1.0)
        )
    assert made(path, RequestedChoice(ChoiceKind.CLEAR, PAPER)) == [(PAPER, None, None)]
