"""The tools that a model is given over MCP: typed arguments, one function each, over the views of one caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from pydantic import BaseModel, Field

from rove.errors import InputError
from rove.language.rendering import render
from rove.records import Document, History, Turn
from rove.records.document import Span
from rove.retrieve.explore import Reach
from rove.serve.admission.callers import Caller
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.documents.schema import Access, DocumentIn, JobOut
from rove.serve.documents.texts import SummaryOut, TextOut
from rove.serve.documents.upload import take_document
from rove.serve.json_values import Values
from rove.serve.questions.asking import asked, check_question
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.graph import GraphOut
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import Question, SearchOut, TurnIn
from rove.serve.schema import Reply, Wire
from rove.serve.tools.running import listed, ran
from rove.serve.tools.schema import ToolRunIn, ToolRunOut, ToolsOut
from rove.serve.walks.live_walks import CallerWalks

MAX_READ_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool works with: the server, and who calls."""

    server: ServerContext
    caller: Caller

    def view(self, space: str) -> CallerView:
        """The caller's view of a space; "" is the only one that the caller has.

        Raises:
            InputError: the caller has several, and named none.
        """
        names = self.server.spaces.visible(self.caller)
        if not space and len(names) != 1:
            message = "Several spaces are open to you, and none was named."
            raise InputError(message, cure=f"Give `space`, one of: {', '.join(names)}.")
        return self.server.spaces.view(space or names[0], self.caller)


class Spaced(Wire):
    """Arguments of a tool for one space."""

    space: str = Field(default="", max_length=64, description="The knowledge base; empty if there is only one.")


class SearchArguments(Spaced):
    """Find passages in the knowledge base. Give what you look for, in any language."""

    question: Question
    top_k: int = Field(default=8, ge=1, le=50, description="How many passages at most.")


class Conversed(Spaced):
    """What was said before, and what is known of the user."""

    history: list[TurnIn] = Field(default=[], max_length=50, description="The turns before, the oldest first.")
    profile: Values = Field(default={}, description='What is known of the user, e.g. {"home_city": "Wien"}.')

    @property
    def turns(self) -> History:
        """The conversation so far."""
        return History(tuple(Turn(turn.question, turn.answer) for turn in self.history))


class AskArguments(Conversed):
    """Answer a question from the knowledge base; every sentence is cited to exact words of a document."""

    question: Question
    tools: bool = Field(default=False, description="Let a tool that only reads run, and cite what it gives.")


class WalkArguments(Spaced):
    """Answer a question that takes several steps: what is found is followed to where it leads, until it is enough."""

    question: Question


class WalkedOut(Reply):
    """What a walk came to: its answer, and the facts that it found, each with the words that it rests on."""

    walk_id: str
    answer: AnswerOut
    facts: list[str]


class ReadArguments(Spaced):
    """Read a document, or a part of it: a section by its title, or the characters from start to end."""

    document_id: str = Field(max_length=2_000)
    section: str = Field(default="", max_length=500, description="The title of a section.")
    start: int = Field(default=0, ge=0)
    end: int | None = Field(default=None, ge=0)


class ExploreArguments(Spaced):
    """Ask what the documents say of people, places or things by name, and how these are related, with the words."""

    names: list[str] = Field(min_length=1, max_length=10, description="Names of things.")
    depth: int = Field(default=1, ge=1, le=3, description="How many relations away from them to go.")


class SummaryArguments(Spaced):
    """Read in few sentences what a document and each of its sections say, where it has been summed up."""

    document_id: str = Field(max_length=2_000)


class DatabaseArguments(Spaced):
    """Answer a question from the rows of a database, or of tables in documents: counts, sums, the most, lists."""

    question: Question
    database: str = Field(default="", max_length=200, description="Its name; empty if there is only one.")
    tables: bool = Field(default=False, description="Ask the tables in the documents instead.")


class FindToolsArguments(Spaced):
    """Find tools of the knowledge base that look up or do what documents cannot say, by what is wanted."""

    request: Question
    top_k: int = Field(default=5, ge=1, le=20, description="How many at most.")


class RunToolArguments(Conversed):
    """Run a tool that only reads, for a request: it is chosen and its parameters are filled from what was said.

    Where the outcome is "asks", put the question of the plan to the user. What changes something does not run here.
    """

    request: Question
    tool: str = Field(default="", max_length=200, description="The tool's name, where it is known.")
    arguments: Values = Field(default={}, description="Values that are settled, by parameter.")
    dry_run: bool = Field(default=False, description="Only show what would be run.")


class SummariesOut(Reply):
    """What a document says, then its sections in the order of the text; none, where it has not been summed up."""

    summaries: list[SummaryOut]


class AddArguments(Spaced):
    """Add a text to the knowledge base. The same name replaces what was there before."""

    text: str = Field(min_length=1, max_length=1_000_000)
    name: str = Field(default="", max_length=200)
    title: str = Field(default="", max_length=500)
    access: Access = []


