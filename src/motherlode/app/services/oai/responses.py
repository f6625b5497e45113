"""Responses of OAI-PMH 2.0 as XML, whatever titles and texts hold."""

from collections.abc import Sequence
from time import time
from xml.etree import ElementTree as ET

from motherlode.app.services.oai.protocol import (
    ListPosition,
    OaiError,
    OaiErrorCode,
    OaiRequest,
    list_position,
    parse_request,
    shown_moment,
    token_of,
)
from motherlode.app.services.oai.repository import DublinCore, OaiRecord, OaiRepository, matching
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.export.text_cleaner import plain
from motherlode.records import UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree
from motherlode.training.collections.portal_collections import has_collections

PAGE_RECORDS = 100  # of a list
PREFIX = "oai_dc"
_OAI = "http://www.openarchives.org/OAI/2.0/"
_OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_DC = "http://purl.org/dc/elements/1.1/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_OAI_SCHEMA = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
_DC_SCHEMA = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
_NO_CONTACT = "nobody@motherlode.local"  # the protocol wants an address
_XML = b'<?xml version="1.0" encoding="UTF-8"?>\n'

for _prefix, _uri in (("", _OAI), ("oai_dc", _OAI_DC), ("dc", _DC), ("xsi", _XSI)):
    ET.register_namespace(_prefix, _uri)


def oai_response(
    registry: PortalRegistry,
    name: str,
    base_url: str,
    pairs: Sequence[tuple[str, str]],
    now: float | None = None,
    page_records: int | None = None,
) -> bytes:
    """Return the response to a request, given as pairs of name and value; `now` is its moment.

    Raises `NoPortalError` if there is no such portal, and `UsageError` if it has no collections.
    """
    root = ET.Element(_in(_OAI, "OAI-PMH"))
    root.set(_in(_XSI, "schemaLocation"), f"{_OAI} {_OAI_SCHEMA}")
    _add(root, "responseDate", shown_moment(time() if now is None else now))
    shown_request = _add(root, "request", base_url)
    with registry.reading(name) as portal, portal.store.reading() as session:
        if not has_collections(session):
            raise UsageError(f"{name} has no collections; 'lode collect' makes them.")
        repository = OaiRepository(portal, session, TopicTree(topic_rows.all_topics(session)))
        try:
            request = parse_request(pairs)
            for argument, value in (("verb", request.verb), *request.arguments.items()):
                shown_request.set(argument, plain(value))
            root.append(
                _Responder(repository, base_url, page_records or PAGE_RECORDS).answer(request)
            )
        except OaiError as error:
            if error.code in (OaiErrorCode.BAD_VERB, OaiErrorCode.BAD_ARGUMENT):
                shown_request.attrib.clear()  # as the protocol has it
            _add(root, "error", str(error)).set("code", error.code.value)
    body: bytes = ET.tostring(root, encoding="utf-8")
    return _XML + body


