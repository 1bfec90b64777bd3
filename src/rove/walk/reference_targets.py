"""Targets of references: a section, page or footnote of the same document, or another document of the base."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urljoin

from rove.records import Document, DocumentInfo, Filter, Section
from rove.records.document import Span
from rove.store.store import Store
from rove.walk.leads import plain
from rove.walk.references import Reference, heading_number

REMEMBERED = 16
CAPTIONED_CHARS = 600  # what is read after a caption whose table or figure is not marked
TELLING_CHARS = 4
MOST_TITLES = 50
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a document of the base. `title`: the heading that stands there, or the document's."""

    document_id: str
    span: Span | None
    title: str


class ReferenceTargets:
    """Finds what references lead to, as far as a filter lets it be seen; keeps the last few documents at hand."""

    def __init__(self, store: Store, where: Filter | None = None) -> None:
        self._store = store
        self._where = where
        self._held: dict[str, Document | None] = {}

    async def document(self, document_id: str) -> Document | None:
        """The document of that id; None where there is none."""
        await self.hold([document_id])
        return self._held[document_id]

    async def hold(self, document_ids: Iterable[str]) -> None:
        """Fetch documents together, `REMEMBERED` at most: those that will be asked for."""
        wanted = list(dict.fromkeys(document_ids))[:REMEMBERED]
        if missing := [document_id for document_id in wanted if document_id not in self._held]:
            found = await asyncio.to_thread(self._store.catalog.wholes, missing)
            if len(self._held) + len(missing) > REMEMBERED:
                self._held.clear()
            self._held.update((document_id, found.get(document_id)) for document_id in missing)

    async def spot(self, reference: Reference, document: Document) -> Spot | None:
        """Return the place that a reference in a document leads to; None where it is not in the base."""
        inside = spot_within(reference, document)
        if inside is not None or reference.kind in {"page", "footnote"}:
            return inside
        if reference.kind == "link":
            return await self._linked(reference, document)
        if reference.kind == "reference":
            shown = reference.unit in {"table", "figure"}
            return None if shown else await self._numbered(reference, document)
        if reference.unit == "quoted" and not _telling(reference.target):
            return None
        infos = await self._seen(await self._titled(names_within(reference), exact=True))
        return next((Spot(info.document_id, None, info.title) for info in infos), None)

    async def _linked(self, reference: Reference, document: Document) -> Spot | None:
        address, _, anchor = reference.target.partition("#")
        near = document.source if _SCHEME.match(document.source) else f"file:///{document.source.lstrip('/')}"
        whole = unquote(urljoin(near, address))
        path = whole.removeprefix("file://")
        sources = [address, whole, whole.rstrip("/"), f"{whole}/", path, path.lstrip("/")]
        found = await asyncio.to_thread(self._store.catalog.documents, sources=list(dict.fromkeys(sources)))
        others = await self._seen([info for info in found if info.document_id != document.document_id])
        if not others:
            return None
        target = await self.document(others[0].document_id) if anchor else None
        section = _anchored(anchor, target.sections) if target else None
        return Spot(
            others[0].document_id, section.span if section else None, section.title if section else others[0].title
        )

    async def _numbered(self, reference: Reference, document: Document) -> Spot | None:
        """Look for "Section 9.7.3" in the neighbour whose title is numbered 9.7.3, or else 9.7."""
        parts = reference.target.split(".")
        for size in range(len(parts), 0, -1):
            number = ".".join(parts[:size])
            wanted = number if size > 1 else reference.label
            infos = await self._titled([wanted], exact=False)
            near = await self._seen(
                info
                for info in infos
                if _shelf(info.source) == _shelf(document.source)
                and _same(heading_number(info.title), (reference.unit, number))
            )
            if len(near) == 1 and near[0].document_id != document.document_id:
                target = await self.document(near[0].document_id) if size < len(parts) else None
                inside = spot_within(reference, target) if target else None
                return inside or Spot(near[0].document_id, None, near[0].title)
            if near:
                return None
        return None

    async def _titled(self, titles: Iterable[str], *, exact: bool) -> list[DocumentInfo]:
        limit = MOST_TITLES if self._where is None else None  # else of those that are seen
        return await asyncio.to_thread(self._store.catalog.titled, list(titles), exact=exact, limit=limit)

    async def _seen(self, infos: Iterable[DocumentInfo]) -> list[DocumentInfo]:
        """Keep the documents of which the filter lets something through, `MOST_TITLES` at most."""
        infos = list(infos)
        if self._where is not None and infos:
            ids = [info.document_id for info in infos]
            passing = await asyncio.to_thread(self._store.catalog.passing, ids, self._where)
            seen = set(passing.values())
            infos = [info for info in infos if info.document_id in seen]
        return infos[:MOST_TITLES]


