"""Search forms with what their fields ask for, labelled by hand (tests/support/forms)."""

import gzip
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from motherlode.documents.encoding import decode
from motherlode.documents.forms import read_forms
from motherlode.records import Form
from motherlode.sources.wrappers.matching import matching_of
from motherlode.sources.wrappers.vocabulary import Vocabulary

FOLDER = Path(__file__).parent / "forms"
PAGE = "http://catalogue.test/search"


class LabelledForm(Struct, frozen=True):
    """A form, and by its fields what each asks for; by its menus the field that each is for."""

    name: str
    form: Form
    fields: dict[str, str]
    menus: dict[str, str]


class MatchingQuality(Struct, frozen=True):
    """How many fields were matched right, and how many there and in the labels are."""

    right: int
    matched: int
    labelled: int

    @property
    def precision(self) -> float:
        return self.right / self.matched if self.matched else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.labelled

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def form_of(html: str) -> Form:
    """Return the first form of a piece of a page."""
    return read_forms(f"<!DOCTYPE html><title>Search</title><body>{html}", PAGE)[0]


def catalogue_forms() -> list[LabelledForm]:
    """Return the forms in the styles of catalogues."""
    return [
        _labelled(label, label["name"], form_of(label["html"])) for label in _labels("catalogues")
    ]


def real_forms(shared: Path) -> Iterator[LabelledForm]:
    """Yield the forms of real pages, which lie in the folder `shared`."""
    for label in _labels("real_pages"):
        body = (shared / "pages" / label["page"]).read_bytes()
        html = decode(gzip.decompress(body) if label["page"].endswith(".gz") else body)
        yield _labelled(label, label["page"], read_forms(html, PAGE)[label["number"]])


def matching_quality(forms: list[LabelledForm], vocabulary: Vocabulary) -> MatchingQuality:
    """Return how well the fields of forms are matched; a field that asks for nothing, too."""
    right = matched = labelled = 0
    for labels in forms:
        matches = matching_of(labels.form, vocabulary).fields
        right += sum(labels.fields.get(match.field) == match.attribute for match in matches)
        matched += len(matches)
        labelled += len(labels.fields)
    return MatchingQuality(right, matched, labelled)


def _labels(name: str) -> list[dict[str, Any]]:
    labels: list[dict[str, Any]] = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))[
        "forms"
    ]
    return labels


def _labelled(label: dict[str, Any], name: str, form: Form) -> LabelledForm:
    return LabelledForm(name, form, label["fields"], label.get("menus", {}))
