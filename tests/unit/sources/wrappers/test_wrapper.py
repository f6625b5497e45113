"""Wrappers are made of search forms, and of no others."""

import pytest
from msgspec.structs import replace

from motherlode.records import BadInputError, Form, FormField, FormPurpose
from motherlode.sources.search.description import SearchTemplate
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.vocabulary import Vocabulary
from motherlode.sources.wrappers.wrapper import (
    MAX_STORED_OPTIONS,
    MAX_STORED_VALUE,
    Wrapper,
    edited,
    needs_page,
    refusal_of,
    wrapper_of_form,
    wrapper_of_template,
)
from support.labelled_forms import PAGE, form_of

WORDS = Vocabulary()
SEARCH = form_of(
    "<form action=/find>Title <input name=t> Author <input name=a><input type=submit></form>"
)
BOX = form_of("<form action=/go><input name=q><input type=submit></form>")


def wrapped(*forms: Form, number: int = 0) -> Wrapper:
    return wrapper_of_form("acm", PAGE, forms, number=number, vocabulary=WORDS)


def test_the_form_that_can_be_asked_for_most_is_taken() -> None:
    wrapper = wrapped(BOX, SEARCH, BOX)
    assert wrapper.number == 2
    assert wrapper.form == SEARCH
    assert [match.attribute for match in wrapper.matching.fields] == ["title", "author"]


def test_a_search_form_comes_before_others() -> None:
    assert wrapped(replace(BOX, purpose=FormPurpose.OTHER), BOX).number == 2


def test_another_form_can_be_named() -> None:
    assert wrapped(BOX, SEARCH, number=1).form == BOX
    with pytest.raises(BadInputError, match="has 2 forms, so there is no form 3"):
        wrapped(BOX, SEARCH, number=3)


@pytest.mark.parametrize(
    ("purpose", "reason"),
    [
        (FormPurpose.LOGIN, "log in"),
        (FormPurpose.REGISTRATION, "register"),
        (FormPurpose.CONTACT, "contact"),
        (FormPurpose.ORDER, "pay"),
        (FormPurpose.MAILING_LIST, "subscribe"),
        (FormPurpose.RECOVERY, "password"),
    ],
)
def test_no_wrapper_is_made_of_forms_that_are_not_for_search(
    purpose: FormPurpose, reason: str
) -> None:
    with pytest.raises(BadInputError, match=rf"No source is made of form 1 of {PAGE}: .*{reason}"):
        wrapped(replace(SEARCH, purpose=purpose), number=1)


@pytest.mark.parametrize(
    "form",
    [
        replace(SEARCH, fields=(*SEARCH.fields, FormField(name="p", control="password"))),
        replace(SEARCH, fields=(*SEARCH.fields, FormField(name="f", control="file"))),
        replace(SEARCH, fields=(*SEARCH.fields, FormField(name="card-number", control="text"))),
        replace(SEARCH, problem="its target is no URL"),
        replace(SEARCH, action="javascript:find()"),
        replace(SEARCH, action="mailto:a@a.test"),
    ],
)
def test_no_wrapper_is_made_of_forms_that_ask_for_secrets_or_cannot_be_sent(form: Form) -> None:
    assert refusal_of(form)
    with pytest.raises(BadInputError, match="No source is made of form 1"):
        wrapped(form)
    assert wrapped(form, BOX).form == BOX, "the next form may do"


def test_a_form_that_needs_a_script_is_taken_only_if_it_is_named() -> None:
    scripted = replace(SEARCH, needs_script=True)
    assert wrapped(scripted, BOX).form == BOX
    assert wrapped(scripted, number=1).form == scripted
    with pytest.raises(BadInputError, match="only with a script; '--form 1' tries it"):
        wrapped(scripted)


def test_a_page_without_a_usable_form_is_refused() -> None:
    with pytest.raises(BadInputError, match="has no form"):
        wrapped()
    nothing = form_of("<form><input name=zip><input name=city><input type=submit></form>")
    with pytest.raises(BadInputError, match="none of its fields asks for words"):
        wrapped(nothing)


def test_the_page_is_read_again_where_values_may_serve_once() -> None:
    assert not needs_page(SEARCH)
    assert needs_page(replace(SEARCH, method="post"))
    assert needs_page(
        form_of(
            "<form><input type=hidden name=token value=1><input name=q><input type=submit></form>"
        )
    )


def test_what_is_stored_is_bounded() -> None:
    options = "".join(f"<option>{n}" for n in range(3_000))
    form = form_of(
        f"<form><input name=q value={'x' * 5_000}><select name=m>{options}</select><input type=submit></form>"
    )
    stored = wrapped(form).form
    assert sum(len(field.options) for field in stored.fields) <= MAX_STORED_OPTIONS
    assert max(len(field.value) for field in stored.fields) <= MAX_STORED_VALUE


def test_a_description_becomes_a_wrapper_for_free_words() -> None:
    template = SearchTemplate("http://a.test/find?q={searchTerms}", "text/html")
    wrapper = wrapper_of_template("a", "http://a.test/search.xml", template, "utf-8")
    assert [(match.field, match.attribute) for match in wrapper.matching.fields] == [
        ("searchTerms", "any")
    ]
    assert wrapper.template == template.template


def test_a_matching_is_edited() -> None:
    wrapper = wrapped(SEARCH)
    title = edited(edited(wrapper, "a", "last-name"), "t", "")
    assert [(match.field, match.attribute) for match in title.matching.fields] == [
        ("a", Attribute.LAST_NAME)
    ]
    assert wrapper.matching != title.matching
    with pytest.raises(BadInputError, match="has no field 'x'; it has t, a"):
        edited(wrapper, "x", "title")
    with pytest.raises(BadInputError, match="no attribute 'colour'; there are any, title"):
        edited(wrapper, "a", "colour")
