"""Running a tool within bounds: confirmed where it writes, at a bounded rate, in time, tried again where that helps."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic, perf_counter

from rove.errors import InputError, RoveError, ServiceError
from rove.events import Listener, ToolCalled, ToolEnded
from rove.load.text import clean
from rove.records import Note
from rove.records.tool import ToolPlan, ToolRun
from rove.tools import Tool
from rove.tools.parameters import spelled_out
from rove.tools.result_text import as_document, as_text
from rove.tracing import stage

MINUTE_S = 60.0
FIRST_WAIT_S, MOST_WAIT_S = 0.25, 5.0
MOST_RESULT_CHARS = 100_000
"""A longer result is cut there, and says so."""


@dataclass
class Runner:
    """Runs tools. It remembers when each was called, for the rate."""

    clock: Callable[[], float] = monotonic
    calls: dict[str, deque[float]] = field(default_factory=dict[str, deque[float]])

    async def run(self, tool: Tool, plan: ToolPlan, *, confirm: bool, language: str, listener: Listener) -> ToolRun:
        """Run a plan that is ready. What fails is an outcome, with the reason and the cure as its note.

        Defaults are left to the tool: they are not sent.
        """
        arguments = {one.name: one.value for one in plan.parameters if one.origin != "default"}
        if not plan.is_ready:
            return ToolRun(plan.request, "asks", plan, notes=plan.notes, language=language)
        if tool.effects == "writes" and not confirm:
            notes = (Note("unconfirmed", {"tool": plan.call}),)
            return ToolRun(plan.request, "unconfirmed", plan, notes=notes, language=language)
        began, tries = perf_counter(), 0
        try:
            with stage("tool", tool=tool.name, effects=tool.effects):
                for tries in range(1, (1 if tool.effects == "writes" else tool.settings.retries + 1) + 1):
                    self._count(tool)
                    listener(ToolCalled(tool.name, tries))
                    try:
                        result = await _call_tool_in_time(tool, arguments)
                        break
                    except ServiceError as error:
                        if not error.retryable or tries > tool.settings.retries or tool.effects == "writes":
                            raise
                        await asyncio.sleep(min(FIRST_WAIT_S * 2 ** (tries - 1), MOST_WAIT_S))
                else:
                    raise AssertionError  # the last try returns or raises
        except RoveError as error:
            return self._ended(ToolRun(plan.request, "failed", plan, tries=tries, note=str(error)), began, listener)
        number = isinstance(result, bool | int | float)
        text = clean(as_text({spelled_out(tool.name): result} if number else result))  # a number alone says nothing
        cut = len(text) > MOST_RESULT_CHARS
        document = as_document(tool.name, arguments, text[:MOST_RESULT_CHARS], language)
        notes = (Note("result-cut", {"size": len(text), "most": MOST_RESULT_CHARS}),) if cut else plan.notes
        made = ToolRun(
            plan.request, "ran", plan, document, 0.0, tries, cut,
            result=None if cut else result, notes=notes, language=language,
        )  # fmt: skip
        return self._ended(made, began, listener)

    def _ended(self, run: ToolRun, began: float, listener: Listener) -> ToolRun:
        seconds = round(perf_counter() - began, 4)
        listener(ToolEnded(run.plan.match.tool if run.plan else "", run.outcome, seconds))
        return replace(run, seconds=seconds)

    def _count(self, tool: Tool) -> None:
        """Count a call.

        Raises:
            ServiceError: there were as many in the last minute as are allowed.
        """
        now, calls = self.clock(), self.calls.setdefault(tool.name, deque())
        while calls and calls[0] <= now - MINUTE_S:
            calls.popleft()
        if len(calls) >= tool.settings.per_minute:
            message = f"{tool.name} was called {len(calls)} times within a minute, which is its limit."
            raise ServiceError(message, cure="Wait a minute, or raise `per_minute` of its source.", retryable=False)
        calls.append(now)


async def _call_tool_in_time(tool: Tool, arguments: Mapping[str, object]) -> object:
    """Call a tool once, in time.

    Raises:
        ServiceError: it failed, or took too long.
    """
    try:
        async with asyncio.timeout(tool.settings.timeout_s):
            return await tool.run(arguments)
    except TimeoutError:
        message = f"{tool.name} did not come back within {tool.settings.timeout_s:g} s."
        raise ServiceError(message, cure="Try again later, or raise `timeout_s` of its source.") from None
    except (RoveError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001 - an owner's function may fail in any way; the run says how
        message = f"{tool.name} failed: {type(error).__name__}: {error}."
        raise InputError(message, cure="Look at the arguments, or at the tool.") from error
