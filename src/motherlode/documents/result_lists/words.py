"""Words that lists of results use in many languages, as regular expressions from `words.toml`."""

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def words_for(name: str) -> re.Pattern[str]:
    """Return the expression that finds one kind of word in a text in lower case."""
    tables = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
    return re.compile("|".join(tables[name]))
