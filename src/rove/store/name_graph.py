"""The graph of names: which chunks hold a name, and which documents are titled by it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rove.language.names import JOINT, MAX_KEY_TERMS, telling_terms
from rove.records import Filter
from rove.store.memory_index import MemoryIndex
from rove.store.resident import Resident
from rove.store.row_names import RowNames

PART = 0.5
MAX_NAMESAKES = 8
"""Documents of one title up to which it still points somewhere."""


class NameGraph:
    """What the embedded search holds of names, see `RowNames`. Calls block.

    A node is a chunk, a name or a document; a chunk is linked to the names that it holds, a name to the documents that
    are titled by it. There are no relations: after LinearRAG (Zhuang et al., 2025), which needs no model for its graph.
    """

    def __init__(self, resident: Resident) -> None:
        self.resident = resident

    def titled(
        self, text: str, language: str, names: Sequence[str] = (), access_filter: Filter | None = None
    ) -> dict[str, float]:
        """Return the documents whose titles a text names, by id, each with how surely it is meant, up to 1.

        Of titles within titles the longest counts. A title of one word counts only where it is among the text's
        `names`: love is no link to the film Love. A name of which the title is a part (Sulli Choi is Sulli, Paul
        Michael Gross is Paul Gross) is a link of half the strength. Documents of one title share it; one that more
        than `MAX_NAMESAKES` have points nowhere. `access_filter`: no title or document counts that it hides.
        """
        terms, known = telling_terms(text, language), set(names)
        found: dict[str, float] = {}
        with self.resident.held() as index:
            runs = _runs(terms, index.names)
            titles = _titles(
                {*chain.from_iterable(runs), *chain.from_iterable(map(_parts, known))}, index, access_filter
            )
            for key, sure in _meant(runs, known, titles).items():
                documents = _documents(index.names, titles[key], MAX_NAMESAKES, access_filter)
                for document_id in documents:
                    found[document_id] = max(found.get(document_id, 0.0), sure / len(documents))
        return found

    def names(self, chunk_id: str) -> list[str]:
        """Return the keys of the names in a chunk, in their order."""
        with self.resident.held() as index:
            row = index.row(chunk_id)
            return index.names.names.of(row) if row is not None else []

    def titles(self, document_id: str) -> list[str]:
        """Return the keys that a document's title answers to."""
        with self.resident.held() as index:
            rows = index.names.rows_of(document_id)
            live = rows[index.counted(None)[rows]]
            return index.names.titles.of(int(live[0])) if len(live) else []

    def holding(self, key: str, most: int, access_filter: Filter | None = None) -> list[str]:
        """Return the ids of the documents that name this, none where it stands in more than `most` chunks.

        `access_filter`: what it hides neither counts nor is returned.
        """
        with self.resident.held() as index:
            rows = index.names.names.rows([key]).get(key)
            if rows is None:
                return []
            rows = rows[index.counted(access_filter)[rows]]
            return _documents(index.names, rows, most, access_filter) if len(rows) <= most else []


def _runs(terms: Sequence[str], names: RowNames) -> list[list[str]]:
    """The keys that may be titles, by the term that they begin at: of one term, of two, and so on."""
    runs = [[term] for term in terms]
    going = range(len(terms))
    for size in range(1, MAX_KEY_TERMS):
        begun = names.titles.begun({runs[at][-1] for at in going})
        going = [at for at in going if at + size < len(terms) and runs[at][-1] in begun]
        for at in going:
            runs[at].append(f"{runs[at][-1]}{JOINT}{terms[at + size]}")
    return runs


def _titles(keys: set[str], index: MemoryIndex, access_filter: Filter | None) -> dict[str, NDArray[np.int32]]:
    """Those of these keys that title what an access filter lets through, each with the rows of it."""
    counted = index.counted(access_filter)
    titled = {key: rows[counted[rows]] for key, rows in index.names.titles.rows(list(keys)).items()}
    return {key: rows for key, rows in titled.items() if len(rows)}


def _meant(runs: Sequence[Sequence[str]], known: set[str], titles: Container[str]) -> dict[str, float]:
    """The titles that a text means, each with how surely."""
    keys: dict[str, float] = {}
    at = 0
    while at < len(runs):
        longest = next((key for key in reversed(runs[at]) if key in titles), "")
        size = runs[at].index(longest) + 1 if longest else 1
        if longest and (size > 1 or longest in known):
            keys[longest] = 1.0
        at += size
    for part in (part for name in sorted(known.difference(keys)) for part in _parts(name)):
        if part in titles:
            keys.setdefault(part, PART)
    return keys


def _documents(names: RowNames, rows: NDArray[np.int32], most: int, access_filter: Filter | None) -> list[str]:
    """The documents of these rows; none where there are more than `most`.

    What is seen comes in the order of the ids: that in which it came in can change with what is hidden.
    """
    documents = names.documents(rows, most)
    return documents if access_filter is None else sorted(documents)


def _parts(key: str) -> list[str]:
    terms = key.split(JOINT)
    if len(terms) < 2:
        return []
    return [terms[0], terms[-1], *([f"{terms[0]}{JOINT}{terms[-1]}"] if len(terms) > 2 else [])]
