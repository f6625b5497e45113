"""The topic tree: its paths, its edits, and how it is made of bookmarks, seeds and queries.

Trees are values: nothing here reads the store, crawls, or judges pages.
"""

from motherlode.topics.paths import OTHERS, TopicPath, clean_name, is_others, parse_path, show_path
from motherlode.topics.tree import TopicTree
from motherlode.topics.tree_builder import (
    Planted,
    Planting,
    plant,
    plant_found,
    plant_query,
    plant_seeds,
    plant_urls,
)

__all__ = [
    "OTHERS",
    "Planted",
    "Planting",
    "TopicPath",
    "TopicTree",
    "clean_name",
    "is_others",
    "parse_path",
    "plant",
    "plant_found",
    "plant_query",
    "plant_seeds",
    "plant_urls",
    "show_path",
]
