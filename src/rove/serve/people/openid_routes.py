"""Signing in with an OpenID provider: to it, and back from it with a session."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from rove.errors import RoveError
from rove.serve.admission.callers import LOCAL
from rove.serve.admission.cookies import cookie_of, set_cookie
from rove.serve.context import ServerContext, ServerContextIn, origin_of
from rove.serve.people.openid import Flow, OpenIdProvider
from rove.serve.people.openid_people import RefusedError, take_in
from rove.serve.people.session_routes import begin, is_https
from rove.serve.problems import AbsentError

router = APIRouter(prefix="/v1/session/oidc", tags=["session"])
PATH = "/v1/session/oidc"
COOKIE, COOKIE_S = "rove_oidc", 600
EXPIRED, PROVIDER, REFUSED = "expired", "provider", "refused"
log = logging.getLogger("rove.serve")
ProviderIn = Annotated[str, Path(max_length=64, description="The name of a provider.")]


@router.get("/{name}", status_code=302, response_class=RedirectResponse)
async def leave(name: ProviderIn, request: Request, server: ServerContextIn) -> Response:
    """Send the browser to the provider."""
    provider, flow = _find_openid_provider(server, name), Flow.begin(name)
    try:
        address = await provider.address(flow, _callback(name, request, server))
    except RoveError as error:
        return _redirect_to_sign_in(PROVIDER, error, name, request, server)
    response = RedirectResponse(address, 302)
    return _set_openid_flow_cookie(response, flow.secret, name, request, server)


@router.get("/{name}/callback", status_code=303, response_class=RedirectResponse)
async def come_back(
    name: ProviderIn,
    request: Request,
    server: ServerContextIn,
    code: Annotated[str, Query(max_length=4_000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Begin the session of whom the provider has sent back; what went wrong is said to the page by a word."""
    provider, flow = _find_openid_provider(server, name), Flow(name, cookie_of(request.headers, COOKIE))
    if not flow.came_back(state):
        return _redirect_to_sign_in(EXPIRED, None, name, request, server)
    if error or not code:
        return _redirect_to_sign_in(REFUSED, None, name, request, server)
    try:
        claims = await provider.claims(flow, code, _callback(name, request, server))
        taken = {other.casefold(): None for other in (*server.callers.keys, LOCAL.name)}
        async with server.people.changing():
            person = await asyncio.to_thread(take_in, server.people.log, claims, provider.settings, taken)
    except RefusedError as refused:
        return _redirect_to_sign_in(refused.word, refused, name, request, server)
    except RoveError as failed:
        return _redirect_to_sign_in(PROVIDER, failed, name, request, server)
    response = RedirectResponse(f"{origin_of(request, server)}/#/", 303)
    await begin(person, "oidc", request, response, server)
    return _set_openid_flow_cookie(response, "", name, request, server)


def _find_openid_provider(server: ServerContext, name: str) -> OpenIdProvider:
    found = server.people.providers.get(name)
    if found is None:
        message = "There is no OpenID provider of this name."
        raise AbsentError(message, cure="Look at the ways to sign in: GET /v1/session")
    return found


def _callback(name: str, request: Request, server: ServerContext) -> str:
    return f"{origin_of(request, server)}{PATH}/{name}/callback"


def _set_openid_flow_cookie(
    response: Response, secret: str, name: str, request: Request, server: ServerContext
) -> Response:
    """Keep what the way back needs; a browser sends it along although another site has sent it here."""
    set_cookie(
        response, request, secret, https=is_https(server), max_age_s=COOKIE_S, name=COOKIE, 
        path=f"{urlsplit(origin_of(request, server)).path}{PATH}/{name}",
        lax=True,
    )  # fmt: skip
    return response


def _redirect_to_sign_in(
    word: str, error: RoveError | None, name: str, request: Request, server: ServerContext
) -> Response:
    log.warning("not signed in", extra={"reason": f"{name}: {word} {error.reason if error else ''}".strip()})
    response = RedirectResponse(f"{origin_of(request, server)}/#/sign-in?problem={word}", 303)
    return _set_openid_flow_cookie(response, "", name, request, server)
