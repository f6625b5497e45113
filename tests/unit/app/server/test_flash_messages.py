"""FlashMessages that are said once."""

from motherlode.app.server.flash_messages import NO_MESSAGE, FlashMessage, FlashMessages


def test_a_note_is_read_once() -> None:
    notes = FlashMessages()
    number = notes.add(FlashMessage("Added 'owls'.", "7"))
    assert notes.pop(number) == FlashMessage("Added 'owls'.", "7")
    assert notes.pop(number) == NO_MESSAGE == notes.pop("")


def test_only_so_many_wait_to_be_read() -> None:
    notes = FlashMessages(2)
    first, second, third = (notes.add(FlashMessage(str(number))) for number in range(3))
    assert [notes.pop(number).done for number in (first, second, third)] == ["", "1", "2"]
