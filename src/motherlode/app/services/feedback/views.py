"""Archetypes of served portals, for users to review."""

from msgspec import Struct

from motherlode.app.requests.feedback import MAX_FEEDBACK_PAGES
from motherlode.app.services.addresses import address_in
from motherlode.app.services.feedback.archetypes import Candidates, topic_number, waits_for_feedback
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.topics.views import compute_once, content_version
from motherlode.export.site.rows import brief
from motherlode.policies.bingo.archetype_list import (
    Archetype,
    Block,
    archetypes_at,
    blocks_of,
    list_archetypes,
    list_unscored_archetypes,
)
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.former_examples import has_former_examples
from motherlode.store.tables.pages import main_text_of, text_of
from motherlode.training.training_document import page_at_url

PREVIEW_CHARS = 400
MAX_BLOCKS_SHOWN = 2_000  # of a page


class PreviewedArchetype(Struct, frozen=True):
    """An archetype, and the beginning of its text."""

    archetype: Archetype
    preview: str


class ArchetypeReview(Struct, frozen=True):
    """The archetypes to review; `more` are not shown. `undoable`: feedback can be taken back."""

    waits: bool
    archetypes: list[PreviewedArchetype]
    more: int
    undoable: bool


class BlocksShown(Struct, frozen=True):
    """A page in blocks, and the archetypes made of it; `more` blocks are not shown."""

    url: str
    title: str
    language: str
    blocks: list[Block]
    more: int
    archetypes: list[Archetype]

    @property
    def is_trimmed(self) -> bool:
        return any(archetype.trimmed for archetype in self.archetypes)


def candidates_at(registry: PortalRegistry, name: str, topic: str | None = None) -> Candidates:
    """Return the archetypes with their scores and terms; the first time, this may take a second."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        tree = portal.tree()
        number = topic_number(topic, tree)
        key = (
            "archetypes",
            str(portal.path),
            number,
            content_version(session),
            _feedback_state(session),
        )
        return Candidates(
            waits_for_feedback(session),
            compute_once(key, lambda: list_archetypes(session, tree, number)),
        )


def review_at(
    registry: PortalRegistry, name: str, topic: str | None = None, *, analysed: bool
) -> ArchetypeReview:
    """Return the archetypes to review: at once, or with the terms that decided."""
    scored = candidates_at(registry, name, topic).archetypes if analysed else None
    with registry.reading(name) as portal, portal.store.reading() as session:
        tree = portal.tree()
        number = topic_number(topic, tree)
        archetypes = list_unscored_archetypes(session, tree, number) if scored is None else scored
        previewed = [
            PreviewedArchetype(archetype, _preview(session, archetype.url))
            for archetype in archetypes[:MAX_FEEDBACK_PAGES]
        ]
        more = len(archetypes) - len(previewed)
        undoable = has_former_examples(session)
        return ArchetypeReview(waits_for_feedback(session), previewed, more, undoable)


def blocks_at(registry: PortalRegistry, name: str, url: str) -> BlocksShown:
    """Return a page of a served portal in blocks."""
    with registry.reading(name) as portal, portal.store.reading() as session:
        tree, place = portal.tree(), address_in(session, url, portal.config.urls).url
        page, blocks = blocks_of(session, place)
        return BlocksShown(
            url=place,
            title=page.title,
            language=page.language,
            blocks=blocks[:MAX_BLOCKS_SHOWN],
            more=max(0, len(blocks) - MAX_BLOCKS_SHOWN),
            archetypes=archetypes_at(session, tree, place),
        )


def _feedback_state(session: Session) -> tuple[tuple[int, str, bool], ...]:
    """Return the feedback on each example, which no number of `content_version` shows."""
    examples = topic_rows.examples_of(session)
    return tuple((example.id, example.origin.value, example.text is None) for example in examples)


def _preview(session: Session, url: str) -> str:
    page = page_at_url(session, url)
    if page is None:
        return ""
    return brief(main_text_of(session, page.id) or text_of(session, page.id), PREVIEW_CHARS)
