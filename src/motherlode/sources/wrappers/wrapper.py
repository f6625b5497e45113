"""A wrapper: a form or an OpenSearch description as a source that is asked by attributes."""

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from motherlode.records import BadInputError, Form, FormField, FormPurpose
from motherlode.sources.search.description import SearchTemplate
from motherlode.sources.wrappers.attributes import Attribute
from motherlode.sources.wrappers.check import fingerprint_of
from motherlode.sources.wrappers.matching import FieldMatch, Matching, matching_of
from motherlode.sources.wrappers.vocabulary import Vocabulary, default_vocabulary

MAX_STORED_OPTIONS = 1_000  # of a form; menus beyond are stored without their last options
MAX_STORED_VALUE = 500  # characters of a default; a longer one is read anew each time
OPENSEARCH_FIELD = "searchTerms"
OPENSEARCH_SCORE = 1.0
REFUSED: dict[FormPurpose, str] = {
    FormPurpose.LOGIN: "it is a form to log in",
    FormPurpose.REGISTRATION: "it is a form to register",
    FormPurpose.RECOVERY: "it is a form to recover a password",
    FormPurpose.CONTACT: "it is a form to contact or comment",
    FormPurpose.MAILING_LIST: "it is a form to subscribe",
    FormPurpose.ORDER: "it is a form to order or pay",
}
PRIVATE_CONTROLS = frozenset({"password", "file"})
PAYMENT_WORDS = frozenset({"cardnumber", "ccnumber", "cvc", "cvv", "iban", "creditcard"})


class Wrapper(Struct, frozen=True, kw_only=True):
    """A source made of the form at a place of a page.

    `number` counts the forms of the page from 1. `template` is that of an OpenSearch description,
    which has one field; then `page` is the address of the description. `created` is a date.
    """

    name: str
    page: str
    form: Form
    matching: Matching
    number: int = 1
    created: str = ""
    template: str = ""
    fingerprint: str = ""
    reads_page: bool = True  # before each search, for hidden values and cookies


def wrapper_of_form(
    name: str,
    page: str,
    forms: Sequence[Form],
    *,
    number: int = 0,
    created: str = "",
    vocabulary: Vocabulary | None = None,
) -> Wrapper:
    """Return a wrapper of a page's form with this number, or of its best search form.

    Raises `BadInputError` where no wrapper is made of the form, with the reason.
    """
    words = vocabulary or default_vocabulary()
    if number:
        if not 1 <= number <= len(forms):
            raise BadInputError(f"{page} has {_forms(len(forms))}, so there is no form {number}.")
        matching = _checked(forms[number - 1], words, page, number)
    else:
        number, matching = _best(forms, words, page)
    form = _storable(forms[number - 1])
    return Wrapper(
        name=name,
        page=page,
        form=form,
        matching=matching,
        number=number,
        created=created,
        fingerprint=fingerprint_of(form),
        reads_page=needs_page(form),
    )


def wrapper_of_template(
    name: str, page: str, template: SearchTemplate, charset: str, created: str = ""
) -> Wrapper:
    """Return a wrapper of a template of an OpenSearch description, which takes free words."""
    field = FormField(name=OPENSEARCH_FIELD, control="search", label="Search terms")
    form = Form(
        action=template.template,
        charset=charset,
        fields=(field,),
        purpose=FormPurpose.SEARCH,
        query_field=OPENSEARCH_FIELD,
    )
    match = FieldMatch(OPENSEARCH_FIELD, Attribute.ANY, OPENSEARCH_SCORE)
    return Wrapper(
        name=name,
        page=page,
        form=form,
        matching=Matching((match,)),
        created=created,
        template=template.template,
        fingerprint=fingerprint_of(form),
        reads_page=False,
    )


