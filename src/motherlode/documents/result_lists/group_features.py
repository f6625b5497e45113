"""Features of a group of links, by which a list of results is known.

Each is a number of about 0 to 1. The names are those of the table of weights.
"""

import re
from math import log1p
from statistics import fmean, pstdev
from urllib.parse import urlsplit

from motherlode.documents.result_lists.link_groups import LinkGroup
from motherlode.documents.result_lists.page_links import LinkedAnswer, PageLink
from motherlode.documents.result_lists.page_tree import PageTree
from motherlode.documents.result_lists.regions import Region, regions_of

MAX_LABELLED = 8  # elements around a link whose classes are read
SAMPLED = 60  # members of a group that are looked at closely
FEW, USUAL = range(2, 5), range(8, 31)  # members of a group
ROUND = frozenset({10, 15, 20, 25, 30, 36, 40, 48, 50, 60, 100})
MANY, TOO_MANY = 60, 120
SHORT_CHARS, LONG_CHARS = 12, 120
NEAR_TEXTS = 25  # pieces of text behind the words of the query
LEAD_CHARS = 5  # before the title
OFTEN = 3  # links to one target
LONG_WORD = 4
_ASIDE_TAGS = frozenset({"nav", "header", "footer", "aside", "form", "menu", "select"})
_RESULT = re.compile(r"result|serp|search|\bhits?\b|\balgo|\bhit[-_]|organic", re.ASCII)
_ITEM = re.compile(
    r"item|listing|product|card|entry|record|\brow\b|story|article|post|teaser|media|tile|book|job"
)
_TITLE = re.compile(r"title|headline|heading|\bname|[-_]name|subject|\bhdr?\b|caption")
_ASIDE = re.compile(
    r"(?<!u)nav|menu|foot|header|masthead|flyout|side-?bar|top-?bar|\bside|filter|facet|refine|breadcrumb|"
    r"pag(?:er|inat)|toolbar|share|social|login|sign-?in|\blang|cookie|modal|popup|dropdown|tabs?\b"
)
_BOX = re.compile(
    r"related|popular|trend|recommend|sponsor|\bads?\b|\bads?[-_]|advert|promo|most[-_]|widget|"
    r"suggest|also|recent|carousel|featured|banner|similar|history|\btags?\b|categor|hot[-_]"
)
_PART = re.compile(
    r"author|byline|\bby\b|source|\bdate|comment|review|rating|thumb|image|\bimg|photo|price|cart|"
    r"more|cache|action|button|\bbtn|user|avatar|seller|store|vote|\bsub|url|domain|meta"
)
_PRICE = re.compile(r"^\W*[\d.,\s%$€£¥+-]+\W*$")


