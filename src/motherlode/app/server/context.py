"""What every view and every route has at hand."""

import threading
from typing import Annotated

from fastapi import Depends, Request
from msgspec import Struct

from motherlode.app.jobs.queue import Board
from motherlode.app.server.events import Streams
from motherlode.app.server.guard import Limits
from motherlode.app.server.keys import Keys
from motherlode.app.server.notes import Notes
from motherlode.app.server.search_pool import Desks
from motherlode.app.server.settings import Settings
from motherlode.app.server.watches import Watches
from motherlode.app.services.registry import Shelf


class Services(Struct, frozen=True):
    """One for each application. `stopping` is set when the server is asked to end."""

    settings: Settings
    shelf: Shelf
    board: Board
    keys: Keys
    limits: Limits
    streams: Streams
    stopping: threading.Event
    desks: Desks
    watches: Watches
    notes: Notes


def services_of(settings: Settings) -> Services:
    """Raises `NoPortalError` where there is neither a portal nor a folder to serve."""
    shelf = Shelf(settings.place)
    board = Board(shelf, settings.running_jobs, settings.waiting_jobs)
    streams = Streams(settings.streams)
    keys, limits, stopping = Keys(settings.token), Limits(), threading.Event()
    desks, watches = Desks(shelf), Watches(shelf, board)
    return Services(settings, shelf, board, keys, limits, streams, stopping, desks, watches, Notes())


def services_in(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Here = Annotated[Services, Depends(services_in)]
