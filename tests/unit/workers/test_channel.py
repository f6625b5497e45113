"""Channels: messages arrive whole, however the stream is cut."""

import asyncio
import time
from socket import socketpair

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch.event_loop import run
from motherlode.workers.channel import Channel, join_parts, receive_message, split_parts


def with_length(message: bytes, *, long: bool = False) -> bytes:
    """Return a message as `Connection` writes it; `long` adds eight bytes to its length."""
    size = len(message)
    head = b"\xff\xff\xff\xff" + size.to_bytes(8, "big") if long else size.to_bytes(4, "big")
    return head + message


@given(st.lists(st.tuples(st.binary(max_size=20), st.booleans()), max_size=6), st.data())
def test_messages_arrive_whole_and_in_order(
    messages: list[tuple[bytes, bool]],
    data: st.DataObject,
) -> None:
    async def exchange() -> list[bytes]:
        channel = Channel()
        stream = b"".join(with_length(message, long=long) for message, long in messages)
        while stream:
            cut = data.draw(st.integers(1, len(stream)))
            channel.data_received(stream[:cut])
            stream = stream[cut:]
        channel.connection_lost(None)
        return [await channel.receive(1.0) for _ in messages]

    assert asyncio.run(exchange()) == [message for message, _ in messages]


def test_waiting_for_a_closed_channel_raises() -> None:
    async def exchange() -> None:
        ours, theirs = socketpair()
        channel = await Channel.open(ours)
        theirs.send(with_length(b"whole") + with_length(b"never whole")[:-1])
        assert await channel.receive(5.0) == b"whole"
        asyncio.get_running_loop().call_soon(theirs.close)
        with pytest.raises(EOFError):
            await channel.receive(5.0)
        with pytest.raises(EOFError):
            await channel.receive(5.0)
        with pytest.raises(EOFError):
            channel.send([b"too late"])

    asyncio.run(exchange())


def test_a_silent_channel_times_out() -> None:
    async def exchange() -> None:
        ours, theirs = socketpair()
        with theirs:
            channel = await Channel.open(ours)
            with pytest.raises(TimeoutError):
                await channel.receive(0.01)
            theirs.send(with_length(b"late"))
            assert await channel.receive(5.0) == b"late"
            channel.close()

    asyncio.run(exchange())


def test_a_message_that_arrives_while_the_loop_is_blocked_is_in_time() -> None:
    async def exchange() -> bytes:
        ours, theirs = socketpair()
        channel = await Channel.open(ours)
        waiting = asyncio.create_task(channel.receive(0.01))
        await asyncio.sleep(0)
        theirs.send(with_length(b"in time"))
        time.sleep(0.1)  # noqa: ASYNC251 - blocks the loop
        try:
            return await waiting
        finally:
            channel.close()
            theirs.close()

    assert run(exchange()) == b"in time"


@pytest.mark.parametrize("parts", [[b"whole"], [b"", b"a", b"b" * 3_000_000], [b""]])
def test_parts_are_received_as_one_message(parts: list[bytes]) -> None:
    async def exchange() -> bytes:
        ours, theirs = socketpair()
        with theirs:
            channel = await Channel.open(ours)
            channel.send(parts)
            channel.send([b"next"])
            received = await asyncio.to_thread(receive_message, theirs)
            assert bytes(await asyncio.to_thread(receive_message, theirs)) == b"next"
            channel.close()
            return bytes(received)

    assert run(exchange()) == b"".join(parts)


def test_a_message_with_a_long_length_is_received() -> None:
    ours, theirs = socketpair()
    with ours, theirs:
        ours.send(with_length(b"long", long=True))
        assert bytes(receive_message(theirs)) == b"long"


@pytest.mark.parametrize("sent", [b"", b"\0\0", with_length(b"never whole")[:-1]])
def test_an_incomplete_message_raises(sent: bytes) -> None:
    ours, theirs = socketpair()
    with theirs:
        with ours:
            ours.send(sent)
        with pytest.raises(EOFError):
            receive_message(theirs)


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_joined_parts_are_split_again(parts: list[bytes]) -> None:
    message = memoryview(b"".join(join_parts(parts)))
    assert [bytes(part) for part in split_parts(message)] == parts
