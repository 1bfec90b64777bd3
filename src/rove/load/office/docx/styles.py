"""Word's paragraph styles: which of them are headings, lists, captions, code."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rove.load.xmltree import Node, integer

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_LINEAGE = 20
OFF = {"0", "false", "off"}
BODY_LEVEL = 9
"""The outline level by which a style says that it is no heading."""
# A built-in style has its English name in the file, whatever the language of the program that wrote it.
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
CODE = re.compile(
    r"\b(?:source ?code|code|html preformatted|preformatted(?: text)?|verbatim|macro|listing)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Numbered:
    """That a paragraph is numbered: by which list, and how deep in it; `list_id` "" is not, "0" is not any more."""

    list_id: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class WordStyle:
    """One paragraph style, what it has from the styles that it is based on included; `level` 0 is no heading."""

    name: str = ""
    level: int = 0
    numbered: Numbered = Numbered()
    is_bullet: bool = False
    is_caption: bool = False
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class RunStyle:
    """How letters are set: their font, and whether they are hidden or struck out; None where that is not said."""

    font: str = ""
    is_hidden: bool | None = None
    is_struck: bool | None = None

    def over(self, under: RunStyle) -> RunStyle:
        """Return this style where it says something, else `under`."""
        return RunStyle(
            self.font or under.font,
            under.is_hidden if self.is_hidden is None else self.is_hidden,
            under.is_struck if self.is_struck is None else self.is_struck,
        )


def run_style(properties: Node | None) -> RunStyle:
    """Return what `w:rPr` says of letters."""
    if properties is None:
        return RunStyle()
    fonts = properties.find(f"{W}rFonts")
    strikes = [mark for name in ("strike", "dstrike") if (mark := _switch(properties, name)) is not None]
    return RunStyle(
        (fonts.get(f"{W}ascii", "") or fonts.get(f"{W}hAnsi", "")) if fonts is not None else "",
        _switch(properties, "vanish"),
        any(strikes) if strikes else None,
    )


def read_run_styles(root: Node | None) -> dict[str, RunStyle]:
    """Return the styles of letters of `word/styles.xml` by their ids, what they take from others included."""
    nodes = {node.get(f"{W}styleId", ""): node for node in root.findall(f"{W}style")} if root is not None else {}
    found: dict[str, RunStyle] = {}
    for style_id, style in nodes.items():
        if style.get(f"{W}type", "") == "character":
            made = RunStyle()
            for node in _lineage(style_id, nodes):
                made = made.over(run_style(node.find(f"{W}rPr")))
            found[style_id] = made
    return found


def read_styles(root: Node | None) -> dict[str, WordStyle]:
    """Return the styles of `word/styles.xml` by their ids."""
    if root is None:
        return {}
    nodes = {node.get(f"{W}styleId", ""): node for node in root.findall(f"{W}style")}
    return {style_id: _resolve_word_style(style_id, nodes) for style_id in nodes}


def outline_level(properties: Node | None) -> int | None:
    """Return the heading level that `w:pPr` states: 1 to 6, 0 for body text, None where it says nothing."""
    found = properties.find(f"{W}outlineLvl") if properties is not None else None
    if found is None:
        return None
    level = integer(found.get(f"{W}val", ""), BODY_LEVEL)
    return min(level + 1, 6) if 0 <= level < BODY_LEVEL else 0


def paragraph_number(properties: Node | None) -> Numbered:
    """Return what `w:pPr` says of a paragraph's number."""
    found = properties.find(f"{W}numPr") if properties is not None else None
    if found is None:
        return Numbered()
    return Numbered(value(found, "numId"), integer(value(found, "ilvl")))


def value(parent: Node, name: str) -> str:
    """Return the value of the property `name` of `parent`, else ""."""
    found = parent.find(f"{W}{name}")
    return found.get(f"{W}val", "") if found is not None else ""


def _switch(properties: Node, name: str) -> bool | None:
    mark = properties.find(f"{W}{name}")
    return None if mark is None else mark.get(f"{W}val", "") not in OFF


def _resolve_word_style(style_id: str, nodes: dict[str, Node]) -> WordStyle:
    lineage = _lineage(style_id, nodes)
    names = [value(node, "name") for node in lineage]
    properties = [node.find(f"{W}pPr") for node in lineage]
    lists = (found for entry in properties if (found := paragraph_number(entry)).list_id)
    return WordStyle(
        name=names[0],
        level=next(
            (
                level
                for name, entry in zip(names, properties, strict=True)
                if (level := _style_heading_level(name, entry)) is not None
            ),
            0,
        ),
        numbered=next(lists, Numbered()),
        is_bullet=any(name.lower().startswith(("list bullet", "list number")) for name in names),
        is_caption=any(name.lower() == "caption" for name in names),
        is_code=any(CODE.search(name) for name in names),
    )


def _lineage(style_id: str, nodes: dict[str, Node]) -> list[Node]:
    """The style and those that it is based on, nearest first."""
    found: list[Node] = []
    node = nodes.get(style_id)
    while node is not None and node not in found and len(found) < MAX_LINEAGE:
        found.append(node)
        node = nodes.get(value(node, "basedOn"))
    return found


def _style_heading_level(name: str, properties: Node | None) -> int | None:
    stated = outline_level(properties)
    if stated is not None:
        return stated
    if name.lower() == "title":
        return 1
    found = HEADING.fullmatch(name)
    return min(max(int(found[1]), 1), 6) if found else None
