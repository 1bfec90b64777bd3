"""Walks over HTTP: each goes on while its client listens to the event stream, and belongs to who began it.

A walk goes as far as it is listened to. Who stops listening lets it rest where it stands, with the call to its model
cancelled; whoever may take it up goes on from there, also after a restart.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

from rove.errors import InputError
from rove.language.rendering import render
from rove.records import Filter
from rove.records.walk_events import Budget, Edit, FactRejected, Stopped, WalkEvent, WalkInfo, Warned
from rove.serve.caller_view import CallerView
from rove.serve.problems import AbsentError
from rove.serve.questions.results import RenderedOut
from rove.serve.redaction import public_source, public_text
from rove.walk.handle import AsyncWalk
from rove.walk.json_format import to_line

WALK_ID = re.compile(r"[0-9a-f]{10}")
PRIVATE = frozenset({"where"})
PUBLIC = MappingProxyType({"uri": public_source, "reason": public_text, "note": public_text})


@dataclass(slots=True)
class ListenedWalks:
    """The walks of one server that somebody listens to, by their id."""

    walks: dict[str, AsyncWalk] = field(default_factory=dict[str, AsyncWalk])


@dataclass(frozen=True, slots=True)
class CallerWalks:
    """The walks that a caller may see in one space."""

    view: CallerView
    listened: ListenedWalks

    async def begin(self, question: str, where: Filter | None, budget: Budget | None) -> AsyncWalk:
        """Begin a walk; it goes when it is listened to. See `AsyncRove.walk`."""
        self.view.require("read")
        walk = self.view.kb.walk(question, where=self.view.where(where), budget=budget)
        await self._own(walk.walk_id)
        return walk

    async def take_up(self, walk_id: str) -> AsyncWalk:
        """Go on with a walk that nobody listens to.

        Raises:
            AbsentError: there is none of this id that is the caller's.
            InputError: somebody listens to it.
        """
        await self._check(walk_id)
        if walk_id in self.listened.walks:
            message = "Somebody listens to this walk."
            raise InputError(message, cure="Pause it first; one listens at a time.")
        return await self._taken(walk_id)

    async def steer(self, walk_id: str, action: str, edit: Edit | None = None) -> None:
        """Pause, edit, resume or stop a walk, whether somebody listens to it or not. Raises as `take_up` does."""
        await self._check(walk_id)
        walk = self.listened.walks.get(walk_id)
        held = walk or await self._taken(walk_id)
        try:
            match action:
                case "pause":
                    await held.pause()
                case "resume":
                    await held.resume()
                case "stop":
                    await held.stop()
                case _:
                    await held.edit(edit or Edit())
        finally:
            if walk is None:
                await held.aclose()

    async def fork(self, walk_id: str, at: int | None) -> str:
        """Begin another walk that has gone the same way so far; returns its id. Raises as `take_up` does."""
        await self._check(walk_id)
        forked = await self.view.kb.fork(walk_id, at=at)
        await forked.aclose()
        await self._own(forked.walk_id)
        return forked.walk_id

    async def forget(self, walk_id: str) -> None:
        """Delete a walk. Raises as `take_up` does."""
        await self._check(walk_id)
        await self.view.kb.forget_walk(walk_id)
        await asyncio.to_thread(self.view.kb.store.catalog.set_fact, _fact(walk_id), "")

    async def events(self, walk_id: str) -> list[WalkEvent]:
        """What a walk has told so far. Raises as `take_up` does."""
        await self._check(walk_id)
        return [event async for event in self.view.kb.replay(walk_id)]

    async def listed(self) -> list[WalkInfo]:
        """The caller's walks, the latest first."""
        self.view.require("read")
        walks = await self.view.kb.walks()
        owned = await asyncio.to_thread(lambda: [self._owns(walk.walk_id) for walk in walks])
        return [walk for walk, own in zip(walks, owned, strict=True) if own]

    def told(self, event: WalkEvent) -> tuple[str, dict[str, Any]]:
        """An event as JSON: its name and its fields, without the filter, and what is shown of facts and quotations."""
        line = cast("dict[str, Any]", json.loads(to_line(event)))
        data = cast("dict[str, Any]", _shown(line["data"]))
        if isinstance(event, Stopped | Warned):
            data["text"] = public_text(event.text)
        if isinstance(event, FactRejected):
            data["rendered"] = _rendered(event.text)
        return line["event"], data

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _taken(self, walk_id: str) -> AsyncWalk:
        try:
            return await self.view.kb.take_up(walk_id)
        except InputError:
            raise _absent() from None

    async def _check(self, walk_id: str) -> None:
        self.view.require("read")
        own = WALK_ID.fullmatch(walk_id) and await asyncio.to_thread(self._owns, walk_id)
        if not own or all(walk.walk_id != walk_id for walk in await self.view.kb.walks()):
            raise _absent()

    async def _own(self, walk_id: str) -> None:
        await asyncio.to_thread(self.view.kb.store.catalog.set_fact, _fact(walk_id), self._mark())

    def _owns(self, walk_id: str) -> bool:
        """Say whether the caller has made this walk, with the labels that the key has now; an administrator has all."""
        if "admin" in self.view.caller.rights:
            return True
        return self.view.kb.store.catalog.fact(_fact(walk_id)) == self._mark()

    def _mark(self) -> str:
        labels = self.view.caller.labels
        return json.dumps([self.view.caller.name, None if labels is None else sorted(labels)])


async def let_go(walk: AsyncWalk, listened: ListenedWalks) -> None:
    """Let a walk rest where it stands."""
    listened.walks.pop(walk.walk_id, None)
    with suppress(asyncio.CancelledError):
        await asyncio.shield(walk.aclose())


def _shown(value: object) -> object:
    match value:
        case dict():
            tree = cast("dict[str, object]", value)
            shown = tree.get("quote") or ("fact_id" in tree and tree.get("text"))
            return ({"rendered": _rendered(shown)} if isinstance(shown, str) else {}) | {
                name: PUBLIC[name](part) if name in PUBLIC and isinstance(part, str) else _shown(part)
                for name, part in tree.items()
                if name not in PRIVATE
            }
        case list():
            return [_shown(part) for part in cast("list[object]", value)]
        case _:
            return value


def _rendered(text: str) -> dict[str, Any]:
    return RenderedOut.of(render(text)).model_dump(mode="json")


def _fact(walk_id: str) -> str:
    return f"walk {walk_id} of"


def _absent() -> AbsentError:
    return AbsentError("There is no such walk.", cure="List your walks with: GET /v1/spaces/SPACE/walks")
