"""Field codes, which Word keeps in all its formats: `HYPERLINK "http://example.org" \\o
"a tip"`.
"""

import re

_HYPERLINK = re.compile(
    r"""\s*HYPERLINK\s*(?:"(?P<quoted>[^"]{0,4000})|(?P<bare>[^\s\\"][^\s"]{0,4000}))""",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"""(?:^|[^\w.])HYPERLINK\(\s*"([^"]{1,4000})\"""", re.IGNORECASE)
MAX_CODE = 10_000  # characters of a field code that are looked at


def target_of(code: str) -> str:
    r"""Where a field leads; empty if nowhere, or to a place in the document itself.

    >>> target_of(' HYPERLINK "http://example.org/a" \\t "_blank"')
    'http://example.org/a'
    >>> target_of(' HYPERLINK \\l "there"')
    ''
    """
    found = _HYPERLINK.match(code[:MAX_CODE])
    target = (found["quoted"] or found["bare"] or "").strip() if found else ""
    return target.replace("\\\\", "\\")  # a backslash is written twice


def target_in_formula(formula: str) -> str:
    """Where a cell with `=HYPERLINK("http://example.org", "text")` leads.

    >>> target_in_formula('IF(A1, HYPERLINK("http://example.org", "x"))')
    'http://example.org'
    """
    found = _FORMULA.search(formula[:MAX_CODE])
    return found[1].strip() if found else ""
