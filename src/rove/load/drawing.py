"""What Office draws and both Word and PowerPoint hold: charts as tables, diagrams as lists, pictures by name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice

from rove.load.compose import TABLE, Piece, item
from rove.load.opc import Package, Part, R
from rove.load.table import pipe_table
from rove.load.xmlnode import Node, integer

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MAX_POINTS, MAX_SERIES, MAX_NODES = 10_000, 200, 5_000


def picture_name(blip: Node, part: Part) -> str:
    """Return the name of the file that a picture was made of, or the address that it is loaded from."""
    relation = part.relations.get(blip.get(f"{R}embed", "") or blip.get(f"{R}link", ""))
    if relation is None:
        return ""
    return relation.target if relation.external else posixpath.basename(relation.target)


def chart_pieces(chart: Node, part: Part, package: Package) -> Iterator[Piece]:
    """Yield the title of the chart that the `c:chart` of `part` stands for, and its values as a table."""
    target = _target(chart.get(f"{R}id", ""), part, package)
    if target is None:
        return
    title = _title(target.root.find(f"{C}chart"))
    axes = [_title(axis) for axis in target.root.iter(f"{C}catAx", f"{C}dateAx")]
    table = pipe_table(_rows(target.root, axes[0] if axes else ""))
    if title:
        yield Piece(title)
    if table:
        yield Piece(table, TABLE, caption=title)


def diagram_pieces(diagram: Node, part: Part, package: Package) -> Iterator[Piece]:
    """Yield the texts of the diagram (SmartArt) that the `dgm:relIds` of `part` stands for, as a list with levels."""
    target = _target(diagram.get(f"{R}dm", ""), part, package)
    if target is None:
        return
    texts = {
        node.get("modelId", ""): text
        for node in islice(target.root.iter(f"{DGM}pt"), MAX_NODES)
        if node.get("type", "node") in ("node", "asst") and (text := _paragraphs(node.find(f"{DGM}t")))
    }
    children: dict[str, list[Node]] = {}
    below: set[str] = set()
    for link in islice(target.root.iter(f"{DGM}cxn"), MAX_NODES):
        if link.get("type", "parOf") == "parOf":
            children.setdefault(link.get("srcId", ""), []).append(link)
            below.update([link.get("destId", "")] if link.get("srcId", "") in texts else [])
    open_nodes = [(node, 0) for node in reversed(_tops(texts, below, children))]
    seen: set[str] = set()
    while open_nodes:
        node, depth = open_nodes.pop()
        if node not in seen and node in texts:
            seen.add(node)
            yield item(depth, "", texts[node])
            links = sorted(children.get(node, []), key=lambda link: integer(link.get("srcOrd", "")), reverse=True)
            open_nodes.extend((link.get("destId", ""), depth + 1) for link in links)


def _tops(texts: dict[str, str], below: set[str], children: dict[str, list[Node]]) -> list[str]:
    """The nodes under no other, in the order of the diagram's root; one in a ring, which has none, comes as written."""
    links = sorted(
        (link for links in children.values() for link in links), key=lambda link: integer(link.get("srcOrd", ""))
    )
    ordered = dict.fromkeys([link.get("destId", "") for link in links if link.get("srcId", "") not in texts])
    return [
        *(node for node in ordered if node in texts),
        *(node for node in texts if node not in below and node not in ordered),
        *texts,
    ]


def _target(relation_id: str, part: Part, package: Package) -> Part | None:
    relation = part.relations.get(relation_id)
    return package.part(relation.target) if relation and not relation.external else None


def _paragraphs(node: Node | None) -> str:
    lines = ["".join(t.text or "" for t in p.iter(f"{A}t")) for p in node.iter(f"{A}p")] if node is not None else []
    return " ".join(" ".join(lines).split())


def _title(node: Node | None) -> str:
    title = node.find(f"{C}title") if node is not None else None
    return _paragraphs(title) or (_texts(title)[0] if title is not None and _texts(title) else "")


def _rows(root: Node, axis: str) -> list[list[str]]:
    """The header row, of the series' names, and a row for each category."""
    series = list(islice(root.iter(f"{C}ser"), MAX_SERIES))
    header, columns, categories = [axis], [list[str]()], list[str]()
    for node in series:
        across, up = _values(node, "cat") or _values(node, "xVal"), _values(node, "val") or _values(node, "yVal")
        if across and across != categories:
            if categories:  # its points lie elsewhere than those of the series before: as in a scatter chart
                header.append(axis)
                columns.append(across)
            else:
                columns[0] = across
            categories = across
        header.append(" ".join(_values(node, "tx")) or "")
        columns.append(up)
        if sizes := _values(node, "bubbleSize"):
            header.append("")
            columns.append(sizes)
    height = max(map(len, columns), default=0)
    return [header, *([column[row] if row < len(column) else "" for column in columns] for row in range(height))]


def _values(series: Node, name: str) -> list[str]:
    found = series.find(f"{C}{name}")
    return _texts(found) if found is not None else []


def _texts(node: Node) -> list[str]:
    """The cached values under `node` by their index; of categories with levels, all that belong to one."""
    levels = node.findall(f".//{C}lvl")
    columns = [_points(level) for level in reversed(levels)] if levels else [_points(node)]
    size = max((max(points, default=-1) for points in columns), default=-1) + 1
    if not size:
        return (
            ["".join(v.text or "" for v in node.iter(f"{C}v"))]
            if levels == [] and node.find(f"{C}v") is not None
            else []
        )
    filled = [
        _filled(points, size) if points is not columns[-1] else [points.get(i, "") for i in range(size)]
        for points in columns
    ]
    return [" ".join(text for column in filled if (text := column[i])) for i in range(size)]


def _filled(points: dict[int, str], size: int) -> list[str]:
    """The name of a group of categories stands at its first alone."""
    out: list[str] = []
    for index in range(size):
        out.append(points.get(index, out[-1] if out else ""))
    return out


def _points(node: Node) -> dict[int, str]:
    found: dict[int, str] = {}
    for point in islice(node.iter(f"{C}pt"), MAX_POINTS):
        index, text = integer(point.get("idx", ""), -1), point.find(f"{C}v")
        if 0 <= index < MAX_POINTS and text is not None:
            found[index] = _number(text.text or "")
    return found


def _number(text: str) -> str:
    """A value as a person writes it: 8.1999999999999993 is 8.2."""
    try:
        return f"{float(text):.12g}" if len(text) > 12 and "." in text else text
    except ValueError:
        return text
