"""Questions across languages in one base: each document is there in one language only, and asked for in all of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path

from bench.report import Table, say
from bench.sets import DATA, by_hash, read_docs, read_gold, read_queries
from bench.vectors import use_remembered
from rove import Rove

MIXES: Mapping[str, Sequence[str]] = {
    "xquad": ("xquad_en", "xquad_de", "xquad_es", "xquad_zh"),
    "lohelp": ("lohelp_en", "lohelp_de"),
}
"""Parallel sets that are mixed; of the first the figures were in view, of the other not."""
DOCS, QUERIES = 500, 100
"""Documents of a mix, and questions in each language, at most."""
FIRST = (1, 3, 10)


@dataclass(frozen=True, slots=True)
class Mixed:
    """A mix: document id → the set whose text of it is there; (set, query id) → text, and right documents."""

    language: Mapping[str, str]
    texts: Mapping[str, str]
    asked: Mapping[tuple[str, str], str]
    gold: Mapping[tuple[str, str], Mapping[str, int]]


def run() -> list[Table]:
    """Measure every mix; see the table's note."""
    rows: list[list[object]] = []
    for name, sets in MIXES.items():
        say(f"mixed {name}")
        rows += _measured(name, mix(sets))
    columns = ["mix", "questions", "many", *(f"in first {most}" for most in FIRST), "in first 3 of its language"]
    return [
        Table(
            "Several languages in one base",
            columns,
            rows,
            "Each document stands there in one of the languages, drawn by its id, so that many in the asker's language "
            "are beside it. Shares of questions whose right document is among the first; last, among those of its own "
            "language alone.",
        )
    ]


def mix(sets: Sequence[str]) -> Mixed:
    """Mix parallel sets: the documents that all have, each in one language."""
    docs = {name: {doc.id: doc for doc in read_docs(DATA / name)} for name in sets}
    shared = by_hash(set[str].intersection(*(set(one) for one in docs.values())))[:DOCS]
    language = {key: sets[sha1(key.encode(), usedforsecurity=False).digest()[0] % len(sets)] for key in shared}
    texts = {
        key: f"# {docs[name][key].title.replace('_', ' ')}\n\n{docs[name][key].text}" for key, name in language.items()
    }
    gold = {
        (name, query): right
        for name in sets
        for query, right in read_gold(DATA / name).items()
        if right.keys() <= language.keys()
    }
    asked: dict[tuple[str, str], str] = {}
    for name in sets:
        queries = read_queries(DATA / name)
        some = [query for query in by_hash(queries) if (name, query) in gold][:QUERIES]
        asked.update({(name, query): queries[query] for query in some})
    return Mixed(language, texts, asked, gold)


def _measured(name: str, mixed: Mixed) -> list[list[object]]:
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        names = {f"{number}.md": key for number, key in enumerate(mixed.texts)}
        for file, key in names.items():
            (Path(folder) / file).write_text(mixed.texts[key], "utf-8")
        with Rove.open(Path(folder) / "kb", embedder={"name": use_remembered()}) as kb:
            kb.add([Path(folder) / file for file in names])
            for (spoken, query), text in mixed.asked.items():
                right = mixed.gold[spoken, query]
                found = list(dict.fromkeys(names[Path(hit.uri).name] for hit in kb.search(text, top_k=20)))
                there = mixed.language[next(iter(right))]
                kind = "in the document's language" if there == spoken else "in another language"
                counts[kind, "all"] += 1
                for most in FIRST:
                    counts[kind, str(most)] += any(key in right for key in found[:most])
                own = [key for key in found if mixed.language[key] == there]
                counts[kind, "own"] += any(key in right for key in own[:3])
    kinds = sorted({kind for kind, _ in counts}, reverse=True)
    return [
        [name, kind, many, *(f"{counts[kind, one] / many:.3f}" for one in (*map(str, FIRST), "own"))]
        for kind in kinds
        if (many := counts[kind, "all"])
    ]
