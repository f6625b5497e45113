"""The purpose of a form, by a linear model over its features (`form_purposes.json`).

The model is a multinomial logistic regression. `python -m bench forms` trains it on hand-labelled
forms, and measures it on sites that it has not seen.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.documents.forms.features import FormSurroundings, features_of
from motherlode.documents.forms.query_field import query_field_of
from motherlode.records import Form, FormPurpose

MODEL_FILE = "form_purposes.json"


class PurposeModel(Struct, frozen=True):
    """Weights by feature, each a list in the order of `purposes`."""

    purposes: tuple[FormPurpose, ...]
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def purpose_of(self, features: frozenset[str]) -> FormPurpose:
        """Return the likeliest purpose of a form with these features."""
        margins = self.margins(features)
        return self.purposes[margins.index(max(margins))]

    def margins(self, features: frozenset[str]) -> tuple[float, ...]:
        """Return the logarithms of the purposes' odds, up to a constant."""
        rows = [self.weights[feature] for feature in sorted(features) if feature in self.weights]
        return tuple(map(sum, zip(self.bias, *rows, strict=True)))


def with_purpose(form: Form, surroundings: FormSurroundings) -> Form:
    """Return a form with its purpose and, if it is for search, its field for search words."""
    purpose = shipped_model().purpose_of(features_of(form, surroundings))
    if purpose is not FormPurpose.SEARCH:
        return replace(form, purpose=purpose)
    return replace(form, purpose=purpose, query_field=query_field_of(form.fields))


@cache
def shipped_model() -> PurposeModel:
    """Return the model of the package."""
    data = (files("motherlode.documents.forms") / MODEL_FILE).read_bytes()
    return msgspec.json.decode(data, type=PurposeModel)