async def search(context: ToolContext, given: SearchArguments) -> SearchOut:
    """See `SearchArguments`."""
    check_question(given.question, context.server)
    hits = await context.view(given.space).search(
        given.question, top_k=given.top_k, where=None, mode="hybrid", rerank=None
    )
    return SearchOut(hits=[HitOut.of(hit) for hit in hits])


async def ask(context: ToolContext, given: AskArguments) -> AnswerOut:
    """See `AskArguments`."""
    view, profile = context.view(given.space), given.profile if given.tools else None
    answered = await asked(context.server, view, given.question, history=given.turns, profile=profile)
    return AnswerOut.of(answered.answer)


async def walk(context: ToolContext, given: WalkArguments) -> WalkedOut:
    """See `WalkArguments`. Who does not wait for it can take the walk up over HTTP."""
    check_question(given.question, context.server)
    walks = CallerWalks(context.view(given.space), context.server.listened)
    walking = await walks.begin(given.question, None, None)
    async with aclosing(walks.going(walking)) as told:
        async for _ in told:
            pass
    answer = await walking.answered()
    facts = [render(fact.text).line for fact in walking.state.facts]
    return WalkedOut(walk_id=walking.walk_id, answer=AnswerOut.of(answer), facts=facts)


async def read(context: ToolContext, given: ReadArguments) -> TextOut:
    """See `ReadArguments`. At most `MAX_READ_CHARS` are returned; the span says which."""
    _, document = await context.view(given.space).document(given.document_id)
    start, end = _span(document, given)
    return TextOut.of(document, (start, min(end, start + MAX_READ_CHARS)))


async def explore(context: ToolContext, given: ExploreArguments) -> GraphOut:
    """See `ExploreArguments`."""
    return GraphOut.of(await context.view(given.space).explore(given.names, Reach(depth=given.depth)), [])


async def summary(context: ToolContext, given: SummaryArguments) -> SummariesOut:
    """See `SummaryArguments`."""
    found = await context.view(given.space).summary(given.document_id)
    return SummariesOut(summaries=[SummaryOut.of(one) for one in found])


async def ask_database(context: ToolContext, given: DatabaseArguments) -> SqlOut:
    """See `DatabaseArguments`."""
    check_question(given.question, context.server)
    view = context.view(given.space)
    if given.tables:
        return SqlOut.of(await view.ask_tables(given.question, None, dry_run=False))
    return SqlOut.of(await view.ask_database(given.question, given.database, dry_run=False))


async def find_tools(context: ToolContext, given: FindToolsArguments) -> ToolsOut:
    """See `FindToolsArguments`."""
    return await listed(context.server, context.view(given.space), given.request, 0, given.top_k)


async def run_tool(context: ToolContext, given: RunToolArguments) -> ToolRunOut:
    """See `RunToolArguments`. A model cannot confirm for its user."""
    wanted = ToolRunIn(
        request=given.request,
        tool=given.tool,
        arguments=given.arguments,
        history=given.history,
        profile=given.profile,
        dry_run=given.dry_run,
        confirm=False,
    )
    return await ran(context.server, context.view(given.space), wanted)


async def add(context: ToolContext, given: AddArguments) -> JobOut:
    """See `AddArguments`. Returns once the text cannot be lost; it can be found a moment later."""
    view = context.view(given.space)
    view.require("add")
    wanted = DocumentIn(text=given.text, name=given.name, title=given.title, access=given.access)
    jobs = context.server.spaces.get(view.space, context.caller).jobs
    return JobOut.of(await take_document(view, jobs, wanted))


def _span(document: Document, given: ReadArguments) -> Span:
    size = len(document.text)
    if not given.section:
        end = size if given.end is None else min(given.end, size)
        return min(given.start, end), end
    wanted = given.section.casefold().strip()
    for section in document.sections:
        if section.title.casefold().strip() == wanted:
            return section.span
    message = f"The document has no section {given.section!r}."
    titles = ", ".join(repr(section.title) for section in document.sections[:20])
    raise InputError(message, cure=f"Its sections are: {titles}." if titles else "Read it without a section.")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its arguments, whose docstring says to the model what it is for, and its function."""

    arguments: type[BaseModel]
    call: Callable[..., Awaitable[BaseModel]]
    writes: bool = False
    outside: bool = False
    """Whether it asks other systems than the base."""


TOOLS = {
    "search": Tool(SearchArguments, search),
    "ask": Tool(AskArguments, ask, outside=True),
    "walk": Tool(WalkArguments, walk),
    "read": Tool(ReadArguments, read),
    "explore": Tool(ExploreArguments, explore),
    "summary": Tool(SummaryArguments, summary),
    "ask_database": Tool(DatabaseArguments, ask_database),
    "find_tools": Tool(FindToolsArguments, find_tools),
    "run_tool": Tool(RunToolArguments, run_tool, outside=True),
    "add": Tool(AddArguments, add, writes=True),
}
"""A new tool is one function and one line. Those that write are offered only where serve.mcp_add is set."""
