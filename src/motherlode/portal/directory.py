"""The portal's directory: making one, opening one for reading or for writing."""

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from tempfile import mkdtemp
from time import time

from msgspec.structs import replace

from motherlode import __version__
from motherlode.portal.config import Config
from motherlode.portal.config_reader import read_config
from motherlode.portal.config_writer import fresh_toml
from motherlode.portal.lock import PortalLock
from motherlode.records import (
    ROOT,
    BadInputError,
    DiskFullError,
    Example,
    LockedError,
    NoPortalError,
    OlderStoreError,
    ReadOnlyError,
    StoreError,
    StoreGoneError,
)
from motherlode.records.shell_words import shell_word
from motherlode.store import Session, Store
from motherlode.store.archive import Archive, Identity
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import Planting, TopicTree, is_others

CONFIG = "lode.toml"
DATABASE = "lode.db"
ARCHIVE = "archive"
ROOMS = (ARCHIVE, "index", "reports", "logs")


@dataclass(frozen=True, slots=True)
class Portal:
    """An open portal."""

    path: Path
    config: Config
    store: Store
    archive: Archive

    @property
    def title(self) -> str:
        return self.config.portal.title or self.path.resolve().name

    @staticmethod
    def is_writable(path: Path) -> bool:
        """Return whether the directory of a portal can be written; another process may lock it."""
        return os.access(path, os.W_OK)

    def tree(self) -> TopicTree:
        with self.store.reading() as session:
            return TopicTree(topic_rows.all_topics(session))

    @contextmanager
    def batch(self) -> Iterator[Session]:
        """One transaction over the database and the archive: both keep a batch, or neither does."""
        try:
            with self.store.writing() as session:
                yield session
                ledger.note_archives(session, self.archive.flush())
        except StoreGoneError:
            self.archive.abandon()
            raise
        except BaseException:
            self.archive.rollback()
            raise
        self.archive.commit()

    def mend(self) -> None:
        """Go on with a database that went away and came back: what it has is what counts.

        Raises `StoreGoneError` while it is still away, and `LockedError` where another writes it
        now.
        """
        self.store.mend()
        _recover(self.store, self.archive)

    @classmethod
    @contextmanager
    def reading(cls, path: Path, overrides: Sequence[str] = ()) -> Iterator["Portal"]:
        """A portal to look at, also while another process writes it."""
        config = config_of(path, overrides)
        try:
            store = Store.open(path / DATABASE, config.store)
        except OlderStoreError as older:
            try:
                with cls.writing(path, "upgrade", overrides):
                    store = Store.open(path / DATABASE, config.store)
            except ReadOnlyError as error:
                sentence = str(older).rstrip(".")
                raise ReadOnlyError(
                    f"{sentence} and has to be upgraded first, but {error}"
                ) from error
        with store:
            yield cls(path, config, store, _archive(path, config))

    @classmethod
    @contextmanager
    def configured(cls, path: Path, config: Config) -> Iterator["Portal"]:
        """The same, for a process that was told the configuration by one that has the
        portal open.
        """
        with Store.open(path / DATABASE, config.store) as store:
            yield cls(path, config, store, _archive(path, config))

    @classmethod
    @contextmanager
    def writing(cls, path: Path, command: str, overrides: Sequence[str] = ()) -> Iterator["Portal"]:
        """A portal to edit, locked against other writers."""
        config = config_of(path, overrides)
        with ExitStack() as stack:
            stack.enter_context(PortalLock(path, command))
            store = stack.enter_context(Store.open(path / DATABASE, config.store, upgrade=True))
            stack.enter_context(store.exclusive())
            yield cls(path, config, store, stack.enter_context(_archive(path, config)))

    @classmethod
    @contextmanager
    def crawling(
        cls, path: Path, command: str, overrides: Sequence[str] = ()
    ) -> Iterator["Portal"]:
        """A portal to write pages into, with what a killed writer left in its archive cut off."""
        with cls.writing(path, command, overrides) as portal:
            _recover(portal.store, portal.archive)
            yield portal


