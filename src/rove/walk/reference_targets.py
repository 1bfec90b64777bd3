"""Targets of references: a section, page or footnote of the same document, or another document of the base."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urljoin

from rove.records import Document, DocumentInfo, Filter, Section
from rove.records.document import Span
from rove.store.document_query import DocumentQuery
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
            found = await asyncio.to_thread(self._store.documents.wholes, missing)
            if len(self._held) + len(missing) > REMEMBERED:
                self._held.clear()
            self._held.update((document_id, found.get(document_id)) for document_id in missing)

    async def spots(self, asked: Sequence[tuple[Reference, Document]]) -> list[Spot | None]:
        """Return the place that each reference in a document leads to; None where it is not in the base.

        What lies outside of their documents is looked for together, however many they are.
        """
        spots = [spot_within(reference, document) for reference, document in asked]
        outside = {at: _queries(*asked[at]) for at, spot in enumerate(spots) if spot is None}
        found = await self._find({query for queries in outside.values() for query in queries})
        chosen = {at: _target(*asked[at], [found[query] for query in queries]) for at, queries in outside.items()}
        targets = {at: target for at, target in chosen.items() if target}
        await self.hold(target.document.document_id for target in targets.values() if target.inside)
        for at, target in targets.items():
            spots[at] = await self._spot(target)
        return spots

    async def _find(self, queries: Collection[DocumentQuery]) -> dict[DocumentQuery, list[DocumentInfo]]:
        """Find documents of which the filter lets something through, `MOST_TITLES` of each query at most."""
        if not queries:
            return {}
        documents = self._store.documents
        limit = MOST_TITLES if self._where is None else None  # else of those that are seen
        found = await asyncio.to_thread(documents.find_documents, list(queries), limit)
        if self._where is not None:
            ids = list({info.document_id for infos in found for info in infos})
            passing = await asyncio.to_thread(documents.passing, ids, self._where) if ids else {}
            seen = set(passing.values())
            found = [[info for info in infos if info.document_id in seen][:MOST_TITLES] for infos in found]
        return dict(zip(queries, found, strict=True))

    async def _spot(self, target: _Target) -> Spot:
        info = target.document
        document = await self.document(info.document_id) if target.inside else None
        inside = spot_within(target.inside, document) if target.inside and document else None
        return inside or Spot(info.document_id, None, info.title)


@dataclass(frozen=True, slots=True)
class _Target:
    """Another document that a reference leads to, and what is looked for in it; None where all of it is meant."""

    document: DocumentInfo
    inside: Reference | None = None


def _queries(reference: Reference, document: Document) -> list[DocumentQuery]:
    """Return what finds the documents that a reference may lead to; the first that finds the one counts."""
    match reference.kind:
        case "link":
            address = reference.target.partition("#")[0]
            near = document.source if _SCHEME.match(document.source) else f"file:///{document.source.lstrip('/')}"
            whole = unquote(urljoin(near, address))
            path = whole.removeprefix("file://")
            return [DocumentQuery(sources=(address, whole, whole.rstrip("/"), f"{whole}/", path, path.lstrip("/")))]
        case "reference" if reference.unit not in {"table", "figure"}:
            folder = document.source[: document.source.rfind("/") + 1]
            numbers = _numbers(reference)
            labels = [number if "." in number else reference.label for number in numbers]
            return [DocumentQuery(part=label, folder=folder) for label in labels]
        case "section" if reference.unit != "quoted" or _telling(reference.target):
            return [DocumentQuery(titles=tuple(names))] if (names := names_within(reference)) else []
        case _:
            return []


def _numbers(reference: Reference) -> list[str]:
    """Return the number of a reference, and those that it lies within: "Section 9.7.3" may stand in a document "9.7".

    >>> _numbers(Reference("reference", "9.7.3", "", (0, 0)))
    ['9.7.3', '9.7', '9']
    """
    parts = reference.target.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]


def _target(reference: Reference, document: Document, found: Sequence[Sequence[DocumentInfo]]) -> _Target | None:
    """Choose the document that a reference leads to; `found` by each of `_queries`."""
    if reference.kind == "reference":
        return _neighbour(reference, document, found)
    infos = [info for infos in found for info in infos]
    if reference.kind != "link":
        return _Target(infos[0]) if infos else None
    anchor = reference.target.partition("#")[2]
    inside = replace(reference, target=f"#{anchor}") if anchor else None
    return next((_Target(info, inside) for info in infos if info.document_id != document.document_id), None)


def _neighbour(reference: Reference, document: Document, found: Sequence[Sequence[DocumentInfo]]) -> _Target | None:
    """Choose the one document whose title has the number of a reference, or else the nearest that it lies within."""
    for number, infos in zip(_numbers(reference), found, strict=False):  # of a table nothing is looked for
        near = [info for info in infos if _same(heading_number(info.title), (reference.unit, number))]
        if len(near) == 1 and near[0].document_id != document.document_id:
            return _Target(near[0], None if number == reference.target else reference)
        if near:
            return None
    return None


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
