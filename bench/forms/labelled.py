"""Hand-labelled forms (`../shared/forms`): what was labelled beside what is read."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from motherlode.documents.encoding import decode
from motherlode.documents.forms.features import features_of
from motherlode.documents.forms.reader import unjudged_forms
from motherlode.records import Form, FormPurpose

FOLDER = Path("../shared/forms")
# The labels of Formasaurus, whose annotations these are. What is in none of our purposes is `other`.
_PURPOSES = {
    "s": FormPurpose.SEARCH,
    "l": FormPurpose.LOGIN,
    "r": FormPurpose.REGISTRATION,
    "p": FormPurpose.RECOVERY,
    "c": FormPurpose.CONTACT,
    "m": FormPurpose.MAILING_LIST,
    "b": FormPurpose.ORDER,
}
_UNLABELLED = ("X", "-")  # a form that nobody labelled, or that the labeller passed over
_QUERY, _UNLABELLED_FIELD = "qq", "XX"


class LabelledPage(Struct, frozen=True):
    """A page with the forms that were labelled on it, as the index has them."""

    file: str
    url: str
    site: str
    html: str
    forms: list[dict[str, Any]]


class LabelledForm(Struct, frozen=True):
    """A form with its true purpose, and the names of its fields for search words.

    `queries` is None where nobody labelled the fields.
    """

    site: str
    file: str
    number: int  # on its page
    purpose: FormPurpose
    queries: frozenset[str] | None
    form: Form
    features: frozenset[str]


def labelled_pages(folder: Path = FOLDER) -> Iterator[LabelledPage]:
    """Yield the labelled pages of a folder."""
    for page in json.loads((folder / "index.json").read_text("utf-8")):
        path = folder / page["file"]
        body = path.read_bytes()
        html = decode(gzip.decompress(body) if path.suffix == ".gz" else body)
        yield LabelledPage(page["file"], page["url"], page["site"], html, page["forms"])


def labelled_forms(folder: Path = FOLDER) -> list[LabelledForm]:
    """Return the forms of all pages whose purpose was labelled."""
    return [form for page in labelled_pages(folder) for form in forms_of_page(page)]


def forms_of_page(page: LabelledPage) -> Iterator[LabelledForm]:
    """Yield the labelled forms of a page. Fields outside of forms come last, without a label."""
    pairs = zip(unjudged_forms(page.html, page.url), page.forms, strict=False)
    for number, ((form, surroundings), labels) in enumerate(pairs):
        if labels["type"] not in _UNLABELLED:
            yield LabelledForm(
                page.site,
                page.file,
                number,
                _PURPOSES.get(labels["type"], FormPurpose.OTHER),
                _queries(labels["fields"]),
                form,
                features_of(form, surroundings),
            )


def _queries(fields: list[dict[str, Any]]) -> frozenset[str] | None:
    labels = {field["label"] for field in fields}
    if _UNLABELLED_FIELD in labels:
        return None
    return frozenset(field["name"] for field in fields if field["label"] == _QUERY)
