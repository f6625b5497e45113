"""A page as it was fetched, in a frame in which no script runs and nothing is loaded."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.services.pages import original
from motherlode.app.web.views.page import Url

router = APIRouter()
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
}
_NOT_SHOWN = "This cannot be shown here; you can download it."


@router.get("/portals/{portal}/page/original")
def show(
    context: Context, portal: str, url: Url, *, download: Annotated[bool, Query()] = False
) -> Response:
    """Return the page made harmless, or, as a download, the very bytes that were fetched."""
    fetched = original(context.registry, portal, url)
    if download:
        attachment = {"Content-Disposition": 'attachment; filename="original"'}
        return Response(
            fetched.body, media_type="application/octet-stream", headers=_HEADERS | attachment
        )
    kind = "text/html" if fetched.is_html else "text/plain"
    text = _NOT_SHOWN if fetched.shown is None else fetched.shown
    return Response(
        text.encode(errors="replace"), media_type=f"{kind}; charset=utf-8", headers=_HEADERS
    )
