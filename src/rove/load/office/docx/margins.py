"""The heads and feet of a Word file's sections: letterheads, invoice numbers, marks of confidence, each said once."""

from __future__ import annotations

from collections.abc import Iterator

from rove.load.office.docx.styles import OFF, W
from rove.load.office.opc import Package, R, XmlPart
from rove.load.xmltree import Node


class Margins:
    """Gives the heads and feet that are shown in each section, as parts of the file, none a second time.

    The head of a first page is shown where the section has one (`w:titlePg`), that of even pages where the document
    tells them apart; any other that the file still holds is not seen.
    """

    def __init__(self, package: Package, main: XmlPart, settings: XmlPart | None) -> None:
        self.package = package
        self.main = main
        self.sections = list(main.root.iter(f"{W}sectPr"))
        self.at = 0
        self.said: set[str] = set()
        even = settings.root.find(f"{W}evenAndOddHeaders") if settings is not None else None
        self.has_even = even is not None and even.get(f"{W}val", "") not in OFF

    def heads(self) -> Iterator[XmlPart]:
        """Yield the heads of the section that begins."""
        yield from self._parts("headerReference")

    def feet(self) -> Iterator[XmlPart]:
        """Yield the feet of the section that ends, and go on to the next one."""
        yield from self._parts("footerReference")
        self.at += 1

    def _parts(self, kind: str) -> Iterator[XmlPart]:
        if self.at >= len(self.sections):
            return
        section = self.sections[self.at]
        first = section.find(f"{W}titlePg")
        shown = {
            "first": first is not None and first.get(f"{W}val", "") not in OFF,
            "default": True,
            "even": self.has_even,
        }
        references = {node.get(f"{W}type", "default"): node for node in section.findall(f"{W}{kind}")}
        for page, is_shown in shown.items():
            relation = self.main.relations.get(_reference_relation_id(references.get(page))) if is_shown else None
            part = self.package.part(relation.target) if relation and not relation.external else None
            if part is not None and part.name not in self.said:
                self.said.add(part.name)
                yield part


def _reference_relation_id(reference: Node | None) -> str:
    return reference.get(f"{R}id", "") if reference is not None else ""
