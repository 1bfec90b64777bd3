"""Slots of tools: requests in several languages, each with the call that it means, or what must be asked back."""

from __future__ import annotations

import math
import tempfile
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from bench.figures.outcomes import Case, Outcome
from bench.vectors import use_remembered
from rove import Rove, Text
from rove.records.tool import ToolRun
from rove.settings import ToolSettings
from rove.tools import Arguments, Tool
from rove.tools.parameters import checked_schema

FOLDER = Path(__file__).parent
SETS = {"seen": FOLDER / "tools_seen.toml", "unseen": FOLDER / "tools_unseen.toml"}
THINGS: Any = {"db-1": {"names": ("main database",)}}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, and what it means. `tool`: "" where none fits. `asks`: parameters that must be asked back.

    `some`: arguments that the call must hold; others are free.
    """

    text: str
    language: str
    tool: str
    arguments: Mapping[str, object] | None = None
    some: Mapping[str, object] | None = None
    asks: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What the request tries."""
        return "asked back" if self.asks else "called" if self.tool else "no tool"


def run(name: str) -> Iterator[Case]:
    """Ask every request of a set, among its twenty tools; nothing is confirmed."""
    with opened(name) as (kb, requests):
        for request in requests:
            made = kb.run_tool(request.text)
            yield Case(request.kind, request.language, judged(made, request), f"{request.text} → {shown(made)}")


@contextmanager
def opened(name: str, **settings: Any) -> Generator[tuple[Rove, list[Request]]]:
    """Open a base with the tools of a set; gives it with the requests to them."""
    data = tomllib.loads(SETS[name].read_text("utf-8"))
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(Path(folder), embedder={"name": use_remembered()}, entities=THINGS, **settings) as kb,
    ):
        kb.add(Text("Rule 20: visitors of hall 20 wear a helmet.", id="rules"))
        own = {one.name: one for one in tools_of(data["tools"])}  # these are no functions, so they are put there
        kb._kb.tools._own.update(own)  # pyright: ignore[reportPrivateUsage]
        yield kb, [request_of(one) for one in data["requests"]]


def request_of(one: Mapping[str, Any]) -> Request:
    """Read one request of a set."""
    asks = tuple(one.get("asks", ()))
    return Request(one["text"], one["language"], one["tool"], one.get("arguments"), one.get("some"), asks)


def tools_of(tables: Sequence[Mapping[str, Any]]) -> Iterator[Tool]:
    """Make the tools of a set."""
    for one in tables:
        schema = {"type": "object", "properties": one["parameters"], "required": one["required"]}
        result = one.get("result", "done")

        async def call(arguments: Arguments, result: object = result) -> object:
            del arguments
            return result

        checked = checked_schema(schema, one["name"])
        settings = ToolSettings(kind="python")
        yield Tool(one["name"], one["description"], checked, call, "program", one["effects"], settings)


def judged(made: ToolRun, request: Request) -> Outcome:
    """Say what became of a request."""
    plan, called = made.plan, made.outcome in {"ran", "unconfirmed"}
    if not request.tool:
        return "right" if plan is None else "wrong" if called else "refused"
    if plan is None:
        return "refused"
    if request.asks:
        asked = {*plan.missing, *(one.parameter for one in plan.problems)}
        return "wrong" if called else "right" if set(request.asks) <= asked else "refused"
    if not called:
        return "refused"
    given = {one.name: one.value for one in plan.parameters if one.origin != "default"}
    wanted = request.some if request.arguments is None else request.arguments
    exact = request.arguments is None or given.keys() == request.arguments.keys()
    same = exact and all(_same(given.get(name), value) for name, value in (wanted or {}).items())
    return "right" if plan.match.tool == request.tool and same else "wrong"


def shown(made: ToolRun) -> str:
    """Write what was planned."""
    if made.plan is None:
        return made.outcome
    asked = (*made.plan.missing, *(one.message for one in made.plan.problems))
    return f"{made.outcome}: {made.plan.call} {', '.join(asked)}".strip()


def _same(one: object, other: object) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    return cast("object", one) == other
