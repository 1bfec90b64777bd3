"""What a person is asked, key by key: in a terminal at a keypress, in a pipe by lines."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import click

from rove.cli.output import Output, escape_markup
from rove.errors import InputError
from rove.language.rendering import render
from rove.sync import Rove

SHOWN_CHARS = 1_200
QUIT = "q"


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key, and what was written after it in a pipe."""

    key: str
    rest: str = ""


class Keys:
    """Asks for one of some keys. `choices`: key → what it means."""

    def __init__(self, output: Output, choices: Mapping[str, str]) -> None:
        self._output = output
        self._choices = {**choices, QUIT: "quit"}
        self._terminal = sys.stdin.isatty()

    def ask(self) -> Pressed:
        """Wait for one of the keys; the end of the input quits. Any other key is asked for again.

        Raises:
            InputError: a line of a pipe begins with another key.
        """
        if not self._terminal:
            line = sys.stdin.readline()
            key, _, rest = line.strip().partition(" ")
            if not line:
                return Pressed(QUIT)
            if key not in self._choices:
                message = f"The answer {line.strip()!r} is none of {', '.join(self._choices)}."
                raise InputError(message, cure="Write one of them a line.")
            return Pressed(key, rest.strip())
        self._output.note("  ".join(f"[{key}] {meaning}" for key, meaning in self._choices.items()))
        while (key := click.getchar().casefold()) not in self._choices:
            if key in {"\x03", "\x04"}:
                return Pressed(QUIT)
        return Pressed(key)

    def rewrite(self, text: str, pressed: Pressed, prompt: str = "Question") -> str:
        """Return the new wording of a text: what stands after the key, or what is typed now."""
        if not self._terminal:
            return pressed.rest or text
        return click.prompt(prompt, default=text, err=True).strip() or text


def print_passage(output: Output, number: int, all_: int, question: str, passage: str, *more: str) -> None:
    """Show a question and the passage that is to be judged."""
    if output.as_json:
        return
    output.marked(f"\n[dim]{number}/{all_}[/] [bold]{escape_markup(question)}[/]")
    for line in more:
        output.marked(f"   {escape_markup(line)}")
    cut = render(passage[:SHOWN_CHARS]).text + ("…" if len(passage) > SHOWN_CHARS else "")
    output.marked(f"   [dim]{escape_markup(cut)}[/]" if cut else "   [dim](the base does not hold it)[/]")


def passage_of(kb: Rove, document_id: str, span: tuple[int, int] | None = None) -> str:
    """Return a document's text, or a span of it; "" where the base does not hold it."""
    try:
        text = kb.text(document_id)
    except InputError:
        return ""
    return text[slice(*span)] if span else text
