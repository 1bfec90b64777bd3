"""The calls of the engine that concern tools: they are found, planned and run, and answers are given with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from rove.conversation.tool_answer import ToolAnswerer
from rove.errors import ServiceError, check_asked
from rove.events import Listener, ignore
from rove.models import ChatModel
from rove.records import Answer, History, Report, Response, Text
from rove.records.filter import Where, as_filter
from rove.records.tool import ToolRun
from rove.retrieve import SearchContext
from rove.settings import Settings
from rove.tools.library import EMPTY, LibraryContext, ToolLibrary
from rove.tracing import operation

START = History()


class ToolOperations:
    """The part of `AsyncRove` that has tools. `tools`: the library, to which the program can add its own functions."""

    settings: Settings
    search_context: SearchContext
    chat_model: Callable[[], ChatModel | None]
    add: Callable[..., Awaitable[Report]]
    delete: Callable[..., Awaitable[int]]
    respond: Callable[..., Awaitable[Response]]
    _text_of: Callable[[str], Awaitable[str]]
    tools: ToolLibrary

    async def run_tool(
        self,
        request: str,
        *,
        tool: str = "",
        arguments: Mapping[str, object] = EMPTY,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
        dry_run: bool = False,
        confirm: bool = False,
        listener: Listener = ignore,
    ) -> ToolRun:
        """Choose a tool for a request, fill its parameters and run it. See `ToolLibrary.run`."""
        with operation("tools", dry_run=dry_run) as running:
            run = await self.tools.run(
                request,
                tool=tool,
                arguments=arguments,
                history=history,
                profile=profile,
                dry_run=dry_run,
                confirm=confirm,
                listener=listener,
            )
            running.show(request=request)
            running.tell(outcome=run.outcome, tool=run.plan.match.tool if run.plan else "")
            return run

    async def ask_with_tools(
        self,
        question: str,
        *,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
        where: Where | None = None,
        listener: Listener = ignore,
    ) -> Answer:
        """Answer with a tool that surely fits and only reads, else as `respond` does. See `ToolAnswerer.answer`.

        Args:
            question: what is asked.
            history: the turns before it; what the question leaves open is filled in from them.
            profile: what is known of the user, such as {"home_city": "Wien"}; it fills what both leave open.
            where: a filter that every document must pass, those that tools are too.
            listener: told of the plan, of calls and of the answer's text.

        Raises:
            InputError: the question is blank.
        """
        check_asked(question)

        async def otherwise() -> Answer:
            return (await self.respond(question, history=history, where=where, listener=listener)).answer

        answerer = ToolAnswerer(self.search_context, self.chat_model(), self.settings, self.tools, self._text_of)
        return await answerer.answer(question, as_filter(where), listener, otherwise, history=history, profile=profile)

    def _renew_tools(self) -> None:
        """Make the library anew: the settings or the models are others."""
        context = LibraryContext(self.search_context, self.settings, self.chat_model, self._take, self._drop)
        held: ToolLibrary | None = self.__dict__.get("tools")  # none while the base is opened
        self.tools = held.within(context) if held else ToolLibrary(context)

    async def _take(self, texts: Sequence[Text]) -> None:
        report = await self.add(list(texts)) if texts else None
        if report is not None and report.failed:
            entry = report.failed[0]
            message = f"The description of the tool {entry.source} was not kept: {entry.reason}"
            raise ServiceError(
                message, cure="Correct the description, or leave the tool out with `only`.", retryable=False
            )

    async def _drop(self, document_ids: Sequence[str]) -> None:
        await self.delete(*document_ids)
