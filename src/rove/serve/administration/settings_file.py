"""The settings file, changed over HTTP: what a person has written there, comments too, stays as it is."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, Item

from rove.errors import InputError, ServiceError
from rove.store.files import sync_folder

BEFORE = ".before"
"""What the name of the file as it was before ends in."""
BY_HAND = "The settings file is written in a way that cannot be changed here."
BY_HAND_CURE = "Whoever runs the server changes it in the file."
Tree = Mapping[str, Any]


def version_of(text: str) -> str:
    """What tells one state of the file from another; "" where there is none.

    >>> version_of(""), version_of("[search]")
    ('', '358d347075b26fe0')
    """
    return sha256(text.encode()).hexdigest()[:16] if text else ""


def changed_tree(tree: Tree, changes: Mapping[str, object]) -> dict[str, Any]:
    """The file's tree with other values by their full names; None takes one out.

    >>> changed_tree({"search": {"top_k": 3}}, {"search.top_k": None, "walk.rounds": 2})
    {'search': {}, 'walk': {'rounds': 2}}
    """
    made: dict[str, Any] = {
        name: dict(cast("Tree", one)) if isinstance(one, dict) else one for name, one in tree.items()
    }
    for name, value in changes.items():
        table, _, key = name.partition(".")
        if value is not None:
            made.setdefault(table, {})[key] = value
        elif table in made:
            made[table].pop(key, None)
    return made


def changed_text(text: str, changes: Mapping[str, object]) -> str:
    """The file's text with other values by their full names; None takes one out. All else keeps its place.

    Raises:
        InputError: it is written in a way that does not let it be changed so, or a value is nothing that TOML has.
    """
    try:
        document = tomlkit.parse(text)
        for name, value in changes.items():
            table, _, key = name.partition(".")
            _set_toml_key(document, table, key, value)
        made = document.as_string()
        if tomllib.loads(made) == changed_tree(tomllib.loads(text), changes):
            return made
    except (TOMLKitError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # seen by what comes of it
        pass
    raise InputError(BY_HAND, cure=BY_HAND_CURE)


def _set_toml_key(document: tomlkit.TOMLDocument, table: str, key: str, value: object) -> None:
    if value is None:
        if table in document:
            within = cast("dict[str, Item]", document[table])
            within.pop(key, None)
        return
    if table not in document:
        document[table] = tomlkit.table()
    within = cast("AbstractTable", document[table])
    if key in within:
        within[key] = _to_toml_item(value)
    else:
        _put_in(within, key, _to_toml_item(value))


def _put_in(within: AbstractTable, key: str, item: Item) -> None:
    """Put a new line behind the last one of a table: comments after that most likely speak of the next table."""
    body = within.value.body
    after: list[Any] = []
    while body and body[-1][0] is None:
        after.insert(0, body.pop())
    within.append(key, item)
    body.extend(after)


def _to_toml_item(value: object) -> Item:
    """A value as TOML: tables within a value stand on its line, and long texts on several."""
    if isinstance(value, dict):
        made = tomlkit.inline_table()
        for key, inner in cast("Tree", value).items():
            made.append(key, _to_toml_item(inner))
        return made
    if isinstance(value, list):
        listed = tomlkit.array()
        for inner in cast("list[object]", value):
            listed.insert(len(listed), _to_toml_item(inner))
        return listed
    if isinstance(value, str) and "\n" in value and not value.startswith("\n"):
        return tomlkit.string(value, multiline=True)
    return tomlkit.item(value)


def save_settings(file: Path, before: str, text: str) -> None:
    """Write the file, whole or not at all, as readable to others as it was; what it was is kept beside it.

    Raises:
        ServiceError: it cannot be written.
    """
    try:
        put_in_place(file, before, text)
    except OSError as error:
        reason = error.strerror
        message = f"The settings file cannot be written: {reason}."
        cure = (
            "Make room on the disk, let the user that the server runs as write to the file and its folder, "
            "or change it there."
        )
        raise ServiceError(message, cure=cure, retryable=False) from error


def put_in_place(file: Path, before: str, text: str) -> None:
    """Write a file, whole or not at all; what it was, `before`, is kept beside it. Raises `OSError`."""
    file = file.resolve()  # a link stays one
    if file.is_file():
        _write_settings_file(file.with_name(file.name + BEFORE), before, like=file)
    _write_settings_file(file, text, like=file)


def _write_settings_file(file: Path, text: str, like: Path) -> None:
    part = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        part.touch(mode=0o600)  # it can hold hashes of keys
        with part.open("w", encoding="utf-8", newline="") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        if like.is_file():
            shutil.copymode(like, part)
        part.replace(file)
        sync_folder(file.parent)
    finally:
        part.unlink(missing_ok=True)
