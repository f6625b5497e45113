"""How prominent each phrase is in each document, from which clusters are named.

Candidates are what people call things: titles, headings and anchors, and what follows an article in
the first sentences. Headings that many documents
share are parts of their form, and lines that many documents of a host share are boilerplate.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from motherlode.documents.text.phrases import (
    Name,
    known_phrases,
    names_in,
    runs_of,
    segments_of,
    things_in,
)

MAX_PROSE_CHARS = 4_000  # of a document
IN_TITLE = 1.0
IN_ANCHOR = 0.6  # of a link to the document
AT_BEGINNING = 0.5
IN_TEXT = 0.2  # also in headings, and in the site's name
_BEGINNING_CHARS = 400
_MIN_NAMING_DOCUMENTS = 2  # that call something so
_STRUCTURAL_SHARE = 0.04  # of documents with the same heading
_STRUCTURAL_DOCUMENTS = 4
_REPEATED_SHARE = 0.1  # of a host's documents with the same line
_REPEATED_DOCUMENTS = 3
# A form within a sentence outweighs as many in titles, which have more capitals.
_FREE_FORM = 100

Saliences = dict[int, float]  # by the place of the document


class LabelledDocument(Struct, frozen=True):
    """What labels are made of. `prose` has the sentences of the document, a paragraph each.

    `inbound` has the anchors of links to the document, `outbound` those of links in its text.
    """

    host: str
    title: str
    headings: Sequence[str]
    prose: Sequence[str]
    inbound: Sequence[str] = ()
    outbound: Sequence[str] = ()
    language: str = "en"


class PhraseStatistics:
    """Phrases of documents by their keys, after `fit`.

    `saliences_` says how prominent a phrase is in each document that has it (0 to 1), `naming_` how
    many documents use it as a name, and `longer_` which phrases it is a part of. `hosts_` has the
    host of each document.
    """

    def fit(self, documents: Sequence[LabelledDocument]) -> "PhraseStatistics":
        self.hosts_ = [document.host for document in documents]
        self.saliences_: dict[str, Saliences] = defaultdict(dict)
        self._forms: dict[str, Counter[str]] = defaultdict(Counter)
        boilerplate = _Boilerplate(documents)
        self._count_names(documents, boilerplate)
        self.longer_ = _longer_phrases(self.naming_)
        for place, document in enumerate(documents):
            for text, salience in _passages(document, boilerplate):
                self._count(place, text, salience, document.language)
        return self

    def _count_names(
        self, documents: Sequence[LabelledDocument], boilerplate: "_Boilerplate"
    ) -> None:
        """Find the phrases that several documents use as names, and how many do."""
        weights: dict[str, float] = defaultdict(float)
        self._named_forms: dict[str, Counter[str]] = defaultdict(Counter)
        for document in documents:
            for key, name in _names_of(document, boilerplate).items():
                weights[key] += name.weight
                self._named_forms[key][name.text.casefold()] += 1
        least = min(_MIN_NAMING_DOCUMENTS, max(1, len(documents) // 2))
        counts = {key: forms.total() for key, forms in self._named_forms.items()}
        self.naming_ = {key: weights[key] for key, number in counts.items() if number >= least}

    def _count(self, place: int, text: str, salience: float, language: str) -> None:
        for run in runs_of(text, language):
            for phrase in known_phrases(run, self.naming_):
                saliences = self.saliences_[phrase.key]
                saliences[place] = max(salience, saliences.get(place, 0.0))
                is_free = salience < IN_TITLE and phrase.is_free
                self._forms[phrase.key][phrase.text] += _FREE_FORM if is_free else 1

    def form(self, key: str) -> str:
        """Return a phrase as names and sentences have it, with the capitals of the latter."""
        forms, named = self._forms[key], self._named_forms[key]
        in_text: Counter[str] = Counter()
        for form, number in forms.items():
            in_text[form.casefold()] += number
        best = max(in_text, key=lambda form: (in_text[form] * (named[form] + 1), form))
        return max(
            (form for form in forms if form.casefold() == best),
            key=lambda form: (forms[form], form),
        )


class _Boilerplate:
    """Headings that documents share, and lines and parts of titles that those of a host share."""

    def __init__(self, documents: Sequence[LabelledDocument]) -> None:
        distinct = _without_revisions(documents)
        headings = Counter(heading for document in distinct for heading in {*document.headings})
        least = max(_STRUCTURAL_DOCUMENTS, _STRUCTURAL_SHARE * len(distinct))
        self._structural = {heading for heading, number in headings.items() if number >= least}
        sizes = Counter(document.host for document in distinct)
        lines = Counter(
            (document.host, line)
            for document in distinct
            for line in {*document.prose, *document.headings, *segments_of(document.title)}
        )
        self._repeated = {
            (host, line)
            for (host, line), number in lines.items()
            if number >= max(_REPEATED_DOCUMENTS, _REPEATED_SHARE * sizes[host])
        }

    def is_repeated(self, document: LabelledDocument, line: str) -> bool:
        return (document.host, line) in self._repeated

    def own_headings(self, document: LabelledDocument) -> list[str]:
        return [
            heading
            for heading in document.headings
            if heading not in self._structural and not self.is_repeated(document, heading)
        ]


def _without_revisions(documents: Sequence[LabelledDocument]) -> Collection[LabelledDocument]:
    """Return the documents, and of several that begin alike only one.

    A wiki shows every revision of a page. What all of them say is no boilerplate.
    """
    by_beginning = {
        (document.host, document.title, *document.prose[:1]): document for document in documents
    }
    return by_beginning.values()


def _names_of(document: LabelledDocument, boilerplate: _Boilerplate) -> dict[str, Name]:
    """Return what a document names, with the highest weight that any of its names has."""
    own = [*segments_of(document.title), *boilerplate.own_headings(document)]
    names: dict[str, Name] = {}
    for text in dict.fromkeys((*own, *document.inbound, *document.outbound)):
        for key, name in names_in(text, document.language).items():
            if key not in names or name.weight > names[key].weight:
                names[key] = name
    for line, _ in _prose_of(document, boilerplate, _BEGINNING_CHARS):
        for key, name in things_in(line, document.language).items():
            names.setdefault(key, name)
    return names


def _longer_phrases(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the phrases that each part of a phrase is in."""
    longer: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        words = key.split()
        places = range(len(words) + 1)
        for part in {" ".join(words[start:end]) for start in places for end in places[start + 1 :]}:
            if part != key:
                longer[part].append(key)
    return longer


def _passages(document: LabelledDocument, boilerplate: _Boilerplate) -> Iterator[tuple[str, float]]:
    """Yield the texts of a document with the salience of the phrases in each."""
    for segment in segments_of(document.title):
        is_site_name = boilerplate.is_repeated(document, segment)
        yield segment, IN_TEXT if is_site_name else IN_TITLE
    for anchor in dict.fromkeys(document.inbound):
        yield anchor, IN_ANCHOR
    for heading in boilerplate.own_headings(document):
        yield heading, IN_TEXT
    for line, chars in _prose_of(document, boilerplate, MAX_PROSE_CHARS):
        yield line, AT_BEGINNING if chars < _BEGINNING_CHARS else IN_TEXT


def _prose_of(
    document: LabelledDocument, boilerplate: _Boilerplate, limit: int
) -> Iterator[tuple[str, int]]:
    """Yield the document's own lines up to a limit, with the number of characters before each."""
    chars = 0
    for line in document.prose:
        if chars >= limit:
            return
        if not boilerplate.is_repeated(document, line):
            yield line[: limit - chars], chars
            chars += len(line)
