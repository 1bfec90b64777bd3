"""Printing: colours and tables in a terminal, plain text in a pipe, JSON where asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rove.errors import RoveError, count_text
from rove.language.rendering import Link, Rendered, rows_of_cells
from rove.records.document import Span
from rove.registry import load

if TYPE_CHECKING:
    from rove.store.shallow import Depth

AS_JSON = "rove.cli.json_form:json_form"
SHOWN_LINKS = 5
MARKED = "bold yellow"


class Output:
    """Where a command prints. `terminal` is False in a pipe; then nothing is coloured, cut or drawn."""

    def __init__(self, *, as_json: bool, console: Console | None = None, notes: Console | None = None) -> None:
        """`console`, `notes`: where results and what is said beside them go, if not to this process's own streams."""
        self.as_json = as_json
        self.console = console or Console(highlight=False, soft_wrap=True)
        self.notes = notes or Console(stderr=True, highlight=False, soft_wrap=True)
        self.terminal = self.console.is_terminal

    def json(self, value: object) -> None:
        """Print a value as JSON; records become objects, chunks and citations with what is shown of them."""
        self.console.file.write(json.dumps(value, ensure_ascii=False, indent=2, default=load(AS_JSON)) + "\n")

    def json_line(self, value: object) -> None:
        """Print a value as one line of JSON, at once."""
        self.console.file.write(json.dumps(value, ensure_ascii=False, default=load(AS_JSON)) + "\n")
        self.console.file.flush()

    def line(self, text: str = "", *, style: str = "") -> None:
        """Print one line of plain text as it is; `style` shows in a terminal only."""
        self.console.print(_printable(text), style=style or None, markup=False)

    def piece(self, text: str) -> None:
        """Print a piece of plain text at once; what is printed next goes on behind it."""
        self.console.print(_printable(text), end="", markup=False)

    def marked(self, text: str) -> None:
        """Print a line with rich's marks; what comes from documents must have gone through `escape_markup`."""
        self.console.print(text)

    def note(self, text: str) -> None:
        """Say something beside the result, on standard error."""
        self.notes.print(text, style="dim", markup=False)

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[object]], none: str = "") -> None:
        """Print a table; in a pipe, lines of tab-separated values. Where no row is there, say `none` beside it."""
        if none and not rows:
            self.note(none)
            return
        if not self.terminal:
            for row in rows:
                self.console.file.write("\t".join(_console_cell(value) for value in row) + "\n")
            return
        table = Table(*headings, box=None, header_style="bold", pad_edge=False)
        for row in rows:
            table.add_row(*(escape(_console_cell(value)) for value in row))
        self.console.print(table, soft_wrap=False)

    def passage(self, shown: Rendered, most_chars: int, marker: Callable[[str], Sequence[Span]] = lambda _: ()) -> None:
        """Print a passage, then its links, three blanks in: cut, its tables drawn, in a terminal; else on one line.

        `marker`: which spans of a text are highlighted, in a terminal.
        """
        if not self.terminal:
            self.line(f"   {shown.line}")
        for block, text in shown.parts() if self.terminal else ():
            cut = _cut_at_line_end(text, most_chars - block.span[0]) if block.span[0] < most_chars else ""
            if cut:
                drawn = _console_table(cut, headed=block.headed) if block.kind == "table" else Text(_printable(cut))
                drawn.style = "bold" if block.kind == "heading" else ""
                if isinstance(drawn, Text):
                    for start, end in marker(drawn.plain):
                        drawn.stylize(MARKED, start, end)
                self.console.print(Padding(drawn, (0, 0, 0, 3)), soft_wrap=False)
        self.links(shown.links)

    def text(self, shown: Rendered) -> None:
        """Print a whole text, its tables drawn in a terminal."""
        before = ""
        for block, text in shown.parts():
            if before and not (before == block.kind == "item"):
                self.line()
            if block.kind == "table" and self.terminal:
                self.console.print(_console_table(text, headed=block.headed), soft_wrap=False)
            elif block.kind == "table":
                self.console.file.write(_printable(text) + "\n")
            else:
                self.line(text)
            before = block.kind

    def links(self, links: Sequence[Link], indent: str = "   ") -> None:
        """Print where links lead, on one line; in a terminal the first ones."""
        most = SHOWN_LINKS if self.terminal else len(links)
        named = [f"{link.label} <{link.target}>" for link in links[:most]]
        more = f" and {len(links) - most} more" if len(links) > most else ""
        if named:
            self.marked(f"{indent}[dim]links: {escape_markup(', '.join(named))}{more}[/]")

    def error(self, error: RoveError) -> None:
        """Say what is wrong and what to do."""
        if self.as_json:
            self.json({"error": type(error).__name__, "reason": error.reason, "cure": error.cure})
            return
        self.notes.print(f"[bold red]Error:[/] {escape_markup(error.reason)}")
        if error.cure:
            self.notes.print(f"[green]→[/] {escape_markup(error.cure)}")


def escape_markup(text: str) -> str:
    """Make text safe to stand among rich's marks; control characters, which could steer the terminal, are dropped."""
    return escape(_printable(text))


def embedding_progress(depth: Depth, again: str) -> str:
    """Say how far the embedder is, and how to go on; `again`: how a command names the base.

    >>> from rove.store.shallow import Depth
    >>> embedding_progress(Depth(200, 0), "")
    'The embedder has reached all passages: 200.'
    """
    if not depth.shallow:
        return f"The embedder has reached all passages: {depth.chunks:,}."
    share = f"The embedder has reached {int(100 * depth.share)} % of {count_text(depth.chunks, 'passage')}"
    return f"{share}; {depth.shallow:,} found by words and quick vectors. Go on: rove add --resume{again}"


def span_of_time(seconds: float) -> str:
    """Say how long that is.

    >>> span_of_time(7.2), span_of_time(700), span_of_time(40_000)
    ('7 s', '12 min', '11.1 h')
    """
    if seconds < 100:  # noqa: PLR2004 - as people say it
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"  # noqa: PLR2004


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def _console_cell(value: object) -> str:
    return _printable(" ".join(str("" if value is None else value).split()))


def _cut_at_line_end(text: str, most_chars: int) -> str:
    """Cut a text, at the end of a line where there is one."""
    if len(text) <= most_chars:
        return text
    whole = text[:most_chars].rpartition("\n")[0]
    return f"{(whole or text[:most_chars]).rstrip()}…"


def _console_table(table: str, *, headed: bool) -> Table:
    rows = [[escape(_console_cell(cell)) for cell in row] for row in rows_of_cells(table)]
    drawn = Table(*(rows[0] if headed else [""] * len(rows[0])), box=None, show_header=headed, header_style="bold")
    for row in rows[headed:]:
        drawn.add_row(*row)
    return drawn
