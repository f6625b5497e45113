"""The crawl loop.

Its names are loaded when they are asked for: worker processes live in this package, too, and a reader that
waited for all that a crawl needs would begin seconds later.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motherlode.engine.crawling import Company, Control, crawl
    from motherlode.engine.progress import Limits, Progress

__all__ = ["Company", "Control", "Limits", "Progress", "crawl"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    module = "progress" if name in ("Limits", "Progress") else "crawling"
    return getattr(import_module(f"motherlode.engine.{module}"), name)
