"""PowerPoint's XML: slides in the order in which they are shown, each with its notes."""

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats.collector import DocumentBuilder
from motherlode.documents.formats.loose_texts import gather_loose
from motherlode.documents.formats.markup import StopReading, local, prefixed, walk
from motherlode.documents.formats.ooxml import Office, Relations
from motherlode.documents.formats.paragraphs import Paragraphs

MAX_SLIDES = 5_000
_TITLES = frozenset({"title", "ctrTitle"})
_ON_EVERY_SLIDE = frozenset({"sldNum", "dt", "hdr", "ftr", "sldImg"})
_SILENT = frozenset({"Fallback"})
_LETTERS = {"br": "\n", "tab": "\t"}
_SHAPES = frozenset({"sp", "graphicFrame", "pic", "cxnSp"})


def read_slides(office: Office, gathered: DocumentBuilder) -> None:
    main = office.main_part("ppt/presentation.xml")
    slides = _order(office, main) if main else []
    slides = slides or office.numbered(r"ppt/slides/slide(\d{1,9})\.xml")
    if not slides and not main:
        raise UnreadableError("no presentation in it")
    for slide in slides[:MAX_SLIDES]:
        relations = office.relations(slide)
        _read_part(office, slide, gathered)
        for part in office.related(relations, "notesSlide"):
            _read_part(office, part, gathered)
        for part in office.related(relations, "diagramData", "comments"):
            gather_loose(office.part(part), gathered)
        if gathered.full:
            break


def _read_part(office: Office, part: str, gathered: DocumentBuilder) -> None:
    reading = _Slide(gathered, office.relations(part))
    walk(office.part(part), reading)
    reading.finish()


class _Order:
    """The names of the relations to slides."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if local(name) == "sldId" and len(self.names) < MAX_SLIDES:
            self.names.append(prefixed(attributes, "id"))

    def end(self, _: str) -> None:
        pass

    def text(self, _: str) -> None:
        pass


def _order(office: Office, main: str) -> list[str]:
    order, relations = _Order(), office.relations(main)
    walk(office.part(main), order)
    targets = (relations[name].target for name in order.names if name in relations)
    return [target for target in targets if target in office]


class _Slide:
    def __init__(self, gathered: DocumentBuilder, relations: Relations) -> None:
        self._gathered = gathered
        self._relations = relations
        self._paragraphs = Paragraphs(gathered)
        self._depth = self._silent = 0
        self._shapes: list[int] = []  # depths of those that are open
        self._heading = self._taking = self._in_run = False
        self._link = ""  # where the runs before lead
        self._following = ""  # where this run leads

    def start(self, name: str, attributes: dict[str, str]) -> None:
        name = local(name)
        self._depth += 1
        if self._silent:
            return
        if name in _SILENT or (name == "fld" and attributes.get("type") == "slidenum"):
            self._silent = self._depth
        elif name in _SHAPES:
            self._shapes.append(self._depth)
            self._heading = False
        elif name == "ph":
            self._placeholder(attributes.get("type", ""))
        elif name == "p":
            self._paragraphs.begin()
            self._link = ""
        elif name == "hlinkClick":
            self._linked(self._target(attributes))
        else:
            self._start_run(name)

    def end(self, name: str) -> None:
        if not self._silent:
            self._end(local(name))
        elif self._silent == self._depth:
            self._silent = 0
        if self._shapes and self._shapes[-1] == self._depth:
            self._shapes.pop()
        self._depth -= 1
        if self._gathered.full:
            raise StopReading

    def text(self, data: str) -> None:
        if self._taking:
            self._paragraphs.say(data)

    def finish(self) -> None:
        while self._paragraphs:
            self._gathered.line(self._paragraphs.end())

    def _start_run(self, name: str) -> None:
        if name in ("r", "fld"):
            self._in_run = True
            self._following = ""
        elif name == "t":
            # A link is cut where its letters change their looks: runs that lead to one place are
            # one link.
            if self._following != self._link:
                self._paragraphs.end_link()
                if self._following:
                    self._paragraphs.begin_link(self._following)
                self._link = self._following
            self._taking = True
        elif name in _LETTERS:
            self._paragraphs.say(_LETTERS[name])

    def _end(self, name: str) -> None:
        if name == "t":
            self._taking = False
        elif name in ("r", "fld"):
            self._in_run = False
        elif name == "p":
            text = self._paragraphs.end()
            self._gathered.heading(text) if self._heading else self._gathered.line(text)

    def _placeholder(self, kind: str) -> None:
        self._heading = kind in _TITLES
        if kind in _ON_EVERY_SLIDE and self._shapes:
            self._silent = self._shapes[-1]

    def _linked(self, href: str) -> None:
        if self._in_run:
            self._following = href
        else:
            self._gathered.reference(href)

    def _target(self, attributes: dict[str, str]) -> str:
        relation = self._relations.get(prefixed(attributes, "id"))
        return relation.target if relation and relation.external else ""
