"""People, as administrators of every space see and change them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from rove.errors import ConfigError, InputError
from rove.records.person import Person
from rove.serve.admission.callers import EVERY_SPACE, LOCAL
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContext, ServerContextIn, origin_of
from rove.serve.page import LIMIT, Cursor, Limit, page
from rove.serve.people.roles import ADMINISTRATOR, ROLES, check_administrators, check_role
from rove.serve.people.schema import (
    InvitationOut,
    InvitedPersonOut,
    PeopleOut,
    PersonChangeIn,
    PersonIn,
    PersonOut,
    distinct_words,
    with_link,
)
from rove.serve.people.sessions import caller_of_person
from rove.serve.problems import AbsentError
from rove.store.conversation_log import ConversationLog
from rove.store.people_log import folded

router = APIRouter(prefix="/v1/people", tags=["people"])
NameIn = Annotated[str, Path(max_length=64, description="The name of a person")]
TAKEN, TAKEN_CURE = "A key has this name, or somebody else.", "Choose another name."
FIRST, FIRST_CURE = "The first of the people has to be an administrator of every space.", "Choose that role."
log = logging.getLogger("rove.serve")


@router.get("")
async def listed(request: Request, server: ServerContextIn, cursor: Cursor = 0, limit: Limit = LIMIT) -> PeopleOut:
    """The people who may sign in."""
    caller_of(request.scope).require_every_space()
    async with server.long_replies:
        people = await asyncio.to_thread(server.people.log.people)
    some, following = page(people[cursor:], cursor, limit)
    return PeopleOut(
        people=[PersonOut.of(person) for person in some],
        roles={role: list(rights) for role, rights in ROLES.items()},
        oidc_roles=any(one.role_claim for one in server.settings.oidc.values()),
        next_cursor=following,
    )


@router.post("", status_code=201)
async def make(wanted: PersonIn, request: Request, server: ServerContextIn) -> InvitedPersonOut:
    """Let somebody in, who chooses a password by the link of the reply; it is told once."""
    caller = caller_of(request.scope)
    caller.require_every_space()
    check_name(server, wanted.name)
    _check_role_and_spaces(server, wanted.role, wanted.spaces, wanted.labels)
    if caller is LOCAL and not (wanted.role == ADMINISTRATOR and EVERY_SPACE in wanted.spaces):
        raise InputError(FIRST, cure=FIRST_CURE)
    async with server.people.changing():
        person = await asyncio.to_thread(
            lambda: server.people.log.make(
                wanted.name,
                full_name=wanted.full_name.strip(),
                role=wanted.role,
                spaces=distinct_words(wanted.spaces),
                labels=None if wanted.labels is None else distinct_words(wanted.labels),
            )
        )
        invitation = await _create_invitation(person, request, server)
    log.info("person made", extra={"person": person.name, "by": caller.name})
    return InvitedPersonOut(person=PersonOut.of(person), invitation=invitation)


@router.patch("/{name}")
async def change(name: NameIn, wanted: PersonChangeIn, request: Request, server: ServerContextIn) -> PersonOut:
    """Change what somebody is called and may do. What is being done for who has lost something by that ends."""
    caller_of(request.scope).require_every_space()
    person = await _find(server, name)
    values = {field: getattr(wanted, field) for field in wanted.model_fields_set}
    role, spaces = values.get("role", person.role), values.get("spaces", person.spaces)
    _check_role_and_spaces(server, role, spaces if "spaces" in values else (), values.get("labels", person.labels))
    async with server.people.changing():
        await asyncio.to_thread(lambda: server.people.log.change(person.person_id, check_administrators, **values))
    log.info("person changed", extra={"person": person.name, "by": caller_of(request.scope).name})
    return PersonOut.of(await _find(server, name))


@router.post("/{name}/invitation")
async def invite(name: NameIn, request: Request, server: ServerContextIn) -> InvitationOut:
    """Make a new invitation, for who has forgotten the password; until it is used, all stays as it is."""
    caller_of(request.scope).require_every_space()
    person = await _find(server, name)
    log.info("person invited", extra={"person": person.name, "by": caller_of(request.scope).name})
    return await _create_invitation(person, request, server)


@router.delete("/{name}", status_code=204)
async def remove(
    name: NameIn,
    request: Request,
    server: ServerContextIn,
    confirm: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Take somebody out, with all their conversations; `confirm`: the name."""
    caller_of(request.scope).require_every_space()
    person = await _find(server, name)
    if folded(confirm) != folded(person.name):
        message = "This deletes the conversations of this person too."
        raise InputError(message, cure="Give the name as `confirm`.")
    async with server.people.changing():
        await asyncio.to_thread(server.people.log.remove, person.person_id, check_administrators)
    for kb in server.spaces.bases.values():
        owned = ConversationLog(kb.store.catalog.database)
        await asyncio.to_thread(owned.forget_all, caller_of_person(person).owner)
    log.info("person removed", extra={"person": person.name, "by": caller_of(request.scope).name})
    return Response(status_code=204)


def check_name(server: ServerContext, name: str) -> None:
    """See that neither a person nor a key has a name.

    Raises:
        InputError: one has.
    """
    taken = (*server.people.names, *server.callers.keys, LOCAL.name)
    if folded(name) in map(folded, taken):
        raise InputError(TAKEN, cure=TAKEN_CURE)


def check_spaces(server: ServerContext, spaces: Sequence[str], labels: Sequence[str] | None) -> None:
    """See that spaces are served, and that somebody with these labels can be let in.

    Raises:
        InputError: one is not, or a base leaves out duplicates.
    """
    unknown = sorted(set(spaces) - {*server.spaces.bases, EVERY_SPACE})
    if unknown:
        message = f"There is no space {unknown[0]!r}."
        raise InputError(message, cure="Choose among those that are served.")
    try:
        server.spaces.prepare(labels)
    except ConfigError as error:
        raise InputError(error.reason, cure=error.cure) from error


def _check_role_and_spaces(
    server: ServerContext, role: str, spaces: Sequence[str], labels: Sequence[str] | None
) -> None:
    check_role(role, labels)
    check_spaces(server, spaces, labels)


async def _find(server: ServerContext, name: str) -> Person:
    person = await asyncio.to_thread(server.people.log.get, name)
    if person is None:
        message = "There is nobody of this name."
        raise AbsentError(message, cure="Look at the list of people.")
    return person


async def _create_invitation(person: Person, request: Request, server: ServerContext) -> InvitationOut:
    token, expires = await asyncio.to_thread(server.people.log.invite, person.person_id)
    return with_link(token, expires, origin_of(request, server))
