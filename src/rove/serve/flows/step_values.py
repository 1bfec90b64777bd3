"""What the steps of a run gave, as whoever began the run is told it; and the documents that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import cast

from pydantic import JsonValue

from rove.records import Answer, Document, Filter, Hit, Note
from rove.records.sql import SqlReply
from rove.records.tool import ToolRun
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.results import AnswerOut, HitOut, NoteOut
from rove.serve.redaction import public_text
from rove.serve.tools.schema import to_plain_json
from rove.tools.hiding import Hide

DEEPEST, MOST = 4, 50
"""Records that stand in others, and elements of a list, are told so far."""
NOT_TOLD = (Filter, Document, Mapping, bytes)


def step_value(value: object, hide: Hide, depth: int = DEEPEST) -> JsonValue:
    """Return what a step gave: answers and passages as they are told anywhere, of other records the fields.

    Filters, whole documents and tables of names stay here; `hide` takes secrets out of texts.
    """
    match value:
        case Answer():
            return AnswerOut.of(value).model_dump(mode="json")
        case Hit():
            return HitOut.of(value).model_dump(mode="json")
        case SqlReply():
            return SqlOut.of(value).model_dump(mode="json")
        case Note():
            return NoteOut.all([value])[0].model_dump(mode="json")
        case ToolRun():
            tool = value.plan.match.tool if value.plan else ""
            text = hide(value.text or "")
            return {"tool": tool, "outcome": value.outcome, "note": hide(public_text(value.note)), "text": text}
        case str():
            return hide(public_text(value))
        case tuple() | list():
            items = cast("Sequence[object]", value)[:MOST]
            return cast("JsonValue", [step_value(one, hide, depth) for one in items])
        case _ if is_dataclass(value) and depth:
            return cast(
                "JsonValue", {name: step_value(one, hide, depth - 1) for name, one in _iter_filled_fields(value)}
            )
        case _:
            return cast("JsonValue", to_plain_json(value if isinstance(value, bool | int | float) else None, hide))


def documents_in(value: object) -> Iterator[str]:
    """The ids of the documents that stand anywhere in a value, each as often as it does."""
    if isinstance(value, Mapping):
        for one in cast("Mapping[object, object]", value).values():
            yield from documents_in(one)
    elif isinstance(value, tuple | list):
        for one in cast("Sequence[object]", value):
            yield from documents_in(one)
    elif is_dataclass(value):
        for field in fields(value):
            one: object = getattr(value, field.name)
            if field.name == "document_id" and isinstance(one, str):
                yield one
            else:
                yield from documents_in(one)


def _iter_filled_fields(record: object) -> Iterator[tuple[str, object]]:
    """The fields of a record that are told: those that say something."""
    for field in fields(cast("type[object]", record)):  # pyright: ignore[reportArgumentType] - it is a dataclass
        one: object = getattr(record, field.name)
        if not isinstance(one, NOT_TOLD) and one not in (None, "", (), []):
            yield field.name, one