def spot_within(reference: Reference, document: Document) -> Spot | None:
    r"""Return the place in the same document that a reference leads to; None where there is none.

    >>> text = "# 1 Scope\nSee section 2.\n# 2 Pay\nMonthly."
    >>> sections = (Section("1 Scope", 1, (0, 25)), Section("2 Pay", 1, (25, 42)))
    >>> found = Reference("reference", "2", "section 2", (14, 23), "section")
    >>> spot_within(found, Document("d", "s", "markdown", text, sections=sections)).title
    '2 Pay'
    """
    identity = document.document_id
    match reference.kind:
        case "page":
            found = next((page for page in document.pages if str(page.number) == reference.target), None)
            return Spot(identity, found.span, reference.label) if found else None
        case "footnote":
            return _note(reference, document)
        case "link":
            section = _anchored(reference.target[1:], document.sections) if reference.target.startswith("#") else None
        case "reference" if reference.unit in {"table", "figure"}:
            return _captioned(reference, document)
        case "reference":
            section = _by_number(reference, document.sections)
        case _:
            names = {plain(name) for name in names_within(reference)}
            matching = [one for one in document.sections if _bare(one.title) in names or plain(one.title) in names]
            section = max(matching, key=lambda one: len(one.title), default=None)
    return Spot(identity, section.span, section.title) if section else None


def names_within(reference: Reference) -> list[str]:
    """Return what may be the name in a reference: all of it in quotation marks, else each beginning, longest first.

    >>> names_within(Reference("section", "CREATE TABLE below", "", (0, 18), "announced"))
    ['CREATE TABLE below', 'CREATE TABLE', 'CREATE']
    """
    if reference.unit != "announced":
        return [reference.target]
    words = reference.target.split()
    if len(words) > 1 or reference.target.isascii():
        return [" ".join(words[:count]) for count in range(len(words), 0, -1)]
    return [reference.target[:count] for count in range(len(reference.target), 1, -1)]


def _note(reference: Reference, document: Document) -> Spot | None:
    """Find the line that begins with a footnote's label, outside of where it is referred to."""
    label = re.escape(reference.target)
    opening = rf"\[\^{label}\]:" if reference.label.startswith("[^") else rf"(?:{label}\b|\[?{label}[.)\]:：]?\s)"
    found = re.search(rf"^[ \t]*{opening}[^\n]*(?:\n(?![ \t]*\n|[ \t]*\[\^)[^\n]+)*", document.text, re.MULTILINE)
    return Spot(document.document_id, found.span(), reference.label) if found else None


def _captioned(reference: Reference, document: Document) -> Spot | None:
    """Find a table or figure by its caption: that of a block, or a line of its own."""
    wanted = (reference.unit, reference.target)
    for block in document.blocks:
        if heading_number(block.caption) == wanted:
            return Spot(document.document_id, block.span, block.caption)
    for line in re.finditer(r"^[ \t*_]*(\S[^\n]{0,200})$", document.text, re.MULTILINE):
        if heading_number(line[1]) == wanted:
            end = min(line.end() + CAPTIONED_CHARS, len(document.text))
            return Spot(document.document_id, (line.start(), end), line[1])
    return None


def _telling(name: str) -> bool:
    """Say whether a name is more than a common word in quotation marks."""
    return len(plain(name).split()) > 1 or (not name.isascii() and len(name) >= TELLING_CHARS)


def _by_number(reference: Reference, sections: Iterable[Section]) -> Section | None:
    wanted = (reference.unit, reference.target)
    same = [section for section in sections if _same(heading_number(section.title), wanted)]
    alike = [section for section in same if heading_number(section.title)[0] == reference.unit]
    return next(iter(alike or same), None)


def _same(held: tuple[str, str], wanted: tuple[str, str]) -> bool:
    return bool(held[1]) and held[1] == wanted[1] and (held[0] == wanted[0] or "" in {held[0], wanted[0]})


def _anchored(anchor: str, sections: Iterable[Section]) -> Section | None:
    wanted = plain(unquote(anchor).replace("-", " "))
    return next((one for one in sections if wanted and wanted in {plain(one.title), _bare(one.title)}), None)


def _bare(title: str) -> str:
    """Return a heading's letters without its number."""
    return plain(re.sub(r"^[\s#]*(?:[A-Z]\.)?\d+(?:\.\d+)*[.):]?\s+", "", title))


def _shelf(source: str) -> str:
    return source.rpartition("/")[0]
