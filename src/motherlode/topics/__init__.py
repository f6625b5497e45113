"""The topic tree: its paths, its edits, and how it grows out of bookmarks, seeds and queries."""

from motherlode.topics.paths import OTHERS, TopicPath, clean_name, is_others, parse_path, show_path
from motherlode.topics.planting import (
    Planted,
    Planting,
    plant,
    plant_found,
    plant_query,
    plant_seeds,
    plant_urls,
)
from motherlode.topics.tree import TopicTree

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
