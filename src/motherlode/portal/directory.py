"""The portal's directory: making one, opening one for reading or for writing."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from time import time

from msgspec.structs import replace

from motherlode import __version__
from motherlode.portal.config import Config
from motherlode.portal.lock import PortalLock
from motherlode.portal.reading import read_config
from motherlode.portal.writing import fresh_toml
from motherlode.records import ROOT, BadInputError, Example, NoPortalError, ReadOnlyError, Topic
from motherlode.store import Session, Store, ledger
from motherlode.store import topics as topic_rows
from motherlode.store.archive import Archive, Identity
from motherlode.topics import Planting, TopicTree, is_others

CONFIG = "lode.toml"
DATABASE = "lode.db"
ARCHIVE = "archive"
ROOMS = (ARCHIVE, "index", "reports", "logs")


@dataclass(frozen=True, slots=True)
class Portal:
    """An open portal. `archive` is there while it is open for writing."""

    path: Path
    config: Config
    store: Store
    archive: Archive

    @property
    def title(self) -> str:
        return self.config.portal.title or self.path.resolve().name

    def tree(self) -> TopicTree:
        with self.store.reading() as session:
            return TopicTree(topic_rows.all_topics(session))

    @classmethod
    @contextmanager
    def reading(cls, path: Path, overrides: Sequence[str] = ()) -> Iterator["Portal"]:
        """A portal to look at, also while another process writes it."""
        config = config_of(path, overrides)
        with Store.open(path / DATABASE, config.store) as store:
            yield cls(path, config, store, _archive(path, config))

    @classmethod
    @contextmanager
    def writing(cls, path: Path, command: str, overrides: Sequence[str] = ()) -> Iterator["Portal"]:
        """A portal to write, locked against other writers, with what a killed one left cleaned up."""
        config = config_of(path, overrides)
        with ExitStack() as stack:
            stack.enter_context(PortalLock(path, command))
            store = stack.enter_context(Store.open(path / DATABASE, config.store))
            archive = stack.enter_context(_archive(path, config))
            _recover(store, archive)
            yield cls(path, config, store, archive)


def config_of(path: Path, overrides: Sequence[str] = ()) -> Config:
    """A portal's configuration. Raises `NoPortalError` where there is no portal."""
    if not (path / CONFIG).is_file():
        what = "is not a portal" if path.exists() else "does not exist"
        raise NoPortalError(f"{path} {what}; 'lode new {path}' makes one.")
    return read_config(path / CONFIG, overrides)


def create_portal(path: Path, planting: Planting, chosen: dict[str, object]) -> None:
    """Make a portal with its topics, whole or not at all: it appears under its name when it is ready."""
    _check_free(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as error:
        reason = error.strerror or error
        raise ReadOnlyError(f"{path} cannot be made: {reason}.") from error
    try:
        _furnish(workshop, planting, chosen)
        workshop.chmod(0o755)
        workshop.replace(path)
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be made: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _check_free(path: Path) -> None:
    try:
        if path.is_dir():
            if any(path.iterdir()):
                what = "is a portal already" if (path / CONFIG).exists() else "is not empty"
                raise BadInputError(f"{path} {what}; name a new directory.")
        elif path.exists() or path.is_symlink():
            raise BadInputError(f"{path} is a file; name a new directory.")
    except OSError as error:
        raise BadInputError(f"{path} cannot be used: {error.strerror or error}.") from error


def _furnish(workshop: Path, planting: Planting, chosen: dict[str, object]) -> None:
    (workshop / CONFIG).write_text(fresh_toml(chosen), "utf-8")
    for room in ROOMS:
        (workshop / room).mkdir()
    config = read_config(workshop / CONFIG)
    with Store.create(workshop / DATABASE, config.store) as store, store.writing() as session:
        plant_into(session, planting)


def plant_into(session: Session, planting: Planting) -> int:
    """Add topics and examples to the tree, using what is there. Returns how many examples were new."""
    known = topic_rows.all_topics(session)
    tree = TopicTree(known)
    added = 0
    for planted in planting.topics:
        here = tree[ROOT]
        for name in planted.path:
            child = tree.child(here.id, name)
            if child is None:
                tree.check_name(here.id, name)
                child = topic_rows.add_topic(session, here.id, name, is_others=is_others(name))
                known.append(child)
                tree = TopicTree(known)
            here = child
        added += _add_examples(session, here, planted.examples)
    return added


def _add_examples(session: Session, topic: Topic, examples: Sequence[Example]) -> int:
    now = time()
    placed = (replace(e, topic=topic.id, added_at=e.added_at or now) for e in examples)
    return topic_rows.add_examples(session, placed)


def _archive(path: Path, config: Config) -> Archive:
    identity = Identity(
        software=f"{config.crawler.name} (Motherlode {__version__})",
        operator=config.crawler.contact,
        description=config.portal.title or path.resolve().name,
    )
    return Archive(path / ARCHIVE, config.archive, identity)


def _recover(store: Store, archive: Archive) -> None:
    """Cut the archive back to what is committed; where a power cut took more, forget what it took."""
    with store.reading() as session:
        committed = ledger.archive_sizes(session)
    short = {name for name, more in archive.recover(committed).items() if more < 0}
    if short:
        with store.writing() as session:
            for name in short:
                ledger.lose_archived(session, name, archive.size(name))
            archive.recover(ledger.archive_sizes(session))
