"""The sandbox as a whole: its sockets, its processes, its beginning and its end."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from time import time

import uvloop
from msgspec import Struct

from motherlode.lab.misbehaviour import Habits
from motherlode.lab.serving.dns import NameServer
from motherlode.lab.serving.http import Conversation
from motherlode.lab.serving.responder import Responder
from motherlode.lab.serving.search_site import with_search_engine
from motherlode.lab.web import LabWeb
from motherlode.records import LodeError

LOOPBACK = "127.0.0.1"


class Doors(Struct, frozen=True):
    """Where the sandbox listens: port 0 takes any free one, no DNS port means no name server."""

    port: int = 0
    dns_port: int | None = None
    processes: int = 1
    attached: bool = False  # it ends when its standard input does


def serve(
    web: LabWeb, habits: Habits, doors: Doors, ready: Callable[[int, int | None], None]
) -> None:
    """Serve until interrupted; `ready` is told the ports once every request will be answered."""
    web = with_search_engine(web)
    with _listen(doors.port) as plug, _listen_for_names(doors.dns_port) as name_plug:
        parent = _multiply(doors.processes)
        if parent:
            ready(
                plug.getsockname()[1],
                name_plug.getsockname()[1] if name_plug.fileno() >= 0 else None,
            )
        with suppress(KeyboardInterrupt):
            uvloop.run(
                _serve(
                    web,
                    habits,
                    plug,
                    name_plug if parent else _closed(),
                    attached=not parent or doors.attached,
                )
            )
        if not parent:
            os._exit(0)


async def _serve(
    web: LabWeb, habits: Habits, plug: socket.socket, name_plug: socket.socket, *, attached: bool
) -> None:
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, done.set)
    if attached:
        _watch_input(loop, done)
    responder = Responder(web, habits, time)
    conversations: set[Conversation] = set()
    async with AsyncExitStack() as stack:
        server = await loop.create_server(lambda: Conversation(responder, conversations), sock=plug)
        stack.callback(server.close)
        if name_plug.fileno() >= 0:
            names, _ = await loop.create_datagram_endpoint(
                lambda: NameServer(web, habits), sock=name_plug
            )
            stack.callback(names.close)
        await done.wait()
        for conversation in list(conversations):
            conversation.hang_up()


def _watch_input(loop: asyncio.AbstractEventLoop, done: asyncio.Event) -> None:
    """End when the standard input does."""

    def look() -> None:
        try:
            ended = not os.read(0, 4096)
        except OSError:  # a terminal that is gone
            ended = True
        if ended:
            loop.remove_reader(0)
            done.set()

    try:
        loop.add_reader(0, look)
    except OSError:  # a file or /dev/null, which nobody can wait for: it has ended already
        done.set()


def _listen(port: int) -> socket.socket:
    plug = socket.socket()
    plug.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        plug.bind((LOOPBACK, port))
        plug.listen(1024)
    except (OSError, OverflowError) as error:
        plug.close()
        raise LodeError(
            f"Port {port} cannot be used: {getattr(error, 'strerror', error)}."
        ) from error
    return plug


def _listen_for_names(port: int | None) -> socket.socket:
    if port is None:
        return _closed()
    plug = socket.socket(type=socket.SOCK_DGRAM)
    try:
        plug.bind((LOOPBACK, port))
    except (OSError, OverflowError) as error:
        plug.close()
        raise LodeError(
            f"DNS port {port} cannot be used: {getattr(error, 'strerror', error)}."
        ) from error
    return plug


def _closed() -> socket.socket:
    plug = socket.socket()
    plug.close()
    return plug


def _multiply(processes: int) -> bool:
    """Fork until there are so many processes; true in the first. The others end when it does."""
    if processes == 1:
        return True
    read_end, write_end = os.pipe()
    for _ in range(processes - 1):
        if os.fork() == 0:
            os.close(write_end)
            os.dup2(read_end, 0)
            return False
    os.close(read_end)
    return True
