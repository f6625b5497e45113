"""Values fitted to fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.records import FormField, FormOption
from motherlode.sources.wrappers.attributes import (
    Attribute,
    PersonName,
    PortalQuery,
    person_name,
)
from motherlode.sources.wrappers.values import (
    MAX_VALUE_CHARS,
    YearSpan,
    cut,
    fitted_value,
    language_code,
    option_value,
    year_span,
)

DOE = PortalQuery(
    title="Performance of Workflow Management Systems",
    authors=(PersonName("Doe", "John"), PersonName("Roe", "Jane")),
    year=1997,
    keywords=("workflow", "assessment"),
    publisher="Springer",
    doi="https://doi.org/10.1000/182",
    isbn="978-3-16-148410-0",
    language="de",
)


def text(**options: object) -> FormField:
    return FormField(name="f", control="text", **options)  # type: ignore[arg-type]


def menu(*labels: str) -> FormField:
    options = tuple(FormOption(f"v{n}", label) for n, label in enumerate(labels))
    return FormField(name="f", control="select", options=options)


def test_one_author_field_gets_the_whole_name_and_two_get_its_parts() -> None:
    assert fitted_value(text(), Attribute.AUTHOR, DOE) == "John Doe"
    assert fitted_value(text(), Attribute.FIRST_NAME, DOE) == "John"
    assert fitted_value(text(), Attribute.LAST_NAME, DOE) == "Doe"


def test_further_author_fields_get_further_authors() -> None:
    values = [fitted_value(text(), Attribute.AUTHOR, DOE, number) for number in range(3)]
    assert values == ["John Doe", "Jane Roe", ""]


@pytest.mark.parametrize(
    "field",
    [
        text(placeholder="e.g. Knuth, Donald"),
        text(label="Author (last name, first name)"),
        text(label="Author", placeholder="Surname, forename"),
    ],
)
def test_the_last_name_comes_first_where_the_field_says_so(field: FormField) -> None:
    assert fitted_value(field, Attribute.AUTHOR, DOE) == "Doe, John"


@pytest.mark.parametrize(
    ("labels", "attribute", "chosen"),
    [
        (("any", "1996", "1997", "1998"), Attribute.YEAR, "v2"),
        (("1980", "1990", "2000"), Attribute.YEAR, "v2"),
        (("1980-1989", "1990-1999", "since 2000"), Attribute.YEAR, "v1"),
        (("1980s", "1990s", "2000s"), Attribute.YEAR, "v1"),
        (("all", "since 1980", "1990-1999"), Attribute.YEAR, "v2"),
        (("before 1950", "1950+", "2010 -"), Attribute.YEAR, "v1"),
        (("1990", "1995", "2000"), Attribute.YEAR_FROM, "v1"),
        (("1990", "1995", "2000"), Attribute.YEAR_TO, "v2"),
        (("2001", "2002"), Attribute.YEAR_FROM, "v0"),
        (("1981", "1982"), Attribute.YEAR_TO, "v1"),
        (("last week", "last month"), Attribute.YEAR, ""),
    ],
)
def test_a_year_goes_to_the_nearest_option(
    labels: tuple[str, ...], attribute: Attribute, chosen: str
) -> None:
    assert fitted_value(menu(*labels), attribute, DOE) == chosen


@pytest.mark.parametrize(
    ("label", "span"),
    [
        ("2003", (2003, 2003)),
        ("1999 to 2001", (1999, 2001)),
        ("1970s", (1970, 1979)),
        ("1970er", (1970, 1979)),
        ("from 2010", (2010, 2999)),
        ("ab 2010", (2010, 2999)),
        ("2010+", (2010, 2999)),
        ("until 1950", (1000, 1950)),
        ("- 1950", (1000, 1950)),
        ("item 19501", None),
        ("", None),
    ],
)
def test_years_of_options(label: str, span: tuple[int, int] | None) -> None:
    assert year_span(label) == (YearSpan(*span) if span else None)


@pytest.mark.parametrize(
    ("field", "attribute", "value"),
    [
        (text(), Attribute.YEAR, "1997"),
        (text(max_length=2), Attribute.YEAR, "97"),
        (text(placeholder="dd.mm.yyyy"), Attribute.YEAR_TO, "31.12.1997"),
        (FormField(name="f", control="date"), Attribute.YEAR_FROM, "1997-01-01"),
        (FormField(name="f", control="date"), Attribute.YEAR_TO, "1997-12-31"),
        (FormField(name="f", control="date"), Attribute.YEAR, ""),
        (FormField(name="f", control="month"), Attribute.YEAR_TO, "1997-12"),
    ],
)
def test_years_as_text(field: FormField, attribute: Attribute, value: str) -> None:
    assert fitted_value(field, attribute, DOE) == value


def test_identifiers_go_to_their_fields_as_those_take_them() -> None:
    assert fitted_value(text(), Attribute.DOI, DOE) == "10.1000/182"
    assert fitted_value(text(), Attribute.ISBN, DOE) == "978-3-16-148410-0"
    assert fitted_value(text(max_length=13), Attribute.ISBN, DOE) == "9783161484100"
    assert fitted_value(text(), Attribute.IDENTIFIER, DOE) == "10.1000/182"
    assert fitted_value(text(), Attribute.ISSN, DOE) == ""


def test_languages_are_the_same_by_name_and_code() -> None:
    assert fitted_value(menu("any", "English", "Deutsch"), Attribute.LANGUAGE, DOE) == "v2"
    assert fitted_value(menu("any", "Anglais", "Allemand"), Attribute.LANGUAGE, DOE) == "v2"
    assert fitted_value(menu("English", "Français"), Attribute.LANGUAGE, DOE) == ""
    assert language_code("Klingon") == ""


def test_options_fit_by_their_words() -> None:
    publishers = menu("All", "Elsevier", "Springer Verlag", "Wiley")
    assert fitted_value(publishers, Attribute.PUBLISHER, DOE) == "v2"
    assert option_value(menu("Doe, John", "Roe, Jane"), "John Doe") == "v0"
    assert option_value(menu("Journal of Physics"), "Journal of Chemistry") == ""
    assert option_value(menu("All"), "") == ""


def test_a_disabled_option_is_never_chosen() -> None:
    field = FormField(
        name="f", control="select", options=(FormOption("x", "1997", is_disabled=True),)
    )
    assert fitted_value(field, Attribute.YEAR, DOE) == ""


@given(st.text(max_size=3_000), st.integers(0, 60))
def test_texts_are_cut_to_what_a_field_takes(value: str, limit: int) -> None:
    result = cut(value, limit)
    assert len(result) <= (limit or MAX_VALUE_CHARS)
    assert "\n" not in result
    assert " ".join(value.split()).startswith(result)


_TEXTS = st.text(max_size=40)


@given(
    st.sampled_from(Attribute),
    st.builds(
        PortalQuery,
        title=_TEXTS,
        authors=st.lists(st.builds(PersonName, _TEXTS, _TEXTS), max_size=3).map(tuple),
        year=st.integers(-5_000, 5_000),
        keywords=st.lists(_TEXTS, max_size=3).map(tuple),
        language=_TEXTS,
        doi=_TEXTS,
        query=_TEXTS,
    ),
    st.lists(_TEXTS, max_size=5),
    st.integers(0, 9),
)
def test_any_object_fits_any_field(
    attribute: Attribute, subject: PortalQuery, labels: list[str], limit: int
) -> None:
    chosen = fitted_value(menu(*labels), attribute, subject)
    assert chosen in {"", *(f"v{n}" for n in range(len(labels)))}
    typed = fitted_value(text(max_length=limit), attribute, subject)
    assert len(typed) <= (limit or MAX_VALUE_CHARS)


@given(
    st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True),
    st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True),
)
def test_names_are_read_as_they_are_written(first: str, last: str) -> None:
    name = PersonName(last, first)
    assert person_name(name.full) == person_name(name.inverted) == name
