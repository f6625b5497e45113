"""Messages from a process, however they are cut on the way."""

import asyncio
import time
from socket import socketpair

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch.loops import run
from motherlode.workers.channel import Channel, receive_message


def framed(message: bytes, *, long: bool = False) -> bytes:
    """As `multiprocessing.connection.Connection` writes it; `long`: as if it did not fit into four bytes."""
    size = len(message)
    head = b"\xff\xff\xff\xff" + size.to_bytes(8, "big") if long else size.to_bytes(4, "big")
    return head + message


@given(st.lists(st.tuples(st.binary(max_size=20), st.booleans()), max_size=6), st.data())
def test_messages_arrive_whole_and_in_order(said: list[tuple[bytes, bool]], data: st.DataObject) -> None:
    async def work() -> list[bytes]:
        line = Channel()
        stream = b"".join(framed(message, long=long) for message, long in said)
        while stream:
            cut = data.draw(st.integers(1, len(stream)))
            line.data_received(stream[:cut])
            stream = stream[cut:]
        line.connection_lost(None)
        return [await line.receive(1.0) for _ in said]

    assert asyncio.run(work()) == [message for message, _ in said]


def test_whoever_waits_is_told_of_the_end() -> None:
    async def work() -> None:
        ours, theirs = socketpair()
        line = await Channel.open(ours)
        theirs.send(framed(b"whole") + framed(b"never whole")[:-1])
        assert await line.receive(5.0) == b"whole"
        asyncio.get_running_loop().call_soon(theirs.close)
        with pytest.raises(EOFError):
            await line.receive(5.0)
        with pytest.raises(EOFError):
            await line.receive(5.0)
        with pytest.raises(EOFError):
            line.send([b"anybody?"])

    asyncio.run(work())


def test_a_line_that_says_nothing_is_not_waited_for_longer_than_asked() -> None:
    async def work() -> None:
        ours, theirs = socketpair()
        with theirs:
            line = await Channel.open(ours)
            with pytest.raises(TimeoutError):
                await line.receive(0.01)
            theirs.send(framed(b"late"))
            assert await line.receive(5.0) == b"late"
            line.close()

    asyncio.run(work())


def test_a_message_that_came_while_the_loop_was_held_up_is_not_late() -> None:
    async def work() -> bytes:
        ours, theirs = socketpair()
        line = await Channel.open(ours)
        waiting = asyncio.create_task(line.receive(0.01))
        await asyncio.sleep(0)
        theirs.send(framed(b"in time"))
        time.sleep(0.1)  # noqa: ASYNC251 - the loop is held up
        try:
            return await waiting
        finally:
            line.close()
            theirs.close()

    assert run(work()) == b"in time"


@pytest.mark.parametrize("parts", [[b"whole"], [b"", b"a", b"b" * 3_000_000], [b""]])
def test_what_is_sent_in_parts_is_received_as_one(parts: list[bytes]) -> None:
    async def work() -> bytes:
        ours, theirs = socketpair()
        with theirs:
            line = await Channel.open(ours)
            line.send(parts)
            line.send([b"next"])
            received = await asyncio.to_thread(receive_message, theirs)
            assert bytes(await asyncio.to_thread(receive_message, theirs)) == b"next"
            line.close()
            return bytes(received)

    assert run(work()) == b"".join(parts)


def test_a_message_whose_length_takes_eight_bytes_is_received() -> None:
    ours, theirs = socketpair()
    with ours, theirs:
        ours.send(framed(b"long", long=True))
        assert bytes(receive_message(theirs)) == b"long"


@pytest.mark.parametrize("sent", [b"", b"\0\0", framed(b"never whole")[:-1]])
def test_a_message_that_is_never_whole_is_none(sent: bytes) -> None:
    ours, theirs = socketpair()
    with theirs:
        with ours:
            ours.send(sent)
        with pytest.raises(EOFError):
            receive_message(theirs)
