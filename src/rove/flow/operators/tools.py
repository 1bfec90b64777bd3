"""Operators that run tools, and answer with what these give."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Literal

from rove.conversation.tool_answer import ToolAnswerer
from rove.errors import InputError, ServiceError
from rove.flow.operator import FlowContext, operator
from rove.language.detect import detect
from rove.records import Answer
from rove.records.tool import ToolPlan, ToolRun
from rove.tools.library import EMPTY


@operator(needs=("tools",))
async def tool(
    context: FlowContext,
    *,
    request: str,
    tool: str = "",
    arguments: Mapping[str, object] = EMPTY,
    ask: bool = False,
    surely: bool = False,
    failing: Literal["fail", "say"] = "fail",
) -> ToolRun:
    """Plan and run a tool that only reads: the one that is named, or that fits; what is missing is said, or asked.

    `ask`: a person is asked for what is missing. `surely`: only a tool that surely fits. `failing`: "say" makes of a
    tool that fails, or is not there, the outcome "failed" with the reason, and the run goes on.

    Raises:
        ServiceError: the tool failed.
    """
    try:
        run = await _plan_tool_run(context, request, tool, arguments, ask=ask, surely=surely)
        return await _ran(context, run, confirm=False, failing=failing)
    except InputError as error:
        if failing == "fail":
            raise
        return ToolRun(request, "failed", note=error.reason)


@operator(effects="once", needs=("tools",), confirms=True)
async def tool_once(
    context: FlowContext,
    *,
    request: str,
    tool: str = "",
    arguments: Mapping[str, object] = EMPTY,
    ask: bool = False,
    surely: bool = False,
) -> ToolRun:
    """Plan and run a tool as "tool" does, also one that changes something: a person sees the plan, and agrees.

    Raises:
        ServiceError: the tool failed, or a person does not agree.
    """
    run = await _plan_tool_run(context, request, tool, arguments, ask=ask, surely=surely)
    if run.plan and run.plan.is_ready and run.plan.match.effects == "writes":
        await context.once(_tool_call_text(run.plan))
    return await _ran(context, run, confirm=True)


async def answer_with_tool(context: FlowContext, *, question: str, called: ToolRun) -> Answer | None:
    """Answer from what a tool gave, which is cited like a passage, if it ran."""
    document, kb = called.document, context.kb
    if document is None or not document.text.strip():
        return None
    text_of = partial(asyncio.to_thread, kb.store.documents.text)
    answerer = ToolAnswerer(kb.search_context, kb.chat_model(), kb.settings, kb.tools, text_of)
    return await answerer.from_result(question, called, document, context.where, context.listener)


async def _plan_tool_run(
    context: FlowContext, request: str, tool: str, arguments: Mapping[str, object], *, ask: bool, surely: bool
) -> ToolRun:
    """Plan only; what a person replies is read as part of the request, or else is the one value that is wanted."""
    given = {name: value for name, value in arguments.items() if value is not None}

    async def planned(text: str, name: str, values: Mapping[str, object]) -> ToolRun:
        return await context.kb.tools.run(
            text,
            tool=name,
            arguments=values,
            history=context.history,
            dry_run=True,
            surely=surely,
            where=context.where,
            listener=context.listener,
        )

    run = await planned(request, tool, given)
    plan = run.plan
    if plan is None or not (ask and plan.question):
        return run
    reply, name = context.ask(plan.question, ()).strip(), plan.match.tool
    wanted = tuple(dict.fromkeys((*plan.missing, *(one.parameter for one in plan.problems))))
    given = {key: value for key, value in given.items() if key not in wanted}
    again = await planned(f"{request}\n{reply}", name, given)
    if len(wanted) == 1 and reply and again.plan and not again.plan.is_ready:
        again = await planned(request, name, {**given, wanted[0]: reply})
    return again


async def _ran(
    context: FlowContext, run: ToolRun, *, confirm: bool, failing: Literal["fail", "say"] = "fail"
) -> ToolRun:
    """Run a plan, and no other.

    Raises:
        ServiceError: the tool failed.
    """
    plan, library = run.plan, context.kb.tools
    if plan is None:
        return run
    known = {one.name: one for one in await library.all()}
    done = await library.runner.run(
        known[plan.match.tool], plan, confirm=confirm, language=detect(run.request), listener=context.listener
    )
    if done.outcome == "failed" and failing == "fail":
        raise ServiceError(done.note, cure="Look at the arguments, or at the tool.", retryable=False)
    return done


def _tool_call_text(plan: ToolPlan) -> str:
    values = ", ".join(f"{name} = {value!r}" for name, value in plan.arguments.items())
    return f"{plan.match.tool}({values})"
