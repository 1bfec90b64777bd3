"""Walks over HTTP: each goes on while its client listens to the event stream, and belongs to who began it.

A walk goes as far as it is listened to. Who stops listening lets it rest where it stands, with the call to its model
cancelled; whoever may take it up goes on from there, also after a restart. Where servers share a base, one has a walk,
and the others follow what it keeps, and write down for it what is asked of them.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, cast

from rove.errors import InputError, ServiceError
from rove.language.rendering import render
from rove.records import Filter
from rove.records.walk_events import Budget, Edit, FactRejected, Stopped, WalkEvent, WalkInfo, Warned
from rove.serve.caller_view import CallerView
from rove.serve.problems import AbsentError
from rove.serve.questions.results import RenderedOut
from rove.serve.redaction import public_source, public_text
from rove.serve.walks.commands import ENDED_CURE, LOOK_S, LOST, check_outcome, steer, text_of
from rove.serve.walks.listened import ListenedWalks
from rove.store.store import Store
from rove.store.walk_holds import WalkHolds
from rove.store.walk_log import WalkLog, owner_fact
from rove.walk.handle import AsyncWalk
from rove.walk.json_format import from_line, to_line

WALK_ID = re.compile(r"[0-9a-f]{10}")
STEER_S = 30.0
"""So long what is asked of a walk that another server has is waited for: longer than its lease."""
PRIVATE = frozenset({"where"})
PUBLIC = MappingProxyType({"uri": public_source, "reason": public_text, "note": public_text})


@dataclass(frozen=True, slots=True)
class CallerWalks:
    """The walks that a caller may see in one space."""

    view: CallerView
    listened: ListenedWalks

    async def begin(self, question: str, where: Filter | None, budget: Budget | None) -> AsyncWalk:
        """Begin a walk; it goes when it is listened to, see `listened_to`. See `AsyncRove.walk`."""
        self.view.require("read")
        walk = self.view.kb.walk(question, where=self.view.where(where), budget=budget)
        await self._own(walk.walk_id)
        return walk

    async def set_out(self, question: str, where: Filter | None, budget: Budget | None) -> str:
        """Begin a walk that goes when somebody listens to it; returns its id."""
        self.view.require("read")
        walk_id = await self.view.kb.set_out(question, where=self.view.where(where), budget=budget)
        await self._own(walk_id)
        return walk_id

    @asynccontextmanager
    async def listened_to(self, walk: AsyncWalk) -> AsyncGenerator[AsyncWalk]:
        """Have a walk that is held go, for the length of the block; then let it rest where it stands."""
        self.listened.walks[walk.walk_id] = walk
        try:
            yield walk
        finally:
            self.listened.walks.pop(walk.walk_id, None)
            with suppress(asyncio.CancelledError):
                await asyncio.shield(self._let_go(walk))

    async def going(self, walk: AsyncWalk) -> AsyncGenerator[WalkEvent]:
        """Tell a walk that has just begun."""
        await self._holds.hold(walk.walk_id)
        async with self.listened_to(walk):
            async for event in walk:
                yield event

    async def check_free(self, walk_id: str) -> None:
        """See that a walk can be listened to: one listens at a time, but others can follow where servers share a base.

        Raises:
            AbsentError: there is none of this id that is the caller's.
            InputError: somebody listens to it.
        """
        await self._check(walk_id)
        if walk_id in self.listened.walks and not self._holds.is_shared:
            message = "Somebody else follows this walk."
            raise InputError(message, cure="Pause it first; one listens at a time.")

    async def listen(self, walk_id: str) -> AsyncGenerator[WalkEvent]:
        """Tell what a walk has told so far, then, unless it is paused or over, how it goes on.

        Where somebody listens to it already, here or at another server, it goes on there; when that ends, here.
        """
        told = 0
        while not await self._hold(walk_id):
            heard = self._store.news.count
            info = await asyncio.to_thread(self._log.named, walk_id)
            for event in await self._events(walk_id, told) if info.events > told else ():
                told += 1
                yield event
            if info.status != "open" and told >= info.events:
                return
            await self._store.news.after(heard, LOOK_S)
        async with self.listened_to(await self._taken(walk_id)) as walk:
            for event in await self._events(walk_id, told):
                yield event
            if not walk.state.paused:  # to listen to one that rests would make it go on
                async for event in walk:
                    yield event

    async def steer(self, walk_id: str, action: str, edit: Edit | None = None) -> None:
        """Pause, edit, resume or stop a walk, whether somebody listens to it or not, wherever.

        Raises:
            AbsentError: there is none of this id that is the caller's.
            InputError: it has nothing of what is to be edited.
            ServiceError: the server that has it does not answer, or has ended.
        """
        await self._check(walk_id)
        if walk := self.listened.walks.get(walk_id):
            await steer(walk, action, edit)
            return
        posted: int | None = None
        try:
            async with asyncio.timeout(STEER_S):
                while not await self._hold(walk_id):
                    heard = self._store.news.count
                    if posted is None:
                        posted = await self._holds.post(walk_id, action, text_of(edit))
                    elif (outcome := await self._holds.outcome(posted)) is not None:
                        check_outcome(outcome)
                        return
                    await self._store.news.after(heard, LOOK_S)
        except TimeoutError:
            if posted is not None:
                await self._holds.withdraw(posted)
            message = "The server that has this walk did not answer."
            raise ServiceError(message, cure=ENDED_CURE) from None
        await self._steer_here(walk_id, action, edit, posted)

    async def fork(self, walk_id: str, at: int | None) -> str:
        """Begin another walk that has gone the same way so far; returns its id. Raises as `steer` does."""
        await self._check(walk_id)
        forked = await self.view.kb.fork(walk_id, at=at)
        await forked.aclose()
        await self._own(forked.walk_id)
        return forked.walk_id

    async def forget(self, walk_id: str) -> None:
        """Delete a walk. Raises as `steer` does."""
        await self._check(walk_id)
        await self.view.kb.forget_walk(walk_id)
        await asyncio.to_thread(self.view.kb.store.catalog.set_fact, owner_fact(walk_id), "")

    async def events(self, walk_id: str) -> list[WalkEvent]:
        """What a walk has told so far. Raises as `steer` does."""
        await self._check(walk_id)
        return await self._events(walk_id)

    async def listed(self, first: int, most: int) -> list[WalkInfo]:
        """The caller's walks, the latest first: so many from place `first` on; an administrator has all."""
        self.view.require("read")
        owner = None if "admin" in self.view.caller.rights else self._mark()
        return await asyncio.to_thread(lambda: self._log.listed(owner=owner, first=first, most=most))

    def told(self, event: WalkEvent) -> tuple[str, dict[str, Any]]:
        """An event as JSON: its name and its fields, without the filter, and what is shown of facts and quotations."""
        line = cast("dict[str, Any]", json.loads(to_line(event)))
        data = cast("dict[str, Any]", _to_public_walk_data(line["data"]))
        if isinstance(event, Stopped | Warned):
            data["text"] = public_text(event.text)
        if isinstance(event, FactRejected):
            data["rendered"] = _render_text_json(event.text)
        return line["event"], data

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _store(self) -> Store:
        return self.view.kb.store

    @property
    def _holds(self) -> WalkHolds:
        return self._store.team.holds

    @property
    def _log(self) -> WalkLog:
        return WalkLog(self._store.catalog.database)

    async def _hold(self, walk_id: str) -> bool:
        """Take a walk that nobody has."""
        return walk_id not in self.listened.walks and await self._holds.hold(walk_id)

    async def _let_go(self, walk: AsyncWalk) -> None:
        await walk.aclose()
        with suppress(ServiceError):  # who holds it so is no longer alive, before long
            await self._holds.let_go(walk.walk_id)

    async def _taken(self, walk_id: str) -> AsyncWalk:
        """Take up a walk that is held."""
        try:
            return await self.view.kb.take_up(walk_id)
        except BaseException as error:
            await self._holds.let_go(walk_id)
            if isinstance(error, InputError):
                raise _no_such_walk_error() from None
            raise

    async def _steer_here(self, walk_id: str, action: str, edit: Edit | None, posted: int | None) -> None:
        """Steer a walk that is held, and that nobody listens to; what was posted must not be done twice."""
        walk = await self._taken(walk_id)
        try:
            if posted is not None and not await self._holds.withdraw(posted):
                check_outcome(await self._holds.outcome(posted) or LOST)
                return
            await steer(walk, action, edit)
        finally:
            await self._let_go(walk)

    async def _events(self, walk_id: str, after: int = 0) -> list[WalkEvent]:
        lines = await asyncio.to_thread(partial(self._log.events, walk_id, after=after))
        return [from_line(line) for line in lines]

    async def _check(self, walk_id: str) -> None:
        self.view.require("read")
        if not (WALK_ID.fullmatch(walk_id) and await asyncio.to_thread(self._owns, walk_id)):
            raise _no_such_walk_error()

    async def _own(self, walk_id: str) -> None:
        await asyncio.to_thread(self.view.kb.store.catalog.set_fact, owner_fact(walk_id), self._mark())

    def _owns(self, walk_id: str) -> bool:
        """Say whether the caller has made this walk, with the labels that the key has now; an administrator has all."""
        if not self._log.holds(walk_id):
            return False
        return (
            "admin" in self.view.caller.rights or self.view.kb.store.catalog.fact(owner_fact(walk_id)) == self._mark()
        )

    def _mark(self) -> str:
        labels = self.view.caller.labels
        return json.dumps([self.view.caller.owner, None if labels is None else sorted(labels)])


def _to_public_walk_data(value: object) -> object:
    match value:
        case {"code": str(code), "parameters": dict()}:  # a note
            parameters = cast("dict[str, dict[str, object]]", value)["parameters"]
            told = {
                name: public_text(one) if isinstance(one, str) else _to_public_walk_data(one)
                for name, one in parameters.items()
            }
            return {"code": code, "parameters": told}
        case dict():
            tree = cast("dict[str, object]", value)
            shown = tree.get("quote") or ("fact_id" in tree and tree.get("text"))
            return ({"rendered": _render_text_json(shown)} if isinstance(shown, str) else {}) | {
                name: PUBLIC[name](part) if name in PUBLIC and isinstance(part, str) else _to_public_walk_data(part)
                for name, part in tree.items()
                if name not in PRIVATE
            }
        case list():
            return [_to_public_walk_data(part) for part in cast("list[object]", value)]
        case _:
            return value


def _render_text_json(text: str) -> dict[str, Any]:
    return RenderedOut.of(render(text)).model_dump(mode="json")


def _no_such_walk_error() -> AbsentError:
    return AbsentError("There is no such walk.", cure="List your walks with: GET /v1/spaces/SPACE/walks")
