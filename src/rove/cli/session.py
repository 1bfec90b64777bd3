"""What every command has: which base, which settings, how to print; and errors as one line with an exit status."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import click

from rove.cli.output import Output
from rove.errors import ConfigError, InputError, RoveError
from rove.settings import read_settings
from rove.sync import Rove

P = ParamSpec("P")
SETTING = re.compile(r"([a-z_]+)\.([a-z0-9_]+)=(.*)", re.S)
PRESET = "preset="
FAILED, BAD_CALL = 1, 2


class Session:
    """One call of a command."""

    def __init__(self, kb: str, settings: tuple[str, ...], *, as_json: bool) -> None:
        self.location = kb
        self.settings = _settings(settings)
        self.output = Output(as_json=as_json)

    @contextmanager
    def base(self, *, create: bool = False) -> Generator[Rove]:
        """Open the base for the length of the block. `create`: make the base where there is none."""
        settings = read_settings(self.location, **self.settings)
        with Rove(settings, create=create) as kb:
            yield kb


def command(name: str, **more: Any) -> Callable[[Callable[Concatenate[Session, P], int | None]], click.Command]:  # noqa: ANN401
    """Make a command of a function that takes a `Session` first and returns its exit status (None: 0)."""

    def decorate(function: Callable[Concatenate[Session, P], int | None]) -> click.Command:
        @wraps(function)
        def call(kb: str, setting: tuple[str, ...], as_json: bool, *args: P.args, **kwargs: P.kwargs) -> None:
            output = Output(as_json=as_json)
            try:
                status = function(Session(kb, setting, as_json=as_json), *args, **kwargs)
            except RoveError as error:
                output.error(error)
                sys.exit(BAD_CALL if isinstance(error, ConfigError | InputError) else FAILED)
            except BrokenPipeError:
                sys.exit(0)
            sys.exit(status or 0)

        made = click.command(name, **more)(call)
        made.params += [
            click.Option(
                ["--kb", "-k"],
                default="kb",
                envvar="ROVE_KB",
                show_default=True,
                help="Folder or TOML file of the base.",
            ),
            click.Option(
                ["--set", "-s", "setting"],
                multiple=True,
                metavar="TABLE.KEY=VALUE",
                help="Override a setting; preset=NAME takes a preset.",
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."),
        ]
        return made

    return decorate


def _settings(given: tuple[str, ...]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for text in given:
        if text.startswith(PRESET):
            tree["preset"] = text.removeprefix(PRESET)
            continue
        found = SETTING.fullmatch(text)
        if not found:
            message = f"--set {text!r} is not a setting."
            raise ConfigError(message, cure="Write TABLE.KEY=VALUE, e.g. search.top_k=5.")
        tree.setdefault(found[1], {})[found[2]] = found[3]
    return tree
