"""The edit of a walk that rests: a small prompt for facts, leads, the question and the budget."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import Enum
from typing import TYPE_CHECKING

from rove.cli.output import Output, escape_markup
from rove.errors import InputError
from rove.language.rendering import render
from rove.records.walk_events import Budget, Edit, Fact, Lead
from rove.registry import load
from rove.sync import Walk
from rove.walk.state import State

if TYPE_CHECKING:
    from rove.cli.line_reader import LineReader

HELP = """fact TEXT          add a fact of your own
lead TEXT          add something to look for
drop f1 l2 …       drop facts and leads by their numbers
question TEXT      ask something else
budget rounds=6 seconds=300 calls=50 tokens=200000 money=1
show               list facts and leads again
resume             go on (or an empty line)
stop               follow nothing further, and answer
quit               leave it; it can be resumed later"""
WORDS = ("fact ", "lead ", "drop ", "question ", "budget ", "show", "resume", "stop", "quit", "help")
SHOWN_LEADS = 12


class EditChoice(Enum):
    """What the user wants when the edit is done."""

    RESUME = "resume"
    STOP = "stop"
    QUIT = "quit"


SHORT = {"": EditChoice.RESUME, "r": EditChoice.RESUME, "q": EditChoice.QUIT, "exit": EditChoice.QUIT}


def edit_by_hand(output: Output, walk: Walk) -> EditChoice:
    """Ask for changes until the user is done; the walk then rests, goes on, or has been stopped."""
    show_standing(output, walk.state)
    reader: LineReader = load("rove.cli.line_reader:LineReader")(output.console, "edit (help) ›", WORDS)
    while True:
        try:
            line = reader.ask().strip()
        except (EOFError, KeyboardInterrupt):
            output.line()
            return EditChoice.QUIT
        choice = choice_of(line)
        if choice is EditChoice.STOP:
            walk.stop()
        elif choice is EditChoice.RESUME:
            walk.resume()
        if choice:
            return choice
        if line in {"help", "?", "h"}:
            output.line(HELP, style="dim")
        elif line in {"show", "s"}:
            show_standing(output, walk.state)
        else:
            _apply(output, walk, line)


def choice_of(line: str) -> EditChoice | None:
    """Return the choice that ends the edit; None for anything else.

    >>> choice_of(""), choice_of("stop"), choice_of("fact x")
    (<EditChoice.RESUME: 'resume'>, <EditChoice.STOP: 'stop'>, None)
    """
    word = line.strip().casefold()
    return SHORT.get(word) or next((choice for choice in EditChoice if choice.value == word), None)


def parse_edit(line: str, state: State) -> Edit:
    """Read one line of the edit.

    >>> parse_edit("question Who?", State()).question
    'Who?'

    Raises:
        InputError: it is none of the commands, or says nothing that could be done.
    """
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    match word.casefold(), bool(rest):
        case (("fact" | "+" | "f"), True):
            return Edit(facts=(Fact("", rest, 1.0, state.round, "user"),))
        case (("lead" | "l"), True):
            return Edit(leads=(Lead("", rest, "user", state.round),))
        case (("question" | "q?"), True):
            return Edit(question=rest)
        case (("drop" | "-" | "d"), True):
            return Edit(dropped=tuple(_resolve_listed_id(name, state) for name in rest.replace(",", " ").split()))
        case "budget", True:
            return Edit(budget=_budget(rest, state.budget))
        case _:
            message = f"{line!r} is not a command."
            raise InputError(message, cure="Type help to see them.")


def show_standing(output: Output, state: State) -> None:
    """List the facts and the open leads with the numbers that `drop` takes."""
    output.marked(f"[bold]{escape_markup(state.question)}[/]")
    for number, fact in enumerate(state.facts, 1):
        source = (
            f" [dim]— {escape_markup(fact.citation.title or fact.citation.uri)}[/]"
            if fact.citation
            else " [dim]— you[/]"
        )
        output.marked(f"  [green]f{number}[/] {escape_markup(render(fact.text).line)}{source}")
    for number, lead in enumerate(state.open_leads[:SHOWN_LEADS], 1):
        output.marked(f"  [cyan]l{number}[/] {escape_markup(lead.text)} [dim]({lead.kind}, {lead.score:.2f})[/]")
    if len(state.open_leads) > SHOWN_LEADS:
        output.marked(f"  [dim]and {len(state.open_leads) - SHOWN_LEADS} leads less promising[/]")


def _apply(output: Output, walk: Walk, line: str) -> None:
    try:
        walk.edit(parse_edit(line, walk.state))
    except InputError as error:
        output.error(error)
        return
    show_standing(output, walk.state)


def _resolve_listed_id(name: str, state: State) -> str:
    listed = {"f": [fact.fact_id for fact in state.facts], "l": [lead.lead_id for lead in state.open_leads]}
    ids = listed.get(name[:1].casefold(), [])
    if name[1:].isdecimal() and 1 <= int(name[1:]) <= len(ids):
        return ids[int(name[1:]) - 1]
    if name in {*listed["f"], *listed["l"]}:
        return name
    message = f"There is no {name!r}."
    raise InputError(message, cure="Name facts f1, f2 … and leads l1, l2 … as they are listed.")


def _budget(text: str, budget: Budget) -> Budget:
    names = {field.name for field in fields(Budget)}
    changes: dict[str, int | float] = {}
    for part in text.replace(",", " ").split():
        name, _, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name not in names or number < 0:
            message = f"{part!r} is not part of a budget."
            raise InputError(message, cure="Write e.g.: budget rounds=6 seconds=300 (0 is without a bound).")
        changes[name] = number if name in {"seconds", "money"} else int(number)
    return replace(budget, **changes)
