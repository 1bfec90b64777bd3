"""A command that a server runs for the command line: the same code, on the base that is open, printed elsewhere."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Unpack, cast

from rich.console import Console

from rove.cli.command import run_command
from rove.cli.output import Output
from rove.cli.session import SearchOptions, Session
from rove.engine import AsyncRove
from rove.errors import CatalogReplacedError, EmbedderMovedError
from rove.records import Hit
from rove.serve.local_calls.invitation import environment_of
from rove.settings import Settings, read_settings
from rove.sync import Rove
from rove.sync.borrowed import BorrowedRove

SERVED = {"search": "rove.cli.search:search", "ask": "rove.cli.ask:ask"}
"""Commands that a server answers: they only read."""
AT_ONCE = 4
DECLINED: Mapping[str, object] = {"declined": True}
Tell = Callable[[Mapping[str, object]], None]
_threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rove-command-line")


async def answer_command_line(kb: AsyncRove, request: Mapping[str, Any], tell: Tell) -> None:
    """Run a command of the command line; it is declined where this process would not answer as that one would."""
    loop = asyncio.get_running_loop()
    borrowed = BorrowedRove(kb, loop)

    def say(piece: Mapping[str, object]) -> None:
        loop.call_soon_threadsafe(tell, piece)

    try:
        await loop.run_in_executor(_threads, _run_served_command, borrowed, request, say)
    finally:
        borrowed.end()


def _run_served_command(kb: BorrowedRove, request: Mapping[str, Any], say: Tell) -> None:
    told = _Told(say)
    try:
        session = _ServedSession(kb, request, told)
        if not session.is_same:
            say(DECLINED)
            return
        values = _click_option_values(cast("Mapping[str, object]", request["values"]))
        status = run_command(SERVED[str(request["command"])], session, values)
    except Exception:  # noqa: BLE001 - whatever it is, the command line meets it itself, and says so
        say(DECLINED if not told.pieces else {"status": 1})
        return
    say({"status": status})


def _click_option_values(told: Mapping[str, object]) -> dict[str, object]:
    """The values of options, as click gives them: JSON knows no tuples."""
    return {name: tuple(cast("list[object]", one)) if isinstance(one, list) else one for name, one in told.items()}


class _ServedSession(Session):
    """See `Session`: with a base that is open, and a terminal at the other end."""

    def __init__(self, kb: BorrowedRove, request: Mapping[str, Any], told: _Told) -> None:
        terminal: Mapping[str, Any] = request["terminal"]
        output = Output(
            as_json=bool(request["as_json"]),
            console=_console(told.to("out", terminal), terminal, is_terminal=bool(terminal["out"])),
            notes=_console(told.to("err", terminal), terminal, is_terminal=bool(terminal["err"])),
        )
        super().__init__([str(request["kb"])], tuple(request["setting"]), output=output)
        self.folder = str(request["folder"])
        self._kb = kb
        self._environment = str(request["environment"])

    @property
    def is_same(self) -> bool:
        """Whether the command line would open this base with these settings."""
        wanted = read_settings(Path(self.folder) / self.location, **self.settings)
        ours = self._kb.settings
        return (
            self._environment == environment_of(dict(os.environ))
            and isinstance(wanted.path, Path)
            and wanted.path.resolve() == ours.folder.resolve()
            and _comparable_settings(wanted) == _comparable_settings(ours)
        )

    @contextmanager
    def base(self, *, create: bool = False, writes: bool = False) -> Generator[Rove]:
        """Lend the base that is open."""
        del create, writes
        try:
            yield self._kb
        except (EmbedderMovedError, CatalogReplacedError) as error:
            raise _MovedError(str(error)) from error

    def search(self, question: str, **options: Unpack[SearchOptions]) -> list[Hit]:
        """See `Session.search`."""
        with self.base() as kb:
            return kb.search(question, **options)


class _MovedError(Exception):
    """The base was moved, or replaced, since the server has opened it: the command line opens it anew."""


class _Told:
    """What was printed so far. `pieces`: whether anything was."""

    def __init__(self, say: Tell) -> None:
        self.say = say
        self.pieces = False

    def to(self, stream: str, terminal: Mapping[str, Any]) -> _Stream:
        """Return what stands for a stream of the other end."""
        return _Stream(self, stream, str(terminal["encoding"]), is_terminal=bool(terminal[stream]))


class _Stream:
    """Stands for standard output, or for standard error, of the command line."""

    def __init__(self, told: _Told, name: str, encoding: str, *, is_terminal: bool) -> None:
        self.encoding = encoding
        self._told = told
        self._name = name
        self._is_terminal = is_terminal

    def write(self, text: str) -> int:
        """Send it on."""
        self._told.pieces = True
        self._told.say({self._name: text})
        return len(text)

    def flush(self) -> None:
        """Do nothing: all is sent at once."""

    def isatty(self) -> bool:
        """Whether it is a terminal at the other end."""
        return self._is_terminal


def _console(stream: _Stream, terminal: Mapping[str, Any], *, is_terminal: bool) -> Console:
    """Make the console that rich would make at the other end."""
    return Console(
        file=cast("IO[str]", stream),
        force_terminal=is_terminal,
        width=int(terminal["width"]),
        height=int(terminal["height"]),
        highlight=False,
        soft_wrap=True,
        _environ=dict(terminal["environ"]),
    )


def _comparable_settings(settings: Settings) -> dict[str, Any]:
    """What of the settings an answer depends on."""
    return settings.model_dump(exclude={"path", "serve"})
