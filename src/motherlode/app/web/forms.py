"""Forms: each carries a word that another site cannot know."""

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from motherlode.app.server.context import Here
from motherlode.app.server.rules import SAFE

FIELD = "form_token"


async def form_checked(request: Request, here: Here) -> None:
    """Every view depends on this: what changes something comes from a form of ours."""
    if request.method in SAFE:
        return
    said = (await request.form()).get(FIELD, "")
    if not isinstance(said, str) or not here.keys.is_form(said):
        raise HTTPException(
            403, "This form is from before the server was started; reload its page and send it again."
        )


def see(address: str) -> RedirectResponse:
    """After a form was sent: look there. Reloading that page sends nothing again."""
    return RedirectResponse(address, 303)
