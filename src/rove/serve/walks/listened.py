"""The walks of one server that somebody listens to."""

from __future__ import annotations

from dataclasses import dataclass, field

from rove.walk.handle import AsyncWalk


@dataclass(slots=True)
class ListenedWalks:
    """The walks of one server that somebody listens to, by their id."""

    walks: dict[str, AsyncWalk] = field(default_factory=dict[str, AsyncWalk])
