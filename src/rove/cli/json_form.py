"""Records as JSON, as `--json` prints them: objects, chunks and citations with what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import cast

from rove.answer.passages import rendered
from rove.language.rendering import render
from rove.records import Answer, Chunk, Citation, Hit


def json_form(value: object) -> object:
    """Return what `json` can write of a value that it does not know."""
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        match value:
            case Chunk():
                return {**told, "rendered": rendered(value)}
            case Answer():
                return {**told, "nearest": value.nearest}
            case Hit():
                return {**told, "as_of": value.as_of, "time": value.time}
            case Citation():
                return {**told, "rendered": render(value.quote)}
            case _:
                return told
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Path):
        return str(value)
    message = f"{type(value).__name__} cannot be written as JSON."
    raise TypeError(message)
