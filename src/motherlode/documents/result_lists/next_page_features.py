"""Features of a link by which the link to the next page of a list is known."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from motherlode.documents.result_lists.page_links import (
    LinkedPage,
    PageLink,
    base_of,
    urljoin_safely,
)
from motherlode.documents.result_lists.page_numbers import (
    is_number,
    numbered_next,
    page_steps,
)
from motherlode.documents.result_lists.page_tree import PageTree

MAX_WORDS_CHARS = 60  # a longer text is no button
# "Next" and its like in the languages of most of the Web; a stem stands for its endings.
NEXT_WORDS = re.compile(
    r"\bnext|nächst|naechst|\bweiter|suivant|siguient|pr[oó]xim|seguent|seguint|successiv|avanti|"
    r"volgende|\bverder|następn|\bdalej|\bdalš|ďalš|следующ|\bдалее|\bдальше|вперед|вперёд|наступн|"
    r"nästa|\bneste|næste|seuraava|következő|următo|înainte|berikutnya|selanjutnya|seterusnya|"
    r"sonraki|\bileri\b|επόμεν|التالي|التالية|הבא|בא\b|بعدی|ถัดไป|अगल|tiếp|trang sau|次|下一|下页|"
    r"下頁|다음|sljede|sledeć|naslednj|następ|järgmi|nākam|\bkit[ai]s|següent|hurreng|następna"
)
PREVIOUS_WORDS = re.compile(
    r"\bprev|vorherig|vorige|zurück|précéd|preced|anterior|\bpředch|poprzedni|предыдущ|назад|"
    r"föreg|forrige|edelli|előző|sebelum|önceki|\bgeri\b|προηγ|السابق|הקודם|قبلی|ก่อน|पिछल|前|上一|"
    r"上页|이전|\bback\b|prethodn|prejšnj|попередн"
)
OLDER_WORDS = re.compile(r"\bolder\b|\bouder|ältere|plus ancien|más antigu|mais antig|starsze|starší")
NEWER_WORDS = re.compile(r"\bnewer\b|nieuwer|neuere|plus récent|más recient|mais recent|nowsze|novějš")
MORE_WORDS = re.compile(
    r"(?:more|further|other) results|show more|load more|see more|view more|mehr (?:treffer|ergebnisse)"
)
LAST_WORDS = re.compile(r"\blast\b|letzte|dernier|últim|ultim|末页|尾页|последн|ostatni|laatste")
FIRST_WORDS = re.compile(r"\bfirst\b|erste|premier|primer|首页|перв|pierwsz|eerste")
_NEXT_ARROW = re.compile(r"[›»→▶►❯⟩>]|&gt;|&raquo;|＞")
_DOUBLE_ARROW = re.compile(r">>|»»|››|>\||»\||⏭|❯❯")
_PREVIOUS_ARROW = re.compile(r"[‹«←◀◄❮⟨<]|&lt;|＜")
_PAGER = re.compile(r"pag(?:e[-_]?n|er|in|ing|e-?link|es\b|e-?num)|prevnext|prev[-_]next|page[-_ ]?nav")
_NEXT_NAME = re.compile(r"next|\bnxt|nachste|siguiente|suivant")
_LETTER = re.compile(r"[^\W\d_]")
_PREVIOUS_NAME = re.compile(r"prev")
_POST = re.compile(r"post|article|entry|story|single|slide|carousel|gallery|banner|month|calendar|cal\b")


def next_page_features(page: LinkedPage) -> Iterator[tuple[PageLink, dict[str, float]]]:
    """Yield the links that may lead to a further page, with their features by name."""
    steps = page_steps(page)
    least = min((step for step in steps.values() if step > 0), default=0)
    following = {link.url for link in numbered_next(page)}
    own = urlsplit_safely(page.url)
    hint = urljoin_safely(base_of(page.tree, page.url), page.tree.next_hint)
    for link in page.links:
        if is_number(link.text) or len(link.text) > MAX_WORDS_CHARS:
            continue
        features = _word_features(page.tree, link)
        step = steps.get(link.url, 0)
        host, path = urlsplit_safely(link.url)
        yield link, {
            **features,
            **_step_features(step, least),
            "after_current": float(link.url in following),
            "other_host": float(host != own[0]),
            "same_path": float(path == own[1]),
            "same_page": float(link.url == page.url.partition("#")[0]),
            "hint": float(bool(page.tree.next_hint) and link.url == hint),
            "next_and_step": float(features["next"] > 0 and step > 0),
            "next_and_pager": float(features["next"] > 0 and features["pager"] > 0),
            "older_and_step": float(features["older"] > 0 and step > 0),
            "newer_and_step": float(features["newer"] > 0 and step > 0),
            "next_or_arrow": float(features["next"] + features["arrow"] > 0),
            "arrow_and_pager": float(features["arrow"] > 0 and features["pager"] > 0),
            "hint_and_next": float(features["rel_next"] > 0 and features["next_name"] > 0),
            "arrow_and_step": float(features["arrow"] > 0 and step > 0),
        }


def urlsplit_safely(url: str) -> tuple[str, str]:
    """Return host and path of an address; empty where it is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/")


def _word_features(tree: PageTree, link: PageLink) -> dict[str, float]:
    element = tree.elements[link.element]
    words = " ".join([link.text, *_hints(tree, link)])[:200].casefold()
    own, around = tree.labels[link.element], _labels_above(tree, link.element)
    near = f"{own} {around[0] if around else ''}"
    rel = (element.attr("rel") or "")[:100].casefold().split()
    text = link.text
    return {
        "next": float(bool(NEXT_WORDS.search(words))),
        "previous": float(bool(PREVIOUS_WORDS.search(words))),
        "older": float(bool(OLDER_WORDS.search(words))),
        "newer": float(bool(NEWER_WORDS.search(words))),
        "more": float(bool(MORE_WORDS.search(words))),
        "last": float(bool(LAST_WORDS.search(words))),
        "first": float(bool(FIRST_WORDS.search(words))),
        "arrow": float(bool(_NEXT_ARROW.search(text))),
        "double_arrow": float(bool(_DOUBLE_ARROW.search(text))),
        "previous_arrow": float(bool(_PREVIOUS_ARROW.search(text))),
        "rel_next": float("next" in rel),
        "rel_prev": float("prev" in rel or "previous" in rel),
        "next_name": float(bool(_NEXT_NAME.search(near))),
        "previous_name": float(bool(_PREVIOUS_NAME.search(own))),
        "pager": float(bool(_PAGER.search(" ".join([own, *around])))),
        "post": float(bool(_POST.search(" ".join([own, *around[:2]])))),
        "worded": float(bool(_LETTER.search(text))),
        "short": float(len(text) <= 20),
        "long": float(len(text) > 35),
    }


def _hints(tree: PageTree, link: PageLink) -> list[str]:
    element = tree.elements[link.element]
    return [(element.attr(name) or "")[:100] for name in ("title", "aria-label")]


def _labels_above(tree: PageTree, element: int) -> list[str]:
    numbers = [number for number in tree.above(element)[:4] if tree.tags[number] != "body"]
    return [tree.labels[number] for number in numbers]


def _step_features(step: int, least: int) -> dict[str, float]:
    return {
        "step_1": float(step == 1),
        "step_up": float(step > 1),
        "step_down": float(step < 0),
        "step_least": float(0 < step == least),
    }
