"""Read a document that a user names: a file, or the page at a URL."""

import os
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from motherlode.app.services.addresses import web_address
from motherlode.crawl.fetcher_setup import reading_options_of
from motherlode.crawl.inspection import inspect_url
from motherlode.documents.analysis import Analysed
from motherlode.documents.extracts import Raw
from motherlode.documents.mime import sniff_mime
from motherlode.fetch.event_loop import run
from motherlode.portal.config import Config
from motherlode.records import BadInputError, UsageError
from motherlode.workers.document_reader import DocumentReaders

NOWHERE = "http://localhost/"  # the address of a file, unless another is given
MAX_FILE_BYTES = 200 * 2**20


def read_all(raw: Raw, config: Config) -> list[Analysed]:
    """Return a document and each file inside it, parsed in a worker process."""

    async def read() -> list[Analysed]:
        async with DocumentReaders(
            reading_options_of(config), replace(config.reading, workers=1)
        ) as readers:
            return (await readers.read_documents([raw]))[0]

    return run(read())


def from_file(path: Path, content_type: str = "", url: str = "") -> Raw:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_FILE_BYTES + 1)  # a pipe does not say how much is in it
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(body) > MAX_FILE_BYTES:
        raise BadInputError(f"{path} is larger than {MAX_FILE_BYTES // 2**20} MB.")
    place = web_address(url).url if url else f"{NOWHERE}{quote(os.fsencode(path.name))}"
    declared = content_type or guess_type(path.name)[0] or ""
    return Raw(place, body, sniff_mime(body, declared), declared)


def from_web(url: str, config: Config) -> Raw:
    look = run(inspect_url(web_address(url, config.urls), config, read=False))
    response, failure = look.fetched.response, look.fetched.failure
    if response is None or failure is not None:
        detail = f" ({look.fetched.detail})" if look.fetched.detail else ""
        raise BadInputError(f"{url[:200]}: {failure or 'no answer'}{detail}.")
    return Raw(response.url, response.body, response.mime, response.header("content-type"))
