"""The context of every view and route: settings, portals, jobs, keys and caches."""

import threading
from typing import Annotated

from fastapi import Depends, Request
from msgspec import Struct

from motherlode.app.jobs.queue import JobQueue
from motherlode.app.server.events import StreamCounter
from motherlode.app.server.flash_messages import FlashMessages
from motherlode.app.server.keys import Keys
from motherlode.app.server.progress_cache import ProgressCache
from motherlode.app.server.rate_limits import RateLimits
from motherlode.app.server.settings import ServerSettings
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.search.pool import SearchPool


class ServerContext(Struct, frozen=True, kw_only=True):
    """The shared state of an application. `stopping` is set when the server is asked to end."""

    settings: ServerSettings
    registry: PortalRegistry
    queue: JobQueue
    keys: Keys
    limits: RateLimits
    streams: StreamCounter
    stopping: threading.Event
    search_pool: SearchPool
    progress: ProgressCache
    messages: FlashMessages


def make_context(settings: ServerSettings) -> ServerContext:
    """Return the state of a new application.

    Raises `NoPortalError` if there is neither a portal nor a folder to serve.
    """
    registry = PortalRegistry(settings.place)
    queue = JobQueue(registry, settings.running_jobs, settings.waiting_jobs)
    return ServerContext(
        settings=settings,
        registry=registry,
        queue=queue,
        keys=Keys(settings.token),
        limits=RateLimits(),
        streams=StreamCounter(settings.max_streams),
        stopping=threading.Event(),
        search_pool=SearchPool(registry),
        progress=ProgressCache(registry, queue),
        messages=FlashMessages(),
    )


def context_of(request: Request) -> ServerContext:
    context: ServerContext = request.app.state.context
    return context


Context = Annotated[ServerContext, Depends(context_of)]
