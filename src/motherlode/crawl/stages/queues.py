"""Take batches from the queues between the stages."""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


async def take_batch(queue: "asyncio.Queue[T | None]", max_items: int) -> list[T]:
    """Wait for an item and return it with all others in the queue, `max_items` at most.

    None in the queue marks its end; an empty list is returned then.
    """
    first = await queue.get()
    batch = [] if first is None else [first]
    while batch and len(batch) < max_items and not queue.empty():
        item = queue.get_nowait()
        if item is None:
            queue.put_nowait(None)  # leave the end marker for the next call
            break
        batch.append(item)
    return batch
