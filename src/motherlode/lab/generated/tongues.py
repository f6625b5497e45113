"""Text in other languages than English: sentences with slots, filled by the dice."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec

from motherlode.lab.generated.dice import Dice

SLOT = re.compile(r"\{(\w+)\}")


class Tongue(msgspec.Struct, frozen=True):
    """A language: what can be said in it, and the encodings that can write all of that.

    The encodings are names that Python and the Web's pages both understand; the first is UTF-8.
    """

    code: str
    encodings: tuple[str, ...]
    gap: str
    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    links: tuple[str, ...]
    fillers: dict[str, tuple[str, ...]]


def load(text: str) -> dict[str, Tongue]:
    """The tongues of a TOML text, where every table but `[shared]` is a language."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(text)
    shared = tables.pop("shared")
    return {code: _tongue(code, table, shared) for code, table in tables.items()}


def _tongue(code: str, table: Mapping[str, Any], shared: Mapping[str, Any]) -> Tongue:
    return msgspec.convert(
        {**table, "code": code, "fillers": {**shared, **table["fillers"]}}, Tongue
    )


TONGUES: dict[str, Tongue] = load(files(__package__).joinpath("tongues.toml").read_text("utf-8"))


def fill(template: str, tongue: Tongue, dice: Dice) -> str:
    """The template with one throw for each slot."""
    return SLOT.sub(lambda slot: dice.pick(tongue.fillers[slot[1]]), template)


def title(tongue: Tongue, dice: Dice) -> str:
    """A page's title."""
    return fill(dice.pick(tongue.titles), tongue, dice)


def paragraph(tongue: Tongue, dice: Dice) -> str:
    """Three to six sentences, none of them twice."""
    templates = list(tongue.sentences)
    drawn = [templates.pop(dice.below(len(templates))) for _ in range(3 + dice.below(4))]
    return tongue.gap.join(fill(template, tongue, dice) for template in drawn)


def words(tongue: Tongue, dice: Dice) -> str:
    """A link's text, of one to four words."""
    return fill(dice.pick(tongue.links), tongue, dice)
