"""What every route has at hand: the spaces, the settings and the journal of this server; and the caller's view."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Self

from fastapi import Depends, Path, Request

from rove.serve.callers import Callers
from rove.serve.gate import caller_of
from rove.serve.journal import Journal
from rove.serve.spaces import Space, Spaces
from rove.serve.throttle import Places
from rove.serve.view import View
from rove.serve.visits import Visits
from rove.serve.walking import Going
from rove.settings import ServeSettings


@dataclass(frozen=True, slots=True)
class Served:
    """One server. `closing` is set when it is about to end: streams that only watch end then."""

    spaces: Spaces
    settings: ServeSettings
    callers: Callers
    streams: Places
    visits: Visits = field(default_factory=Visits)
    journal: Journal = field(default_factory=Journal)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    going: Going = field(default_factory=Going)

    @classmethod
    def of(cls, spaces: Spaces) -> Self:
        """Make it for these spaces, as their settings say."""
        settings = spaces.settings
        streams = Places(settings.streams, what="streams", setting="serve.streams")
        made = cls(spaces, settings, Callers(settings.keys), streams)
        spaces.account(made.journal.note_usage)
        return made


async def served(request: Request) -> Served:
    """The server that the request came to."""
    return request.app.state.served


SpaceIn = Annotated[str, Path(max_length=64, description="The name of a space.", examples=["default"])]
ServedIn = Annotated[Served, Depends(served)]


async def view(space: SpaceIn, request: Request, server: ServedIn) -> View:
    """The caller's view of the space that the path names."""
    return server.spaces.view(space, caller_of(request.scope))


async def seen_space(space: SpaceIn, request: Request, server: ServedIn) -> Space:
    """The space that the path names, if the caller may know of it."""
    return server.spaces.get(space, caller_of(request.scope))


ViewIn = Annotated[View, Depends(view)]
SeenSpace = Annotated[Space, Depends(seen_space)]
