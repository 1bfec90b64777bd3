"""`rove serve` and `rove mcp`: the base over HTTP, and as tools for a model; and the keys that open it."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from rove.cli.served_call import answer_command_line
from rove.cli.session import Session
from rove.errors import ConfigError
from rove.installing import install_cure
from rove.registry import load
from rove.settings import Settings, file_of, located, read_settings

NAME = re.compile(r"[\w.-]{1,64}")


def run(
    session: Session, host: str | None, port: int | None, host_names: tuple[str, ...] = (), await_key: bool = False
) -> None:
    """Run `rove serve`."""
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    part = _extra("rove.serve.run:serve")

    def read() -> Settings:
        settings = _settings(session, given)
        serve = settings.serve.model_copy(update={"hosts": (*settings.serve.hosts, *map(str.lower, host_names))})
        return settings.model_copy(update={"serve": serve})

    part(_file(session.location), read, session.output.note, answer_command_line, awaits_key=await_key)


def key(
    session: Session, name: str, spaces: tuple[str, ...], rights: tuple[str, ...], labels: tuple[str, ...], revoke: bool
) -> None:
    """Run `rove key`."""
    if revoke:
        _revoke(session, name)
        return
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot be the name of a key."
        raise ConfigError(message, cure="Use up to 64 letters, digits, dots, dashes and underscores.")
    settings = _settings(session, {})
    if name in settings.serve.keys:
        message = f"There is a key {name!r} already."
        raise ConfigError(message, cure="Choose another name, or take its table out of the settings file.")
    made = load("rove.serve.admission.keys:make_key")()
    table = {"hash": load("rove.serve.admission.keys:hash_key")(made), "spaces": spaces or ("*",), "rights": rights}
    file = _file(session.location)
    _append(file, name, {**table, **({"labels": labels} if labels else {})})
    if session.output.as_json:
        session.output.json({"name": name, "key": made, "file": str(file)})
        return
    session.output.line(made)
    session.output.note(f"This is shown once. {file} holds its hash; a server that runs lets it in within seconds.")


def mcp(session: Session) -> None:
    """Run `rove mcp`."""
    settings = _settings(session, {})
    _extra("rove.serve.run:serve_stdio")(settings, _home(session.location))


def _settings(session: Session, given: dict[str, Any]) -> Settings:
    """Read the settings, with what the call gives for the table `serve` over what the file says."""
    tables: dict[str, Any] = dict(session.settings)
    return read_settings(session.location, **{**tables, "serve": {**tables.get("serve", {}), **given}})


def _extra(path: str) -> Any:  # noqa: ANN401 - whatever stands there
    try:
        return load(path)
    except ModuleNotFoundError as error:
        message = f"Serving needs {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure("serve", error.name or "")) from error


def _file(location: str) -> Path:
    return file_of(located(location))


def _home(location: str) -> Path:
    return _file(location).parent


def _append(file: Path, name: str, table: dict[str, object]) -> None:
    """Put a table at the end of a TOML file, whole or not at all."""
    text = file.read_text("utf-8") if file.is_file() else ""
    lines = [f"[serve.keys.{_quoted(name)}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    _write(file, "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), *lines, ""]))


def _revoke(session: Session, name: str) -> None:
    """Take a key's table out of the settings file, and touch nothing else.

    Raises:
        ConfigError: it is not there, or not written as `rove serve key` writes it.
    """
    file = _file(session.location)
    text = file.read_text("utf-8") if file.is_file() else ""
    heads = (f"[serve.keys.{_quoted(name)}]", f"[serve.keys.{name}]")
    kept: list[str] = []
    within = False
    for line in text.splitlines(keepends=True):
        within = line.strip() in heads or (within and not line.startswith("["))
        if not within:
            kept.append(line)
    wanted, left = _keys(text), _keys("".join(kept))
    if wanted.pop(name, None) is None or left != wanted:
        message = f"{file} has no table {heads[0]} that could be taken out."
        raise ConfigError(message, cure="Take the key out of the file by hand, or out of the environment.")
    _write(file, "".join(kept))
    session.output.note(f"{file} has no key {name!r} any more; a server that runs ends what it does for it.")


def _keys(text: str) -> dict[str, Any]:
    """The keys that a settings file holds."""
    try:
        return tomllib.loads(text).get("serve", {}).get("keys", {})
    except (ValueError, RecursionError) as error:  # not TOML, or a number of 5,000 digits
        message = f"The settings file is not valid TOML: {error}."
        raise ConfigError(message, cure="Mend the file.") from error


def _write(file: Path, text: str) -> None:
    """Write a file, whole or not at all, and as readable to others as it was."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.touch(mode=0o600)  # it can hold hashes of keys
    part.write_text(text, "utf-8")
    if file.is_file():
        shutil.copymode(file, part)
    part.replace(file)


def _toml(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_quoted(str(item)) for item in value)}]"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return _quoted(str(value))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{"".join(c if c.isprintable() else "?" for c in escaped)}"'
