"""What is asked of a walk by a server that does not have it: written down in the base, done where the walk is."""

from __future__ import annotations

import json
import logging
from contextlib import suppress

from rove.errors import InputError, RoveError, ServiceError
from rove.records.walk_events import Edit, Edited
from rove.serve.walks.listened import ListenedWalks
from rove.store.store import Store
from rove.store.walk_holds import Command
from rove.walk.handle import AsyncWalk
from rove.walk.json_format import from_line, to_line

LOOK_S = 1.0
"""So often one looks at least for what others have asked, or done; and is told, where the base can tell."""
FAULT = "Something went wrong at the server that has this walk."
ENDED_CURE = "Look at the walk, and send it again if it was not done."
LOST = json.dumps(["service", "The walk's server let go of it; whether this was done before is not known.", ENDED_CURE])
log = logging.getLogger("rove.serve")


async def steer(walk: AsyncWalk, action: str, edit: Edit | None) -> None:
    """Pause, edit, resume or stop a walk that is held here."""
    match action:
        case "pause":
            await walk.pause()
        case "resume":
            await walk.resume()
        case "stop":
            await walk.stop()
        case _:
            await walk.edit(edit or Edit())


async def take_commands(store: Store, listened: ListenedWalks) -> None:
    """Carry out what other servers ask of the walks that are listened to here, until cancelled."""
    holds, news = store.team.holds, store.news
    while True:
        heard = news.count
        with suppress(RoveError):  # where the base cannot be reached, later
            for command in await holds.taken(list(listened.walks)):
                await holds.answer(command.number, await _execute_walk_command(command, listened))
        await news.after(heard, LOOK_S)


async def _execute_walk_command(command: Command, listened: ListenedWalks) -> str:
    """Carry out a command; returns its outcome, see `check_outcome`."""
    walk = listened.walks.get(command.walk_id)
    try:
        if walk is None:  # it was let go just now
            return LOST
        await steer(walk, command.action, edit_of(command.edit))
    except InputError as error:
        return json.dumps(["input", error.reason, error.cure])
    except RoveError as error:
        return json.dumps(["service", error.reason, error.cure])
    except Exception:  # a fault of ours: who asked is told, and others go on
        log.exception("walk not steered", extra={"walk": command.walk_id})
        return json.dumps(["service", FAULT, ENDED_CURE])
    return ""


def check_outcome(outcome: str) -> None:
    """Raise what a command has raised where it was carried out.

    >>> check_outcome("")
    >>> check_outcome('["input", "There is no fact 7.", "See the walk."]')
    Traceback (most recent call last):
    ...
    rove.errors.InputError: There is no fact 7. See the walk.
    """
    if outcome:
        kind, reason, cure = json.loads(outcome)
        raise (InputError if kind == "input" else ServiceError)(reason, cure=cure)


def text_of(edit: Edit | None) -> str:
    """Write an edit as a text."""
    return "" if edit is None else to_line(Edited(edit))


def edit_of(text: str) -> Edit | None:
    """Read an edit back. See `text_of`."""
    event = from_line(text) if text else None
    return event.edit if isinstance(event, Edited) else None
