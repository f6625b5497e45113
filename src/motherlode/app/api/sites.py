"""The websites of a portal, as `lode sites`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi import Path as InPath
from starlette.responses import Response

from motherlode.app.api.body import JsonBody
from motherlode.app.api.pages import BYTES
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.sites import (
    DEFAULT_SHOWN_SITES,
    MAX_SHOWN_SITES,
    SiteChoicesRequest,
    SiteListRequest,
)
from motherlode.app.server.context import Context
from motherlode.app.services.sites.choices import SiteChoicesResult, choose_sites
from motherlode.app.services.sites.export import site_file
from motherlode.app.services.sites.views import SiteList, SiteView, site_in, sites_in
from motherlode.export.formats.sites import SITE_FORMATS
from motherlode.policies.websites.site_table import SiteFilter

router = APIRouter(prefix="/portals/{portal}/sites", tags=["sites"])
Body = Annotated[SiteChoicesRequest, Depends(JsonBody(SiteChoicesRequest))]
SiteInPath = Annotated[
    str, InPath(max_length=4_000, description="The site: its host, or the URL of a page of it.")
]
Suffix = Annotated[
    str,
    InPath(
        max_length=20,
        description="The suffix of the file.",
        json_schema_extra={"enum": list(SITE_FORMATS)},
    ),
]
Show = Annotated[SiteFilter, Query(description="Which sites: all that were examined, or some.")]
SiteLimit = Annotated[
    int, Query(ge=1, le=MAX_SHOWN_SITES, description="The number of sites, best first.")
]


@router.get(
    "",
    summary="The sites, the likeliest relevant ones first: `lode sites`",
    **answers(SiteList),
)
def sites(
    context: Context,
    portal: Name,
    show: Show = SiteFilter.ALL,
    limit: SiteLimit = DEFAULT_SHOWN_SITES,
) -> Json:
    request = SiteListRequest(show=show.value, limit=limit)
    return Json(sites_in(context.registry.path(portal), request))


@router.get(
    "/export/{suffix}",
    summary="The sites as a list, a graph or a picture: `lode sites --export`",
    response_class=Response,
    responses={200: {"description": "The file.", "content": BYTES}},
)
def export(context: Context, portal: Name, suffix: Suffix, show: Show = SiteFilter.ALL) -> Response:
    request = SiteListRequest(show=show.value)
    data = site_file(context.registry.path(portal), suffix, request)
    attachment = {"Content-Disposition": f'attachment; filename="sites.{suffix.lower()}"'}
    return Response(data, media_type="application/octet-stream", headers=attachment)


@router.get(
    "/{site:path}",
    summary="One site: its best pages, its telling terms, and the links around it",
    **answers(SiteView),
)
def one_site(context: Context, portal: Name, site: SiteInPath) -> Json:
    return Json(site_in(context.registry.path(portal), SiteListRequest(name=site)))


@router.post(
    "",
    summary="Accept or reject sites, leave them undecided, or take that back",
    **answers(SiteChoicesResult),
    **accepts(SiteChoicesRequest),
)
def choose(context: Context, portal: Name, body: Body) -> Json:
    return Json(choose_sites(context.registry.path(portal), body))
