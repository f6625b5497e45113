"""The library that draws charts: Vega, as the package vl-convert-python carries it, from our own address."""

import gzip
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from motherlode.lexicon.cache import cached

router = APIRouter(prefix="/charts")
_PACKAGE = "vl-convert-python"
_YEAR = 365 * 24 * 3600
# What the bundle gives to whoever imports it; it has no exports.
_SNIPPET = "window.lodeCharts = vegaEmbed;"


@cache
def charts_address() -> str:
    """Where the library is: another one has another address, so a browser keeps it for good."""
    try:
        return f"/charts/vega-{version(_PACKAGE)}.js"
    except PackageNotFoundError:
        return ""


@router.get("/{name}")
def charts(request: Request, name: str) -> Response:
    """It takes seconds to put together, and is kept in the user's cache."""
    if request.url.path != charts_address():
        raise HTTPException(404)
    packed = cached("charts", f"{name}.gz", _packed)
    zipped = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": f"private, max-age={_YEAR}, immutable", "Vary": "Accept-Encoding"}
    if zipped:
        headers["Content-Encoding"] = "gzip"
    return Response(packed if zipped else gzip.decompress(packed), 200, headers, "text/javascript")


def _packed() -> bytes:
    from vl_convert import javascript_bundle  # noqa: PLC0415 - large, and hardly ever needed

    return gzip.compress(javascript_bundle(_SNIPPET).encode(), mtime=0)
