"""What is wrong with settings, by name: whether file, environment or argument says so, and what was meant."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from rove.errors import ConfigError, meant

PREFIX, NESTED = "ROVE_", "__"
EXTRA = "extra_forbidden"
MOST = 3
"""What is said of several mistakes at once."""
LIST_THEM = "List them with: rove settings"
MEND = "Correct the file, the ROVE_… environment variables or the arguments."
Tree = Mapping[str, Any]


def mistaken(
    error: ValidationError, model: type[BaseModel], *, of: str, file: Path, tree: Tree, arguments: Tree
) -> ConfigError:
    """Return the error that says what is wrong. `of`: the base; `tree`: what its file holds; no value is told."""
    known = tuple(_iter_setting_names(model))
    said: list[str] = []
    cures: list[str] = []
    for one in error.errors(include_input=False, include_url=False):
        place = tuple(map(str, one["loc"]))
        if one["type"] != EXTRA:
            said.append(f"{'.'.join(place)}{_setting_origin_note(place, file, tree, arguments)}: {one['msg']}")
            continue
        for name in _full(place, tree, arguments):
            said.append(
                f"there is no setting {name!r}{_setting_origin_note(tuple(name.split('.')), file, tree, arguments)}"
            )
            cures.append(f"{meant(name, known)}")
    cure = f"{''.join(dict.fromkeys(cures[:MOST]))}{LIST_THEM}" if cures else MEND
    more = f"; and {len(said) - MOST} more" if len(said) > MOST else ""
    return ConfigError(f"Settings of {of}: {'; '.join(said[:MOST])}{more}.", cure=cure)


def _iter_setting_names(model: type[BaseModel]) -> Iterator[str]:
    """Every setting by its full name, "search.top_k"."""
    for name, field in model.model_fields.items():
        table = field.annotation
        inner = table.model_fields if isinstance(table, type) and issubclass(table, BaseModel) else {}
        yield from (f"{name}.{key}" for key in inner)
        if not inner:
            yield name


def _full(place: Sequence[str], *trees: Tree) -> list[str]:
    """The names of what stands there: of an unknown table each of its keys, else the place itself."""
    for tree in trees:
        found = _setting_at_path(tree, place)
        if isinstance(found, Mapping) and found:
            return [".".join((*place, str(key))) for key in cast("Mapping[object, object]", found)]
    return [".".join(place)]


def _setting_origin_note(place: Sequence[str], file: Path, tree: Tree, arguments: Tree) -> str:
    """Say who gives a setting, in brackets; "" where that is none of the three, as with what a preset brings."""
    variable = PREFIX + NESTED.join(place).upper()
    if _setting_at_path(arguments, place) is not None:
        return " (an argument)"
    if found := next((name for name in os.environ if name.upper() == variable), ""):
        return f" (the environment variable {found})"
    return f" (the file {file})" if _setting_at_path(tree, place) is not None else ""


def _setting_at_path(tree: object, place: Sequence[str]) -> object:
    found = tree
    for name in place:
        if isinstance(found, BaseModel):
            found = found.model_dump(exclude_unset=True)
        found = cast("Tree", found).get(name) if isinstance(found, Mapping) else None
    return found
