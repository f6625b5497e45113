"""The hosts of a portal, and another chance for those that are left alone."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from motherlode.app.server.context import Here
from motherlode.app.services import hosts as hosting
from motherlode.app.services.hosts import ORDERS, STATES
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter(prefix="/portals/{portal}/crawl/hosts")
_SHOWN = 200


@router.get("")
def hosts(
    request: Request,
    here: Here,
    portal: str,
    state: Annotated[str, Query(max_length=20)] = "",
    sort: Annotated[str, Query(max_length=20)] = "state",
) -> Response:
    chosen = state if state in STATES else None
    order = sort if sort in ORDERS else "state"
    with here.shelf.reading(portal) as opened, opened.store.reading() as session:
        found = hosting.hosts_in(session, None, order)
    counts = {name: sum(host.state.name.lower() == name for host in found) for name in STATES}
    kept = [host for host in found if chosen in (None, host.state.name.lower())]
    return page(
        request,
        "crawl_hosts.html",
        portal=portal,
        hosts=[hosting.shown(host) for host in kept[:_SHOWN]],
        found=len(kept),
        counts=counts,
        state=chosen or "",
        sort=order,
        states=STATES,
        orders=list(ORDERS),
    )


@router.post("/forgive")
def forgive(here: Here, portal: str, pattern: Annotated[str, Form(min_length=1, max_length=300)]) -> Response:
    hosting.forgive(here.shelf.path(portal), pattern)
    return see(portal_address(portal, "/crawl/hosts"))
