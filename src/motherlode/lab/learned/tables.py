"""A study's findings as tables, for a terminal and for a page of the documentation."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from motherlode.documents.features.spaces import TERMS
from motherlode.lab.learned.portals import FOUR, ONE, TREE
from motherlode.lab.learned.study import Chosen, Expected, Features, MethodRow, StudyFindings
from motherlode.records import BadInputError

BEGIN, END = "<!-- begin: written by", "<!-- end: written by lode lab learn -->"
_NAMES = {TREE: "A tree of topics", ONE: "Portals of one topic", FOUR: "Portals of four topics"}


class TitledTable(Struct, frozen=True):
    """A table with its title."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(found: StudyFindings) -> Iterator[TitledTable]:
    for kind in dict.fromkeys(row.portal for row in found.rows):
        yield _methods(kind, [row for row in found.rows if row.portal == kind])
    if found.expected:
        yield _expected([one for one in found.expected if one.space == TERMS])
        yield _chosen(found.chosen)
    yield _features(found.features)


def markdown(found: StudyFindings, command: str) -> str:
    """The tables as Markdown between two marks, and how they came about."""
    parts = [f"{BEGIN}: {command} -->"]
    parts += [f"**{sheet.title}**\n\n{_table(sheet)}" for sheet in sheets(found)]
    return "\n\n".join([*parts, END]) + "\n"


def write_markdown(path: Path, text: str) -> None:
    """Into a file: in place of what the same command wrote there before, else at its end."""
    begin = text.partition("\n")[0]
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        head, begun, rest = before.partition(begin)
        _, ended, tail = rest.partition(END + "\n")
        path.write_text(head + text + tail if begun and ended else before + text, "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be written: {error}.") from error


def _methods(kind: str, rows: Sequence[MethodRow]) -> TitledTable:
    numbers = list(dict.fromkeys(row.examples for row in rows))
    of = {(row.method, row.examples): row for row in rows}
    title = f"{_NAMES[kind]}, {rows[0].topics} topics: precision / recall / average precision"
    return TitledTable(
        title,
        ("method", *(f"{number} examples" for number in numbers)),
        tuple(
            (method, *(_figures(of.get((method, number))) for number in numbers))
            for method in dict.fromkeys(row.method for row in rows)
        ),
    )


def _figures(row: MethodRow | None) -> str:
    if row is None:
        return "-"
    return f"{row.precision:.2f} / {row.recall:.2f} / {row.average_precision:.3f}"


def _expected(found: Sequence[Expected]) -> TitledTable:
    return TitledTable(
        "What xi-alpha expects of the planes for terms, beside what unseen pages show",
        ("portals", "setting", "examples", "precision expected", "found", "too high for",
         "recall expected", "found", "too high for"),
        tuple(
            (one.portal, one.setting, str(one.examples), f"{one.expected_precision:.2f}",
             f"{one.precision:.2f}", f"{one.precision_too_high:.0%}", f"{one.expected_recall:.2f}",
             f"{one.recall:.2f}", f"{one.recall_too_high:.0%}")
            for one in found
        ),
    )  # fmt: skip


def _chosen(found: Sequence[Chosen]) -> TitledTable:
    return TitledTable(
        "One space a topic: average precision of the one that xi-alpha chooses",
        ("portals", "setting", "examples", "chosen", "terms",
         "the best, were it known", "chosen how often"),
        tuple(
            (one.portal, one.setting, str(one.examples), f"{one.chosen:.3f}", f"{one.first:.3f}",
             f"{one.best:.3f}", _counts(one.how_often))
            for one in found
        ),
    )  # fmt: skip


def _features(found: Sequence[Features]) -> TitledTable:
    numbers = tuple(found[0].by_number) if found else ()
    return TitledTable(
        "The number of features: average precision by number, and of the number that xi-alpha "
        "chooses",
        ("portals", "examples", *(f"{number:,}" for number in numbers), "chosen",
         "chosen how often"),
        tuple(
            (one.portal, str(one.examples), *(f"{value:.3f}" for value in one.by_number.values()),
             f"{one.chosen:.3f}",
             _counts({f"{number:,}": count for number, count in one.how_often.items()}))
            for one in found
        ),
    )  # fmt: skip


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _table(sheet: TitledTable) -> str:
    lines = [sheet.headings, ("---",) * len(sheet.headings), *sheet.rows]
    return (
        "\n".join(f"| {' | '.join(line)} |" for line in lines)
        .replace("| --- ", "|---")
        .replace("|--- |", "|---|")
    )
