"""The experts of the case as operators: what is asked, what can have led to it, and what did."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from examples.alarms.findings import Alarm, Check, Checked, Diagnosis, Edge, Event, Past, Plan
from examples.alarms.ranking import ENOUGH, ranked

from rove.errors import InputError
from rove.flow import FlowContext
from rove.flow.condition import read_condition
from rove.flow.reference import Reference, part_of
from rove.language.detect import detect
from rove.question.slots import Filling
from rove.records import Citation, Hit
from rove.records.graph import Relation, Subgraph
from rove.records.tool import ToolRun

WORDS: Mapping[str, Mapping[str, str]] = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
CODE = re.compile(r"EV-\d{3}")
COLUMNS = {
    "en": ("name (en)",),
    "de": ("name (de)",),
    "zh": ("name (zh)",),
    "where": ("where", "wo", "位置"),
    "tool": ("tool", "werkzeug", "工具"),
    "arguments": ("arguments", "argumente", "参数"),
    "confirmed": ("confirmed when", "bestätigt, wenn", "确认条件"),
    "owner": ("owner", "zuständig", "负责人"),
}
LANGUAGES = ("en", "de", "zh")
LEADS_TO = ("leads to", "führt zu", "导致")
ROLE, DEPENDS_ON = "role", "depends on"
BUT_SERIES = "\ntimes:"


def words(language: str) -> Mapping[str, str]:
    """The sentences of the case in a language; English where there are none."""
    return WORDS.get(language, WORDS["en"])


async def read_alarm(context: FlowContext, *, text: str, values: Filling, hits: Sequence[Hit]) -> Alarm | None:
    """Take from an alarm its host, its time and the events that it may be; nothing where it names no host."""
    del context
    found = {one.name: one.value for one in values.slots}
    if "host" not in found:
        return None
    named = [*CODE.findall(text), *(code for hit in hits for code in CODE.findall(" ".join(hit.chunk.headings)))]
    return Alarm(text, detect(text), found["host"], found.get("time", ""), tuple(dict.fromkeys(named)))


async def plan_checks(
    context: FlowContext, *, alarm: Alarm, events: Subgraph, causes: Subgraph, hosts: Subgraph, tools: Sequence[str]
) -> Plan | None:
    """Choose the event, what can have led to it, and for each a tool with its parameters, filled in from the alarm.

    `tools`: those that a catalogue may name; another one is refused, whatever a document says.
    """
    del context
    known = events_in(events, alarm.language)
    role_of, chain = _places(hosts, alarm.host)
    code = next((one for one in alarm.codes if one in known and known[one].where == role_of.get(alarm.host)), "")
    if not code:
        return None
    edges = [one for one in edges_in(causes) if {one.source, one.target} <= known.keys()]
    upstream = {code}
    while more := {one.source for one in edges if one.target in upstream} - upstream:
        upstream |= more
    edges = [one for one in edges if one.target in upstream]
    checks = tuple(_check(known[one], chain, role_of, alarm, tools) for one in sorted(upstream))
    asked = tuple(one for one in checks if not one.refused)
    events_found = tuple(known[one] for one in sorted(upstream))
    return Plan(alarm, known[code], events_found, tuple(edges), checks, asked, causes.more)


async def codes_of(context: FlowContext, *, alarm: Alarm, causes: Subgraph) -> list[str]:
    """The codes of all events that were come upon."""
    del context
    return sorted({*alarm.codes, *(one for each in causes.entities for one in CODE.findall(each.name))})


async def find_root(context: FlowContext, *, plan: Plan, runs: Sequence[ToolRun], reviews: Sequence[Hit]) -> Diagnosis:
    """Hold the results against the catalogue, join past reviews, and rank what can be the root cause."""
    by_request = {run.request: run for run in runs}
    checked = tuple(_checked(one, by_request.get(one.request)) for one in plan.checks)
    every = [one for hit in reviews if (one := _past(hit))]
    past = tuple(one for one in every if one.cause in {each.code for each in plan.events})
    left_out = len(every) - len(past)
    causes = ranked(plan, checked, past)
    best = causes[0] if causes else None
    root = best if best and best.state == "confirmed" and best.score >= ENOUGH else None
    told = words(plan.alarm.language)
    question = told["question"].format(event=plan.event.name)
    if root is None:
        return Diagnosis(plan, checked, causes, past, question, left_out=left_out)
    alike = [hit for hit in reviews if hit.chunk.metadata.get("cause") == root.event.code]
    action = await _action(context, root.event)
    return Diagnosis(plan, checked, causes, past, question, root, action, left_out, tuple(alike))


def events_in(graph: Subgraph, language: str) -> dict[str, Event]:
    """The events that a graph tells everything of, by their codes, with their names in a language."""
    found: dict[str, dict[str, str]] = {}
    cited: dict[str, Citation] = {}
    names = {one.key: one.name for one in graph.entities}
    for link in graph.links:
        code = names[link.subject]
        key = next((key for key, said in COLUMNS.items() if link.predicate.casefold() in said), "")
        if key and CODE.fullmatch(code):
            found.setdefault(code, {})[key] = link.relations[0].triplet.object
            cited.setdefault(code, cite(link.relations[0]))
    whole = {code: told for code, told in found.items() if len(told) == len(COLUMNS)}
    return {code: _event(code, told, language, cited[code]) for code, told in whole.items()}


def _event(code: str, told: Mapping[str, str], language: str, cited: Citation) -> Event:
    name = told[language if language in LANGUAGES else "en"]
    return Event(code, name, **{key: value for key, value in told.items() if key not in LANGUAGES}, citation=cited)


def edges_in(graph: Subgraph) -> Iterator[Edge]:
    """What leads to what."""
    names = {one.key: one.name for one in graph.entities}
    for link in graph.links:
        if link.predicate.casefold() in LEADS_TO:
            yield Edge(names[link.subject], names[link.object], cite(link.relations[0]))


def cite(relation: Relation) -> Citation:
    """The words that a relation was read from."""
    return Citation(
        0, relation.chunk_id, relation.document_id, relation.source, relation.title, relation.quote,
        relation.triplet.span,
    )  # fmt: skip


def _places(hosts: Subgraph, host: str) -> tuple[dict[str, str], list[str]]:
    """The role of each host, and the alarm's host with all that it depends on, the nearest first."""
    names = {one.key: one.name for one in hosts.entities}
    said = [(names[one.subject], one.predicate.casefold(), names[one.object]) for one in hosts.links]
    chain = [host]
    for one in chain:
        chain += [other for subject, says, other in said if (subject, says) == (one, DEPENDS_ON) and other not in chain]
    return {subject: role for subject, says, role in said if says == ROLE}, chain


