"""What forms are for, and which field takes search words."""

import pytest

from motherlode.documents.forms import FormPurpose, read_forms
from motherlode.documents.forms.purposes import PurposeModel

# None of these are from the pages that the model learned from.
FORMS = {
    FormPurpose.SEARCH: (
        "<form action=/catalogue><label>Title <input name=ti></label><label>Author <input name=au>"
        "</label><label>Keywords <input name=kw></label><button>Search the catalogue</button>"
    ),
    FormPurpose.LOGIN: (
        "<form action=/account/login method=post><label>User name <input name=user></label>"
        "<label>Password <input type=password name=pw></label><button>Log in</button>"
    ),
    FormPurpose.REGISTRATION: (
        "<form action=/register method=post><label>First name <input name=first></label><label>E-mail"
        "<input type=email name=mail></label><label>Password <input type=password name=p1></label>"
        "<label>Repeat password <input type=password name=p2></label><button>Create account</button>"
    ),
    FormPurpose.MAILING_LIST: (
        "<h3>Newsletter</h3><form action=/newsletter method=post><input type=email name=email"
        " placeholder='Your e-mail'><button>Subscribe</button>"
    ),
    FormPurpose.CONTACT: (
        "<h1>Contact us</h1><form action=/contact method=post><label>Name <input name=name></label>"
        "<label>E-mail <input name=email></label><label>Message <textarea name=message></textarea>"
        "</label><button>Send message</button>"
    ),
    FormPurpose.RECOVERY: (
        "<h1>Forgot your password?</h1><form action=/password/forgot method=post><label>E-mail"
        "<input name=email></label><button>Reset password</button>"
    ),
}


@pytest.mark.parametrize("purpose", FORMS)
def test_the_purpose_of_plain_cases_is_told(purpose: FormPurpose) -> None:
    (form,) = read_forms(FORMS[purpose], "http://a.test/")
    assert form.purpose is purpose
    assert bool(form.query_field) is (purpose is FormPurpose.SEARCH)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ("<input name=x>", "x"),
        ("<select name=in><option>All</select><input name=q>", "q"),
        ("<input name=year><input name=title placeholder='Search for words'>", "title"),
        ("<input name=min><input name=max>", ""),
        ("<input type=search name=text1><input name=text2>", "text1"),
        ("<input name=zip><input name=p$ctl00$SearchTerm>", "p$ctl00$SearchTerm"),
        ("<input type=hidden name=q><input id=q><select name=s></select>", ""),
        ("<input name=q disabled><input name=words>", "words"),
    ],
)
def test_the_query_field_is_the_one_that_looks_most_like_it(fields: str, name: str) -> None:
    html = f"<form action=/search class=search role=search>{fields}<button>Search</button></form>"
    (form,) = read_forms(html, "http://a.test/")
    assert (form.purpose, form.query_field) == (FormPurpose.SEARCH, name)


def test_the_largest_sum_of_weights_decides() -> None:
    model = PurposeModel(
        (FormPurpose.SEARCH, FormPurpose.LOGIN), (0.5, 0.0), {"a": (-1.0, 1.0), "b": (2.0, 0.0)}
    )
    assert model.margins(frozenset({"a", "b", "unknown"})) == (1.5, 1.0)
    assert model.purpose_of(frozenset()) is FormPurpose.SEARCH
    assert model.purpose_of(frozenset({"a"})) is FormPurpose.LOGIN
