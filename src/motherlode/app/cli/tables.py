"""Tables in plain text: words to the left, figures to the right."""

import click


class Table:
    """Rows under headings, as wide as what they hold."""

    def __init__(self, *headings: str) -> None:
        self._rows: list[tuple[str, ...]] = [headings]

    def add(self, *cells: object) -> None:
        self._rows.append(tuple(map(_shown, cells)))

    def show(self, words: int = 1) -> None:
        """Print it; the first so many columns hold words."""
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        for row in self._rows:
            sized = zip(row, widths, strict=True)
            cells = (c.ljust(w) if at < words else c.rjust(w) for at, (c, w) in enumerate(sized))
            click.echo("  ".join(cells).rstrip())


def _shown(cell: object) -> str:
    match cell:
        case None:
            return "-"
        case float():
            return f"{cell:,.1f}"
        case int():
            return f"{cell:,}"
        case _:
            return str(cell)
