"""Signing in and out: by a password, and by an invitation to choose one."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from rove.records.person import Person
from rove.serve.admission.callers import CURE, LOCAL, NOBODY
from rove.serve.admission.client_address import client_address
from rove.serve.admission.cookies import cookie_of, set_cookie
from rove.serve.admission.middleware import caller_of, signed_in
from rove.serve.context import ServerContext, ServerContextIn
from rove.serve.people.passwords import check_password
from rove.serve.people.schema import (
    AcceptIn,
    CallerOut,
    InvitedOut,
    PasswordIn,
    ProviderOut,
    SessionOut,
    SignInIn,
    WaysOut,
)
from rove.serve.people.sessions import caller_of_person
from rove.serve.problems import AbsentError, UnknownCallerError, WrongOldPasswordError, WrongPasswordError
from rove.store.people_log import folded

router = APIRouter(prefix="/v1/session", tags=["session"])
WRONG, WRONG_CURE = "There is nobody of this name with this password.", "Look at both, and try again."
WRONG_OLD, WRONG_OLD_CURE = "This is not the password that you have now.", "Look at it, and try again."
NOT_SIGNED_IN = "Nobody has signed in with a password."
EXPIRED = "This invitation has been used, or is not valid any more."
EXPIRED_CURE = "Ask an administrator for another one."


@router.get("")
async def session(request: Request, server: ServerContextIn) -> SessionOut:
    """Who asks, and how somebody may come in; anybody may ask that."""
    caller, found = caller_of(request.scope), signed_in(request.scope)
    if found:
        person = CallerOut.of(caller, found.session.way, found.person.full_name)
    elif caller is NOBODY:
        person = None
    else:
        person = CallerOut.of(caller, "local" if caller is LOCAL else "key")
    return SessionOut(ways=_ways(server), person=person)


@router.post("")
async def sign_in(wanted: SignInIn, request: Request, response: Response, server: ServerContextIn) -> SessionOut:
    """Sign in with a password; the session is in a cookie."""
    people, name = server.people, folded(wanted.name)
    address = client_address(request.scope, server.settings.proxies)
    people.delays.begin(name, address)
    person = await asyncio.to_thread(people.log.get, wanted.name)
    kept = "" if person is None or person.disabled else person.password
    if not await people.passwords.fits(kept, wanted.password) or person is None:
        raise WrongPasswordError(WRONG, cure=WRONG_CURE)
    people.delays.succeed(name, address)
    if people.passwords.is_old(kept):
        await asyncio.to_thread(people.log.rehash, person, await people.passwords.hash(wanted.password))
    return await begin(person, "password", request, response, server)


@router.delete("", status_code=204)
async def sign_out(request: Request, server: ServerContextIn) -> Response:
    """Sign out."""
    caller, found = caller_of(request.scope), signed_in(request.scope)
    if caller is NOBODY:
        raise _not_signed_in()
    response = Response(status_code=204)
    if found:
        await server.people.sessions.end(found.session.token_hash)
    if cookie_of(request.headers):
        set_cookie(response, request, "", https=is_https(server), max_age_s=0)
    return response


@router.post("/password", status_code=204)
async def change_password(wanted: PasswordIn, request: Request, server: ServerContextIn) -> Response:
    """Choose another password; all other sessions of the person end."""
    people, found = server.people, signed_in(request.scope)
    if found is None or found.session.way != "password":
        raise _not_signed_in()
    person = found.person
    address = client_address(request.scope, server.settings.proxies)
    people.delays.begin(folded(person.name), address)
    if not await people.passwords.fits(person.password, wanted.old):
        raise WrongOldPasswordError(WRONG_OLD, cure=WRONG_OLD_CURE)
    people.delays.succeed(folded(person.name), address)
    check_password(wanted.new, person.name)
    hashed = await people.passwords.hash(wanted.new)
    async with people.changing():
        await asyncio.to_thread(people.log.set_password, person.person_id, hashed, keep=found.session.token_hash)
    return Response(status_code=204)


@router.get("/invitation")
async def invited(server: ServerContextIn, token: Annotated[str, Query(max_length=200)] = "") -> InvitedOut:
    """Whom an invitation is for."""
    person = await _find_invited_person(server, token)
    return InvitedOut(name=person.name, full_name=person.full_name)


@router.post("/invitation")
async def accept(wanted: AcceptIn, request: Request, response: Response, server: ServerContextIn) -> SessionOut:
    """Choose a password by an invitation, which is used up by that, and sign in."""
    people = server.people
    check_password(wanted.password, (await _find_invited_person(server, wanted.token)).name)
    hashed = await people.passwords.hash(wanted.password)
    async with people.changing():
        person = await asyncio.to_thread(people.log.accept, wanted.token, hashed)
    if person is None:
        raise _invitation_expiry_error()
    return await begin(person, "password", request, response, server)


async def begin(person: Person, way: str, request: Request, response: Response, server: ServerContext) -> SessionOut:
    """Begin a session, and say who has it."""
    idle_h, max_h = server.settings.session_idle_h, server.settings.session_max_h
    token = await asyncio.to_thread(server.people.log.begin_session, person.person_id, way, idle_h=idle_h, max_h=max_h)
    set_cookie(response, request, token, https=is_https(server), max_age_s=round(max_h * 3600))
    return SessionOut(ways=_ways(server), person=CallerOut.of(caller_of_person(person), way, person.full_name))


def is_https(server: ServerContext) -> bool:
    """Whether the server is reached by https, whatever a request says that a proxy has passed on."""
    return server.settings.public_url.startswith("https:")


def _ways(server: ServerContext) -> WaysOut:
    people = server.people
    providers = [ProviderOut(name=name, label=one.label or name) for name, one in server.settings.oidc.items()]
    return WaysOut(
        open=people.callers.is_open, keys=bool(people.callers.keys), password=bool(people.names), oidc=providers
    )


async def _find_invited_person(server: ServerContext, token: str) -> Person:
    person = await asyncio.to_thread(server.people.log.invited, token)
    if person is None:
        raise _invitation_expiry_error()
    return person


def _invitation_expiry_error() -> AbsentError:
    return AbsentError(EXPIRED, cure=EXPIRED_CURE)


def _not_signed_in() -> UnknownCallerError:
    return UnknownCallerError(NOT_SIGNED_IN, cure=CURE)
