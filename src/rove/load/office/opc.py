"""Office Open XML files (docx, pptx; xlsx in part): their parts, the relations between these, and their properties.

Source: ECMA-376 part 2, Open Packaging Conventions. "Strict" files are read as the "transitional" ones.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rove.errors import InputError
from rove.load.container import CURE, open_container, read_part
from rove.load.text import clean
from rove.load.xmltree import Node, local, parse_part
from rove.records import Source
from rove.records.source import Metadata

RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
TRANSITIONAL = (
    (b"http://purl.oclc.org/ooxml/officeDocument/", b"http://schemas.openxmlformats.org/officeDocument/2006/"),
    (b"http://purl.oclc.org/ooxml/drawingml/", b"http://schemas.openxmlformats.org/drawingml/2006/"),
    (b"http://purl.oclc.org/ooxml/wordprocessingml/", b"http://schemas.openxmlformats.org/wordprocessingml/2006/"),
    (b"http://purl.oclc.org/ooxml/presentationml/", b"http://schemas.openxmlformats.org/presentationml/2006/"),
)
PROPERTIES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "description": "description",
    "category": "category",
    "keywords": "keywords",
    "created": "created",
    "modified": "modified",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: `kind` is the last word of its type, `target` a part's name, or a URL if `external`."""

    kind: str
    target: str
    external: bool


@dataclass(frozen=True, slots=True)
class XmlPart:
    """One XML part: its name, its root and what it refers to, by id."""

    name: str
    root: Node
    relations: dict[str, Relation] = field(default_factory=dict[str, Relation])

    def target(self, kind: str) -> str:
        """Return the name of the first part of that kind which this one refers to, else ""."""
        return next((r.target for r in self.relations.values() if r.kind == kind and not r.external), "")


class Package:
    """One file. `missing` says what could not be read; all parts but the main one can be done without."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.archive = open_container(source)
        self.names = {name.replace("\\", "/").lower(): name for name in self.archive.namelist()}
        self.missing: list[str] = []

    def main(self) -> XmlPart:
        """Return the part that all others hang on.

        Raises:
            InputError: "damaged" - it is not there or no XML; "too-large".
        """
        name = next((r.target for r in self.relations("").values() if r.kind == "officeDocument"), "")
        if name.lower() not in self.names:
            message = f"{self.source.name!r} is not a complete {self.source.kind} file: its main part is missing."
            raise InputError(message, cure=CURE, outcome="damaged")
        return XmlPart(name, self._parse(name), self.relations(name))

    def part(self, name: str) -> XmlPart | None:
        """Return an optional part; None where it is not there or, as `missing` then says, cannot be read."""
        if name.lower() not in self.names:
            return None
        try:
            return XmlPart(name, self._parse(name), self.relations(name))
        except InputError:
            self.missing.append(f"the part {name}, which is damaged")
            return None

    def relations(self, name: str) -> dict[str, Relation]:
        """Return what the part `name` refers to, by id; "" is the package."""
        folder, file = posixpath.split(name)
        listing = posixpath.join(folder, "_rels", f"{file}.rels")
        if listing.lower() not in self.names:
            return {}
        try:
            return read_relations(self._parse(listing), folder)
        except InputError:
            self.missing.append(f"the part {listing}, which is damaged")
            return {}

    def properties(self) -> Metadata:
        """Return what the document says of itself: title, author, subject, keywords, created, modified, …."""
        name = next((r.target for r in self.relations("").values() if r.kind == "core-properties"), "")
        part = self.part(name)
        return read_properties(part.root) if part else {}

    def _parse(self, name: str) -> Node:
        whole = f"{self.source.name}/{name}"
        data = read_part(self.archive, self.archive.getinfo(self.names[name.lower()]), whole)
        if b"purl.oclc.org/ooxml" in data:
            for strict, transitional in TRANSITIONAL:
                data = data.replace(strict, transitional)
        return parse_part(data, whole)


def read_relations(root: Node, folder: str) -> dict[str, Relation]:
    """Return what a listing of relations says, by id, of a part in `folder`."""
    found: dict[str, Relation] = {}
    for node in root.iter(RELATION):
        target, external = node.get("Target", ""), node.get("TargetMode", "") == "External"
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[node.get("Id", "")] = Relation(node.get("Type", "").rsplit("/", 1)[-1], target, external)
    return found


def read_properties(root: Node, names: Mapping[str, str] = MappingProxyType({})) -> dict[str, str | tuple[str, ...]]:
    """Return the properties under `root` by their names here; keywords apart. `names` has the file's other names."""
    found: dict[str, str] = {}
    for node in root:
        tag = local(node)
        name, text = PROPERTIES.get(names.get(tag, tag), ""), " ".join(clean(node.text or "").split())
        if name == "keywords":
            found[name] = f"{found.get(name, '')},{text}"
        elif name and text and (name not in found or tag in names):
            found[name] = text
    words = tuple(word for part in re.split(r"[,;，、；]", found.pop("keywords", "")) if (word := part.strip()))
    return {**found, **({"keywords": words} if words else {})}
