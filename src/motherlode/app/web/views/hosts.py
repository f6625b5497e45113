"""The hosts of a portal, and another chance for slow and bad ones."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.services.portals.hosts import ORDERS, STATES, forgive_hosts, host_now, hosts_in
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter(prefix="/portals/{portal}/crawl/hosts")
MAX_HOSTS_SHOWN = 200


@router.get("")
def hosts(
    request: Request,
    context: Context,
    portal: str,
    state: Annotated[str, Query(max_length=20)] = "",
    sort: Annotated[str, Query(max_length=20)] = "state",
) -> Response:
    chosen = state if state in STATES else None
    order = sort if sort in ORDERS else "state"
    all_hosts = hosts_in(context.registry.path(portal), None, order)
    counts = {name: sum(host.state.name.lower() == name for host in all_hosts) for name in STATES}
    listed = [host for host in all_hosts if chosen in (None, host.state.name.lower())]
    return page(
        request,
        "crawl_hosts.html",
        portal=portal,
        hosts=[host_now(host) for host in listed[:MAX_HOSTS_SHOWN]],
        total=len(listed),
        counts=counts,
        state=chosen or "",
        sort=order,
        states=STATES,
        orders=list(ORDERS),
    )


@router.post("/forgive")
def forgive(
    context: Context, portal: str, pattern: Annotated[str, Form(min_length=1, max_length=300)]
) -> Response:
    forgive_hosts(context.registry.path(portal), pattern)
    return see(portal_address(portal, "/crawl/hosts"))