def edited(wrapper: Wrapper, field: str, attribute: str) -> Wrapper:
    """Return a wrapper in which a field asks for another attribute; for none, if it is empty.

    Raises `BadInputError` if there is no such field or attribute.
    """
    names = [form_field.name for form_field in wrapper.form.fields]
    if field not in names:
        raise BadInputError(f"The form has no field {field[:60]!r}; it has {_listed(names)}.")
    kept = [match for match in wrapper.matching.fields if match.field != field]
    if attribute:
        if attribute not in set(Attribute):
            raise BadInputError(
                f"There is no attribute {attribute[:60]!r}; there are {_listed(Attribute)}."
            )
        kept.append(FieldMatch(field, Attribute(attribute), 1.0))
    in_order = sorted(kept, key=lambda match: names.index(match.field))
    return replace(wrapper, matching=replace(wrapper.matching, fields=tuple(in_order)))


def refusal_of(form: Form) -> str:
    """Return why no wrapper is made of a form; empty if one is."""
    return next(filter(None, _refusals(form)), "")


def needs_page(form: Form) -> bool:
    """Whether the page is read before the form is sent: its hidden values may serve only once."""
    return form.method != "get" or any(field.control == "hidden" for field in form.fields)


def _refusals(form: Form) -> Iterator[str]:
    """Yield the reasons against a wrapper of a form; empty ones are none."""
    yield REFUSED.get(form.purpose, "")
    if any(field.control in PRIVATE_CONTROLS for field in form.fields):
        yield "it asks for a password or a file"
    if any(_letters(field.name) in PAYMENT_WORDS for field in form.fields):
        yield REFUSED[FormPurpose.ORDER]
    yield form.problem.rstrip(".")
    if urlsplit(form.action).scheme not in ("http", "https"):
        yield "it is sent to an address that is not on the Web"


def _best(forms: Sequence[Form], vocabulary: Vocabulary, page: str) -> tuple[int, Matching]:
    """Return the number and matching of the form that can be asked for most."""
    if not forms:
        raise BadInputError(f"{page} has no form.")
    able = [
        (number, matching)
        for number, form in enumerate(forms, start=1)
        if not (refusal_of(form) or form.needs_script)
        and (matching := matching_of(form, vocabulary)).fields
    ]
    if not able:
        first = max(range(len(forms)), key=lambda place: forms[place].purpose == FormPurpose.SEARCH)
        _checked(forms[first], vocabulary, page, first + 1)
        raise BadInputError(
            f"No source is made of form {first + 1} of {page}: it seems to work only with a "
            f"script; '--form {first + 1}' tries it all the same."
        )

    def worth(pair: tuple[int, Matching]) -> tuple[bool, float, int]:
        number, matching = pair
        is_search = forms[number - 1].purpose == FormPurpose.SEARCH
        is_search = is_search or len(matching.fields) > 1  # it asks like a catalogue
        return is_search, sum(match.score for match in matching.fields), -number

    return max(able, key=worth)


def _checked(form: Form, vocabulary: Vocabulary, page: str, number: int) -> Matching:
    """Return the matching of a form. Raises `BadInputError` if no wrapper can be made of it."""
    if reason := refusal_of(form):
        raise BadInputError(f"No source is made of form {number} of {page}: {reason}.")
    matching = matching_of(form, vocabulary)
    if not matching.fields:
        raise BadInputError(
            f"No source is made of form {number} of {page}: "
            "none of its fields asks for words, a title or an author."
        )
    return matching


def _storable(form: Form) -> Form:
    """Return a form of a bounded size, without what is read anew from its page."""
    left = MAX_STORED_OPTIONS
    fields = []
    for field in form.fields:
        options = field.options[:left]
        left -= len(options)
        value = field.value if len(field.value) <= MAX_STORED_VALUE else ""
        fields.append(replace(field, options=options, value=value))
    return replace(form, fields=tuple(fields))


def _forms(number: int) -> str:
    return {0: "no form", 1: "one form"}.get(number, f"{number} forms")


def _listed(names: Iterable[str]) -> str:
    shown = [name for name in names if name]
    return ", ".join(shown[:30]) + (" and others" if len(shown) > 30 else "")  # noqa: PLR2004


def _letters(name: str) -> str:
    return "".join(filter(str.isalpha, name)).lower()
