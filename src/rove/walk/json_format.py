"""Walk events, and the filter that a walk keeps to, as JSON and back; strict: no foreign file is half read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast, get_args

import msgspec

from rove.errors import InputError
from rove.records import Filter
from rove.records import filter as filters
from rove.records.answer import with_new_verdicts
from rove.records.walk_events import WalkEvent, WalkInfo, WalkStarted
from rove.walk.state import State

EVENTS: dict[str, type[WalkEvent]] = {kind.__name__: kind for kind in get_args(WalkEvent)}
FORMAT = 1


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    event: str
    data: msgspec.Raw


def to_line(event: WalkEvent) -> str:
    """Write an event as one line of JSON: {"event": its name, "data": its fields}.

    >>> from rove.records.walk_events import Resumed
    >>> to_line(Resumed(2))
    '{"event":"Resumed","data":{"round":2}}'
    """
    return msgspec.json.encode({"event": type(event).__name__, "data": event}, enc_hook=_dict_from_mapping).decode()


def _dict_from_mapping(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    message = f"{type(value).__name__} is no part of an event"
    raise TypeError(message)


def from_line(line: str) -> WalkEvent:
    """Read an event back. See `to_line`.

    Raises:
        InputError: it is none.
    """
    try:
        told = msgspec.json.decode(with_new_verdicts(line), type=_Line)
        return _decoder(told.event).decode(told.data)
    except (msgspec.MsgspecError, KeyError, RecursionError, UnicodeEncodeError) as error:
        message = f"This is not an event of a walk: {line[:80]!r} ({error})."
        raise InputError(message, cure="Export the walk again, with this version of Rove.") from error


def head_of(started: WalkStarted) -> str:
    """Return the first line of an exported walk."""
    return msgspec.json.encode({"rove_walk": FORMAT, "walk_id": started.walk_id}).decode()


def walk_info(state: State) -> WalkInfo:
    """Return what a list of walks shows of one; the store knows the times."""
    status = "paused" if state.paused else "open"
    if state.over and state.stopped:
        status = state.stopped.reason
    facts, rounds = len(state.facts), state.round
    return WalkInfo(
        state.walk_id, state.question, state.mode, status, rounds, facts, state.events, "", "", state.forked_from
    )


@cache
def _decoder(name: str) -> msgspec.json.Decoder[WalkEvent]:
    return msgspec.json.Decoder(EVENTS[name])


def filter_to_text(where: Filter | None) -> str:
    """Write a filter as JSON, "" for none.

    >>> from rove.records import field
    >>> filter_to_text(field("year") >= 2020)
    '["Compare","year",">=",2020]'
    """
    return "" if where is None else msgspec.json.encode(_filter_json_tree(where)).decode()


def filter_of(text: str) -> Filter | None:
    """Read a filter back. See `filter_to_text`.

    Raises:
        InputError: it is none.
    """
    if not text:
        return None
    try:
        return _filter(msgspec.json.decode(text, type=list[Any]))
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, IndexError) as error:
        message = f"This is not a filter: {text[:80]!r}."
        raise InputError(message, cure="Export the walk again, with this version of Rove.") from error


def _filter_json_tree(where: Filter) -> list[object]:
    match where:
        case filters.All(parts) | filters.Any(parts):
            return [type(where).__name__, *(_filter_json_tree(part) for part in parts)]
        case filters.Not(part):
            return ["Not", _filter_json_tree(part)]
        case filters.Compare(name, op, value):
            return ["Sight" if isinstance(where, filters.AccessFilter) else "Compare", name, op, value]
        case _:
            message = f"Unknown filter node {where!r}."
            raise TypeError(message)


def _filter(tree: list[Any]) -> Filter:
    match tree:
        case ["All", *parts]:
            return filters.All(tuple(_filter(part) for part in parts))
        case ["Any", *parts]:
            return filters.Any(tuple(_filter(part) for part in parts))
        case ["Not", part]:
            return filters.Not(_filter(part))
        case ["Compare" | "Sight" as node, str(name), str(op), value] if op in {*filters.COMPARE, "in", "exists"}:
            made = filters.AccessFilter if node == "Sight" else filters.Compare
            scalars = cast("list[filters.Scalar] | filters.Scalar", value)
            return made(name, op, tuple(scalars) if isinstance(scalars, list) else scalars)
        case _:
            message = f"not a filter: {tree!r}"
            raise ValueError(message)
