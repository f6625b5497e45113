"""`python -m bench forms [--folder DIR] [--write]`: what forms are for, and the model behind it."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

import motherlode.documents.forms as package
from bench.forms import comparison
from bench.forms.figures import purpose_by_rules, query_fields_right, score
from bench.forms.labelled import FOLDER, LabelledForm, LabelledPage, forms_of_page, labelled_pages
from bench.forms.training import FOLDS, cross_validated, train
from motherlode.documents.forms.purposes import MODEL_FILE, PurposeModel
from motherlode.records import FormPurpose


def main(arguments: Sequence[str] = ()) -> None:
    options = _parser().parse_args(arguments)
    pages = list(labelled_pages(options.folder))
    forms = [form for page in pages for form in forms_of_page(page)]
    sites = {form.site for form in forms}
    print(f"{len(forms)} labelled forms on {len(pages)} pages of {len(sites)} sites")
    _report("by rules alone", forms, [purpose_by_rules(form) for form in forms], [])
    predicted = cross_validated(forms)
    _report(f"cross-validated over sites, {FOLDS} folds", forms, predicted, list(FormPurpose))
    if options.errors:
        _show_errors(forms, predicted)
    _compare(pages, forms)
    if options.write:
        path = Path(package.__file__).parent / MODEL_FILE
        path.write_bytes(written(train(forms)))
        print(f"wrote {path.name}, {path.stat().st_size:,} bytes")


def written(model: PurposeModel) -> bytes:
    """Return a model as JSON, one feature a line."""
    lines = ",\n".join(
        f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(row).decode()}"
        for name, row in sorted(model.weights.items())
    )
    return (
        f'{{"purposes": {msgspec.json.encode(model.purposes).decode()},\n'
        f'"bias": {msgspec.json.encode(model.bias).decode()},\n'
        f'"weights": {{\n{lines}\n}}}}\n'
    ).encode()


def _report(
    title: str,
    forms: Sequence[LabelledForm],
    predicted: Sequence[FormPurpose],
    others: Sequence[FormPurpose],
) -> None:
    print(f"{title}:")
    for purpose in others or [FormPurpose.SEARCH]:
        print(f"  {purpose.value:18} {score(forms, predicted, purpose)}")
    right, count = query_fields_right(forms, predicted)
    print(f"  query field        {right} of {count} search forms ({right / max(count, 1):.1%})")


def _compare(pages: list[LabelledPage], forms: list[LabelledForm]) -> None:
    """Print the figures of Formasaurus, whose model has seen these pages."""
    purposes_by_page = comparison.classified(pages)
    if purposes_by_page is None:
        print(f"Formasaurus is left out: {comparison.VARIABLE} names no Python that has it.")
        return
    answers = [comparison.query_of(purposes_by_page, form) for form in forms]
    purposes = [FormPurpose.SEARCH if search else FormPurpose.OTHER for search, _ in answers]
    print("Formasaurus, trained on these pages:")
    print(f"  {FormPurpose.SEARCH.value:18} {score(forms, purposes, FormPurpose.SEARCH)}")
    asked = [
        (form.queries, search, queries)
        for form, (search, queries) in zip(forms, answers, strict=True)
        if form.purpose is FormPurpose.SEARCH and form.queries
    ]
    right = sum(search and not wanted.isdisjoint(queries) for wanted, search, queries in asked)
    print(f"  query field        {right} of {len(asked)} search forms ({right / len(asked):.1%})")


def _show_errors(forms: Sequence[LabelledForm], predicted: Sequence[FormPurpose]) -> None:
    for form, purpose in zip(forms, predicted, strict=True):
        if purpose != form.purpose:
            fields = ", ".join(f"{field.name or '-'} ({field.label})" for field in form.form.fields)
            print(
                f"  {form.file} {form.number}: {form.purpose} taken for {purpose}: {fields[:150]}"
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench forms", description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="the labelled pages")
    parser.add_argument("--errors", action="store_true", help="list what is told wrongly")
    parser.add_argument("--write", action="store_true", help="write the model into the package")
    return parser
