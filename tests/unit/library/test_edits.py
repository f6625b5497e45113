"""Changes of a library: what they do, what they refuse, and that each can be taken back."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.library import edits
from motherlode.library.additions import add_objects
from motherlode.library.library import (
    Library,
    apply_changes,
    changes_between,
    parse_folder,
    show_folder,
)
from motherlode.records import UsageError
from motherlode.records.library import LibraryObject, ObjectId

Edit = Callable[[Library], Library]
OWL, HERON = (LibraryObject(title=name) for name in ("Owls", "Herons"))


def birds() -> Library:
    """Return a library: Owls in Birds/Owls and in Night, Herons in Birds."""
    library, _ = add_objects(Library(), [OWL], ("Birds", "Owls"))
    library, _ = add_objects(library, [HERON], ("Birds",))
    library, _ = add_objects(library, [OWL], ("Night",))
    return library


def shown(library: Library) -> dict[str, list[str]]:
    held = library.folders_by_object()
    return {
        entry.title: [show_folder(path) for path in held[number]]
        for number, entry in library.objects.items()
    }


def test_an_object_may_lie_in_several_folders() -> None:
    assert shown(birds()) == {"Owls": ["Birds/Owls", "Night"], "Herons": ["Birds"]}


def test_a_folder_is_moved_with_all_in_it_and_renamed_where_it_is() -> None:
    library = edits.move_folder(birds(), ("Birds", "owls"), ("Night",))
    assert shown(library)["Owls"] == ["Night", "Night/Owls"]
    library = edits.rename_folder(library, ("Night",), " Dark/Night ")
    assert shown(library)["Owls"] == ["Dark-Night", "Dark-Night/Owls"]
    assert shown(edits.move_folder(library, ("Dark-Night", "Owls"), ()))["Owls"] == [
        "Dark-Night",
        "Owls",
    ]


def test_a_removed_folder_takes_what_lies_nowhere_else() -> None:
    assert shown(edits.remove_folder(birds(), ("Birds",))) == {"Owls": ["Night"]}
    assert shown(edits.remove_object(birds(), ObjectId(1), ("Night",)))["Owls"] == ["Birds/Owls"]
    assert shown(edits.remove_object(birds(), ObjectId(1))) == {"Herons": ["Birds"]}
    assert len(edits.remove_object(birds(), ObjectId(2)).folders) == 3


def test_an_object_is_moved_between_folders() -> None:
    library = edits.move_object(birds(), ObjectId(1), ("Night",), ("Birds",))
    assert shown(library)["Owls"] == ["Birds", "Birds/Owls"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda library: edits.move_folder(library, ("Birds",), ("Birds", "Owls")),
        lambda library: edits.move_folder(library, ("Birds",), ("Birds",)),
        lambda library: edits.move_folder(library, ("Bats",), ()),
        lambda library: edits.rename_folder(library, ("Night",), "BIRDS"),
        lambda library: edits.move_object(library, ObjectId(2), ("Night",), ("Birds",)),
        lambda library: edits.move_object(library, ObjectId(9), ("Night",), ("Birds",)),
        lambda library: edits.remove_object(library, ObjectId(9)),
        lambda library: edits.remove_object(library, ObjectId(2), ("Night",)),
        lambda library: edits.remove_folder(library, ()),
    ],
)
def test_what_cannot_be_done_is_refused(edit: Edit) -> None:
    with pytest.raises(UsageError):
        edit(birds())


def test_folders_are_typed_with_slashes() -> None:
    assert parse_folder(" Birds / Owls/") == ("Birds", "Owls")
    for text in ("", "/", "a" * 201, "a/" * 51):
        with pytest.raises(UsageError):
            parse_folder(text)


PATHS = st.lists(st.sampled_from(["Birds", "owls", "Night"]), min_size=1, max_size=3).map(tuple)
NUMBERS = st.integers(1, 4).map(ObjectId)
EDITS = st.one_of(
    st.builds(
        lambda path, title: lambda library: add_objects(library, [LibraryObject(title=title)], path)[0],
        PATHS,
        st.sampled_from(["Owls", "Herons", "Bats"]),
    ),
    st.builds(lambda a, b: lambda library: edits.move_folder(library, a, b), PATHS, PATHS | st.just(())),
    st.builds(lambda a: lambda library: edits.rename_folder(library, a, "Bats"), PATHS),
    st.builds(lambda a: lambda library: edits.remove_folder(library, a), PATHS),
    st.builds(lambda n, a, b: lambda library: edits.move_object(library, n, a, b), NUMBERS, PATHS, PATHS),
    st.builds(lambda n, a: lambda library: edits.remove_object(library, n, a), NUMBERS, PATHS | st.none()),
)  # fmt: skip


def is_sound(library: Library) -> bool:
    """Whether each object lies in a folder that there is, and no two folders have one place."""
    held = {member.object for member in library.members}
    folders = {member.folder for member in library.members}
    places = {(f.parent, f.name.casefold()) for f in library.folders.values()}
    parents = {f.parent for f in library.folders.values()} - {None}
    return (
        held == set(library.objects)
        and folders <= set(library.folders)
        and parents <= set(library.folders)
        and len(places) == len(library.folders)
        and all(len(library.path_of(number)) < 50 for number in library.folders)
    )


@given(st.lists(EDITS, max_size=12))
def test_edits_keep_a_library_sound_and_are_undone_in_reverse(edits: list[Edit]) -> None:
    library, undo = birds(), []
    for edit in edits:
        before = library
        try:
            library = edit(library)
        except UsageError:
            continue
        assert is_sound(library)
        assert apply_changes(before, changes_between(before, library)) == library
        undo.append((before, changes_between(library, before)))
    for before, changes in reversed(undo):
        library = apply_changes(library, changes)
        assert library == before
