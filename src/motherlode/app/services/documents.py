"""Documents that a person names on the command line: a file, or what lies at a URL."""

import os
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from motherlode.app.services.addresses import web_address
from motherlode.crawl.fetcher_setup import manner_of
from motherlode.crawl.inspection import look_at
from motherlode.documents.analysing import Analysed
from motherlode.documents.mime import sniff_mime
from motherlode.documents.raw import Raw
from motherlode.fetch.loops import run
from motherlode.portal.config import Config
from motherlode.records import BadInputError, UsageError
from motherlode.workers.document_reader import DocumentReaders

NOWHERE = "http://localhost/"  # where a file is, if nobody says otherwise
_MAX_BYTES = 200 * 2**20


def read_all(raw: Raw, config: Config) -> list[Analysed]:
    """What a document says, and each file inside it; read by a process of its own."""

    async def read() -> list[Analysed]:
        async with DocumentReaders(manner_of(config), replace(config.reading, workers=1)) as readers:
            return (await readers.read_documents([raw]))[0]

    return run(read())


def from_file(path: Path, content_type: str = "", url: str = "") -> Raw:
    try:
        with path.open("rb") as file:
            body = file.read(_MAX_BYTES + 1)  # a pipe does not say how much is in it
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(body) > _MAX_BYTES:
        raise BadInputError(f"{path} is larger than {_MAX_BYTES // 2**20} MB.")
    place = web_address(url).url if url else f"{NOWHERE}{quote(os.fsencode(path.name))}"
    told = content_type or guess_type(path.name)[0] or ""
    return Raw(place, body, sniff_mime(body, told), told)


def from_web(url: str, config: Config) -> Raw:
    look = run(look_at(web_address(url, config.urls), config, read=False))
    response, failure = look.fetched.response, look.fetched.failure
    if response is None or failure is not None:
        detail = f" ({look.fetched.detail})" if look.fetched.detail else ""
        raise BadInputError(f"{url[:200]}: {failure or 'nothing came'}{detail}.")
    return Raw(response.url, response.body, response.mime, response.header("content-type"))
