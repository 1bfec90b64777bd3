"""What Office draws and both Word and PowerPoint hold: diagrams as lists, pictures by name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice

from rove.load.office.compose import Piece, item
from rove.load.office.opc import Package, R, XmlPart
from rove.load.xmltree import Node, integer

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MAX_NODES = 5_000


def picture_name(blip: Node, part: XmlPart) -> str:
    """Return the name of the file that a picture was made of, or the address that it is loaded from."""
    relation = part.relations.get(blip.get(f"{R}embed", "") or blip.get(f"{R}link", ""))
    if relation is None:
        return ""
    return relation.target if relation.external else posixpath.basename(relation.target)


def diagram_pieces(diagram: Node, part: XmlPart, package: Package) -> Iterator[Piece]:
    """Yield the texts of the diagram (SmartArt) that the `dgm:relIds` of `part` stands for, as a list with levels."""
    target = target_of(diagram, "dm", part, package)
    if target is None:
        return
    texts = {
        node.get("modelId", ""): text
        for node in islice(target.root.iter(f"{DGM}pt"), MAX_NODES)
        if node.get("type", "node") in ("node", "asst") and (text := paragraphs_of(node.find(f"{DGM}t")))
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


def target_of(node: Node, name: str, part: XmlPart, package: Package) -> XmlPart | None:
    """Return the part that the relation which `node` names in its attribute `name` leads to."""
    relation = part.relations.get(node.get(f"{R}{name}", ""))
    return package.part(relation.target) if relation and not relation.external else None


def paragraphs_of(node: Node | None) -> str:
    """Return the text of drawn paragraphs on one line."""
    lines = ["".join(t.text or "" for t in p.iter(f"{A}t")) for p in node.iter(f"{A}p")] if node is not None else []
    return " ".join(" ".join(lines).split())


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
