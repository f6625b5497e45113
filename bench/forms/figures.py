"""How well purposes and query fields are told."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from bench.forms.labelled import LabelledForm
from motherlode.documents.forms.query_field import query_field_of
from motherlode.records import FormPurpose


class Score(Struct, frozen=True):
    """Counts of one purpose, over forms."""

    right: int
    predicted: int
    true: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where nothing is right."""
        return 2 * self.right / max(self.predicted + self.true, 1)

    def __str__(self) -> str:
        precision, recall = self.right / max(self.predicted, 1), self.right / max(self.true, 1)
        return f"F1 {self.f1:.3f}  precision {precision:.3f}  recall {recall:.3f}  of {self.true}"


def score(
    forms: Sequence[LabelledForm], predicted: Iterable[FormPurpose], purpose: FormPurpose
) -> Score:
    """Return how well one purpose is told from all others."""
    pairs = [
        (form.purpose == purpose, guess == purpose)
        for form, guess in zip(forms, predicted, strict=True)
    ]
    return Score(
        sum(truth and guess for truth, guess in pairs),
        sum(guess for _, guess in pairs),
        sum(truth for truth, _ in pairs),
    )


def query_fields_right(
    forms: Sequence[LabelledForm], predicted: Iterable[FormPurpose]
) -> tuple[int, int]:
    """Return for how many search forms with a labelled query field it is found, and how many there
    are. A form that is not taken for a search form has none.
    """
    right = count = 0
    for form, purpose in zip(forms, predicted, strict=True):
        if form.purpose is FormPurpose.SEARCH and form.queries:
            count += 1
            is_search = purpose is FormPurpose.SEARCH
            right += is_search and query_field_of(form.form.fields) in form.queries
    return right, count


def purpose_by_rules(form: LabelledForm) -> FormPurpose:
    """Return whether a form is for search by rules alone: a query field, and no password, e-mail
    address or long text. All else is `other`.
    """
    kinds = {field.control for field in form.form.fields}
    is_search = not kinds & {"password", "textarea", "email"} and query_field_of(form.form.fields)
    return FormPurpose.SEARCH if is_search else FormPurpose.OTHER
