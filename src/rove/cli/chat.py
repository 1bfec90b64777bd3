"""`rove chat`: a conversation: each question may lean on those before it, and may be asked back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.cli.ask import LiveText, show_answer
from rove.cli.session import Session
from rove.errors import ConfigError, RoveError
from rove.records import Filter, History, Response
from rove.registry import load
from rove.retrieve.condition import parse_where
from rove.sync import Rove

if TYPE_CHECKING:
    from rove.cli.line_reader import LineReader

HELP = "/new begins anew, /where NAME=VALUE … narrows (without a condition: everywhere), /suggest, /quit"
COMMANDS = ("/new", "/where", "/suggest", "/help", "/quit")


def chat(session: Session, where: tuple[str, ...]) -> int:
    """Run `rove chat`."""
    condition = parse_where(where)
    with session.base() as kb:
        talk = _Talk(session, kb, condition)
        if session.output.terminal:
            session.output.note(f"Ask away. {HELP}")
        for line in _lines(session):
            if not talk.take(line):
                break
    return int(talk.failed)


class _Talk:
    """A conversation at the command line."""

    def __init__(self, session: Session, kb: Rove, where: Filter | None) -> None:
        self.session = session
        self.kb = kb
        self.where = where
        self.history = History()
        self.failed = False

    def take(self, line: str) -> bool:
        """Do what one line says; False when it ends the conversation."""
        line = line.strip()
        name, _, rest = line.partition(" ")
        try:
            if not line:
                return True
            if name.startswith("/"):
                return self._command(name, rest.strip())
            live = LiveText(self.session.output)
            response = self.kb.respond(line, history=self.history, where=self.where, listener=live)
            self._show(response, live.shown)
        except RoveError as error:
            self.failed = True
            if self.session.output.as_json:
                self.session.output.json_line(
                    {"error": type(error).__name__, "reason": error.reason, "cure": error.cure}
                )
            else:
                self.session.output.error(error)
        return True

    def _command(self, name: str, rest: str) -> bool:
        match name:
            case "/quit" | "/exit":
                return False
            case "/new":
                self.history = History()
                self._note("The conversation begins anew.")
            case "/where":
                self.where = parse_where(tuple(rest.split()))
                self._note(f"Only where {rest}." if rest else "Everywhere.")
            case "/suggest":
                self._suggest(rest)
            case "/help":
                self._note(HELP)
            case _:
                message = f"There is no command {name}."
                raise ConfigError(message, cure=f"Type one of: {', '.join(COMMANDS)}.")
        return True

    def _suggest(self, begun: str) -> None:
        found = self.kb.suggest(begun)
        if self.session.output.as_json:
            self.session.output.json_line({"suggestions": found})
            return
        for text in found:
            self.session.output.line(text)
        if not found:
            self._note("Nothing was asked before, or question.log is off.")

    def _show(self, response: Response, shown: int) -> None:
        self.history = response.history
        output = self.session.output
        if output.as_json:
            output.json_line(
                {"answer": response.answer, "understood": response.understood, "gathered": response.gathered}
            )
            return
        show_answer(self.session, response.answer, shown=shown)
        if response.understood.standalone != response.answer.question:
            self._note(f"Understood as: {response.understood.standalone}")
        for step in response.understood.steps:
            if step.note:
                self._note(step.note)
        output.line()

    def _note(self, text: str) -> None:
        if not self.session.output.as_json:
            self.session.output.note(text)


def _lines(session: Session) -> Iterator[str]:
    """Yield what is typed, or what the pipe holds, until it ends."""
    if not session.output.terminal or not sys.stdin.isatty():
        yield from sys.stdin
        return
    reader: LineReader = load("rove.cli.line_reader:LineReader")(session.output.console, ">", COMMANDS)
    while True:
        try:
            yield reader.ask()
        except EOFError:
            return
        except KeyboardInterrupt:
            session.output.line()
            return
