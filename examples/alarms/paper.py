"""The report of the case: what was found, in the language of the alarm, every claim with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from examples.alarms.experts import words
from examples.alarms.findings import Cause, Checked, Diagnosis, Past, State

from rove.flow import FlowContext
from rove.language.detect import detect
from rove.records import Answer, Citation, Intent, Sentence
from rove.records.paper import (
    Chain,
    ChainEdge,
    ChainNode,
    Chart,
    Fact,
    Paper,
    PaperCell,
    PaperSection,
    PaperTable,
    Series,
    Tone,
)

TONES: Mapping[State, Tone] = {"confirmed": "good", "refuted": "soft", "unknown": "open"}
MOST_CHARTS = 5
Told = Mapping[str, str]


async def alarm_report(
    context: FlowContext,
    *,
    alarm: str,
    kind: Intent | None = None,
    diagnosis: Diagnosis | None = None,
    explained: Answer | None = None,
) -> Paper:
    """Put the report together; where nothing was diagnosed, it says why."""
    del context
    if diagnosis is None:
        return _nothing(alarm, kind)
    told, plan = words(diagnosis.plan.alarm.language), diagnosis.plan
    sections = [
        _actions(diagnosis, told),
        PaperSection(told["s_chain"], chains=(_chain(diagnosis, told),)),
        *([PaperSection(told["s_explained"], explained.sentences)] if explained and explained.sentences else []),
        _checks(diagnosis, told),
        _causes(diagnosis, told),
        *([_past(diagnosis.reviews, told)] if diagnosis.reviews else []),
        *_unchecked(diagnosis, told),
    ]
    by_model = explained is not None and explained.mode not in ("extractive", "refused")
    notes = [
        told["note_graph"].format(events=len(plan.events) - 1, event=plan.event.name),
        *([told["note_more"]] if plan.more else []),
        *([told["note_left_out"].format(count=diagnosis.left_out)] if diagnosis.left_out else []),
        told["note_model"].format(mode=explained.mode) if by_model and explained else told["note_rules"],
        told["note_made"],
    ]
    title = told["title"].format(event=plan.event.name, host=plan.alarm.host)
    kicker = f"{told['kicker']} · {plan.alarm.time}"
    lead, facts = _lead(diagnosis, told), _facts(diagnosis, told)
    return Paper(title, lead, kicker, facts, tuple(sections), tuple(notes), plan.alarm.language)


def _nothing(alarm: str, kind: Intent | None) -> Paper:
    language = detect(alarm)
    told = words(language)
    why = told["why_event"] if kind and kind.name == "incident" else told["why_nothing"]
    if kind and kind.name != "incident":
        why = told["why_kind"].format(kind=kind.name)
    lead = Sentence(told["no_alarm_lead"].format(why=why))
    return Paper(told["no_alarm"], (lead,), told["kicker"], (Fact(told["alarm"], "–", alarm),), language=language)


def _by_code(diagnosis: Diagnosis) -> dict[str, Checked]:
    return {one.check.event.code: one for one in diagnosis.checked}


def _unknown(diagnosis: Diagnosis) -> list[Checked]:
    return [one for one in diagnosis.checked if one.state == "unknown"]


def _lead(diagnosis: Diagnosis, told: Told) -> tuple[Sentence, ...]:
    root, unknown = diagnosis.root, _unknown(diagnosis)
    sentences: list[Sentence] = []
    if root is None:
        count = len(diagnosis.causes)
        sentences.append(Sentence(told["lead_none"].format(count=count, event=diagnosis.plan.event.name)))
    else:
        checked = _by_code(diagnosis)[root.event.code]
        since = told["since"].format(time=checked.since) if checked.since else ""
        said = told["lead_root"].format(
            code=root.event.code, name=root.event.name, host=checked.check.host, since=since
        )
        sentences.append(Sentence(said, (root.event.citation, *checked.citations), "supported"))
        between = root.path[1:-1]
        said = told["lead_path"].format(count=len(between)) if between else told["lead_path_0"]
        sentences.append(Sentence(said, tuple(_edges_on(root, diagnosis)), "supported"))
    if unknown:
        sentences.append(Sentence(told["lead_unchecked"].format(count=len(unknown), all=len(diagnosis.checked))))
    return tuple(sentences)


def _edges_on(root: Cause, diagnosis: Diagnosis) -> list[Citation]:
    steps = set(zip(root.path, root.path[1:], strict=False))
    return [one.citation for one in diagnosis.plan.edges if (one.source, one.target) in steps]


def _facts(diagnosis: Diagnosis, told: Told) -> tuple[Fact, ...]:
    root, plan = diagnosis.root, diagnosis.plan
    states = [one.state for one in diagnosis.checked]
    counts = told["checks_note"].format(confirmed=states.count("confirmed"), refuted=states.count("refuted"))
    found = [
        Fact(told["root"], root.event.code if root else "–",
             f"{root.event.name} · {told['score'].format(score=f'{root.score:.2f}')}" if root else told["none"], "bad"),
        Fact(told["alarm"], plan.event.code, f"{plan.event.name} · {plan.alarm.host}"),
        Fact(told["checks"], str(len(states)), counts),
        Fact(told["owner"], root.event.owner if root else "–", root.event.name if root else told["none"]),
    ]  # fmt: skip
    if unknown := states.count("unknown"):
        found.append(Fact(told["unchecked"], str(unknown), told["unchecked_note"], "open"))
    return tuple(found)


def _actions(diagnosis: Diagnosis, told: Told) -> PaperSection:
    root, action = diagnosis.root, diagnosis.action
    if root is None or action is None:
        return PaperSection(told["s_action"], (Sentence(told["no_action"]),))
    said = told["action"].format(name=root.event.name, text=action.quote)
    contact = Sentence(told["contact"].format(owner=root.event.owner), (root.event.citation,))
    sentences = [Sentence(said, (action,)), contact]
    for one in diagnosis.reviews:
        if one.cause == root.event.code and one.event == diagnosis.plan.event.code and one.done:
            sentences.append(Sentence(f"{one.title}, {one.date}: {one.done.quote}", (one.done,)))
    return PaperSection(told["s_action"], tuple(sentences))


def _chain(diagnosis: Diagnosis, told: Told) -> Chain:
    plan, root = diagnosis.plan, diagnosis.root
    depth = {one.event.code: 0 for one in diagnosis.causes} | {plan.event.code: 0}
    for _ in plan.events:  # the longest way; as many rounds as there are events end where a catalogue has a circle
        for edge in plan.edges:
            if edge.source in depth and edge.target in depth and edge.source != plan.event.code:
                depth[edge.source] = max(depth[edge.source], min(depth[edge.target] + 1, len(plan.events)))
    deepest = max(depth.values())
    nodes: list[ChainNode] = []
    for one in diagnosis.checked:
        event = one.check.event
        tone: Tone = "bad" if root and event.code == root.event.code else TONES[one.state]
        said = one.since[-5:] or _state(one, told).partition(":")[0].partition("：")[0]
        note = f"{one.check.host} · {said}"
        nodes.append(ChainNode(event.code, event.name, note, deepest - depth[event.code], tone))
    steps = set(zip(root.path, root.path[1:], strict=False)) if root else set[tuple[str, str]]()
    edges = [ChainEdge(one.source, one.target, (one.source, one.target) in steps) for one in plan.edges]
    return Chain(told["chain_title"], tuple(nodes), tuple(edges), told["chain_caption"])


def _state(one: Checked, told: Told) -> str:
    return told["unknown"].format(why=one.note or told["missing_tool"]) if one.state == "unknown" else told[one.state]


def _checks(diagnosis: Diagnosis, told: Told) -> PaperSection:
    order: list[State] = ["confirmed", "unknown", "refuted"]
    listed = sorted(diagnosis.checked, key=lambda one: (order.index(one.state), one.since, one.check.event.code))
    rows = [
        (
            PaperCell(f"{one.check.event.code} {one.check.event.name}", (one.check.event.citation,)),
            PaperCell(f"{one.check.tool}({_arguments(one)})"),
            PaperCell(one.said or "–", one.citations),
            PaperCell(_state(one, told), tone=TONES[one.state]),
            PaperCell(one.since or "–"),
        )
        for one in listed
    ]
    heads = tuple(told[name] for name in ("h_event", "h_check", "h_result", "h_state", "h_since"))
    table = PaperTable(heads, tuple(rows), words=(0, 1, 2, 3))
    charts = [chart for one in listed if one.state == "confirmed" and (chart := _chart(one, told))]
    return PaperSection(told["s_checks"], charts=tuple(charts[:MOST_CHARTS]), tables=(table,))


def _arguments(one: Checked) -> str:
    return ", ".join(f"{name}={value}" for name, value in one.check.arguments.items())


def _chart(one: Checked, told: Told) -> Chart | None:
    result = one.result
    if "values" not in result:
        return None
    labels, values = cast("Sequence[str]", result["times"]), cast("Sequence[float]", result["values"])
    name = told["measured"].format(metric=result["metric"], host=one.check.host)
    return Chart(
        f"{one.check.event.code} {one.check.event.name}",
        "lines",
        tuple(labels),
        (Series(name, tuple(values)),),
        str(result["unit"]),
        limit=cast("float", result["limit"]),
        limit_name=told["limit"],
        mark=one.since[-5:],
        mark_name=told["onset"],
    )


def _causes(diagnosis: Diagnosis, told: Told) -> PaperSection:
    names = {one.code: one.name for one in diagnosis.plan.events}
    rows = [
        (
            PaperCell(f"{one.event.code} {names[one.event.code]}", (one.event.citation,)),
            PaperCell(f"{one.score:.2f}", tone="bad" if diagnosis.root and one == diagnosis.root else ""),
            PaperCell(" → ".join(one.path)),
            PaperCell(f"{one.on_path:.0%}"),
            PaperCell(f"{one.effects:.0%}"),
            PaperCell(f"{one.is_first:.1f}"),
            PaperCell(f"{one.in_time:.1f}"),
            PaperCell(f"{one.before:.0%}"),
        )
        for one in diagnosis.causes
    ]
    keys = ("h_cause", "h_score", "h_way", "h_on_path", "h_effects", "h_first", "h_in_time", "h_past")
    table = PaperTable(tuple(told[name] for name in keys), tuple(rows), words=(0, 2))
    return PaperSection(told["s_causes"], tables=(table,), notes=(told["causes_note"],))


def _past(reviews: Sequence[Past], told: Told) -> PaperSection:
    rows = [
        (
            PaperCell(one.title),
            PaperCell(f"{one.date}, {told['minutes'].format(minutes=one.minutes)}"),
            PaperCell(one.cause),
            PaperCell(one.root.quote if one.root else "–", (one.root,) if one.root else ()),
            PaperCell(one.done.quote if one.done else "–", (one.done,) if one.done else ()),
        )
        for one in reviews
    ]
    keys = ("h_title", "h_date", "h_recorded", "h_said", "h_done")
    return PaperSection(told["s_past"], tables=(PaperTable(tuple(told[name] for name in keys), tuple(rows),
                                                           words=(0, 1, 3, 4)),))  # fmt: skip


def _unchecked(diagnosis: Diagnosis, told: Told) -> list[PaperSection]:
    unknown = _unknown(diagnosis)
    if not unknown:
        return []
    sentences = [
        Sentence(
            told["unchecked_one"].format(
                code=one.check.event.code, name=one.check.event.name, why=one.note or told["missing_tool"]
            ),
            (one.check.event.citation,),
        )
        for one in unknown
    ]
    return [PaperSection(told["s_unchecked"], tuple(sentences))]
