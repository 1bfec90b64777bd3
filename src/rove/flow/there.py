"""What a base has for the operators of a flow, and what is missing: a chat model, a database, a tool."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rove.engine import AsyncRove
from rove.errors import meant
from rove.flow.flow_plan import INPUT, FlowNode, FlowPlan, Problem
from rove.flow.reference import Reference, part_of, resolved
from rove.records.tool import Effects

NO_DATABASE = 'Set one up in rove.toml: [databases.{name}] url = "postgresql://reader:…@host/{name}".'
NO_TOOL = 'Set up a source in rove.toml: [tools.NAME] kind = "python", "openapi", "mcp" or "sql".'


@dataclass(frozen=True, slots=True)
class There:
    """What a base has: the names of its databases, and of its tools with their effects.

    `unread`: sources of tools that could not be read, and why.
    """

    chat: bool = False
    databases: Collection[str] = ()
    tools: Mapping[str, Effects] = field(default_factory=dict[str, "Effects"])
    unread: Mapping[str, str] = field(default_factory=dict[str, str])


async def there_of(kb: AsyncRove, plan: FlowPlan, *, keep: bool = True) -> There:
    """Return what a base has for a plan; sources of tools are read only where it uses some. `keep`: see `ToolLibrary`.

    Raises:
        ConfigError: settings of tools are wrong.
    """
    needs = {need for node in plan.nodes.values() for need in node.operator.needs}
    tools = await kb.tools.all(keep=keep) if "tools" in needs else []
    return There(
        kb.chat_model() is not None,
        tuple(kb.settings.databases),
        {tool.name: tool.effects for tool in tools},
        dict(kb.tools.failures),
    )


def lacking(plan: FlowPlan, there: There, values: Mapping[str, object] = MappingProxyType({})) -> list[Problem]:
    """Return what steps need, and the base has not. `values`: the inputs of the run, which may name a database."""
    return [problem for node in plan.nodes.values() for problem in _node_problems(node, there, values)]


def _node_problems(node: FlowNode, there: There, values: Mapping[str, object]) -> Iterator[Problem]:
    place, operator = f"steps.{node.name}", node.operator

    def named(name: str) -> str | None:
        """What an input names; None where a step before says so."""
        value = resolved(node.given.get(name, ""), lambda one: _flow_input_value(one, values))
        return value if isinstance(value, str) else None

    if "chat" in operator.needs and not there.chat:
        yield Problem(place, f"{operator.name!r} needs a chat model.", "Set chat.model.")
    if "databases" in operator.needs:
        yield from _database(f"{place}.database", named("database"), there)
    if "tools" in operator.needs:
        yield from _tool(f"{place}.tool", node, named("tool"), there)


def _flow_input_value(one: Reference, values: Mapping[str, object]) -> object:
    return part_of(values, one.path) if one.root == INPUT else None


def _database(place: str, name: str | None, there: There) -> Iterator[Problem]:
    known = there.databases
    if name in known or (known and name is None) or (len(known) == 1 and not name):
        return
    name = name or ""
    reason = f"There is no [databases.{name}] in the settings."
    if not name:
        reason = f"{len(known)} databases are set up; which one?" if known else "No database is set up."
    cure = f"{meant(name, known)}Name one of: {', '.join(known)}." if known else NO_DATABASE.format(name=name or "shop")
    yield Problem(place, reason, cure)


def _tool(place: str, node: FlowNode, name: str | None, there: There) -> Iterator[Problem]:
    unread = "".join(f" [tools.{source}] could not be read: {reason}" for source, reason in there.unread.items())
    if not there.tools:
        yield Problem(place, f"No tool is set up.{unread}", NO_TOOL)
    elif name and name not in there.tools:
        cure = f"{meant(name, there.tools)}List them with: rove tools list"
        yield Problem(place, f"There is no tool {name!r} in [tools.…] of the settings.{unread}", cure)
    elif name and there.tools[name] == "writes" and node.operator.effects == "none":
        cure = 'Write use = "tool-once", and writes = true at the top of the flow, if it is meant to.'
        yield Problem(
            place, f"The tool {name!r} changes something, and {node.operator.name!r} runs no such tool.", cure
        )
