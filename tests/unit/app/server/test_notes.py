"""Notes that are said once."""

from motherlode.app.server.notes import NOTHING, Note, Notes


def test_a_note_is_read_once() -> None:
    notes = Notes()
    number = notes.leave(Note("Added 'owls'.", "7"))
    assert notes.take(number) == Note("Added 'owls'.", "7")
    assert notes.take(number) == NOTHING == notes.take("")


def test_only_so_many_wait_to_be_read() -> None:
    notes = Notes(2)
    first, second, third = (notes.leave(Note(str(number))) for number in range(3))
    assert [notes.take(number).done for number in (first, second, third)] == ["", "1", "2"]
