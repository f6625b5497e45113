"""Wrappers as files that people may read and edit."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.records import BadInputError, Form, FormField, FormOption, FormPurpose
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.matching import FieldMatch, Matching
from motherlode.sources.wrappers.menus import SearchMenu
from motherlode.sources.wrappers.wrapper import Wrapper, wrapper_of_form
from motherlode.sources.wrappers.wrapper_file import (
    MAX_FILE_BYTES,
    read_wrapper,
    toml_of_wrapper,
    wrapper_from_toml,
    wrapper_names,
    wrapper_path,
)
from support.labelled_forms import PAGE, LabelledForm, catalogue_forms

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
OPTIONS = st.lists(st.builds(FormOption, TEXTS, TEXTS, st.booleans(), st.booleans()), max_size=3)
FIELDS = st.builds(
    FormField,
    name=TEXTS,
    control=st.sampled_from(["text", "select", "hidden"]),
    label=TEXTS,
    value=TEXTS,
    options=OPTIONS.map(tuple),
    placeholder=TEXTS,
    max_length=st.integers(0, 99),
    is_required=st.booleans(),
)
FORMS = st.builds(
    Form,
    action=TEXTS,
    fields=st.lists(FIELDS, min_size=1, max_size=4).map(tuple),
    purpose=st.sampled_from(FormPurpose),
    title=TEXTS,
)


def matched(form: Form, score: float) -> Matching:
    names = [field.name for field in form.fields]
    matches = tuple(FieldMatch(name, Attribute.TITLE, score) for name in names)
    return Matching(matches, (SearchMenu(names[0], names[-1], {Attribute.ANY: names[0]}),))


@given(FORMS, st.floats(0, 1), TEXTS, st.booleans())
def test_what_is_written_is_read_again(form: Form, score: float, page: str, reads: bool) -> None:  # noqa: FBT001 - a generated value
    wrapper = Wrapper(
        name="x", page=page, form=form, matching=matched(form, score), number=2, reads_page=reads
    )
    assert wrapper_from_toml(toml_of_wrapper(wrapper)) == wrapper


@pytest.mark.parametrize(
    "labels", [one for one in catalogue_forms() if one.fields], ids=lambda one: one.name
)
def test_wrappers_of_catalogues_are_read_again(labels: LabelledForm) -> None:
    wrapper = wrapper_of_form("x", PAGE, [labels.form], number=1, created="2026-11-19")
    assert wrapper_from_toml(toml_of_wrapper(wrapper)) == wrapper


def test_half_characters_are_written_as_a_question_mark() -> None:
    form = Form(
        action="http://a.test/", fields=(FormField(name="q", control="text", label="\ud800"),)
    )
    wrapper = Wrapper(name="x", page=PAGE, form=form, matching=Matching())
    assert wrapper_from_toml(toml_of_wrapper(wrapper)).form.fields[0].label == "?"


def stored(directory: Path, text: str, name: str = "acm") -> Path:
    path = wrapper_path(directory, name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return directory


def good() -> str:
    labels = catalogue_forms()[0]
    return toml_of_wrapper(wrapper_of_form("acm", PAGE, [labels.form], number=1))


def test_an_edited_attribute_counts(tmp_path: Path) -> None:
    edited = good().replace('attribute = "any"', 'attribute = "title" # mine')
    assert read_wrapper(stored(tmp_path, edited), "acm").matching.fields[0].attribute == "title"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "missing required field"),
        ("name = ", "Invalid value"),
        ("[" * 10_000, ""),
        ("a = " + "[" * 5_000, ""),
        ('name = 3\npage = ""', "Expected `str`, got `int`"),
        (good().replace('attribute = "any"', 'attribute = "colour"'), "colour"),
        (good().replace('field = "searcharg"', 'field = "gone"'), "its form has no field 'gone'"),
        ("x" * (MAX_FILE_BYTES + 1), "larger than 2 MB"),
    ],
)
def test_a_file_that_cannot_be_used_is_said_in_one_sentence(
    text: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInputError) as caught:
        read_wrapper(stored(tmp_path, text), "acm")
    message = str(caught.value)
    assert problem in message
    assert "acm.toml" in message
    assert "\n" not in message
    assert len(message) < 500


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    stored(tmp_path, "")
    wrapper_path(tmp_path, "acm").write_bytes(b"name = '\xff'")
    with pytest.raises(BadInputError, match="not in UTF-8"):
        read_wrapper(tmp_path, "acm")


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.b", "x" * 41])
def test_names_do_not_leave_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be the name"):
        read_wrapper(tmp_path, name)


def test_wrappers_are_listed_by_name(tmp_path: Path) -> None:
    assert wrapper_names(tmp_path) == []
    stored(tmp_path, good(), "b")
    stored(tmp_path, good(), "a")
    (tmp_path / "sources" / "not a name!.toml").write_text("")
    assert wrapper_names(tmp_path) == ["a", "b"]
    with pytest.raises(BadInputError, match="There is no source c"):
        read_wrapper(tmp_path, "c")


def test_what_is_as_by_default_is_not_written() -> None:
    raw = tomllib.loads(good())
    assert "encoding" not in raw["form"]
    assert "max_length" not in raw["form"]["fields"][0]
