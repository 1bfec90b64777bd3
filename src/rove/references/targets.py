"""Targets of references: places of the same document, and other documents of the base, the nearest first."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urljoin

from rove.language.folding import fold_words
from rove.models import Embedder
from rove.records import Document, DocumentInfo, Filter
from rove.references.document_labels import (
    PARENT,
    attachment_of,
    is_appended,
    is_called,
    is_labelled,
    nearest,
    stems_of,
)
from rove.references.places_within import Spot, names_same, names_within, spots_within
from rove.references.text_references import Reference, heading_number
from rove.store.document_query import DocumentQuery
from rove.store.store import Store

REMEMBERED = 16
TELLING_CHARS = 4
MOST_TITLES = 50
CANDIDATES = 5  # places that are given where several may be meant
DESCRIBED = 0.5  # of the embedder's max_distance, within which a heading is what a description means
ALIKE = 0.02  # cosine that headings may be farther than the nearest, to be given beside it
HEADINGS = 400  # of a document that a description is held against
SHORTEST_FORM = 5  # letters of a title whose word has an ending
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_NUMBERED = frozenset({"part", "chapter", "section", "article", "paragraph", "item", "rule"})


class ReferenceTargets:
    """Finds what references lead to, as far as a filter lets it be seen; keeps the last few documents at hand.

    With an embedder, a place that is described ("the chapter on winter operation") is found by its meaning too.
    """

    def __init__(self, store: Store, where: Filter | None = None, embedder: Embedder | None = None) -> None:
        self._store = store
        self._where = where
        self._embedder = embedder
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
        """Return the best place that each reference in a document leads to, with the others that may be meant instead.

        None where it is not in the base.
        """
        return [replace(found[0], others=tuple(found[1:])) if found else None for found in await self.candidates(asked)]

    async def candidates(self, asked: Sequence[tuple[Reference, Document]]) -> list[list[Spot]]:
        """Return the places that each reference in a document may lead to, the best first, `CANDIDATES` at most.

        The span of a reference says where in its document it stands. What lies outside of their documents is looked for
        together, however many they are. A place of the same document comes before all others; of other
        documents those come first that came with it, then those that share its names, then those of near folders.
        """
        found = [spots_within(reference, document) for reference, document in asked]
        outside = {
            n: _queries(*asked[n]) for n, spots in enumerate(found) if not spots or _may_go_on(asked[n][0], spots[0])
        }
        infos = await self._find({query for queries in outside.values() for query in queries})
        chosen = {
            n: _targets(*asked[n], [infos[query] for query in queries])[:CANDIDATES] for n, queries in outside.items()
        }
        await self.hold(one.document.document_id for targets in chosen.values() for one in targets if one.inside)
        for n, targets in chosen.items():
            spots = [spot for target in targets if (spot := await self._spot(target))]
            if found[n]:  # a longer name, elsewhere, is meant rather than its beginning here
                found[n] = spots if spots and len(spots[0].title) > len(found[n][0].title) else found[n]
                continue
            found[n] = spots or await self._described(*asked[n])
        return [list(dict.fromkeys(spots))[:CANDIDATES] for spots in found]

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

    async def _spot(self, target: _Target) -> Spot | None:
        info = target.document
        document = await self.document(info.document_id) if target.inside else None
        within = replace(target.inside, span=(0, 0)) if target.inside else None
        inside = next(iter(spots_within(within, document)), None) if within and document else None
        if inside is None and target.must:
            return None
        return inside or Spot(info.document_id, None, info.title)

    async def _described(self, reference: Reference, document: Document) -> list[Spot]:
        """Find the heading that a description means, by the nearness of their meaning."""
        if reference.unit != "described" or self._embedder is None or not document.sections:
            return []
        sections = document.sections[:HEADINGS]
        asked = (await self._embedder.queries([reference.target]))[0]
        told = await self._embedder.queries([one.title for one in sections])
        cosines = told @ asked
        order = sorted(range(len(sections)), key=lambda n: -float(cosines[n]))
        floor = max(1 - DESCRIBED * self._embedder.max_distance, float(cosines.max()) - ALIKE)
        near = [sections[n] for n in order if float(cosines[n]) >= floor]
        return [Spot(document.document_id, one.span, one.title) for one in near]


@dataclass(frozen=True, slots=True)
class _Target:
    """Another document that a reference leads to, and what is looked for in it; None where all of it is meant.

    `must`: it is no target where that is not found in it.
    """

    document: DocumentInfo
    inside: Reference | None = None
    must: bool = False


def _queries(reference: Reference, document: Document) -> list[DocumentQuery]:
    """Return what finds the documents that a reference may lead to; the first that finds the one counts."""
    if reference.work:
        return _work_name_queries(reference.work)
    match reference.kind:
        case "link" if reference.unit == "attached":
            bundle = str(document.metadata.get(PARENT) or document.source)
            return [DocumentQuery(part="", folder=f"{bundle}#")]
        case "link":
            address = reference.target.partition("#")[0]
            near = document.source if _SCHEME.match(document.source) else f"file:///{document.source.lstrip('/')}"
            whole = unquote(urljoin(near, address))
            path = whole.removeprefix("file://")
            exact = DocumentQuery(sources=(address, whole, whole.rstrip("/"), f"{whole}/", path, path.lstrip("/")))
            name = unquote(address.rstrip("/").rpartition("/")[2])
            return [exact, DocumentQuery(called=(name,))] if name and "://" not in address else [exact]
        case "reference" if is_appended(reference):
            return [
                DocumentQuery(called=stems_of(reference), folder=folder)
                for folder in dict.fromkeys((_document_source_folder(document), ""))
            ]
        case "reference" if reference.unit == "code":
            return [DocumentQuery(called=(reference.target,))]
        case "reference" if reference.unit in _NUMBERED:
            numbers = _section_number_prefixes(reference)
            labels = [number if "." in number else reference.label for number in numbers]
            return [DocumentQuery(part=label, folder=_document_source_folder(document)) for label in labels]
        case "section" if reference.unit != "quoted" or _is_distinctive_name(reference.target):
            names = tuple(
                dict.fromkeys(
                    form for name in names_within(reference) for form in _name_ending_variants(name, reference)
                )
            )
            exact = [DocumentQuery(titles=names)] if names else []
            named = reference.unit in {"named", "quoted"}
            return [*exact, *_work_name_queries(reference.target)] if named else exact
        case _:
            return []


def _work_name_queries(name: str) -> list[DocumentQuery]:
    """Return what finds a work by its name: its title, or a title or a file's name that holds it."""
    names = _works(name)
    files = {fold_words(one).replace(" ", joint) for one in names for joint in ("-", "_", " ")}
    return [DocumentQuery(titles=tuple(names)), DocumentQuery(called=tuple(dict.fromkeys((*names, *sorted(files)))))]


