"""Archetypes of the portals on a shelf, for a person to look at and to say something of."""

from msgspec import Struct

from motherlode.app.jobs.records import Command, option
from motherlode.app.services.addresses import address_in
from motherlode.app.services.feedback import Candidates, Done, Sayings, keep, number_of, waits
from motherlode.app.services.registry import Shelf
from motherlode.app.services.topic_views import moment_of, recalled
from motherlode.export.site.rows import brief
from motherlode.policies.bingo.feedback import Archetype, Block, archetypes, archetypes_at, blocks_of, listed
from motherlode.records import UsageError
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.pages import main_text_of, text_of
from motherlode.training.training_set import page_behind

MOST = 200  # archetypes that are shown, and that something can be said of at once
_PREVIEW = 400  # characters
_BLOCKS = 2_000  # of a page that are shown


class Previewed(Struct, frozen=True):
    """An archetype, and how its text begins."""

    archetype: Archetype
    preview: str


class Review(Struct, frozen=True):
    """What there is to say something of; `more` are not shown."""

    waits: bool
    archetypes: list[Previewed]
    more: int


class BlocksShown(Struct, frozen=True):
    """A page in blocks, and what it is learned from as; `more` blocks are not shown."""

    url: str
    title: str
    language: str
    blocks: list[Block]
    more: int
    archetypes: list[Archetype]

    @property
    def is_trimmed(self) -> bool:
        return any(one.trimmed for one in self.archetypes)


def candidates_at(shelf: Shelf, name: str, topic: str | None = None) -> Candidates:
    """The archetypes with all that is known of them; it may take a second, the first time."""
    with shelf.reading(name) as portal, portal.store.reading() as session:
        tree = portal.tree()
        number = number_of(topic, tree)
        key = ("archetypes", str(portal.path), number, moment_of(session), _standing(session))
        return Candidates(waits(session), recalled(key, lambda: archetypes(session, tree, number)))


def review_at(shelf: Shelf, name: str, topic: str | None = None, *, analysed: bool) -> Review:
    """The archetypes to look at: at once, or with what carried the judgement."""
    found = candidates_at(shelf, name, topic).archetypes if analysed else None
    with shelf.reading(name) as portal, portal.store.reading() as session:
        tree = portal.tree()
        shown = listed(session, tree, number_of(topic, tree)) if found is None else found
        previewed = [Previewed(one, _preview(session, one.url)) for one in shown[:MOST]]
        return Review(waits(session), previewed, len(shown) - len(previewed))


def blocks_at(shelf: Shelf, name: str, url: str) -> BlocksShown:
    with shelf.reading(name) as portal, portal.store.reading() as session:
        tree, place = portal.tree(), address_in(session, url, portal.config.urls).url
        page, blocks = blocks_of(session, place)
        told = archetypes_at(session, tree, place)
        shown = blocks[:_BLOCKS]
        return BlocksShown(place, page.title, page.language, shown, len(blocks) - len(shown), told)


def keep_at(shelf: Shelf, name: str, sayings: Sayings) -> Done:
    return keep(shelf.path(name), sayings)


def tried(sayings: Sayings) -> Command:
    """`lode feedback --try`: learning takes its time. Raises `UsageError` for what no command line takes."""
    if any("\0" in word for word in sayings.options()):
        raise UsageError("There is a character in this that no address, topic or note can have.")
    return Command("feedback", (*sayings.options(), *option("try", value=True)), writes=False)


def _standing(session: Session) -> tuple[tuple[int, str, bool], ...]:
    """What was said of each archetype: it changes what is told of them, and no number of anything."""
    return tuple((one.id, one.origin.value, one.text is None) for one in topic_rows.examples_of(session))


def _preview(session: Session, url: str) -> str:
    page = page_behind(session, url)
    if page is None:
        return ""
    return brief(main_text_of(session, page.id) or text_of(session, page.id), _PREVIEW)
