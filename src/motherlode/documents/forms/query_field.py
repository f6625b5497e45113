"""The field for search words: the one that looks most like it."""

import re

from motherlode.documents.forms.words import meanings, tokens
from motherlode.records import FormField

_TYPED = frozenset({"text", "search", "textarea", "tel", "url", "number", "email", "date"})
# What webmasters call the field, most often of all.
_COMMON = frozenset({"q", "s", "k", "qs", "query", "search", "keyword", "keywords", "text", "ntt"})
_OTHER_MEANINGS = frozenset(
    {"email", "password", "captcha", "address", "person", "order", "mailing", "login", "settings"}
)
_RANGE = re.compile(r"min|max|from|to|low|high|price|date|year|zip|page|limit|size|radius|distance")
_LAST_PART = re.compile(r"[^$.:\[\]]*[^$.:\[\]\W]")
_MIN_SCORE = 1.0


def query_field_of(fields: tuple[FormField, ...]) -> str:
    """Return the name of the field for search words; empty if no field looks like one."""
    candidates = [field for field in fields if field.control in _TYPED and field.name]
    candidates = [field for field in candidates if not field.is_disabled][:_MAX_CANDIDATES]
    scores = [_score(field, place, len(candidates)) for place, field in enumerate(candidates)]
    if not scores or max(scores) < _MIN_SCORE:
        return ""
    return candidates[scores.index(max(scores))].name


_MAX_CANDIDATES = 100


def _score(field: FormField, place: int, number: int) -> float:
    """Return how much a field looks like one for search words; the weights are set by hand."""
    name_parts = _LAST_PART.findall(field.name[:200])
    last = name_parts[-1] if name_parts else field.name
    words = f"{field.label} {field.placeholder}"
    score = 3.0 * (field.control == "search")
    score += 2.0 * ("search" in meanings(field.name)) + 1.0 * ("search" in meanings(last))
    score += 2.0 * (last.lower() in _COMMON)
    score += 2.0 * ("search" in meanings(words)) + 1.0 * ("search" in meanings(field.element_id))
    score += 1.0 * (number == 1) + 0.5 * (place == 0)
    score -= 2.0 * (field.control not in ("text", "search", "textarea"))
    score -= 1.5 * bool(_OTHER_MEANINGS.intersection(meanings(field.name)))
    score -= 1.0 * bool(_OTHER_MEANINGS.intersection(meanings(words)))
    score -= 1.5 * any(_RANGE.fullmatch(token) for token in tokens(last))
    return score
