"""Finding and running tools over the wire: within bounds, tokens counted, and no secret in what is told."""

from __future__ import annotations

from rove.models.usage import metered
from rove.records.tool import ToolMatch
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.page import page
from rove.serve.questions.asking import check_question
from rove.serve.redaction import without_places
from rove.serve.tools.schema import ToolOut, ToolRunIn, ToolRunOut, ToolsOut
from rove.tools.hiding import hiding


async def listed(server: ServerContext, view: CallerView, request: str | None, cursor: int, limit: int) -> ToolsOut:
    """List tools from `cursor` on, or find those that fit a request. Raises as `CallerView.tools` does."""
    if request is not None:
        check_question(request, server)
    tools, failed = await view.tools()
    hide = hiding(view.kb.settings.tools)
    if request is None:
        some, following = page(tools[cursor:], cursor, limit)
        return ToolsOut(tools=[ToolOut.of(tool, hide) for tool in some], failed=failed, next_cursor=following)
    by_name = {tool.name: tool for tool in tools}
    found: list[ToolMatch] = await view.find_tools(request, limit)
    matched = [ToolOut.of(by_name[one.tool], hide, one) for one in found if one.tool in by_name]
    return ToolsOut(tools=matched, failed=failed)


async def ran(server: ServerContext, view: CallerView, wanted: ToolRunIn) -> ToolRunOut:
    """Plan and run a tool. Raises as `CallerView.run_tool` and `check_question` do."""
    for text in (wanted.request, *(turn.question for turn in wanted.history)):
        check_question(text, server)
    with metered() as meter:
        run = await view.run_tool(
            wanted.request,
            tool=wanted.tool,
            arguments=wanted.arguments,
            history=wanted.turns,
            profile=wanted.profile,
            dry_run=wanted.dry_run,
            confirm=wanted.confirm,
        )
    server.journal.note_usage(meter.usage)
    return ToolRunOut.of(run, hiding(view.kb.settings.tools), without_places)
