"""The path of an answer, drawn: the question, the facts that were found, and the leads that led from each to others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.tree import Tree

from rove.cli.output import Output, escape_markup
from rove.language.rendering import render
from rove.records import Answer, PathStep

NOTHING = "No fact was found on the way."
REMEMBERED = "remembered"


@dataclass(slots=True)
class DrawnBranch:
    """A line of the drawing and what hangs on it. `used`: the answer rests on it."""

    text: str
    used: bool = False
    branches: list[DrawnBranch] = field(default_factory=list["DrawnBranch"])


def branch_of(answer: Answer) -> DrawnBranch:
    """Return the tree: facts below the lead that led to them, leads below the fact that named them."""
    root = DrawnBranch(answer.question, used=True)
    known = {step.fact_id for step in answer.path}
    below: dict[str, list[PathStep]] = {}
    for step in answer.path:
        below.setdefault(step.after if step.after in known and step.after != step.fact_id else "", []).append(step)
    _grow(root, "", below)
    reached = {id(step) for step in _path_steps_below("", below)}
    root.branches += [_fact_branch(step) for step in answer.path if id(step) not in reached]
    return root


def show_path(output: Output, answer: Answer) -> None:
    """Draw the path: as a tree in a terminal, as indented lines in a pipe."""
    root = branch_of(answer)
    output.line()
    if not answer.path:
        output.note(NOTHING)
    elif output.terminal:
        output.console.print(_fill_path_tree(root, Tree(f"[bold]{escape_markup(root.text)}[/]")), soft_wrap=False)
    else:
        for line in tree_lines(root):
            output.line(line)


def tree_lines(branch: DrawnBranch, depth: int = 0) -> Iterator[str]:
    """Return the tree as lines, two blanks more for each step down.

    >>> list(tree_lines(DrawnBranch("Who?", branches=[DrawnBranch("Ada.")])))
    ['Who?', '  Ada.']
    """
    yield "  " * depth + " ".join(branch.text.split())
    for one in branch.branches:
        yield from tree_lines(one, depth + 1)


def _grow(branch: DrawnBranch, fact_id: str, below: Mapping[str, Sequence[PathStep]]) -> None:
    leads: dict[str, DrawnBranch] = {}
    for step in below.get(fact_id, ()):
        place = branch
        if step.lead:
            place = leads.setdefault(step.lead, DrawnBranch(f"→ {step.lead} ({step.kind})"))
            if place not in branch.branches:
                branch.branches.append(place)
            place.used = place.used or step.used
        leaf = _fact_branch(step)
        place.branches.append(leaf)
        _grow(leaf, step.fact_id, below)


def _path_steps_below(fact_id: str, below: Mapping[str, Sequence[PathStep]]) -> Iterator[PathStep]:
    for step in below.get(fact_id, ()):
        yield step
        yield from _path_steps_below(step.fact_id, below)


def _fact_branch(step: PathStep) -> DrawnBranch:
    when = f"round {step.round}" if step.round else REMEMBERED
    where = ""
    if step.citation:
        page = f", {step.citation.place}" if step.citation.place else ""
        where = f" — {step.citation.title or step.citation.uri}{page}"
    mark = f"[{step.citation.number}] " if step.used and step.citation and step.citation.number else ""
    return DrawnBranch(f"{mark}{render(step.text).line}{where} ({when})", step.used)


def _fill_path_tree(branch: DrawnBranch, tree: Tree) -> Tree:
    for one in branch.branches:
        text = escape_markup(" ".join(one.text.split()))
        _fill_path_tree(one, tree.add(text if one.used else f"[dim]{text}[/]"))
    return tree