def group_features(page: LinkedAnswer, group: LinkGroup) -> dict[str, float]:
    """Return the features of a group by name."""
    links = distinct_links([page.links[number] for number in group.members])
    regions = regions_of(page.tree, [link.element for link in links])
    sampled = links[:: max(1, len(links) // SAMPLED)]
    return {
        **_count_features(len(links)),
        **_text_features(page, links),
        **_place_features(page.tree, sampled),
        **_region_features(page, links, regions),
        **_url_features(page, links),
        f"kind_{group.kind}": 1.0,
    }


def distinct_links(links: list[PageLink]) -> list[PageLink]:
    """Return the first link to each target."""
    first: dict[str, PageLink] = {}
    for link in links:
        first.setdefault(link.target, link)
    return list(first.values())


def share(flags: list[bool]) -> float:
    """Return the fraction that is true."""
    return sum(flags) / len(flags) if flags else 0.0


def _count_features(count: int) -> dict[str, float]:
    return {
        "count": min(log1p(count) / 4, 1.5),
        "count_1": float(count == 1),
        "count_2_4": float(count in FEW),
        "count_8_30": float(count in USUAL),
        "count_round": float(count in ROUND),
        "count_60": float(count > MANY),
        "count_120": float(count > TOO_MANY),
    }


def _text_features(page: LinkedAnswer, links: list[PageLink]) -> dict[str, float]:
    texts = [link.text for link in links]
    sizes = [min(len(text), 150) for text in texts]
    mean = fmean(sizes)
    return {
        "text_size": mean / 60,
        "text_log_size": log1p(mean) / 4,
        "text_is_short": share([size < SHORT_CHARS for size in sizes]),
        "text_is_long": share([size > LONG_CHARS for size in sizes]),
        "text_varies": min(pstdev(sizes) / (mean + 1), 1.5),
        "text_distinct": len(set(texts)) / len(texts),
        "text_words": min(fmean(len(text.split()) for text in texts) / 8, 2),
        "text_is_one_word": share([" " not in text for text in texts]),
        "text_is_number": share([bool(_PRICE.match(text[:40])) for text in texts]),
        "text_is_picture": share([link.is_picture for link in links]),
        "text_is_bold": share([link.is_bold for link in links]),
        "text_is_heading": share([link.is_heading for link in links]),
        "text_is_url": share([text.startswith(("http", "www.")) for text in texts]),
        "text_has_query": share([_has_word(text, page.words) for text in texts]),
        "text_has_all_words": share([_has_all_words(text, page.words) for text in texts]),
        "text_is_template": share([f"{link.url}\n{link.text}" in page.template for link in links]),
        "text_is_new": page.has_others
        * share([f"{link.url}\n{link.text}" not in page.template for link in links]),
    }


def _has_word(text: str, words: tuple[str, ...]) -> bool:
    text = text.casefold()
    return any(word in text for word in words if len(word) > 1)


def _has_all_words(text: str, words: tuple[str, ...]) -> bool:
    text = text.casefold()
    return bool(words) and all(word in text for word in words)


def _place_features(tree: PageTree, links: list[PageLink]) -> dict[str, float]:
    places = [_labels_around(tree, link.element) for link in links]
    near = [" ".join(labels[:3]) for _, labels in places]
    far = [" ".join(labels[1:]) for _, labels in places]
    inner = [link_label(tree, link.element) for link in links]
    return {
        "in_aside_tag": share([not _ASIDE_TAGS.isdisjoint(tags) for tags, _ in places]),
        "in_main": share(["main" in tags for tags, _ in places]),
        "in_article": share(["article" in tags for tags, _ in places]),
        "in_list": share([not {"li", "dt", "dd"}.isdisjoint(tags) for tags, _ in places]),
        "in_table": share(["td" in tags for tags, _ in places]),
        "near_title": share([bool(_TITLE.search(text)) for text in near]),
        "near_part": share([bool(_PART.search(text)) for text in near]),
        "near_result": share([bool(_RESULT.search(text)) for text in near]),
        "near_aside": share([bool(_ASIDE.search(text)) for text in near]),
        "near_box": share([bool(_BOX.search(text)) for text in near]),
        "near_item": share([bool(_ITEM.search(text)) for text in near]),
        "own_title": share([bool(_TITLE.search(text)) for text in inner]),
        "own_part": share([bool(_PART.search(text)) for text in inner]),
        "far_result": share([bool(_RESULT.search(text)) for text in far]),
        "far_item": share([bool(_ITEM.search(text)) for text in far]),
        "far_aside": share([bool(_ASIDE.search(text)) for text in far]),
        "far_box": share([bool(_BOX.search(text)) for text in far]),
        "hidden": share([tree.hidden[link.element] for link in links]),
    }


def link_label(tree: PageTree, element: int) -> str:
    """Return the classes of a link and of the elements in it."""
    return " ".join(tree.labels[element : min(tree.ends[element], element + 6)])


def _labels_around(tree: PageTree, element: int) -> tuple[list[str], list[str]]:
    """Return tags (of all) and labels (of the next) elements around a link, itself included."""
    around = tree.above(element)
    numbers = [element, *around[:MAX_LABELLED]]
    numbers = [number for number in numbers if tree.tags[number] not in ("html", "body")]
    return [tree.tags[number] for number in around], [tree.labels[number] for number in numbers]


def _region_features(
    page: LinkedAnswer, links: list[PageLink], regions: list[Region]
) -> dict[str, float]:
    tree = page.tree
    starts = [tree.first_texts[region.first] for region in regions]
    sizes = [
        tree.chars[tree.text_end(region.end)] - tree.chars[start]
        for region, start in zip(regions, starts, strict=True)
    ]
    total = tree.chars[-1] or 1
    mean = fmean(sizes)
    inner = sizes[:-1] or sizes  # the last may hold what stands behind the list
    own = [
        min(len(link.text), size + 1) / (size + 1) for link, size in zip(links, sizes, strict=True)
    ]
    leads = [
        tree.chars[tree.first_texts[link.element]] - tree.chars[start]
        for link, start in zip(links, starts, strict=True)
    ]
    parents = {tree.parents[region.first] for region in regions}
    words = [
        _has_word(tree.text(region.first, region.end, 600), page.words) for region in regions[:30]
    ]
    first, last = starts[0], tree.text_end(regions[-1].end)
    span = tree.chars[last] - tree.chars[first]
    return {
        "region_size": min(log1p(mean) / 6, 1.5),
        "region_is_title": fmean(own),
        "region_varies": min(pstdev(inner) / (fmean(inner) + 1), 2),
        "region_share": min(sum(sizes) / total, 1),
        "region_inner_share": min(sum(inner) / total, 1),
        "region_largest": max(sizes) / total,
        "region_has_query": share(words),
        "region_one_parent": 1 / len(parents),
        "region_pieces": min(_pieces(tree, regions) / 8, 2),
        "region_one_piece": share(
            [tree.text_end(r.end) - tree.first_texts[r.first] <= 1 for r in regions]
        ),
        "after_query": float(page.query_text <= first),
        "near_query": float(0 <= first - page.query_text < NEAR_TEXTS),
        "region_lead": min(fmean(leads) / 100, 2),
        "region_no_lead": share([lead < LEAD_CHARS for lead in leads]),
        "region_same_tag": 1 / len({tree.tags[region.first] for region in regions}),
        "region_same_class": 1 / len({tree.classes[region.first] for region in regions}),
        "region_is_link": share([region.first == region.title for region in regions]),
        "region_links": min(
            len(page.links) and _links_between(page, regions) / len(regions) / 8, 2
        ),
        "span_share": span / total,
        "span_start": tree.chars[first] / total,
        "span_filled": min(sum(sizes) / (span + 1), 1),
        "span_middle": abs((tree.chars[first] + span / 2) / total - 0.5),
    }


def _pieces(tree: PageTree, regions: list[Region]) -> float:
    """Return how many pieces of text a record has on average."""
    return fmean(tree.text_end(region.end) - tree.first_texts[region.first] for region in regions)


def _links_between(page: LinkedAnswer, regions: list[Region]) -> int:
    first, end = regions[0].first, regions[-1].end
    return sum(first <= link.element < end for link in page.links)


def _url_features(page: LinkedAnswer, links: list[PageLink]) -> dict[str, float]:
    own = urlsplit(page.url).netloc.lower().removeprefix("www.")
    parts = [_split(link.target) for link in links]
    folders = {(host, path.rpartition("/")[0]) for host, path, _ in parts}
    paths = {(host, path) for host, path, _ in parts}
    return {
        "url_is_own": share([host.removeprefix("www.") == own for host, _, _ in parts]),
        "url_is_search": share([link.is_search for link in links]),
        "url_has_query": share([bool(query) for _, _, query in parts]),
        "url_folders": len(folders) / len(links),
        "url_hosts": len({host for host, _, _ in parts}) / len(links),
        "url_paths": len(paths) / len(links),
        "url_depth": min(fmean(path.count("/") for _, path, _ in parts) / 4, 2),
        "url_size": min(fmean(len(path) for _, path, _ in parts) / 60, 2),
        "url_has_digits": share([any(c.isdigit() for c in path) for _, path, _ in parts]),
        "url_has_title": share(
            [_has_slug(link, path) for link, (_, path, _) in zip(links, parts, strict=True)]
        ),
        "url_is_redirect": share([link.url != link.target for link in links]),
        "url_again": share([page.target_counts[link.target] > 1 for link in links]),
        "url_often": share([page.target_counts[link.target] > OFTEN for link in links]),
        "url_has_words": share([_has_word(query, page.words) for _, _, query in parts]),
        "url_home": share([len(path) <= 1 for _, path, _ in parts]),
    }


def _split(url: str) -> tuple[str, str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", "", ""
    return parts.netloc.lower(), parts.path, parts.query


def _has_slug(link: PageLink, path: str) -> bool:
    """Return whether half of a title's long words stand in the path of its address."""
    words = [
        word for word in re.findall(r"\w+", link.text[:200].casefold()) if len(word) >= LONG_WORD
    ]
    path = path.casefold()
    return bool(words) and sum(word in path for word in words) * 2 >= len(words)
