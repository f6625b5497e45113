"""What asyncio lacks: whatever has piled up in a queue, an event for so long, the first of several errors."""

import asyncio
from typing import TypeVar

T = TypeVar("T")


async def portion(queue: "asyncio.Queue[T | None]", most: int) -> list[T]:
    """What has piled up, at least one and so many at most; nothing: there comes no more."""
    first = await queue.get()
    found = [] if first is None else [first]
    while found and len(found) < most and not queue.empty():
        one = queue.get_nowait()
        if one is None:
            queue.put_nowait(None)  # the end is for the next time
            break
        found.append(one)
    return found


async def wait(event: asyncio.Event, seconds: float) -> None:
    """Until it happens, or so long."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass


def first_of(failed: BaseExceptionGroup[BaseException]) -> BaseException:
    """Of errors that happened together, the first that is none that another led to."""
    inner = failed.exceptions[0]
    return first_of(inner) if isinstance(inner, BaseExceptionGroup) else inner