def _works(name: str) -> list[str]:
    """Return what may be the name of a work: of a Chinese or Japanese one it is not known where it begins.

    >>> _works("依照劳动合同法")[:3], _works("Travel Policy")
    (['依照劳动合同法', '照劳动合同法', '劳动合同法'], ['Travel Policy'])
    """
    if re.fullmatch(r"[\u4e00-\u9fff\u30a1-\u30fa\u30fc]+", name):
        return [name[at:] for at in range(max(1, len(name) - 2))]
    return [name]


def _name_ending_variants(name: str, reference: Reference) -> list[str]:
    """Return a name with what it may be without an ending: "Díjszabásban" names the "Díjszabás"."""
    if reference.unit != "titled" or not name.split() or name.isascii() and reference.key:
        return [name]
    last = name.split()[-1]
    cut = min(len(last) - SHORTEST_FORM, 5)
    return [name, *(name[:-size] for size in range(1, cut + 1))]


def _document_source_folder(document: Document) -> str:
    return document.source[: document.source.rfind("/") + 1]


def _section_number_prefixes(reference: Reference) -> list[str]:
    """Return the number of a reference, and those that it lies within: "Section 9.7.3" may stand in a document "9.7".

    >>> _section_number_prefixes(Reference("reference", "9.7.3", "", (0, 0)))
    ['9.7.3', '9.7', '9']
    """
    parts = reference.target.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]


def _targets(reference: Reference, document: Document, found: Sequence[Sequence[DocumentInfo]]) -> list[_Target]:
    """Choose the documents that a reference leads to, the best first; `found` by each of `_queries`."""
    infos = list({info.document_id: info for part in found for info in part}.values())
    others = [info for info in infos if info.document_id != document.document_id]
    if reference.work:
        return _targets_in_work(reference, document, infos)
    if reference.kind == "link":
        return _targets_of_link(reference, document, found, others)
    if is_appended(reference):
        sure = {info.document_id: is_labelled(info, reference) for info in others}
        labelled = nearest([info for info in others if sure[info.document_id]], document)
        return [_Target(info, _rest(reference)) for info in labelled]
    if reference.unit == "code":
        wanted = f" {fold_words(reference.target)} "
        return [_Target(one) for one in nearest([o for o in others if wanted in f" {fold_words(o.title)} "], document)]
    if reference.kind == "reference":
        target = _neighbour(reference, document, found)
        return [target] if target else []
    return [_Target(info, _rest(reference)) for info in _match_documents_by_name(reference, document, others)]


def _match_documents_by_name(
    reference: Reference, document: Document, others: Sequence[DocumentInfo]
) -> list[DocumentInfo]:
    """Choose the documents that have the name in a reference: the longest name, the surest, the nearest."""
    for name in dict.fromkeys(
        form for told in names_within(reference) for form in _name_ending_variants(told, reference)
    ):
        sure = {info.document_id: is_called(info, name, whole=reference.unit != "named") for info in others}
        best = max(sure.values(), default=0)
        if best:
            return nearest([info for info in others if sure[info.document_id] == best], document)
    return []


