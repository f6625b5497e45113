"""The crawl loop.

Its names are loaded when they are asked for: worker processes live in this package, too, and a reader that
waited for all that a crawl needs would begin seconds later.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motherlode.engine.company import Company, Control
    from motherlode.engine.crawling import crawl
    from motherlode.engine.progress import Limits, Progress

__all__ = ["Company", "Control", "Limits", "Progress", "crawl"]

_MODULES = {
    "Company": "company",
    "Control": "company",
    "Limits": "progress",
    "Progress": "progress",
    "crawl": "crawling",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    return getattr(import_module(f"motherlode.engine.{_MODULES[name]}"), name)
