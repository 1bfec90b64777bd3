"""What every command has: which base, which settings, how to print; and errors as one line with an exit status."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import wraps
from shlex import quote
from typing import Any, Concatenate, ParamSpec

import click

from rove.cli.output import Output
from rove.errors import ConfigError, InputError, RoveError
from rove.settings import Address, located, read_settings
from rove.sync import Rove

P = ParamSpec("P")
SETTING = re.compile(r"([a-z_]+)\.([a-z0-9_]+)=(.*)", re.S)
PRESET = "preset="
FAILED, BAD_CALL = 1, 2
MORE = " Given several times, all are read as one base."


class Session:
    """One call of a command."""

    def __init__(self, kb: Sequence[str], settings: tuple[str, ...], *, as_json: bool) -> None:
        """`kb`: where the base is, and the further ones that are read with it.

        `again`: how a command that is shown names them.
        """
        self.location, *others = kb
        also = {"also": [read_settings(other).path for other in others]} if others else {}
        self.settings: dict[str, Any] = {**_settings(settings), **also}
        self.again = "".join(f" --kb {quote(_shown(one))}" for one in kb) if list(kb) != _usual() else ""
        self.output = Output(as_json=as_json)

    @contextmanager
    def base(self, *, create: bool = False) -> Generator[Rove]:
        """Open the base for the length of the block. `create`: make the base where there is none."""
        settings = read_settings(self.location, **self.settings)
        with Rove(settings, create=create) as kb:
            yield kb


def command(
    name: str,
    *,
    several: bool = False,
    **more: Any,  # noqa: ANN401
) -> Callable[[Callable[Concatenate[Session, P], int | None]], click.Command]:
    """Make a command of a function that takes a `Session` first and returns its exit status (None: 0).

    `several`: it can read several bases as one.
    """

    def decorate(function: Callable[Concatenate[Session, P], int | None]) -> click.Command:
        @wraps(function)
        def call(
            kb: tuple[str, ...], setting: tuple[str, ...], as_json: bool, *args: P.args, **kwargs: P.kwargs
        ) -> None:
            output = Output(as_json=as_json)
            try:
                if len(kb) > 1 and not several:
                    message = f"rove {name} works on one base, and {len(kb)} are given."
                    raise ConfigError(message, cure="Give --kb once.")  # noqa: TRY301 - printed as any other
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
                multiple=True,
                default=_usual,
                show_default="$ROVE_KB, else kb",
                help=f"Folder or TOML file of the base, or its address (postgresql://…).{MORE if several else ''}",
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


def _shown(location: str) -> str:
    """A base as it was named, without a password."""
    place = located(location)
    return str(place) if isinstance(place, Address) else location


def _usual() -> list[str]:
    return [os.environ.get("ROVE_KB") or "kb"]


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