def _rest(reference: Reference) -> Reference | None:
    """Return what is named within a document that has its label or name; None where all of it is meant."""
    if not reference.inner:
        return None
    (unit, number), *inner = reference.inner
    return Reference("reference", number, f"{unit} {number}", (0, 0), unit, inner=tuple(inner))


def _targets_in_work(reference: Reference, document: Document, infos: Sequence[DocumentInfo]) -> list[_Target]:
    """Choose works by name, and the place in each: the document itself where it has that name, else the surest."""
    inside = replace(reference, work="")
    own = DocumentInfo(
        document.document_id,
        document.source,
        document.kind,
        document.title,
        document.language,
        0,
        "",
        document.metadata,
    )
    infos = [own, *(info for info in infos if info.document_id != own.document_id)]
    for name in _works(reference.work):
        sure = {info.document_id: is_called(info, name) for info in infos}
        if _calls_itself(document, name) or sure[own.document_id]:
            sure[own.document_id] = 5
        best = max(sure.values(), default=0)
        if best:
            ordered = nearest([info for info in infos if sure[info.document_id] >= min(best, 2)], document)
            return [_Target(one, inside) for one in sorted(ordered, key=lambda one: -sure[one.document_id])]
    return []


def _calls_itself(document: Document, name: str) -> bool:
    """Say whether a document goes by a name that is one word: it defines it, or its title ends a word with it."""
    if " " in name or len(name) < SHORTEST_FORM:
        return False
    if any(word.endswith(fold_words(name)) for word in fold_words(document.title).split()):
        return True
    return bool(re.search(rf"\([^()\n]{{0,40}}[“\"„«]{re.escape(name)}[”\"“»]\)", document.text))


def _targets_of_link(
    reference: Reference, document: Document, found: Sequence[Sequence[DocumentInfo]], others: Sequence[DocumentInfo]
) -> list[_Target]:
    if reference.unit == "attached":
        return [_Target(info) for info in _match_attachments(reference, document, others)]
    anchor = reference.target.partition("#")[2]
    inside = replace(reference, target=f"#{anchor}", unit="") if anchor else None
    exact = [info for info in found[0] if info.document_id != document.document_id]
    if exact:
        return [_Target(info, inside) for info in exact[:1]]
    name = unquote(reference.target.partition("#")[0].rstrip("/").rpartition("/")[2]).casefold()
    same = [info for info in others if re.split(r"[/#]", info.source.casefold())[-1] == name]
    return [_Target(info, inside) for info in nearest(same, document)]


def _match_attachments(reference: Reference, document: Document, others: Sequence[DocumentInfo]) -> list[DocumentInfo]:
    """Choose attachments by what they are called; where none has the name, all that came along."""
    bundle = [info for info in others if attachment_of(info, document)]
    words = [word for word in fold_words(reference.target).split() if len(word) >= TELLING_CHARS]

    def shared(info: DocumentInfo) -> int:
        held = fold_words(f"{info.title} {info.source.rpartition('#')[2]}").split()
        return sum(any(_begin_alike(word, one) for one in held) for word in words)

    best = max(map(shared, bundle), default=0)
    return [info for info in bundle if shared(info) == best]


def _begin_alike(one: str, other: str) -> bool:
    size = max(TELLING_CHARS, round(2 * len(one) / 3))
    return _bare_letters(one)[:size] == _bare_letters(other)[:size]


def _bare_letters(word: str) -> str:
    from_accents = {"á": "a", "é": "e", "í": "i", "ó": "o", "ö": "o", "ő": "o", "ú": "u", "ü": "u", "ű": "u", "ä": "a"}
    return "".join(from_accents.get(letter, letter) for letter in word)


def _neighbour(reference: Reference, document: Document, found: Sequence[Sequence[DocumentInfo]]) -> _Target | None:
    """Choose the one document whose title has the number of a reference, or else the nearest that it lies within."""
    for number, infos in zip(_section_number_prefixes(reference), found, strict=False):
        near = [info for info in infos if names_same(heading_number(info.title), (reference.unit, number))]
        if len(near) == 1 and near[0].document_id != document.document_id:
            return _Target(near[0], _rest(reference) if number == reference.target else reference)
        if near:
            return None
    return None


def _may_go_on(reference: Reference, spot: Spot) -> bool:
    """Say whether more of a name than the heading that was found may be meant: it is not known where it ends."""
    return reference.unit == "announced" and fold_words(spot.title) != fold_words(reference.target)


def _is_distinctive_name(name: str) -> bool:
    """Say whether a name is more than a common word in quotation marks."""
    return len(fold_words(name).split()) > 1 or (not name.isascii() and len(name) >= TELLING_CHARS)
