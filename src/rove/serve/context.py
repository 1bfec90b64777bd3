"""What every route works with: the server's spaces, settings and journal, and the caller's view of a space."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Self

from fastapi import Depends, Path, Request

from rove.serve.admission.callers import Callers
from rove.serve.admission.keyring import Keyring
from rove.serve.admission.middleware import caller_of
from rove.serve.admission.open_requests import OpenRequests
from rove.serve.admission.rate_limits import ConcurrencyLimit
from rove.serve.caller_view import CallerView
from rove.serve.journal import Journal
from rove.serve.people.directory import People
from rove.serve.spaces import Space, Spaces
from rove.serve.walks.listened import ListenedWalks
from rove.settings import ServeSettings

LONG_REPLIES = 1
"""So many lists are made at once: each more takes 5 ms of a search's time, whenever it waits for anything."""


@dataclass(frozen=True, slots=True)
class ServerContext:
    """One server. `closing` is set when it is about to end: streams that only watch end then.

    `long_replies` is held by what makes a list or lays out a document: few do at once, and a search waits for none.
    `talking`: ids of the conversations in which it answers something just now. `changing_settings` is held by who does.
    `keyring`: the file with keys, if it is followed.
    """

    spaces: Spaces
    settings: ServeSettings
    people: People
    streams: ConcurrencyLimit
    exports: ConcurrencyLimit
    open_requests: OpenRequests
    journal: Journal = field(default_factory=Journal)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    long_replies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(LONG_REPLIES))
    talking: set[str] = field(default_factory=set[str])
    changing_settings: asyncio.Lock = field(default_factory=asyncio.Lock)
    keyring: Keyring | None = None

    @property
    def callers(self) -> Callers:
        """Who is let in by a key."""
        return self.people.callers

    @property
    def listened(self) -> ListenedWalks:
        """The walks that somebody listens to."""
        return self.spaces.listened

    @classmethod
    def of(cls, spaces: Spaces, keyring: Keyring | None = None) -> Self:
        """Make it for these spaces, as their settings say."""
        settings = spaces.settings
        streams = ConcurrencyLimit(settings.streams, what="streams", setting="serve.streams", tally=spaces.tally)
        exports = ConcurrencyLimit(settings.exports, what="exports", setting="serve.exports", tally=spaces.tally)
        open_requests = OpenRequests()
        people = People(spaces, open_requests)
        made = cls(spaces, settings, people, streams, exports, open_requests, keyring=keyring)
        spaces.account(made.journal.note_usage)
        return made


def origin_of(request: Request, server: ServerContext) -> str:
    """Where the server's page is reached, without a slash at the end. See `ServeSettings.public_url`."""
    return server.settings.public_url.rstrip("/") or f"{request.url.scheme}://{request.url.netloc}"


async def server_context(request: Request) -> ServerContext:
    """The server that the request came to."""
    return request.app.state.server_context


SpaceIn = Annotated[str, Path(max_length=64, description="The name of a space.", examples=["default"])]
ServerContextIn = Annotated[ServerContext, Depends(server_context)]


async def view(space: SpaceIn, request: Request, server: ServerContextIn) -> CallerView:
    """The caller's view of the space that the path names."""
    return server.spaces.view(space, caller_of(request.scope))


async def seen_space(space: SpaceIn, request: Request, server: ServerContextIn) -> Space:
    """The space that the path names, if the caller may know of it."""
    return server.spaces.get(space, caller_of(request.scope))


CallerViewIn = Annotated[CallerView, Depends(view)]
SeenSpace = Annotated[Space, Depends(seen_space)]
