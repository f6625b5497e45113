"""The rows of a personal library, whichever database is behind them."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motherlode.library.library import Library, apply_changes, changes_between
from motherlode.records.library import (
    FolderId,
    Identifier,
    LibraryFolder,
    LibraryObject,
    Membership,
    ObjectId,
    Person,
)
from motherlode.store import Store, StoreOptions, migrations
from motherlode.store.schema import VERSION
from motherlode.store.tables.library import (
    MAX_UNDONE,
    UNDO,
    object_count,
    stored_folders,
    stored_members,
    stored_objects,
    write_library_changes,
)
from support.store_records import as_in_version_8, keep_one

OWLS = LibraryObject(
    kind="article-journal",
    title="Émile's owls 🦉",
    authors=(Person("King", "Martin Luther", "Jr."), Person("Owl Society")),
    date="2004-05",
    identifiers=(Identifier("doi", "10.1000/owls"),),
    links=("http://owls.example/?a=1&b=%20",),
)
BIRDS = LibraryFolder("Birds")
LIBRARY = Library(
    folders={FolderId(1): BIRDS, FolderId(2): LibraryFolder("Owls", FolderId(1))},
    objects={ObjectId(1): OWLS, ObjectId(7): LibraryObject(title="Herons")},
    members=frozenset({Membership(FolderId(2), ObjectId(1)), Membership(FolderId(1), ObjectId(7))}),
)


def stored(store: Store) -> Library:
    with store.reading() as session:
        return Library(
            folders=stored_folders(session),
            objects=stored_objects(session),
            members=frozenset(stored_members(session)),
        )


def write(store: Store, library: Library) -> None:
    changes = changes_between(stored(store), library)
    with store.writing() as session:
        write_library_changes(session, changes)


def test_a_library_is_read_as_it_was_written(store: Store) -> None:
    assert stored(store) == Library()
    write(store, LIBRARY)
    assert stored(store) == LIBRARY
    with store.reading() as session:
        assert object_count(session) == 2


def test_changes_of_some_rows_leave_the_others(store: Store) -> None:
    write(store, LIBRARY)
    changed = Library(
        folders={**LIBRARY.folders, FolderId(2): LibraryFolder("Strigiformes", FolderId(1))},
        objects={ObjectId(1): OWLS, ObjectId(8): LibraryObject(title="Bats")},
        members=frozenset(
            {Membership(FolderId(1), ObjectId(1)), Membership(FolderId(2), ObjectId(8))}
        ),
    )
    write(store, changed)
    assert stored(store) == changed
    write(store, Library())
    assert stored(store) == Library()


def test_characters_that_a_database_refuses_do_not_stop_the_others(store: Store) -> None:
    odd = Library(
        folders={FolderId(1): LibraryFolder("a\0b")},
        objects={ObjectId(1): LibraryObject(title="a\0b \ud800")},
        members=frozenset({Membership(FolderId(1), ObjectId(1))}),
    )
    write(store, odd)
    assert stored(store).members == odd.members
    assert stored(store).objects[ObjectId(1)].title.startswith("a")


SMALL = st.builds(
    Library,
    folders=st.dictionaries(
        st.integers(1, 4).map(FolderId), st.builds(LibraryFolder, st.text("ab", min_size=1)), max_size=3
    ),
    objects=st.dictionaries(
        st.integers(1, 4).map(ObjectId), st.builds(LibraryObject, title=st.text("xy")), max_size=3
    ),
    members=st.frozensets(
        st.builds(Membership, st.integers(1, 4).map(FolderId), st.integers(1, 4).map(ObjectId))
    ),
)  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SMALL)
def test_every_difference_is_written(store: Store, library: Library) -> None:
    before = stored(store)
    write(store, library)
    assert stored(store) == library
    assert apply_changes(library, changes_between(library, before)) == before


def test_the_latest_changes_can_be_undone(store: Store) -> None:
    changes = changes_between(Library(), LIBRARY)
    with store.writing() as session:
        for number in range(MAX_UNDONE + 2):
            UNDO.add(session, f"{number:020}", changes)
        ids = UNDO.ids(session)
        assert (len(ids), ids[0]) == (MAX_UNDONE, f"{MAX_UNDONE + 1:020}")
        assert UNDO.get(session, ids[0]) == changes


def test_a_portal_of_version_8_gets_an_empty_library_and_keeps_its_pages(
    store: Store, database: Path, options: StoreOptions
) -> None:
    keep_one(store, "http://a.test/")
    as_in_version_8(store)
    store.close()
    with Store.open(database, options, upgrade=True) as upgraded:
        write(upgraded, LIBRARY)
        assert stored(upgraded) == LIBRARY
        with upgraded.reading() as session:
            assert migrations.version(session.connection) == VERSION