class _Responder:
    """Answers requests out of a repository."""

    def __init__(self, repository: OaiRepository, base_url: str, page_records: int) -> None:
        self._repository, self._base_url = repository, base_url
        self._page_records = page_records

    def answer(self, request: OaiRequest) -> ET.Element:
        """Return the element of the request's verb. Raises `OaiError`."""
        element = ET.Element(_in(_OAI, request.verb))
        match request.verb:
            case "Identify":
                self._identify(element)
            case "ListMetadataFormats":
                self._list_formats(element, request)
            case "ListSets":
                self._list_sets(element, request)
            case "GetRecord":
                self._get_record(element, request)
            case _:
                self._list_records(element, list_position(request))
        return element

    def _identify(self, element: ET.Element) -> None:
        contact = self._repository.portal.config.crawler.contact
        _add(element, "repositoryName", self._repository.portal.title)
        _add(element, "baseURL", self._base_url)
        _add(element, "protocolVersion", "2.0")
        _add(element, "adminEmail", _mail_address(contact))
        _add(element, "earliestDatestamp", shown_moment(self._repository.earliest))
        _add(element, "deletedRecord", "transient")
        _add(element, "granularity", "YYYY-MM-DDThh:mm:ssZ")

    def _list_formats(self, element: ET.Element, request: OaiRequest) -> None:
        identifier = request.arguments.get("identifier")
        if identifier is not None:
            self._record(identifier)
        format_ = _add(element, "metadataFormat")
        _add(format_, "metadataPrefix", PREFIX)
        _add(format_, "schema", _DC_SCHEMA)
        _add(format_, "metadataNamespace", _OAI_DC)

    def _list_sets(self, element: ET.Element, request: OaiRequest) -> None:
        if "resumptionToken" in request.arguments:
            raise OaiError(
                OaiErrorCode.BAD_TOKEN, "The list of sets is complete, so no token goes on with it."
            )
        if not self._repository.sets:
            raise OaiError(OaiErrorCode.NO_SETS, "There are no collections yet.")
        for one in self._repository.sets:
            shown = _add(element, "set")
            _add(shown, "setSpec", one.spec)
            _add(shown, "setName", one.name)

    def _get_record(self, element: ET.Element, request: OaiRequest) -> None:
        _check_prefix(request.arguments["metadataPrefix"])
        record = self._record(request.arguments["identifier"])
        _add_record(element, record, self._repository.metadata_of([record]))

    def _list_records(self, element: ET.Element, position: ListPosition) -> None:
        _check_prefix(position.prefix)
        repository = self._repository
        found = matching(repository.records, position.set_spec, position.since, position.until)
        ahead = [record for record in found if record.identifier > position.after]
        if not ahead and position.sent:
            raise OaiError(
                OaiErrorCode.BAD_TOKEN,
                "What that resumptionToken goes on with is gone; begin again.",
            )
        if not ahead:
            raise OaiError(OaiErrorCode.NO_RECORDS, "No record has these properties.")
        part = ahead[: self._page_records]
        if position.verb == "ListRecords":
            metadata = repository.metadata_of(part)
            for record in part:
                _add_record(element, record, metadata)
        else:
            for record in part:
                _add_header(element, record)
        is_last = len(part) == len(ahead)
        if not is_last or position.sent:
            self._add_token(element, position, part, is_last=is_last, total=len(found))

    def _add_token(
        self,
        element: ET.Element,
        position: ListPosition,
        part: Sequence[OaiRecord],
        *,
        is_last: bool,
        total: int,
    ) -> None:
        token = "" if is_last else token_of(_advanced(position, part))
        shown = _add(element, "resumptionToken", token)
        shown.set("completeListSize", str(total))
        shown.set("cursor", str(position.sent))

    def _record(self, identifier: str) -> OaiRecord:
        record = self._repository.record(identifier)
        if record is None:
            raise OaiError(
                OaiErrorCode.NO_ID, f"There is no record with the identifier {identifier[:200]}."
            )
        return record


def _advanced(position: ListPosition, part: Sequence[OaiRecord]) -> ListPosition:
    return ListPosition(
        verb=position.verb,
        prefix=position.prefix,
        set_spec=position.set_spec,
        since=position.since,
        until=position.until,
        after=part[-1].identifier,
        sent=position.sent + len(part),
    )


def _check_prefix(prefix: str) -> None:
    if prefix != PREFIX:
        raise OaiError(
            OaiErrorCode.CANNOT_DISSEMINATE, f"Records are in {PREFIX}, and in no other format."
        )


def _add_record(element: ET.Element, record: OaiRecord, metadata: dict[str, DublinCore]) -> None:
    shown = _add(element, "record")
    _add_header(shown, record)
    core = metadata.get(record.identifier)
    if core is None:
        return
    container = ET.SubElement(_add(shown, "metadata"), _in(_OAI_DC, "dc"))
    container.set(_in(_XSI, "schemaLocation"), f"{_OAI_DC} {_DC_SCHEMA}")
    for name, value in core.elements:
        ET.SubElement(container, _in(_DC, name)).text = plain(value)


def _add_header(element: ET.Element, record: OaiRecord) -> None:
    header = _add(element, "header")
    if record.is_deleted:
        header.set("status", "deleted")
    _add(header, "identifier", record.identifier)
    _add(header, "datestamp", shown_moment(record.datestamp))
    _add(header, "setSpec", record.set_spec)


def _add(parent: ET.Element, name: str, text: str = "") -> ET.Element:
    element = ET.SubElement(parent, _in(_OAI, name))
    if text:
        element.text = plain(text)
    return element


def _in(namespace: str, name: str) -> str:
    return f"{{{namespace}}}{name}"


def _mail_address(contact: str) -> str:
    """Return the mail address in a crawler's contact; a stand-in if it is a web page, or empty."""
    address = contact.removeprefix("mailto:").strip()
    is_mail = "@" in address and "://" not in address and not any(map(str.isspace, address))
    return address if is_mail else _NO_CONTACT
