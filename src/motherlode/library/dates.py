"""Dates of publication, as exact as a field says: 2004, 2004-05 or 2004-05-17."""

import re
from collections.abc import Sequence

MAX_CHARS = 100
_ISO = re.compile(r"^\D{0,3}(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)")
_YEAR = re.compile(r"(?<!\d)(1[0-9]\d{2}|20\d{2}|21\d{2})(?!\d)")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MAX_MONTH, MAX_DAY = 12, 31


def date_in(text: str) -> str:
    """Return the date that a field says; empty if it has no year.

    >>> date_in("2018/11/19/"), date_in("17 May 2004"), date_in("2010 Jun"), date_in("forthcoming")
    ('2018-11-19', '2004-05-17', '2010-06', '')
    """
    text = text.strip()[:MAX_CHARS]
    match = _ISO.match(text)
    if match and (match[2] or not month_in(text[match.end() :])):
        return date_of([int(part) for part in match.groups() if part])
    year = _YEAR.search(text)
    if year is None:
        return ""
    rest = (text[: year.start()] + " " + text[year.end() :]).lower()
    month = month_in(rest)
    day = _DAY.search(rest)
    return date_of([int(year[0]), month, int(day[1]) if day and month else 0])


def month_in(text: str) -> int:
    """Return the number of a month that is named or numbered; 0 if there is none.

    >>> month_in("September"), month_in("07"), month_in("spring")
    (9, 7, 0)
    """
    text = text.strip().lower()
    if text.isdigit():
        return int(text[:4]) if 1 <= int(text[:4]) <= MAX_MONTH else 0
    places = (
        (match.start(), number)
        for number, name in enumerate(_MONTHS, start=1)
        if (match := re.search(rf"\b{name}", text))
    )
    return min(places, default=(0, 0))[1]


def date_of(parts: Sequence[int]) -> str:
    """Return the date of a year, month and day, without what is 0 or impossible.

    >>> date_of([2004, 5, 17]), date_of([2004, 0, 17]), date_of([2004, 13])
    ('2004-05-17', '2004', '2004')
    """
    year, month, day = (*parts, 0, 0, 0)[:3]
    if not 0 < year <= 9999:  # noqa: PLR2004 - four digits
        return ""
    date = f"{year:04}"
    if 1 <= month <= MAX_MONTH:
        date += f"-{month:02}"
        if 1 <= day <= MAX_DAY:
            date += f"-{day:02}"
    return date
