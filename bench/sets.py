"""Retrieval sets: read, then cut down the same way on every machine."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet

from bench import DATA

CROSS = {
    "xquad_de>en": ("xquad_de", "xquad_en"),
    "xquad_zh>en": ("xquad_zh", "xquad_en"),
    "lohelp_de>en": ("lohelp_de", "lohelp_en"),
}
# chunk_spans has five documents and labels spans: finding the document says nothing.
LEFT_OUT = frozenset({"chunk_spans"})


@dataclass(frozen=True, slots=True)
class Doc:
    """One document of a set."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """What the bare baselines read."""
        return f"{self.title}\n{self.text}" if self.title else self.text

    @property
    def size(self) -> int:
        """UTF-8 bytes."""
        return len(self.whole.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Cap:
    """How far a set is cut: most documents, most queries, most text in UTF-8 kB (the cost of embedding)."""

    docs: int
    queries: int
    kilobytes: int

    @property
    def room(self) -> int:
        """Bytes of text."""
        return self.kilobytes * 1000

    def __str__(self) -> str:
        return f"≤ {self.docs} documents, ≤ {self.queries} queries, ≤ {self.kilobytes} kB of text"


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Documents, queries and which documents answer which query. Languages are ISO 639-1."""

    name: str
    language: str
    query_language: str
    docs: tuple[Doc, ...]
    queries: Mapping[str, str]
    gold: Mapping[str, Mapping[str, int]]

    @property
    def kilobytes(self) -> int:
        """Text of all documents, UTF-8."""
        return sum(d.size for d in self.docs) // 1000


def names() -> list[str]:
    """All sets, the cross-lingual pairs last."""
    own = sorted(p.name for p in DATA.iterdir() if (p / "META.json").is_file() and p.name not in LEFT_OUT)
    return own + list(CROSS)


def by_hash(ids: Iterable[str]) -> list[str]:
    """Sort ids by the SHA-1 of their UTF-8 bytes: an order that no one chose.

    >>> by_hash(["a", "b", "c"])
    ['c', 'a', 'b']
    """
    return sorted(ids, key=lambda i: hashlib.sha1(i.encode(), usedforsecurity=False).hexdigest())


def choose_queries(gold: Mapping[str, Collection[str]], sizes: Mapping[str, int], cap: Cap) -> list[str]:
    """Take queries in hash order while their gold documents fill at most two thirds of the room.

    Only queries all of whose gold documents exist are taken.
    """
    chosen: list[str] = []
    kept: set[str] = set()
    room = cap.room * 2 // 3
    for query in by_hash(gold):
        wanted = set(gold[query])
        if len(chosen) == cap.queries:
            break
        if not wanted or not wanted <= sizes.keys():
            continue
        need = sum(sizes[d] for d in wanted - kept)
        if need > room or len(kept | wanted) > cap.docs:
            continue
        kept |= wanted
        room -= need
        chosen.append(query)
    return chosen


def choose_docs(wanted: Collection[str], sizes: Mapping[str, int], cap: Cap) -> set[str]:
    """Keep every wanted document, and fill up in hash order to the cap."""
    kept = set(wanted)
    room = cap.room - sum(sizes[d] for d in kept)
    for doc in by_hash(sizes):
        if len(kept) >= cap.docs:
            break
        if doc not in kept and sizes[doc] <= room:
            kept.add(doc)
            room -= sizes[doc]
    return kept


def load(name: str, cap: Cap) -> RetrievalSet:
    """Read a set or a cross-lingual pair (queries of the first, documents of the second) and cut it."""
    asked, answered = CROSS.get(name, (name, name))
    docs = {d.id: d for d in read_docs(DATA / answered)}
    queries = read_queries(DATA / asked)
    gold = {q: g for q, g in read_gold(DATA / asked).items() if q in queries}
    sizes = {d.id: d.size for d in docs.values()}
    chosen = choose_queries(gold, sizes, cap)
    kept = choose_docs({d for q in chosen for d in gold[q]}, sizes, cap)
    return RetrievalSet(
        name=name,
        language=language(DATA / answered),
        query_language=language(DATA / asked),
        docs=tuple(d for d in docs.values() if d.id in kept),
        queries={q: queries[q] for q in chosen},
        gold={q: gold[q] for q in chosen},
    )


def language(folder: Path) -> str:
    """Two letters of the set's language."""
    return str(json.loads((folder / "META.json").read_text("utf-8"))["lang"]).split("-")[0]


def read_docs(folder: Path) -> list[Doc]:
    """All documents that hold any text."""
    table = folder / "corpus.parquet"
    rows = pyarrow.parquet.read_table(table).to_pylist() if table.is_file() else read_lines(folder / "corpus.jsonl")
    docs = [Doc(str(r["id"]), r.get("title") or "", r.get("text") or "") for r in rows]
    return [d for d in docs if d.whole.strip()]


def read_queries(folder: Path) -> dict[str, str]:
    """Query id → text."""
    return {str(r["id"]): r["text"] for r in read_lines(folder / "queries.jsonl")}


def read_gold(folder: Path) -> dict[str, dict[str, int]]:
    """Query id → document id → relevance, above 0 only."""
    gold: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for query, doc, relevance in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if int(relevance) > 0:
                gold.setdefault(query, {})[doc] = int(relevance)
    return gold


def read_lines(path: Path) -> list[dict]:
    """A JSON object from each line."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
