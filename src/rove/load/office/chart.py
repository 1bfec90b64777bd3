"""Charts of Word and PowerPoint as tables: a row for each category, a column for each series."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from rove.load.office.compose import TABLE, Piece
from rove.load.office.drawing import paragraphs_of, target_of
from rove.load.office.opc import Package, XmlPart
from rove.load.pipe_table import pipe_table
from rove.load.xmltree import Node, integer

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
MAX_POINTS, MAX_SERIES = 10_000, 200
DAY_ZERO, MAX_DAY = datetime(1899, 12, 30), 2_958_465
NOT_CODE = re.compile(r"\"[^\"]*\"|\[[^\[\]]*+\]|\\.")


def chart_pieces(chart: Node, part: XmlPart, package: Package) -> Iterator[Piece]:
    """Yield the title of the chart that the `c:chart` of `part` stands for, and its values as a table.

    The title of the category axis heads its column; that of the value axis, which is often a unit, each series.
    """
    target = target_of(chart, "id", part, package)
    if target is None:
        return
    title = _chart_title_text(target.root.find(f"{C}chart"))
    across = [_chart_title_text(axis) for axis in target.root.iter(f"{C}catAx", f"{C}dateAx")]
    up = [_chart_title_text(axis) for axis in target.root.iter(f"{C}valAx")]
    if not across and len(up) == 2:  # a scatter chart has two axes of values, the first across
        across, up = up[:1], up[1:]
    table = pipe_table(_chart_table_rows(target.root, across[0] if across else "", up[0] if len(up) == 1 else ""))
    if title:
        yield Piece(title)
    if table:
        yield Piece(table, TABLE, caption=title)


def chart_number(value: str, code: str) -> str:
    """Return a number as a person reads it: a date where its format is one's, a percentage, or without noise.

    >>> [chart_number(*pair) for pair in (("37261", "m/d/yyyy"), ("0.255", "0.0%"), ("8.1999999999999993", "General"))]
    ['2002-01-05', '25.5%', '8.2']
    """
    try:
        number = float(value)
    except ValueError:
        return value
    code = NOT_CODE.sub("", code)
    if code.rstrip().endswith("%"):
        return f"{number * 100:.6g}%"
    letters = set(code.lower())
    if ("y" in letters or {"m", "d"} <= letters) and 0 < number < MAX_DAY:
        moment = DAY_ZERO + timedelta(days=number)
        return f"{moment:%Y-%m-%d}" if number == int(number) else f"{moment:%Y-%m-%d %H:%M}"
    return f"{number:.12g}" if len(value) > 12 and "." in value else value


def _chart_title_text(node: Node | None) -> str:
    title = node.find(f"{C}title") if node is not None else None
    if title is None:
        return ""
    return paragraphs_of(title) or next(iter(_chart_cache_texts(title)), "")


def _chart_table_rows(root: Node, across: str, up: str) -> list[list[str]]:
    """The header row, of the series' names, and a row for each category."""
    header, columns, categories = [across], [list[str]()], list[str]()
    for node in islice(root.iter(f"{C}ser"), MAX_SERIES):
        places = _series_values(node, "cat") or _series_values(node, "xVal")
        if not categories:
            columns[0] = places
        elif places and places != categories:  # its points lie elsewhere than those of the series before
            header.append(across)
            columns.append(places)
        categories = places or categories
        name = " ".join(_series_values(node, "tx"))
        header.append(f"{name} ({up})" if name and up else name or up)
        columns.append(_series_values(node, "val") or _series_values(node, "yVal"))
        if sizes := _series_values(node, "bubbleSize"):
            header.append("")
            columns.append(sizes)
    height = max(map(len, columns), default=0)
    return [header, *([column[row] if row < len(column) else "" for column in columns] for row in range(height))]


def _series_values(series: Node, name: str) -> list[str]:
    found = series.find(f"{C}{name}")
    return _chart_cache_texts(found) if found is not None else []


def _chart_cache_texts(node: Node) -> list[str]:
    """The cached values under `node` by their index; of categories with levels, all names that belong to one."""
    levels = node.findall(f".//{C}lvl")
    columns = [_points(level) for level in reversed(levels)] if levels else [_points(node)]
    size = max((max(points, default=-1) for points in columns), default=-1) + 1
    lone = node.find(f"{C}v")
    if not size and lone is not None:
        return [lone.text or ""]
    groups = [_spread(points, size) for points in columns[:-1]]
    lowest = [columns[-1].get(index, "") for index in range(size)]
    return [" ".join(filter(None, names)) for names in zip(*groups, lowest, strict=True)]


def _spread(points: dict[int, str], size: int) -> list[str]:
    """The name of a group of categories, which stands at its first alone, at all of them."""
    out: list[str] = []
    for index in range(size):
        out.append(points.get(index, out[-1] if out else ""))
    return out


def _points(node: Node) -> dict[int, str]:
    found: dict[int, str] = {}
    code = next((format_code.text or "" for format_code in node.iter(f"{C}formatCode")), "")
    for point in islice(node.iter(f"{C}pt"), MAX_POINTS):
        index, text = integer(point.get("idx", ""), -1), point.find(f"{C}v")
        if 0 <= index < MAX_POINTS and text is not None:
            found[index] = chart_number(text.text or "", point.get("formatCode", "") or code)
    return found
