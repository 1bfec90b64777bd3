"""Printing: colours and tables in a terminal, plain text in a pipe, JSON where asked for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rove.errors import RoveError


class Output:
    """Where a command prints. `terminal` is False in a pipe; then nothing is coloured, cut or drawn."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.console = Console(highlight=False, soft_wrap=True)
        self.notes = Console(stderr=True, highlight=False, soft_wrap=True)
        self.terminal = self.console.is_terminal

    def json(self, value: object) -> None:
        """Print a value as JSON; records become objects."""
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=_plain) + "\n")

    def json_line(self, value: object) -> None:
        """Print a value as one line of JSON, at once."""
        sys.stdout.write(json.dumps(value, ensure_ascii=False, default=_plain) + "\n")
        sys.stdout.flush()

    def line(self, text: str = "", *, style: str = "") -> None:
        """Print one line of plain text as it is; `style` shows in a terminal only."""
        self.console.print(_printable(text), style=style or None, markup=False)

    def piece(self, text: str) -> None:
        """Print a piece of plain text at once; what is printed next goes on behind it."""
        self.console.print(_printable(text), end="", markup=False)

    def marked(self, text: str) -> None:
        """Print a line with rich's marks; what comes from documents must have gone through `plain`."""
        self.console.print(text)

    def note(self, text: str) -> None:
        """Say something beside the result, on standard error."""
        self.notes.print(text, style="dim", markup=False)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table; in a pipe, lines of tab-separated values."""
        if not self.terminal:
            for row in rows:
                sys.stdout.write("\t".join(_cell(value) for value in row) + "\n")
            return
        table = Table(*headings, box=None, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(escape(_cell(value)) for value in row))
        self.console.print(table, soft_wrap=False)

    def error(self, error: RoveError) -> None:
        """Say what is wrong and what to do."""
        if self.as_json:
            self.json({"error": type(error).__name__, "reason": error.reason, "cure": error.cure})
            return
        self.notes.print(f"[bold red]Error:[/] {plain(error.reason)}")
        if error.cure:
            self.notes.print(f"[green]→[/] {plain(error.cure)}")


def plain(text: str) -> str:
    """Make text safe to stand among rich's marks; control characters, which could steer the terminal, are dropped."""
    return escape(_printable(text))


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def _cell(value: object) -> str:
    return _printable(" ".join(str("" if value is None else value).split()))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Path):
        return str(value)
    message = f"{type(value).__name__} cannot be written as JSON."
    raise TypeError(message)
