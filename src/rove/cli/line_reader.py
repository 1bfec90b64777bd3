"""Lines that are typed in a terminal: they can be edited, earlier ones come back with the arrow keys, Tab completes.

What was typed is remembered until the command ends, and never written to the disk: questions can be private.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

try:
    import readline
except ImportError:  # Windows: its own console edits lines
    readline = None

START, END = "\001", "\002"
"""Around what moves no cursor: else an edited line is drawn at the wrong place."""
COLOURED, PLAIN = f"{START}\x1b[1;36m{END}", f"{START}\x1b[0m{END}"


class LineReader:
    """Asks for one line after the other. `words`: what Tab completes at the beginning of a line."""

    def __init__(self, console: Console, prompt: str, words: Sequence[str] = ()) -> None:
        coloured = console.color_system is not None and not console.no_color and readline is not None
        self._prompt = f"{COLOURED}{prompt}{PLAIN} " if coloured else f"{prompt} "
        self._words = words
        if readline is not None:
            readline.set_completer(self._complete)
            readline.set_completer_delims("\n")
            is_libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")

    def ask(self) -> str:
        """Wait for a line.

        Raises:
            EOFError: Ctrl-D, or the end of the input.
            KeyboardInterrupt: Ctrl-C.
        """
        return input(self._prompt)

    def _complete(self, begun: str, number: int) -> str | None:
        found = [word for word in self._words if word.startswith(begun)] if begun else []
        return found[number] if number < len(found) else None
