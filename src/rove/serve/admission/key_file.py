"""Keys in a settings file: put at its end, and taken out again, without touching anything else that stands in it."""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

from rove.errors import ConfigError


def append(file: Path, name: str, table: dict[str, object]) -> None:
    """Put a table at the end of a TOML file, whole or not at all."""
    text = file.read_text("utf-8") if file.is_file() else ""
    lines = [
        f"[serve.keys.{_quote_toml_string(name)}]",
        *(f"{key} = {_to_toml_literal(value)}" for key, value in table.items()),
    ]
    _write_key_file(file, "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), *lines, ""]))


def revoke(file: Path, name: str) -> None:
    """Take a key's table out of the settings file, and touch nothing else.

    Raises:
        ConfigError: it is not there, or not written as `rove serve key` writes it.
    """
    text = file.read_text("utf-8") if file.is_file() else ""
    heads = (f"[serve.keys.{_quote_toml_string(name)}]", f"[serve.keys.{name}]")
    kept: list[str] = []
    within = False
    for line in text.splitlines(keepends=True):
        within = line.strip() in heads or (within and not line.startswith("["))
        if not within:
            kept.append(line)
    wanted, left = _parse_serve_keys(text), _parse_serve_keys("".join(kept))
    if wanted.pop(name, None) is None or left != wanted:
        message = f"{file} has no table {heads[0]} that could be taken out."
        raise ConfigError(message, cure="Take the key out of the file by hand, or out of the environment.")
    _write_key_file(file, "".join(kept))


def _parse_serve_keys(text: str) -> dict[str, Any]:
    """The keys that a settings file holds."""
    try:
        return tomllib.loads(text).get("serve", {}).get("keys", {})
    except (ValueError, RecursionError) as error:  # not TOML, or a number of 5,000 digits
        message = f"The settings file is not valid TOML: {error}."
        raise ConfigError(message, cure="Correct the file.") from error


def _write_key_file(file: Path, text: str) -> None:
    """Write a file, whole or not at all, and as readable to others as it was."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.touch(mode=0o600)  # it can hold hashes of keys
    part.write_text(text, "utf-8")
    if file.is_file():
        shutil.copymode(file, part)
    part.replace(file)


def _to_toml_literal(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_quote_toml_string(str(item)) for item in value)}]"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return _quote_toml_string(str(value))


def _quote_toml_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(c if c.isprintable() else "?" for c in escaped)}"'
