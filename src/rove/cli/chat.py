"""`rove chat`: a conversation: each question may lean on those before it, and may be asked back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.cli.ask import LiveText, show_answer
from rove.cli.session import Session
from rove.errors import ConfigError, InputError, RoveError, ServiceError, count_text
from rove.language.rendering import render
from rove.records import Filter, Gathered, History, Response
from rove.registry import load
from rove.retrieve.condition import parse_where
from rove.sync import Rove

if TYPE_CHECKING:
    from rove.cli.line_reader import LineReader

HELP = "/new begins anew, /where NAME=VALUE … narrows (without a condition: everywhere), /suggest, /quit"
LATEST = "last"
MOST, SHOWN_TURNS = 1_000, 2
"""Conversations that are listed, and turns that are shown of one that is gone on with."""
COMMANDS = ("/new", "/where", "/suggest", "/help", "/quit")


def chat(session: Session, where: tuple[str, ...], resume: str | None, listed: bool, keep: bool | None) -> int:
    """Run `rove chat`."""
    condition = parse_where(where)
    with session.base() as kb:
        if listed:
            _print_conversations(session, kb)
            return 0
        keeping = bool(resume) or (session.output.terminal and not session.output.as_json if keep is None else keep)
        talk = _Talk(session, kb, condition, keep=keeping)
        if resume:
            talk.resume(resume)
        if session.output.terminal:
            session.output.note(f"Ask away. {HELP}")
        for line in _chat_input_lines(session):
            if not talk.take(line):
                break
    return int(talk.failed)


def _print_conversations(session: Session, kb: Rove) -> None:
    """Print the conversations that are kept, the latest first: those of a server's page without keys are the same."""
    found = kb.conversations(most=MOST)
    if session.output.as_json:
        session.output.json(found)
        return
    rows = [(one.conversation_id, one.updated_at[:16].replace("T", " "), one.turns, one.title) for one in found]
    session.output.table(
        ("id", "last asked (UTC)", "turns", "title"), rows, "No conversation is kept. Begin one with: rove chat"
    )


class _Talk:
    """A conversation at the command line. `keep`: its turns stay in the base, and `rove chat --resume` goes on with it.

    What is kept has an id once its first question is asked; the history of what is not is held here.
    """

    def __init__(self, session: Session, kb: Rove, where: Filter | None, *, keep: bool) -> None:
        self.session = session
        self.kb = kb
        self.where = where
        self.keep = keep
        self.conversation_id = ""
        self.history = History()
        self.failed = False

    def resume(self, name: str) -> None:
        """Go on with a conversation: the latest, or the one whose id is, or begins with, that; show how it ended.

        Raises:
            InputError: there is none.
        """
        found = self.kb.conversations(most=MOST)
        meant = found[:1] if name == LATEST else [one for one in found if one.conversation_id.startswith(name)]
        if len(meant) != 1:
            message = f"No conversation is kept that {name!r} could mean."
            raise InputError(message, cure="List them with: rove chat --list")
        self.conversation_id = meant[0].conversation_id
        turns = self.kb.conversation(self.conversation_id)
        self._note(f"{meant[0].title} · {count_text(len(turns), 'turn')} · {self.conversation_id}")
        for turn in turns[-SHOWN_TURNS:]:
            self._note(f"> {turn.question}\n{render(turn.answer.text).text if turn.answer else f'({turn.state})'}\n")

    def _respond(self, question: str, live: LiveText) -> Response:
        if self.keep and not self.conversation_id:
            self._begin()
        if not self.conversation_id:
            return self.kb.respond(question, history=self.history, where=self.where, listener=live)
        return self.kb.converse(self.conversation_id, question, where=self.where, listener=live)

    def _begin(self) -> None:
        """Begin a conversation that is kept; where the base can only be read, say so and keep none."""
        try:
            self.conversation_id = self.kb.begin_conversation()
        except ServiceError as error:
            self.keep = False
            self.session.output.note(f"This conversation is not kept: {error.reason}")

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
            self._show(self._respond(line, live), live.shown)
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
                self.history, self.conversation_id = History(), ""
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
            kept = {"conversation_id": self.conversation_id} if self.conversation_id else {}
            told = {"answer": response.answer, "understood": response.understood, "gathered": response.gathered}
            output.json_line({**told, **kept})
            return
        show_answer(self.session, response.answer, shown=shown)
        if response.understood.standalone != response.answer.question:
            self._note(f"Understood as: {response.understood.standalone}")
        for step in response.understood.steps:
            if step.note:
                self._note(step.note)
        if response.gathered:
            self._note(gathering_of(response.gathered))
        output.line()

    def _note(self, text: str) -> None:
        if not self.session.output.as_json:
            self.session.output.note(text)


def gathering_of(gathered: Gathered) -> str:
    """Say how a gathering went: what each round found that was new, whether it was enough, and the grades."""
    new = ", ".join(str(sum(search.new for search in made.searches)) for made in gathered.rounds)
    grades = [sum(one.grade == grade for one in gathered.grades) for grade in (2, 1, 0)]
    told = f"graded 2: {grades[0]}, 1: {grades[1]}, 0: {grades[2]}"
    enough = "yes" if gathered.sufficiency.enough else "no"
    rounds = len(gathered.rounds)
    return f"Gathered in {rounds} rounds (new: {new} passages; {told}). Enough: {enough}. {gathered.sufficiency.reason}"


def _chat_input_lines(session: Session) -> Iterator[str]:
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
