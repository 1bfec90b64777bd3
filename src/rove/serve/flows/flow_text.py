"""A flow's text as a person writes it: which lines are which step, also while it cannot be read as TOML."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"""\s*+\[\s*+([\w."' -]*[\w."'-])\s*+\]\s*+(?:#.*)?""")
_USE = re.compile(r"""\s*use\s*=\s*["']([\w.-]+)["']""")
_KEY = re.compile(r"\s*([\w-]+)\s*=")


@dataclass(frozen=True, slots=True)
class Block:
    """A table of the text, as "steps.found", "" before the first one; its lines from 1 on.

    What is empty or a comment at its end is no part of it.
    """

    name: str
    first: int
    last: int


def flow_tables(text: str) -> list[Block]:
    r"""Return the tables in their order.

    >>> flow_tables('name = "a"\n\n# of words\n[steps.one]\nuse = "search"\n')
    [Block(name='', first=1, last=1), Block(name='steps.one', first=4, last=5)]
    """
    lines = text.split("\n")
    heads = [(at, found[1]) for at, line in enumerate(lines) if (found := _HEADER.fullmatch(line))]
    starts = [(0, ""), *((at, re.sub(r"""["' ]""", "", name)) for at, name in heads), (len(lines), "")]
    made: list[Block] = []
    for (first, name), (end, _) in zip(starts, starts[1:], strict=False):
        last = end
        while last > first + bool(name) and (not (line := lines[last - 1].strip()) or line.startswith("#")):
            last -= 1
        if name or last > first:
            made.append(Block(name, first + 1, last))
    return made


def line_of(text: str, place: str) -> int:
    r"""Return the line of a place like "steps.found.mode", from 1 on; the nearest that there is.

    >>> line_of('[steps.found]\nuse = "search"\nmode = "x"', "steps.found.mode")
    3
    """
    found = {one.name: one for one in flow_tables(text)}
    if place in found:
        return found[place].first
    if place == "output":
        return text.count("\n") + 1
    table, _, key = place.rpartition(".")
    if table in found:
        block = found[table]
        for number, line in enumerate(text.split("\n")[block.first - 1 : block.last], block.first):
            if (named := _KEY.match(line)) and named[1] == key:
                return number
        return block.first
    inner = [one.first for name, one in found.items() if name.endswith(f".{place}")]
    return inner[0] if inner else 1


def table_keys(text: str, name: str) -> list[str]:
    """Return the keys of a table, and the tables below it."""
    lines = text.split("\n")
    keys = [
        named[1]
        for one in flow_tables(text)
        if one.name == name
        for line in lines[one.first - 1 : one.last]
        if (named := _KEY.match(line))
    ]
    return keys + [one.name.removeprefix(f"{name}.") for one in flow_tables(text) if one.name.startswith(f"{name}.")]


def operators_before(text: str, line: int) -> dict[str, str]:
    """Return the steps that begin before a line, each with its operator, "" where it names none, or runs for each."""
    lines = text.split("\n")
    found: dict[str, str] = {}
    for one in flow_tables(text):
        if one.name.startswith("steps.") and one.first <= line:
            body = lines[one.first : one.last]
            used = [named[1] for each in body if (named := _USE.match(each))]
            many = any((key := _KEY.match(each)) and key[1] == "each" for each in body)
            found[one.name.removeprefix("steps.")] = used[0] if used and not many else ""
    return found


def end_of_block(text: str, line: int) -> int:
    """Return the line after which a new table can stand: the end of the one that the line is part of."""
    held = [one for one in flow_tables(text) if one.first <= line]
    return held[-1].last if held else 0
