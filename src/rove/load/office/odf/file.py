"""OpenDocument files (odt, odp): their parts, styles and lists. Source: OASIS OpenDocument 1.3."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rove.errors import InputError
from rove.load.container import CURE, open_container, read_part
from rove.load.office.opc import read_properties
from rove.load.xmltree import Node, integer, parse_part
from rove.records import Source
from rove.records.source import Metadata

NAMESPACE = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE = f"{{{NAMESPACE}office:1.0}}", f"{{{NAMESPACE}text:1.0}}", f"{{{NAMESPACE}table:1.0}}"
DRAW, STYLE, META = f"{{{NAMESPACE}drawing:1.0}}", f"{{{NAMESPACE}style:1.0}}", f"{{{NAMESPACE}meta:1.0}}"
PRESENTATION, CHART = f"{{{NAMESPACE}presentation:1.0}}", f"{{{NAMESPACE}chart:1.0}}"
SVG, FO = f"{{{NAMESPACE}svg-compatible:1.0}}", f"{{{NAMESPACE}xsl-fo-compatible:1.0}}"
XLINK = "{http://www.w3.org/1999/xlink}"
ENCRYPTED = f"{{{NAMESPACE}manifest:1.0}}encryption-data"
MAX_LINEAGE = 20
DEFAULT_PAGE = "Standard"
CODE = re.compile(r"preformatted|source.?code|^code", re.IGNORECASE)
# Where a file by another name has what the properties here are called.
META_NAMES = {"initial-creator": "creator", "creation-date": "created", "date": "modified", "keyword": "keywords"}


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph's style says of it, what it takes from its parents included."""

    is_title: bool = False
    is_caption: bool = False
    is_code: bool = False
    is_hidden: bool = False
    is_struck: bool = False
    font: str = ""


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How one depth of a list is numbered; `kind` "" is not, but by bullets. `shown` numbers are shown at once."""

    kind: str = ""
    before: str = ""
    after: str = ""
    shown: int = 1
    start: int = 1


class OdfFile:
    """One file. `missing` says what of it could not be read; all parts but the content can be done without."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.archive = open_container(source)
        self.names = set(self.archive.namelist())
        self.missing: list[str] = []
        manifest = self.part("META-INF/manifest.xml")
        if manifest is not None and next(manifest.iter(ENCRYPTED), None) is not None:
            message = f"{source.name!r} is protected by a password."
            raise InputError(message, cure="Save a copy without a password and add that.", outcome="encrypted")
        if "content.xml" not in self.names:
            message = f"{source.name!r} is not a complete {source.kind} file: its content is missing."
            raise InputError(message, cure=CURE, outcome="damaged")
        self.content = self._parse("content.xml")
        self.styles = self.part("styles.xml")

    def part(self, name: str) -> Node | None:
        """Return the root of an optional part; None where it is not there or, as `missing` then says, damaged."""
        if name not in self.names:
            return None
        try:
            return self._parse(name)
        except InputError:
            self.missing.append(f"the part {name}, which is damaged")
            return None

    def body(self, kind: str) -> Node:
        """Return the element that holds the text or the slides.

        Raises:
            InputError: "damaged" - the file has none.
        """
        found = self.content.find(f"{OFFICE}body/{OFFICE}{kind}")
        if found is None:
            message = f"{self.source.name!r} is not a complete {self.source.kind} file: its body is missing."
            raise InputError(message, cure=CURE, outcome="damaged")
        return found

    def properties(self) -> Metadata:
        """Return title, author, keywords, dates, …, by the names that `opc.read_properties` gives them."""
        root = self.part("meta.xml")
        found = root.find(f"{OFFICE}meta") if root is not None else None
        return read_properties(found, META_NAMES) if found is not None else {}

    def named(self, tag: str, attribute: str = f"{STYLE}name") -> dict[str, Node]:
        """Return the elements with that tag, of content and styles, by their names; those of the content win."""
        roots = [root for root in (self.styles, self.content) if root is not None]
        return {node.get(attribute, ""): node for root in roots for node in root.iter(tag)}

    def _parse(self, name: str) -> Node:
        whole = f"{self.source.name}/{name}"
        return parse_part(read_part(self.archive, self.archive.getinfo(name), whole), whole)


class Styles:
    """The paragraph and list styles of a file, each looked up once."""

    def __init__(self, file: OdfFile) -> None:
        self.nodes = file.named(f"{STYLE}style")
        self.pages = file.named(f"{STYLE}master-page")
        self.lists = file.named(f"{TEXT}list-style")
        self.paragraphs: dict[str, ParagraphStyle] = {}
        self.levels: dict[str, list[ListLevel]] = {}
        outline = next(file.styles.iter(f"{TEXT}outline-style"), None) if file.styles is not None else None
        self.outline = list_levels(outline)

    def paragraph(self, name: str) -> ParagraphStyle:
        """Return what that paragraph style says."""
        if name not in self.paragraphs:
            lineage = self._lineage(name)
            names = [(node.get(f"{STYLE}display-name", "") or node.get(f"{STYLE}name", "")) for node in lineage]
            texts = [node.find(f"{STYLE}text-properties") for node in lineage]
            self.paragraphs[name] = ParagraphStyle(
                is_title="Title" in names,
                is_caption="Caption" in names or "caption" in names,
                is_code=any(CODE.search(found) for found in names),
                is_hidden=any(text is not None and text.get(f"{TEXT}display", "") == "none" for text in texts),
                is_struck=_nearest_attribute(texts, f"{STYLE}text-line-through-style") not in ("", "none"),
                font=_nearest_attribute(texts, f"{STYLE}font-name") or _nearest_attribute(texts, f"{FO}font-family"),
            )
        return self.paragraphs[name]

    def master_pages(self) -> list[Node]:
        """Return the kinds of pages that the text is set on: those that its styles name, and what follows them."""
        named = {node.get(f"{STYLE}master-page-name", "") for node in self.nodes.values()} | {DEFAULT_PAGE}
        pages = [self.pages[name] for name in self.pages if name in named] or list(self.pages.values())[:1]
        following = [self.pages.get(page.get(f"{STYLE}next-style-name", "")) for page in pages]
        return pages + [page for page in following if page is not None and page not in pages]

    def list_levels(self, name: str) -> list[ListLevel]:
        """Return how the depths of that list style are numbered."""
        if name not in self.levels:
            self.levels[name] = list_levels(self.lists.get(name))
        return self.levels[name]

    def _lineage(self, name: str) -> list[Node]:
        found: list[Node] = []
        node = self.nodes.get(name)
        while node is not None and node not in found and len(found) < MAX_LINEAGE:
            found.append(node)
            node = self.nodes.get(node.get(f"{STYLE}parent-style-name", ""))
        return found


def _nearest_attribute(nodes: list[Node | None], attribute: str) -> str:
    """The attribute of the nearest of a style and those above it that says something."""
    return next((found for node in nodes if node is not None and (found := node.get(attribute, ""))), "")


def list_levels(style: Node | None) -> list[ListLevel]:
    """Return the ten levels of a list style, or of the outline style."""
    levels = [ListLevel()] * 10
    for node in style if style is not None else ():
        at = integer(node.get(f"{TEXT}level", "")) - 1
        if 0 <= at < len(levels):
            levels[at] = ListLevel(
                node.get(f"{STYLE}num-format", ""),
                node.get(f"{STYLE}num-prefix", "")[:16],
                node.get(f"{STYLE}num-suffix", "")[:16],
                integer(node.get(f"{TEXT}display-levels", ""), 1),
                integer(node.get(f"{TEXT}start-value", ""), 1),
            )
    return levels
