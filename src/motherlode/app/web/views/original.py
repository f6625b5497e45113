"""What was fetched, as it looked: in a frame of its own, in which nothing runs and nothing is asked for."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from motherlode.app.server.context import Here
from motherlode.app.services.pages import original
from motherlode.app.web.views.page import Url

router = APIRouter()
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
}
_NOTHING = "This cannot be shown here; it can be downloaded as it came."


@router.get("/portals/{portal}/page/original")
def shown(here: Here, portal: str, url: Url, *, download: Annotated[bool, Query()] = False) -> Response:
    """The page made harmless, or, to be kept, the very bytes that came."""
    found = original(here.shelf, portal, url)
    if download:
        kept = {"Content-Disposition": 'attachment; filename="original"'}
        return Response(found.body, media_type="application/octet-stream", headers=_HEADERS | kept)
    kind = "text/html" if found.is_html else "text/plain"
    text = _NOTHING if found.shown is None else found.shown
    return Response(text.encode(errors="replace"), media_type=f"{kind}; charset=utf-8", headers=_HEADERS)
