"""The graph of names, held in memory: which chunks hold a name, and which documents are titled by it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from rove.language.names import JOINT, MAX_KEY_TERMS, telling_terms, title_keys
from rove.records import Filter
from rove.store import tables
from rove.store.catalog_rows import AnyRow
from rove.store.documents import Documents
from rove.store.postings import Postings

PART = 0.5
MAX_NAMESAKES = 8
"""Documents of one title up to which it still points somewhere."""


class NameGraph:
    """Follows the catalog's revision as `Resident` does; loaded when first asked. Calls block.

    A node is a chunk, a name or a document; a chunk is linked to the names that it holds, a name to the documents that
    are titled by it. There are no relations: after LinearRAG (Zhuang et al., 2025), which needs no model for its graph.
    """

    def __init__(self, documents: Documents, seen: Callable[[Mapping[str, str], Filter], set[str]]) -> None:
        """`seen` says which chunks, given with their document's id, an access filter lets through. See `Store.seen`."""
        self.documents = documents
        self._let_through = seen
        self._lock = Lock()
        self._clear()

    def _clear(self) -> None:
        self._seen = 0
        self._revisions: list[int] = [0] * len(self.documents.parts)
        self._hidden: Sequence[Collection[str]] = ()
        self._rows: dict[str, int] = {}
        self._chunk_ids: list[str] = []
        self._names: list[str] = []
        self._owners: list[str] = []
        self._alive: NDArray[np.bool_] = np.zeros(0, bool)
        self._postings = Postings(k1=1.2, b=0.75)
        self._chunks: dict[str, list[int]] = {}
        self._titles: dict[str, dict[str, None]] = {}
        self._begun: set[str] = set()
        self._keys: dict[str, list[str]] = {}

    def titled(
        self, text: str, language: str, names: Sequence[str] = (), access_filter: Filter | None = None
    ) -> dict[str, float]:
        """Return the documents whose titles a text names, by id, each with how surely it is meant, up to 1.

        Of titles within titles the longest counts. A title of one word counts only where it is among the text's
        `names`: love is no link to the film Love. A name of which the title is a part (Sulli Choi is Sulli, Paul
        Michael Gross is Paul Gross) is a link of half the strength. Documents of one title share it; one that more
        than `MAX_NAMESAKES` have points nowhere. `access_filter`: no title or document counts that it hides.
        """
        with self._lock:
            self._follow()
            terms = telling_terms(text, language)
            known = set(names)
            titles = self._titles_in(terms, known, access_filter)
            keys: dict[str, float] = {}
            at = 0
            while at < len(terms):
                size = self._longest(terms, at, titles)
                key = JOINT.join(terms[at : at + size])
                if size > 1 or (size == 1 and key in known):
                    keys[key] = 1.0
                at += max(size, 1)
            for part in (part for name in sorted(known.difference(keys)) for part in _parts(name)):
                if part in titles:
                    keys.setdefault(part, PART)
            found: dict[str, float] = {}
            for key, sure in keys.items():
                documents = titles[key]
                if len(documents) <= MAX_NAMESAKES:
                    for document_id in documents:
                        found[document_id] = max(found.get(document_id, 0.0), sure / len(documents))
            return found

    def _longest(self, terms: Sequence[str], at: int, titles: Container[str]) -> int:
        """How many terms the longest of these titles that begins there has, 0 where none does."""
        longest, key = 0, ""
        for size in range(1, min(MAX_KEY_TERMS, len(terms) - at) + 1):
            key = f"{key}{JOINT}{terms[at + size - 1]}" if key else terms[at]
            if key in titles:
                longest = size
            if key not in self._begun:
                break
        return longest

    def _begun_at(self, terms: Sequence[str], at: int) -> Iterator[tuple[int, str]]:
        """The keys that may be a title which begins there, each with how many terms it has."""
        key = ""
        for size in range(1, min(MAX_KEY_TERMS, len(terms) - at) + 1):
            key = f"{key}{JOINT}{terms[at + size - 1]}" if key else terms[at]
            yield size, key
            if key not in self._begun:
                break

    def _titles_in(
        self, terms: Sequence[str], names: Collection[str], access_filter: Filter | None
    ) -> Mapping[str, Collection[str]]:
        """The documents of each title, at least of those that these terms and names can mean, within the filter.

        What is seen comes in the order of the ids: that in which it came in can change with what is hidden.
        """
        if access_filter is None:
            return self._titles
        possible = {key for at in range(len(terms)) for _, key in self._begun_at(terms, at)}
        possible = possible.union(*map(_parts, names)) & self._titles.keys()
        documents = {document_id for key in possible for document_id in self._titles[key]}
        rows = [row for document_id in documents for row in self._chunks[document_id]]
        seen = set(self._seen_owners(rows, access_filter))
        titles = {key: sorted(seen.intersection(self._titles[key])) for key in possible}
        return {key: found for key, found in titles.items() if found}

    def _seen_owners(self, rows: Collection[int], access_filter: Filter) -> list[str]:
        """The document of each of these rows that an access filter lets through, in order."""
        owners = {self._chunk_ids[row]: self._owners[row] for row in rows}
        return sorted(owners[chunk_id] for chunk_id in self._let_through(owners, access_filter))

    def names(self, chunk_id: str) -> list[str]:
        """Return the keys of the names in a chunk, in their order."""
        with self._lock:
            self._follow()
            row = self._rows.get(chunk_id)
            return self._names[row].split() if row is not None else []

    def titles(self, document_id: str) -> list[str]:
        """Return the keys that a document's title answers to."""
        with self._lock:
            self._follow()
            return list(self._keys.get(document_id, ()))

    def sharing(self, keys: Iterable[str], most: int, access_filter: Filter | None = None) -> dict[str, float]:
        """Return the documents that hold any of these names, by id, each with 1 / the number that hold its rarest.

        A name that stands in more than `most` chunks links nothing. `access_filter`: what it hides neither counts nor
        is returned.
        """
        with self._lock:
            self._follow()
            found: dict[str, float] = {}
            for key in keys:
                held = self._postings.rows(key)
                rows: list[int] = held[self._alive[held]].tolist()
                if access_filter is None:
                    owners = [self._owners[row] for row in rows[: most + 1]]
                else:
                    owners = self._seen_owners(rows, access_filter)
                documents = set(owners) if len(owners) <= most else set[str]()
                for document_id in documents:
                    found[document_id] = max(found.get(document_id, 0.0), 1 / len(documents))
            return found

    # -- following the catalog -----------------------------------------------------------------------------------

    def _follow(self) -> None:
        revision = self.documents.revision()
        if revision <= self._seen:
            return
        hidden = self.documents.shadowed()
        if len(self._chunk_ids) > 1_000 + 2 * len(self._rows) or hidden != self._hidden:
            self._clear()
        self._hidden = hidden
        if not all(map(self._catch_up, range(len(self._revisions)))):
            self._clear()
            self._hidden = hidden
            for at in range(len(self._revisions)):
                self._catch_up(at)
        self._seen = revision

    def _catch_up(self, at: int) -> bool:
        """Take in what has changed in a part. See `Resident`."""
        part = self.documents.parts[at]
        if not self._revisions[at]:
            revision = part.revision()
            self._take_new(at)
            self._revisions[at] = revision
        with part.database.snapshot():
            removed = self.documents.removed_from(at, self._revisions[at])
            if removed is None:
                return False
            for chunk_id in removed:
                self._forget(chunk_id)
            self._take_new(at)
            self._revisions[at] = int(part.fact("revision") or "0")
        return True

    def _take_new(self, at: int) -> None:
        for rows in self._new(at):
            self._take([row for row in rows if row.document_id not in self._hidden[at]])

    def _new(self, at: int) -> Iterator[Sequence[AnyRow]]:
        """Read what is newer in a part than what was seen, in the order of the catalog, page by page."""
        c, d = tables.chunks.c, tables.documents.c
        query = (
            select(c.seq, c.chunk_id, c.names, c.position, d.document_id, d.title, d.language)
            .join(tables.documents, d.seq == c.document)
            .where(d.revision > self._revisions[at])
        )
        return self.documents.parts[at].pages(query)

    def _take(self, rows: Sequence[AnyRow]) -> None:
        first = len(self._chunk_ids)
        for at, row in enumerate(rows, start=first):
            self._forget(row.chunk_id)
            self._rows[row.chunk_id] = at
            if row.document_id not in self._chunks:
                self._entitle(row.document_id, row.title, row.language)
            self._chunks.setdefault(row.document_id, []).append(at)
            lead = row.names.partition(" ")[0] if row.position == 0 else ""
            if JOINT in lead:
                self._add(row.document_id, lead)
        self._chunk_ids += [row.chunk_id for row in rows]
        self._owners += [row.document_id for row in rows]
        self._names += [row.names for row in rows]
        self._alive = np.concatenate([self._alive, np.ones(len(rows), bool)])
        self._postings.extend(self._names[first:])

    def _entitle(self, document_id: str, title: str, language: str) -> None:
        self._keys[document_id] = []
        for key in title_keys(title, language):
            self._add(document_id, key)

    def _add(self, document_id: str, key: str) -> None:
        if key not in self._keys[document_id]:
            self._keys[document_id].append(key)
            self._titles.setdefault(key, {})[document_id] = None
            end = key.find(JOINT)
            while end > 0:
                self._begun.add(key[:end])
                end = key.find(JOINT, end + 1)

    def _forget(self, chunk_id: str) -> None:
        row = self._rows.pop(chunk_id, None)
        if row is None:
            return
        self._alive[row] = False
        document_id = self._owners[row]
        self._chunks[document_id].remove(row)
        if not self._chunks[document_id]:
            del self._chunks[document_id]
            for key in self._keys.pop(document_id):
                del self._titles[key][document_id]
                if not self._titles[key]:
                    del self._titles[key]


def _parts(key: str) -> list[str]:
    terms = key.split(JOINT)
    if len(terms) < 2:
        return []
    return [terms[0], terms[-1], *([f"{terms[0]}{JOINT}{terms[-1]}"] if len(terms) > 2 else [])]
