"""A flow as a picture: lines for a terminal, Mermaid for a page, SVG for a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from rove.flow.flow_plan import FlowNode, FlowPlan
from rove.flow.reference import choices

STEP_W, STEP_H, GAP_X, GAP_Y, MARGIN = 190, 46, 34, 46, 16
MOST_CHARS = 26


def levels(plan: FlowPlan) -> list[list[FlowNode]]:
    """Return the steps in rows: each stands below all that it waits for; in one row they run at the same time."""
    depth: dict[str, int] = {}

    def placed(name: str) -> int:
        if name not in depth:
            node = plan.nodes[name]
            before = set(node.before)
            if node.loop:
                before |= plan.rounds[node.loop].before
            others = {one for one in before if plan.nodes[one].loop not in ("", node.loop)}
            before |= {inner for one in others for inner in plan.rounds[plan.nodes[one].loop].spec.steps}
            depth[name] = 1 + max((placed(one) for one in before), default=-1)
        return depth[name]

    rows: dict[int, list[FlowNode]] = {}
    for name, node in plan.nodes.items():
        rows.setdefault(placed(name), []).append(node)
    return [rows[level] for level in sorted(rows)]


def as_lines(plan: FlowPlan) -> Iterator[str]:
    """Draw a flow for a terminal: a row of steps, and below each what it refers to and when it runs."""
    yield f"{plan.flow.name}  ({', '.join(plan.flow.input)})"
    if plan.flow.about:
        yield plan.flow.about
    for row in levels(plan):
        yield "  │" if len(row) == 1 else f"  │ {len(row)} at the same time"
        for node in row:
            yield f"  ├ {_flow_node_title(node)}{_from(node)}{_flow_node_notes(plan, node)}"
    yield "  │"
    for name, value in plan.output.items():
        yield f"  └ {name} = {' | '.join(str(one) for one in choices(value)) or value}"


def as_mermaid(plan: FlowPlan) -> str:
    """Draw a flow as a Mermaid flowchart."""
    lines = ["flowchart TD"]
    for loop in plan.rounds.values():
        lines.append(f'  subgraph {loop.name} ["{loop.name}: at most {loop.spec.at_most} rounds"]')
        lines += [f"    {_mermaid_node(plan.nodes[name])}" for name in loop.spec.steps]
        lines.append("  end")
    lines += [f"  {_mermaid_node(node)}" for node in plan.nodes.values() if not node.loop]
    for node in plan.nodes.values():
        label = f'|"{_escape_mermaid(node.when.text)}"|' if node.when else ""
        lines += [f"  {one} -->{label} {node.name}" for one in sorted(node.before)]
        lines += [f'  {one} -.->|"the round before"| {node.name}' for one in sorted(node.back)]
    for name, value in plan.output.items():
        roots = dict.fromkeys(one.root for choice in choices(value) for one in choice.references)
        lines += [f"  {root} --> out_{name}([{name}])" for root in roots if root in plan.nodes]
    return "\n".join(lines) + "\n"


def as_svg(plan: FlowPlan) -> str:
    """Draw a flow as SVG that stands alone, without scripts."""
    rows = levels(plan)
    spots = _spots(rows)
    width = max(len(row) for row in rows) * (STEP_W + GAP_X) - GAP_X + 2 * MARGIN if rows else STEP_W
    height = len(rows) * (STEP_H + GAP_Y) - GAP_Y + 2 * MARGIN if rows else STEP_H
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(plan.flow.name)}">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
    ]
    for node in plan.nodes.values():
        parts += [_edge(spots, one, node.name, dashed=False) for one in sorted(node.before)]
        parts += [_edge(spots, one, node.name, dashed=True) for one in sorted(node.back)]
    parts += [_flow_node_svg(node, spots[node.name]) for node in plan.nodes.values()]
    return "\n".join([*parts, "</svg>\n"])


def _spots(rows: list[list[FlowNode]]) -> Mapping[str, tuple[int, int]]:
    return {
        node.name: (MARGIN + column * (STEP_W + GAP_X), MARGIN + number * (STEP_H + GAP_Y))
        for number, row in enumerate(rows)
        for column, node in enumerate(row)
    }


def _edge(spots: Mapping[str, tuple[int, int]], begin: str, end: str, *, dashed: bool) -> str:
    (x1, y1), (x2, y2) = spots[begin], spots[end]
    style = ' stroke-dasharray="4 3"' if dashed else ""
    if dashed and y1 >= y2:  # back to the round before: from side to side
        side = STEP_W + GAP_X // 2
        path = f"M{x1 + STEP_W} {y1 + STEP_H // 2}H{max(x1, x2) + side}V{y2 + STEP_H // 2}H{x2 + STEP_W + 2}"
    else:
        path = f"M{x1 + STEP_W // 2} {y1 + STEP_H}L{x2 + STEP_W // 2} {y2 - 2}"
    return f'<path d="{path}" fill="none" stroke="#667"{style} marker-end="url(#arrow)"/>'


def _flow_node_svg(node: FlowNode, spot: tuple[int, int]) -> str:
    x, y = spot
    fill = "#fdeedd" if node.operator.effects != "none" else "#eef3fb"
    dash = ' stroke-dasharray="5 3"' if node.when else ""
    title = escape("\n".join(filter(None, (node.operator.about, node.when.text if node.when else ""))))
    return (
        f'<g><title>{title}</title><rect x="{x}" y="{y}" width="{STEP_W}" height="{STEP_H}" rx="6" fill="{fill}" '
        f'stroke="#667"{dash}/><text x="{x + 10}" y="{y + 19}" font-weight="bold">{escape(_box_text(node.name))}</text>'
        f'<text x="{x + 10}" y="{y + 36}" fill="#445">{escape(_box_text(node.operator.name))}</text></g>'
    )


def _flow_node_title(node: FlowNode) -> str:
    return f"{node.name}: {node.operator.name}"


def _from(node: FlowNode) -> str:
    before = [*sorted(node.before), *(f"{one} of the round before" for one in sorted(node.back))]
    return f"  ← {', '.join(before)}" if before else ""


def _flow_node_notes(plan: FlowPlan, node: FlowNode) -> str:
    spec = node.spec
    notes = [
        f"when {node.when.text}" if node.when else "",
        f"for each {node.each}, {spec.at_once} at once" if node.each else "",
        "whichever is first" if spec.join == "first" else "",
        "may fail" if spec.on_error == "skip" else "",
        f"in {node.loop}, at most {plan.rounds[node.loop].spec.at_most} rounds" if node.loop else "",
        "changes something" if node.operator.effects != "none" else "",
    ]
    said = "; ".join(filter(None, notes))
    return f"  [{said}]" if said else ""


def _mermaid_node(node: FlowNode) -> str:
    return f'{node.name}["{_escape_mermaid(_flow_node_title(node))}"]'


def _escape_mermaid(text: str) -> str:
    return text.replace('"', "#quot;")


def _box_text(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"
