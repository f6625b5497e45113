"""Tables in plain text: words on the left, figures on the right."""

import click


class TextTable:
    """Rows under headings; columns are as wide as their widest cell."""

    def __init__(self, *headings: str) -> None:
        self._rows: list[tuple[str, ...]] = [headings]

    def add(self, *cells: object) -> None:
        self._rows.append(tuple(map(_text, cells)))

    def show(self, words: int = 1) -> None:
        """Print the table; the first `words` columns are aligned left."""
        widths = [max(map(len, column)) for column in zip(*self._rows, strict=True)]
        for row in self._rows:
            sized = zip(row, widths, strict=True)
            cells = (c.ljust(w) if at < words else c.rjust(w) for at, (c, w) in enumerate(sized))
            click.echo("  ".join(cells).rstrip())


def _text(cell: object) -> str:
    match cell:
        case None:
            return "-"
        case float():
            return f"{cell:,.1f}"
        case int():
            return f"{cell:,}"
        case _:
            return str(cell)
