"""`rove serve` and `rove mcp`: the base over HTTP, and as tools for a model; and the keys that open it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rove.cli.command import usual_base
from rove.cli.served_call import answer_command_line
from rove.cli.session import Session
from rove.errors import ConfigError
from rove.installing import install_cure
from rove.registry import load
from rove.settings import Settings, file_of, located, read_settings
from rove.store.people_log import folded

USUAL = "kb"
EMPTY = "There was no base here: kb is a new one. Drop files into the page, or: rove add SOURCE"
NAME = re.compile(r"[\w.-]{1,64}")


def run(
    session: Session, host: str | None, port: int | None, host_names: tuple[str, ...] = (), await_key: bool = False
) -> None:
    """Run `rove serve`."""
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    part = needed("rove.serve.run:serve")

    def read() -> Settings:
        settings = settings_of(session, given)
        serve = settings.serve.model_copy(update={"hosts": (*settings.serve.hosts, *map(str.lower, host_names))})
        return settings.model_copy(update={"serve": serve})

    if [session.location] == usual_base() == [USUAL] and not Path(USUAL).exists() and not read().serve.spaces:
        Path(USUAL).mkdir()
        session.output.note(EMPTY)
    part(_settings_file_at(session.location), read, session.output.note, answer_command_line, awaits_key=await_key)


def key(
    session: Session, name: str, spaces: tuple[str, ...], rights: tuple[str, ...], labels: tuple[str, ...], revoke: bool
) -> None:
    """Run `rove key`."""
    if revoke:
        file = _settings_file_at(session.location)
        load("rove.serve.admission.key_file:revoke")(file, name)
        session.output.note(f"{file} has no key {name!r} any more; a server that runs ends what it does for it.")
        return
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot be the name of a key."
        raise ConfigError(message, cure="Use up to 64 letters, digits, dots, dashes and underscores.")
    settings = settings_of(session, {})
    if name in settings.serve.keys or folded(name) in load("rove.cli.people:names_of")(session, settings):
        message = f"There is a key, or a person, called {name!r} already."
        raise ConfigError(message, cure="Choose another name, or take its table out of the settings file.")
    made = load("rove.serve.admission.keys:make_key")()
    table = {"hash": load("rove.serve.admission.keys:hash_key")(made), "spaces": spaces or ("*",), "rights": rights}
    file = _settings_file_at(session.location)
    load("rove.serve.admission.key_file:append")(file, name, {**table, **({"labels": labels} if labels else {})})
    if session.output.as_json:
        session.output.json({"name": name, "key": made, "file": str(file)})
        return
    session.output.line(made)
    session.output.note(f"This is shown once. {file} holds its hash; a server that runs lets it in within seconds.")


def mcp(session: Session) -> None:
    """Run `rove mcp`."""
    settings = settings_of(session, {})
    needed("rove.serve.run:serve_stdio")(settings, _home(session.location))


def settings_of(session: Session, given: dict[str, Any]) -> Settings:
    """Read the settings, with what the call gives for the table `serve` over what the file says."""
    tables: dict[str, Any] = dict(session.settings)
    return read_settings(session.location, **{**tables, "serve": {**tables.get("serve", {}), **given}})


def needed(path: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Load what the extra for serving has."""
    try:
        return load(path)
    except ModuleNotFoundError as error:
        message = f"Serving needs {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure("serve", error.name or "")) from error


def _settings_file_at(location: str) -> Path:
    return file_of(located(location))


def _home(location: str) -> Path:
    return _settings_file_at(location).parent