def _check(event: Event, chain: Sequence[str], role_of: Mapping[str, str], alarm: Alarm, tools: Sequence[str]) -> Check:
    told = words(alarm.language)
    host = next((one for one in chain if role_of.get(one) == event.where), "")
    arguments: dict[str, object] = {"host": host}
    for pair in event.arguments.split(","):
        name, _, value = (part.strip() for part in pair.partition("="))
        if value:
            arguments[name] = int(value) if value.isdecimal() else value
    refused = "" if host else told["no_host"].format(role=event.where, host=alarm.host)
    if event.tool not in tools:
        refused = told["not_allowed"].format(tool=event.tool)
    request = f"{event.code}: {event.tool} {', '.join(f'{name}={value}' for name, value in arguments.items())}"
    return Check(event, host, event.tool, arguments, request, refused)


def _checked(check: Check, run: ToolRun | None) -> Checked:
    if check.refused or run is None or run.outcome != "ran" or run.document is None:
        return Checked(check, "unknown", note=check.refused or (run.note if run else ""))
    result = cast("Mapping[str, object]", run.result or {})
    try:
        holds = read_condition(check.event.confirmed).holds(lambda one: _part(result, one), lambda _: False)
    except ValueError as error:
        return Checked(check, "unknown", note=str(error))
    text = run.document.text
    span = (0, text.find(BUT_SERIES) if BUT_SERIES in text else len(text))
    cited = Citation(0, "", run.document.document_id, run.document.source, run.document.title, text[slice(*span)], span)
    since = str(result.get("since") or "")
    return Checked(check, "confirmed" if holds else "refuted", since, _said(result), "", (cited,), result)


def _part(result: Mapping[str, object], one: Reference) -> object:
    return part_of(result, (one.root, *one.path))


def _said(result: Mapping[str, object]) -> str:
    if "last" in result:
        return f"{result['last']:g} {result['unit']} (≤ {result['limit']:g})"
    rows = cast("Sequence[Mapping[str, str]]", result.get("rows", ()))
    return "; ".join(f"{row['time']}: {row['text']}" for row in rows)


def _past(hit: Hit) -> Past | None:
    """A review, if it records a cause: the paragraph that names it, and the next, which says what was done."""
    told = hit.chunk.metadata
    if not told.get("cause"):
        return None
    places = [(found.start(), found.group()) for found in re.finditer(r"[^\n]+", hit.chunk.text)]
    named = next((place for place, (_, line) in enumerate(places) if str(told["cause"]) in line), None)
    lines = places[named : named + 2] if named is not None else []
    cited = [_cited(hit, start, line) for start, line in lines]
    fields = (str(told.get(name, "")) for name in ("date", "event", "cause", "minutes"))
    return Past(hit.title, *fields, *(cited + [None, None])[:2])


def _cited(hit: Hit, start: int, text: str) -> Citation:
    at = hit.chunk.span[0] + start
    return Citation(0, hit.chunk.chunk_id, hit.chunk.document_id, hit.uri, hit.title, text, (at, at + len(text)))


async def _action(context: FlowContext, event: Event) -> Citation | None:
    """What the catalogue says to do: the text of the section under the event that ends with its code."""
    try:
        document, chunks = await context.kb.document(event.citation.document_id)
    except InputError:
        return None
    section = next((one for one in document.sections if one.level == 3 and one.title.endswith(event.code)), None)  # noqa: PLR2004
    if section is None:
        return None
    line = document.text.find("\n", section.span[0]) + 1
    quote = document.text[line : section.span[1]].strip()
    start = document.text.find(quote, line)
    chunk = next((one for one in chunks if one.span[0] <= start < one.span[1]), None)
    name = chunk.chunk_id if chunk else ""
    span = (start, start + len(quote))
    return Citation(0, name, document.document_id, document.source, document.title, quote, span)
