"""Forms of web pages: where they lead, and what a person could fill in."""

from enum import StrEnum

from msgspec import Struct


class FormPurpose(StrEnum):
    """The purpose of a form."""

    SEARCH = "search"
    LOGIN = "login"
    REGISTRATION = "registration"
    RECOVERY = "password recovery"
    CONTACT = "contact"  # and comments
    MAILING_LIST = "mailing list"
    ORDER = "order"  # and payment, shopping carts
    OTHER = "other"


class FormOption(Struct, frozen=True):
    """A choice of a menu, or one of several radio buttons or checkboxes of the same name."""

    value: str
    label: str = ""
    is_selected: bool = False  # when the page is loaded
    is_disabled: bool = False


class FormField(Struct, frozen=True, kw_only=True):
    """A field of a form. Radio buttons or checkboxes of one name are one field with options.

    `control` is `select`, `textarea`, or the type of an `input`: `text`, `hidden`, `submit` and so
    on; a `<button>` that submits is `submit`. Browsers do not send a field without a name.
    """

    name: str
    control: str
    label: str = ""
    value: str = ""  # when the page is loaded; of choices, the first selected
    options: tuple[FormOption, ...] = ()
    placeholder: str = ""
    element_id: str = ""
    max_length: int = 0  # characters; 0: no limit
    is_required: bool = False
    is_multiple: bool = False  # several options may be chosen
    is_disabled: bool = False  # then browsers do not send it

    @property
    def defaults(self) -> tuple[str, ...]:
        """The values that are sent where a person changes nothing."""
        if self.options:
            return tuple(option.value for option in self.options if option.is_selected)
        return (self.value,)


class Form(Struct, frozen=True, kw_only=True):
    """A form, with its target resolved. `problem` says why it cannot be submitted, if so."""

    action: str
    method: str = "get"  # or "post"
    encoding: str = "urlencoded"  # "multipart" or "plain": of a POST
    charset: str = "utf-8"  # of what is sent
    fields: tuple[FormField, ...] = ()
    purpose: FormPurpose = FormPurpose.OTHER
    query_field: str = ""  # the name of the field for search words, if it is a search form
    title: str = ""  # its legend, heading or accessible name
    name: str = ""  # the form's `id`, else its `name`
    needs_script: bool = False
    problem: str = ""
