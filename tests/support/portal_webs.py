"""Portals for tests, and a query for each design with several pages of results."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from motherlode.lab.description import PortalPlan, WebPlan
from motherlode.lab.portals.portal_web import PortalWeb
from support.generated_webs import made


class Asked(NamedTuple):
    """A query with several pages of answers, and where the links of the results and the next page are."""

    values: dict[str, str]
    results: str
    next_text: str


ASKED = {
    "cards": Asked({"q": "the"}, "article.card:not(.card--sponsored) h3 a", "Load more"),
    "table": Asked({"yr": "1990-1999", "type": "article", "srt": "year"}, ".hitlist .ti a", "Next"),
    "list": Asked({"titre": "and"}, "ol.resultats li a", "suivante"),
    "definitions": Asked({"query": "the", "journal": "annals"}, "dl.found dt a[title]", "next 8"),
    "blocks": Asked({"allwords": "the", "doctype": "report"}, "#hits .hit-title a", "Next"),
    "nested": Asked({"V1": "and"}, "td > a:has(b)", "weitere"),
}


@cache
def portal_web(number: int = 7, records: int = 400, seed: int = 3) -> PortalWeb:
    """Portals beside a small generated web; a test is skipped where there is no WordNet.

    Pages with tokens depend on what was asked before; nothing else does. `serving_web` of
    `interactive_webs` serves it over HTTP.
    """
    web = made(WebPlan(pages=60, hosts=4))
    return PortalWeb(web, PortalPlan(number=number, records=records, seed=seed), Path())