def config_of(path: Path, overrides: Sequence[str] = ()) -> Config:
    """A portal's configuration. Raises `NoPortalError` where there is no portal."""
    try:
        found, exists, lost = (path / CONFIG).is_file(), path.exists(), (path / DATABASE).exists()
    except OSError as error:
        raise NoPortalError(f"{path} cannot be a portal: {error.strerror or error}.") from error
    if not found and lost:
        raise NoPortalError(f"{path} has lost its {CONFIG}; an empty one gives it the defaults.")
    if exists and not found:
        raise NoPortalError(f"{path} is not a portal, which would have a {CONFIG}.")
    if not found:
        new = f"lode new {shell_word(str(path))} --topic NAME --seed URL"
        raise NoPortalError(f"{path} does not exist; '{new}' makes a portal there.")
    return _with_wrapper_files(read_config(path / CONFIG, overrides), path)


def _with_wrapper_files(config: Config, path: Path) -> Config:
    """Return a configuration whose wrappers lie in the portal, wherever that is now."""
    sources = {
        name: replace(options, file=str(path / options.file))
        if options.kind in ("form", "opensearch") and options.file
        else options
        for name, options in config.sources.items()
    }
    return config if sources == config.sources else replace(config, sources=sources)


def create_portal(path: Path, planting: Planting, chosen: dict[str, object]) -> None:
    """Make a portal with its topics, whole or not at all: it is a portal when it has its
    `lode.toml`.
    """
    check_free(path)
    place = path.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _sweep(place)
        workshop = Path(mkdtemp(prefix=_workshop_prefix(place), dir=place.parent))
    except OSError as error:
        raise ReadOnlyError(f"{path} cannot be made: {error.strerror or error}.") from error
    try:
        with PortalLock(workshop, "lode new"):
            _furnish(workshop, planting, chosen)
        _move_in(workshop, place)
    except OSError as error:
        kind = DiskFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else ReadOnlyError
        raise kind(f"{path} cannot be made: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _workshop_prefix(place: Path) -> str:
    return f".{place.name[:100]}.lode-new-"


def _sweep(place: Path) -> None:
    """Remove what a killed `lode new` left beside this place; one that is at work holds
    its lock.
    """
    for workshop in place.parent.glob(f"{escape(_workshop_prefix(place))}*"):
        with suppress(LockedError), PortalLock(workshop, "sweep"):
            shutil.rmtree(workshop, ignore_errors=True)


def check_free(path: Path) -> None:
    """Raises `BadInputError` where no new portal can be made."""
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
    Store.create(
        workshop / DATABASE, config.store, lambda session: plant_into(session, planting)
    ).close()


def _move_in(workshop: Path, place: Path) -> None:
    """Put the finished portal in its place; into a directory that is there, its
    configuration last.
    """
    if not place.exists():
        workshop.chmod(0o755)
        workshop.rename(place)
        return
    (workshop / "lock").unlink()
    for content in sorted(workshop.iterdir(), key=lambda path: path.name == CONFIG):
        content.rename(place / content.name)


def plant_into(session: Session, planting: Planting) -> int:
    """Add topics and examples to the tree, using what is there. Returns how many
    examples were new.
    """
    tree = TopicTree(topic_rows.all_topics(session))
    placed: list[Example] = []
    now = time()
    for planted in planting.topics:
        here = tree[ROOT]
        for name in planted.path:
            child = tree.child(here.id, name)
            if child is None:
                tree.check_name(here.id, name)
                child = topic_rows.add_topic(session, here.id, name, is_others=is_others(name))
                tree.add(child)
            here = child
        placed += [replace(e, topic=here.id, added_at=e.added_at or now) for e in planted.examples]
    return topic_rows.add_examples(session, placed)


def _archive(path: Path, config: Config) -> Archive:
    identity = Identity(
        software=f"{config.crawler.name} (Motherlode {__version__})",
        operator=config.crawler.contact,
        description=config.portal.title or path.resolve().name,
    )
    durable = config.store.sync == "full"
    return Archive(path / ARCHIVE, config.archive, identity, durable=durable)


def _recover(store: Store, archive: Archive) -> None:
    """Cut the archive back to what is committed; where a power cut took more, forget
    what it took.
    """
    with store.reading() as session:
        committed = ledger.archive_sizes(session)
    gone = archive.missing(committed)
    # a power cut shortens files; one that is not there at all is elsewhere, on a disk that is away
    if gone:
        raise StoreError(
            f"{gone[0]} is missing, and what was fetched lies in it: put it back; if it is gone "
            "for good, "
            "make an empty file of that name, and the pages go on without it."
        )
    short = {name for name, more in archive.recover(committed).items() if more < 0}
    if short:
        with store.writing() as session:
            for name in short:
                ledger.lose_archived(session, name, archive.size(name))
            archive.recover(ledger.archive_sizes(session))
