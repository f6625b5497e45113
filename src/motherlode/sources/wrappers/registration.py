"""A wrapper is made of an address: of a search form there, or of an OpenSearch description."""

from motherlode.documents.encoding import decode_with_codec
from motherlode.documents.forms import read_forms
from motherlode.fetch.web import Response
from motherlode.records import BadInputError, Form
from motherlode.sources.search.client import SearchClient, is_html
from motherlode.sources.search.description import OpenSearchDescription, read_description
from motherlode.sources.wrappers.wrapper import Wrapper, wrapper_of_form, wrapper_of_template

# What a template may ask for; the values only say that they are known.
_KNOWN_PARAMETERS = {
    "searchTerms": "words",
    "count": "10",
    "startIndex": "1",
    "startPage": "1",
    "language": "*",
    "inputEncoding": "UTF-8",
    "outputEncoding": "UTF-8",
}


async def make_wrapper(
    client: SearchClient, url: str, *, number: int = 0, created: str = ""
) -> Wrapper:
    """Return a wrapper of the form with a number at an address, or of the best one there.

    Raises `SourceError` if the address cannot be had, and `BadInputError` with the reason why no
    wrapper is made.
    """
    response = await client.get(url)
    description = read_description(response.body, response.header("content-type"))
    if description is not None:
        return _of_description(client.name, response.url, description, created)
    if not is_html(response):
        raise BadInputError(f"{url} is neither an HTML page nor an OpenSearch description.")
    forms = forms_of(response)
    return wrapper_of_form(client.name, response.url, forms, number=number, created=created)


def forms_of(response: Response) -> tuple[Form, ...]:
    """Return the forms of a page, sent in its own encoding unless they name another."""
    html, codec = decode_with_codec(response.body, response.header("content-type"))
    return read_forms(html, response.url, charset=codec)


def _of_description(
    name: str, page: str, description: OpenSearchDescription, created: str
) -> Wrapper:
    template = description.best(_KNOWN_PARAMETERS)
    if template is None or "searchTerms" not in template.parameters:
        raise BadInputError(f"{page} describes no search by words whose results can be read.")
    return wrapper_of_template(name, page, template, description.encoding, created)
