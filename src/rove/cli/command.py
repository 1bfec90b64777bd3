"""A command is declared by its options and its help; what it runs is imported when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from rove.cli.asking_server import ask_server
from rove.errors import ConfigError, InputError, RoveError, ServiceError
from rove.registry import load

if TYPE_CHECKING:
    from rove.cli.output import Output
    from rove.cli.session import Session

FAILED, BAD_CALL = 1, 2
USUAL = (700, 10, 10)
"""Python's own numbers: how many objects are made between two looks for garbage."""
MORE = " Given several times, all are read as one base."
LOCAL = "Open the base in this process, also where a server has it open."
SLIPS = (PermissionError, FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError)
"""What the system says of a path that was named wrongly; any other OSError is no fault of the call."""
CURES = {
    PermissionError: "Name a place that you may use, or give yourself the right to it.",
    FileNotFoundError: "Look at how it is written; folders on the way to a new file have to be there.",
    NotADirectoryError: "Name a folder there, not a file.",
    IsADirectoryError: "Name a file there, not a folder.",
    FileExistsError: "Name another place, or move away what is there.",
}
GROUP: dict[str, Any] = {
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}


class Declared(click.Command):
    """A command whose function is imported when it is called. `runs`: see `command`."""

    runs: str = ""


class BasePlace(click.ParamType):  # pyright: ignore[reportMissingTypeArgument] - generic in newer versions only
    """Names a base: a folder, a TOML file, or an address."""

    name = "text"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell name files and folders."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


def command(
    name: str,
    runs: str,
    *,
    several: bool = False,
    served: bool = False,
    **more: Any,  # noqa: ANN401 - what click takes
) -> Callable[[Callable[[], None]], click.Command]:
    """Make a command of what declares it: a function whose decorators are its options, and its docstring the help.

    `runs`: "module:function", which is imported when the command is called; it takes a `Session` and the values, and
    returns the exit status (None: 0). `several`: it can read several bases as one. `served`: a server
    that has the base open is asked first.
    """

    def decorate(declared: Callable[[], None]) -> click.Command:
        def call(kb: tuple[str, ...], setting: tuple[str, ...], as_json: bool, **values: Any) -> None:  # noqa: ANN401
            if served and not values.pop("local"):
                status = ask_server(name, kb, setting, values, as_json=as_json)
                if status is not None:
                    sys.exit(status)
            try:
                if len(kb) > 1 and not several:
                    message = f"rove {name} works on one base, and {len(kb)} are given."
                    raise ConfigError(message, cure="Give --kb once.")  # noqa: TRY301 - printed as any other
                session = load("rove.cli.session:Session")(kb, setting, as_json=as_json)
            except (RoveError, OSError) as error:
                sys.exit(_report_command_error(error, load("rove.cli.output:Output")(as_json=as_json)))
            sys.exit(run_command(runs, session, values))

        call.__doc__ = declared.__doc__
        call.__click_params__ = getattr(declared, "__click_params__", [])  # pyright: ignore[reportFunctionMemberAccess] - click keeps options there
        made = click.command(name, cls=Declared, **more)(call)
        made.runs = runs
        made.params += shared_options(several=several)
        if served:
            made.params.append(click.Option(["--local"], is_flag=True, help=LOCAL))
        return made

    return decorate


def run_command(runs: str, session: Session, values: Mapping[str, Any]) -> int:
    """Run what a command runs; what is wrong is said, and the exit status returned."""
    try:
        function = load(runs)
        gc.set_threshold(*USUAL)  # `main` has raised it, for what is imported
        return function(session, **values) or 0
    except BrokenPipeError:
        return 0
    except (RoveError, OSError) as error:
        return _report_command_error(error, session.output)


def shared_options(*, several: bool = False) -> list[click.Parameter]:
    """Make the options that every command has."""
    return [
        click.Option(
            ["--kb", "-k"],
            multiple=True,
            type=BasePlace(),
            default=meant_base,
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


def meant_base(context: click.Context | None = None) -> list[str]:
    """The base that a command means which names none: the one before the command, else the usual one."""
    context = context or click.get_current_context()
    return list(context.find_root().params.get("kb") or usual_base())


def usual_base() -> list[str]:
    """The base that is meant where none is named."""
    return [os.environ.get("ROVE_KB") or "kb"]


def _report_command_error(error: RoveError | OSError, output: Output) -> int:
    said = _of_system(error) if isinstance(error, OSError) else error
    output.error(said)
    return BAD_CALL if isinstance(said, ConfigError | InputError) else FAILED


def _of_system(error: OSError) -> RoveError:
    """Say what the system said as any other error, with the path that it is about."""
    place = f"{error.filename}: " if error.filename else ""
    message = f"{place}{error.strerror or error}."
    cure = next((cure for kind, cure in CURES.items() if isinstance(error, kind)), "")
    return InputError(message, cure=cure) if isinstance(error, SLIPS) else ServiceError(message, cure=cure)
