"""The tools of a base: kept as documents so that they are found, planned for a request, and run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from rove.answer.gate import word_share
from rove.answer.refusal import near_enough
from rove.argument_checks import all_checked
from rove.errors import ConfigError, InputError, ServiceError, check_asked, meant
from rove.events import Listener, ToolPlanned, ignore
from rove.language.cue_words import UNSPACED
from rove.language.detect import detect
from rove.models import ChatModel
from rove.records import DocumentInfo, Filter, History, Hit, Text
from rove.records.filter import Where, as_filter
from rove.records.tool import Effects, ToolMatch, ToolPlan, ToolRun
from rove.retrieve import Query, SearchContext, retrieve
from rove.retrieve.fuse import zscores
from rove.settings import Settings, ToolSettings
from rove.tools import TOOL_SOURCES, Tool, ToolSource
from rove.tools.ask_model import choose, none_fits
from rove.tools.correct import Circumstances
from rove.tools.domain_model import DomainModel
from rove.tools.fill import fill_by_rules
from rove.tools.parameters import Parameter, parameters_of, spelled_out
from rove.tools.planner import ToolRequest, planned
from rove.tools.python_source import Function, tool_of
from rove.tools.runner import Runner

EMPTY: Mapping[str, object] = MappingProxyType({})
PROGRAM = "program"
"""The source of functions that the program adds itself."""
MODE = "tools"
POOL = 20
"""Tools that are compared by their parameters."""
PARAMETER_WEIGHT = 0.25
"""What a filled parameter counts beside the search's own score, in standard deviations; `MOST_FITTING` at most."""
MOST_FITTING = 3
NEAR, NEAR_UNSPACED = 0.85, 0.8
"""Of the embedder's distance, within which a tool is meant whatever its words: docs/decisions/059-quantities.md."""
LEAST_SHARE, SURE_SHARE = 0.25, 0.5
"""Of a request's telling words that the description of a tool holds: that it may be meant, and that it surely is."""
CLEAR = 2.0
"""By how much the best tool leads, in standard deviations, where no chat model is asked which is meant: of 500 requests
to tools_metatool a third, of which 94 % are right (tools_sealtools: a quarter, 100 %; all: 71 and 95 %)."""
OFFERED = 5
Take = Callable[[Sequence[Text]], Awaitable[object]]
Drop = Callable[[Sequence[str]], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class LibraryContext:
    """What the library works with: the base's search, its settings and its models; how it keeps and drops documents."""

    search_context: SearchContext
    settings: Settings
    chat: Callable[[], ChatModel | None]
    take: Take
    drop: Drop


@all_checked
@dataclass
class ToolLibrary:
    """See the module. `failures`: sources that could not be read, and why; their tools are missing until they can."""

    context: LibraryContext
    runner: Runner = field(default_factory=Runner)
    failures: dict[str, str] = field(default_factory=dict[str, str])
    _own: dict[str, Tool] = field(default_factory=dict[str, Tool])
    _tools: dict[str, Tool] | None = None
    _sources: list[ToolSource] = field(default_factory=list[ToolSource])
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def add(self, *functions: Function, effects: Effects = "reads") -> None:
        """Make tools of functions: annotations become the schema, the docstring the description.

        They run in this process, a plain function in a thread of its own. `effects`: "writes" where they change
        something; then each run has to be confirmed.

        Raises:
            ConfigError: a function cannot be called by JSON, or has the name of another tool.
        """
        for function in functions:
            made = tool_of(function, PROGRAM, ToolSettings(kind="python"), effects)
            if made.name in self._own:
                raise _twice(made.name, PROGRAM, PROGRAM)
            self._own[made.name] = made
        self._tools = None

    def within(self, context: LibraryContext) -> ToolLibrary:
        """Return a library with the same functions and the same rates, in another context."""
        return ToolLibrary(context, self.runner, _own=dict(self._own))

    async def all(self, *, keep: bool = True) -> list[Tool]:
        """Return every tool, by source. The first call reads the sources; unless not to `keep`, the base has them then.

        Raises:
            ConfigError: settings or a document are wrong, or two tools have one name.
        """
        async with self._lock:
            if self._tools is None:
                await self._close()
                found = await self._read()
                if not keep:
                    return list(found.values())
                await self._keep(found)
                self._tools = found
            return list(self._tools.values())

    async def find(
        self, request: str, *, top_k: int = OFFERED, where: Where | None = None, profile: Mapping[str, object] = EMPTY
    ) -> list[ToolMatch]:
        """Return the tools that fit a request, best first: by name and description, then by what fills parameters.

        Raises:
            InputError: the request is blank.
        """
        check_asked(request)
        asked = ToolRequest(request, detect(request), _today(), profile=profile)
        return (await self._matches(asked, max(top_k, 1), as_filter(where)))[:top_k]

    async def run(
        self,
        request: str,
        *,
        tool: str = "",
        arguments: Mapping[str, object] = EMPTY,
        history: History = History(),  # noqa: B008 - frozen
        profile: Mapping[str, object] = EMPTY,
        dry_run: bool = False,
        confirm: bool = False,
        surely: bool = False,
        where: Filter | None = None,
        listener: Listener = ignore,
    ) -> ToolRun:
        """Choose a tool for a request, fill its parameters, and run it; or say why not, and what to ask the user.

        Args:
            request: what is wanted, in any language.
            tool: its name, where it is known; "" lets the request choose.
            arguments: values that are settled, by parameter.
            history: earlier turns, which fill what the request leaves open.
            profile: what is known of the user, such as {"home_city": "Wien"}; it fills what both leave open.
            dry_run: plan only: which tool, why, with which values from where, what was mended, what is missing.
            confirm: that a tool which changes something may run.
            surely: only where the request lies as near to a tool as to a document that it is answered from.
            where: a filter on the documents that tools are.
            listener: told of the plan and of each call.

        Raises:
            InputError: the request is blank, or there is no tool of that name.
        """
        check_asked(request)
        language = detect(request)
        asked = ToolRequest(request, language, _today(), history, profile, arguments)
        known = {one.name: one for one in await self.all()}
        matches = (
            [self._named(tool, known)] if tool else await self._matches(asked, OFFERED, where, fits=True, surely=surely)
        )
        match = matches[0] if tool else await self._chosen(request, matches)
        if match is None:
            return ToolRun(request, "none", notes=(none_fits(matches, known),), language=language)
        plan = await planned(known[match.tool], match, asked, self._domain(), self.context.chat())
        plan = replace(plan, others=tuple(one for one in matches if one.tool != match.tool))
        listener(ToolPlanned(plan))
        if dry_run:
            return ToolRun(request, "planned", plan, notes=plan.notes, language=language)
        return await self.runner.run(known[match.tool], plan, confirm=confirm, language=language, listener=listener)

    async def plan(
        self,
        request: str,
        *,
        tool: str = "",
        arguments: Mapping[str, object] = EMPTY,
        history: History = History(),  # noqa: B008 - frozen
        profile: Mapping[str, object] = EMPTY,
    ) -> ToolPlan | None:
        """Return what `run` would do; None where no tool fits."""
        run = await self.run(request, tool=tool, arguments=arguments, history=history, profile=profile, dry_run=True)
        return run.plan

    async def close(self) -> None:
        """Release what the sources hold."""
        async with self._lock:
            await self._close()
            self._tools = None

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _close(self) -> None:
        sources, self._sources = self._sources, []
        for source in sources:
            await source.close()

    async def _read(self) -> dict[str, Tool]:
        found = dict(self._own)
        self.failures = {}
        for name, settings in self.context.settings.tools.items():
            source: ToolSource = TOOL_SOURCES.get(settings.kind)(name, settings)
            self._sources.append(source)
            try:
                tools = await source.tools()
            except ServiceError as error:
                self.failures[name] = str(error)
                continue
            for tool in allowed(tools, settings):
                if tool.name in found:
                    raise _twice(tool.name, found[tool.name].source, name)
                found[tool.name] = tool
        return found

    async def _keep(self, tools: Mapping[str, Tool]) -> None:
        """Keep the tools as documents, and drop those of sources that no longer have them."""
        await self.context.take([as_text(tool) for tool in tools.values()])
        wanted = {document_id(tool) for tool in tools.values()}
        held = await asyncio.to_thread(self.context.search_context.store.catalog.documents)
        if gone := [info.document_id for info in held if self._is_gone(info, wanted)]:
            await self.context.drop(gone)

    def _is_gone(self, info: DocumentInfo, wanted: set[str]) -> bool:
        source = info.metadata.get("tool_source")
        return source is not None and source not in {PROGRAM, *self.failures} and info.document_id not in wanted

    async def _matches(
        self, asked: ToolRequest, top_k: int, where: Filter | None, *, fits: bool = False, surely: bool = False
    ) -> list[ToolMatch]:
        known = {document_id(tool): tool for tool in await self.all()}
        if not known:
            return []
        query = Query(asked.text, max(top_k, POOL), where, rerank=True)
        hits = await retrieve(MODE, self.context.search_context, query)
        scores = zscores([(hit.chunk.document_id, hit.score) for hit in hits if hit.chunk.document_id in known])
        found = [self._match(known[name], score, asked) for name, score in scores.items()]
        best = sorted(found, key=lambda one: (-one.score, one.tool))[:top_k]
        if not fits:
            return best
        fitting = [one for one in best if self._fits(one, hits, asked, surely)]
        return fitting if self.context.chat() or fitting[:1] == best[:1] else []

    def _fits(self, match: ToolMatch, hits: Sequence[Hit], asked: ToolRequest, surely: bool) -> bool:
        """Say whether a tool may be run for a request that did not name it.

        It lies near; or it shares a telling word and is not far, or many; or an amount, a choice or a thing in it
        fills a parameter. `surely`: near enough to be answered with, or by half of the words.
        """
        own = [hit for hit in hits if hit.chunk.metadata.get("tool") == match.tool] or hits[:1]
        left = self._unfilled(self._tools[match.tool], asked) if self._tools else asked.text
        share = max(word_share(left, hit) for hit in own)
        embedder, settings = self.context.search_context.embedder, self.context.settings.answer
        distance = settings.max_distance or embedder.max_distance
        lead = 0.0 if settings.max_distance else embedder.min_lead
        closest = NEAR_UNSPACED if asked.language in UNSPACED else NEAR
        near = near_enough(own, distance * closest) or (share > 0 and near_enough(own, distance))
        meant = near or share >= LEAST_SHARE or bool(match.fitting)
        return meant and (not surely or share >= SURE_SHARE or near_enough(hits[:OFFERED], distance, lead))

    def _match(self, tool: Tool, score: float, asked: ToolRequest) -> ToolMatch:
        around = Circumstances(asked.language, asked.today, self._domain(), tool.platform)
        parameters = parameters_of(tool.parameters)
        filled = fill_by_rules(parameters, asked.said()[:1], {}, around)
        fitting = tuple(one.name for one in parameters if one.name in filled and _is_distinctive_parameter(one))
        total = score + PARAMETER_WEIGHT * min(len(fitting), MOST_FITTING)
        return ToolMatch(tool.name, tool.description, tool.source, tool.effects, total, fitting)

    def _unfilled(self, tool: Tool, asked: ToolRequest) -> str:
        """The request without the words that fill the tool's parameters: its description cannot hold those."""
        around = Circumstances(asked.language, asked.today, self._domain(), tool.platform)
        filled = fill_by_rules(parameters_of(tool.parameters), asked.said()[:1], {}, around)
        spans = sorted((one.span for one in filled.values() if one.span), reverse=True)
        text = asked.text
        for start, end in spans if len(spans) < len(text) else ():
            text = f"{text[:start]} {text[end:]}"
        return text if text.strip(" .?!") else asked.text

    async def _chosen(self, request: str, matches: Sequence[ToolMatch]) -> ToolMatch | None:
        """Return the first, unless a chat model is there and the first does not lead: it then chooses, or none."""
        chat = self.context.chat()
        if (
            chat is not None
            and matches
            and matches[0].score < CLEAR + max((one.score for one in matches[1:]), default=0)
        ):
            with suppress(ServiceError):  # the search's own order stands, and the planner says that the model failed
                return await choose(chat, request, matches)
        return next(iter(matches), None)

    def _named(self, name: str, known: Mapping[str, Tool]) -> ToolMatch:
        if name not in known:
            message = f"There is no tool {name!r}."
            raise InputError(message, cure=f"{meant(name, known)}List them with: rove tools list")
        tool = known[name]
        return ToolMatch(tool.name, tool.description, tool.source, tool.effects, 1.0)

    def _domain(self) -> DomainModel:
        return DomainModel(self.context.settings.entities)


def allowed(tools: Sequence[Tool], settings: ToolSettings) -> list[Tool]:
    """Return the tools that the settings let through, each with the effects that they know of.

    Raises:
        ConfigError: there are too many, or the settings name one that is not there.
    """
    names = {tool.name for tool in tools}
    for name in (*settings.only, *settings.reads, *settings.writes):
        if name not in names:
            message = f"The settings name the tool {name!r}, which its source does not have."
            raise ConfigError(message, cure=f"{meant(name, names)}Correct `only`, `reads` or `writes`.")
    kept = [tool for tool in tools if not settings.only or tool.name in settings.only]
    if len(kept) > settings.max_tools:
        message = f"The source has {len(kept):,} tools; {settings.max_tools:,} are taken."
        raise ConfigError(message, cure="Name those that you need in `only`, or raise `max_tools`.")
    return [replace(tool, effects=_tool_effects(tool, settings)) for tool in kept]


def document_id(tool: Tool) -> str:
    """The id of the document that a tool is in the base."""
    return f"tools/{tool.source}/{tool.name}"


def as_text(tool: Tool) -> Text:
    """Return a tool as a document: its name spelled out, what it does, and a line for each parameter."""
    lines = [tool.description.strip() or spelled_out(tool.name), ""]
    lines += [_parameter_list_line(parameter) for parameter in parameters_of(tool.parameters)]
    metadata = {"tool": tool.name, "tool_source": tool.source, "tool_effects": tool.effects}
    return Text("\n".join(lines).strip(), document_id(tool), f"{spelled_out(tool.name)} ({tool.name})", metadata)


def _parameter_list_line(parameter: Parameter) -> str:
    kind = " or ".join(parameter.choices[:20]) or parameter.format or parameter.type
    rest = f": {parameter.description}" if parameter.description else ""
    default = f" Default: {parameter.default}." if parameter.default not in {None, ""} else ""
    return f"- {parameter.words} ({kind}){rest}{default}"


def _tool_effects(tool: Tool, settings: ToolSettings) -> Effects:
    if tool.name in settings.writes:
        return "writes"
    return "reads" if tool.name in settings.reads else tool.effects


def _is_distinctive_parameter(parameter: Parameter) -> bool:
    """Say whether not just any words fill it."""
    return bool(parameter.choices or parameter.format or parameter.type in {"number", "integer"} or parameter.is_entity)


def _twice(name: str, first: str, second: str) -> ConfigError:
    message = f"Two tools are named {name!r}: of {first!r} and of {second!r}."
    return ConfigError(message, cure="Leave one out with `only`, or rename it.")


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
