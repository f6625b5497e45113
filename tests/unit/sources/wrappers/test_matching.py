"""Attributes are matched to the fields of forms."""

import pytest

from motherlode.records import Form, FormField, FormOption
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.matching import Matching, matching_of
from motherlode.sources.wrappers.menus import SearchMenu
from motherlode.sources.wrappers.vocabulary import Vocabulary
from support.labelled_forms import LabelledForm, catalogue_forms, form_of, matching_quality

WORDS = Vocabulary()
CATALOGUES = catalogue_forms()
# Only WordNet knows that a heading is a title, and that a tongue is a language.
HARD = frozenset({"names in two fields"})


def attributes(matching: Matching) -> dict[str, str]:
    return {match.field: match.attribute for match in matching.fields}


@pytest.mark.parametrize(
    "labels", [one for one in CATALOGUES if one.name not in HARD], ids=lambda one: one.name
)
def test_forms_in_the_styles_of_catalogues(labels: LabelledForm) -> None:
    matching = matching_of(labels.form, WORDS)
    assert attributes(matching) == labels.fields
    assert {menu.menu: menu.query_field for menu in matching.menus} == labels.menus


def test_words_alone_know_less_than_the_web_table() -> None:
    plain = matching_quality(CATALOGUES, Vocabulary(web_words=False))
    assert plain.recall < 0.5
    assert matching_quality(CATALOGUES, WORDS).recall > 0.9
    assert plain.precision > 0.85


def test_a_menu_says_what_a_field_asks_for() -> None:
    form = form_of(
        "<form><select name=idx><option value=kw>Keyword<option value=ti>Title"
        "<option value=au>Author</select><input name=q><input type=submit></form>"
    )
    assert matching_of(form, WORDS).menus == (
        SearchMenu(
            "idx",
            "q",
            {Attribute.KEYWORDS: "kw", Attribute.TITLE: "ti", Attribute.AUTHOR: "au"},
        ),
    )


def test_a_menu_of_orders_is_no_menu_of_attributes() -> None:
    form = form_of(
        "<form><input name=q><select name=sort><option>Title<option>Author<option>Relevance"
        "</select><input type=submit></form>"
    )
    matching = matching_of(form, WORDS)
    assert matching.menus == ()
    assert attributes(matching) == {"q": "any"}


def test_two_years_side_by_side_are_a_span() -> None:
    form = form_of(
        "<form>Title <input name=t> Year <input name=y1> <input name=y2 title=Year><input type=submit></form>"
    )
    assert attributes(matching_of(form, WORDS)) == {
        "t": "title",
        "y1": "year-from",
        "y2": "year-to",
    }


def test_numbered_fields_share_an_attribute_and_others_do_not() -> None:
    form = form_of(
        "<form><input name=author1><input name=author2><input name=title><input name=editor><input type=submit></form>"
    )
    assert attributes(matching_of(form, WORDS)) == {
        "author1": "author",
        "author2": "author",
        "title": "title",
    }


def test_keywords_are_free_words_where_no_field_is_for_titles() -> None:
    alone = form_of(
        "<form>Keywords <input name=kw> Author <input name=a><input type=submit></form>"
    )
    beside = form_of(
        "<form>Keywords <input name=kw> Title <input name=t><input type=submit></form>"
    )
    assert attributes(matching_of(alone, WORDS))["kw"] == "any"
    assert attributes(matching_of(beside, WORDS))["kw"] == "keywords"


def test_the_only_text_field_takes_free_words_whatever_its_name() -> None:
    assert attributes(
        matching_of(form_of("<form><input name=x1><input type=submit></form>"), WORDS)
    ) == {"x1": "any"}


def test_years_alone_are_nothing_to_ask_for() -> None:
    form = form_of(
        "<form>Date <input name=a type=date> Adults <input name=b> Rooms <input name=c><input type=submit></form>"
    )
    assert matching_of(form, WORDS) == Matching()


def test_checkboxes_files_and_disabled_fields_are_left_out() -> None:
    form = form_of(
        "<form><input name=q><input type=checkbox name=title><input type=file name=author>"
        "<input name=isbn disabled><input type=hidden name=year value=1><input type=submit></form>"
    )
    assert attributes(matching_of(form, WORDS)) == {"q": "any"}


def test_scores_are_probabilities_and_grow_with_evidence() -> None:
    label = matching_of(
        form_of("<form>Title <input name=f1> Author <input name=au><input type=submit></form>"),
        WORDS,
    )
    both = matching_of(
        form_of("<form>Title <input name=ti> Author <input name=au><input type=submit></form>"),
        WORDS,
    )
    assert 0.5 <= label.score_of(Attribute.TITLE) < both.score_of(Attribute.TITLE) < 1
    assert both.score_of(Attribute.ISBN) == 0


def test_huge_forms_are_bounded() -> None:
    options = tuple(FormOption(str(number), f"Title {number}") for number in range(5_000))
    menu = FormField(name="m", control="select", options=options)
    fields = tuple(FormField(name=f"f{n}", control="text", label="Title") for n in range(10_000))
    matching = matching_of(Form(action="http://a.test/", fields=(menu, *fields)), WORDS)
    assert len(matching.fields) <= 300
