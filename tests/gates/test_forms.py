"""Figures on hand-labelled forms, with the weights that ship.

The weights were trained on these very forms, so these are training figures: they show that features
and weights still fit together. `python -m bench forms` computes the cross-validated figures, which
are in docs/quality.md.
"""

from pathlib import Path

import pytest
from bench.forms.figures import query_fields_right, score
from bench.forms.labelled import LabelledForm, LabelledPage, labelled_forms, labelled_pages

from motherlode.documents.forms import read_forms
from motherlode.documents.forms.purposes import shipped_model
from motherlode.records import FormPurpose

FLOORS = {
    FormPurpose.SEARCH: 0.97,
    FormPurpose.LOGIN: 0.97,
    FormPurpose.REGISTRATION: 0.90,
    FormPurpose.RECOVERY: 0.90,
    FormPurpose.CONTACT: 0.90,
    FormPurpose.MAILING_LIST: 0.95,
}


@pytest.fixture(scope="module")
def forms(labelled_forms_folder: Path) -> list[LabelledForm]:
    return labelled_forms(labelled_forms_folder)


@pytest.fixture(scope="module")
def pages(labelled_forms_folder: Path) -> list[LabelledPage]:
    return list(labelled_pages(labelled_forms_folder))


@pytest.mark.parametrize("purpose", FLOORS)
def test_the_shipped_weights_fit_what_they_were_trained_on(
    purpose: FormPurpose, forms: list[LabelledForm]
) -> None:
    predicted = [shipped_model().purpose_of(form.features) for form in forms]
    assert score(forms, predicted, purpose).f1 >= FLOORS[purpose]


def test_the_query_field_is_found_by_rules(forms: list[LabelledForm]) -> None:
    """133 of 134 when this was written, by rules whose author had seen the names of the fields."""
    right, count = query_fields_right(forms, [form.purpose for form in forms])
    assert count == 134
    assert right >= 132


def test_every_labelled_form_and_field_is_read(pages: list[LabelledPage]) -> None:
    """Buttons that send nothing aside, and fields that no current parser finds."""
    for page in pages:
        read = read_forms(page.html, page.url)
        assert len(read) >= len(page.forms), page.file
        for form, labels in zip(read, page.forms, strict=False):
            names = {field.name for field in form.fields}
            expected = {
                field["name"]
                for field in labels["fields"]
                if field["elements"] and field["control"] not in ("button", "reset", "submit")
            }
            assert expected <= names, page.file


def test_most_fields_have_a_label(pages: list[LabelledPage]) -> None:
    """Fields with a name that a person fills in; 725 of 797 when this was written."""
    typed = [
        field
        for page in pages
        for form in read_forms(page.html, page.url)
        for field in form.fields
        if field.name and field.control in ("text", "search", "email", "password", "textarea")
    ]
    labelled = sum(bool(field.label) for field in typed)
    assert labelled >= 0.88 * len(typed)
