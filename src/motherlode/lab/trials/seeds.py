"""Where a trial begins: pages drawn from a topic's, or those that a person named."""

from motherlode.lab.generated.dice import Dice
from motherlode.lab.labels import Labels
from motherlode.lab.web import LabWeb
from motherlode.records import UsageError
from motherlode.urls import Address, address

Seeds = int | tuple[str, ...]  # so many drawn from the topic's pages, or these


def draw_seeds(labels: Labels, topic: str, told: Seeds, chance: int) -> tuple[Address, ...]:
    """The seeds of a topic; the same chance draws the same ones."""
    relevant = labels.relevant(topic)
    if isinstance(told, tuple):
        return tuple(map(address, told))
    if told >= len(relevant):
        raise UsageError(f"Draw fewer seeds than the {len(relevant)} that '{topic}' has pages.")
    dice = Dice("seeds", chance, topic)
    drawn = sorted(relevant)
    return tuple(address(drawn.pop(dice.below(len(drawn)))) for _ in range(told))


def check_seeds(web: LabWeb, seeds: tuple[Address, ...], pages: int) -> None:
    """Raises `UsageError` for seeds that a crawl of so many pages cannot begin with."""
    if len(seeds) >= pages:
        raise UsageError(f"{len(seeds)} seeds use up {pages} pages; allow more pages.")
    if not any(web.answer(seed.url) for seed in seeds):
        raise UsageError("None of the seeds is a page of this web.")
