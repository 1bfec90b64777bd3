"""Two speeds: what is found while the embedder has reached a share of a base, and its cost. `bench speeds`."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlalchemy import update

from bench import workload
from bench.metrics import Quality, measure, verdict
from bench.quality import ask, kind
from bench.report import Table, say
from bench.sets import Cap, RetrievalSet, by_hash, load, names
from bench.vectors import use_remembered
from rove import Rove, Text
from rove.ingest.two_speeds import deepen_all
from rove.store import shallow, tables

LARGEST = Cap(150, 50, 50)
SHARES = (0, 10, 50, 100)
WAYS = {"reranked": ("hybrid", True), "fused": ("hybrid", False)}
WORDS = "words"
COLUMNS = ["set", "docs", "queries", "words alone", *(f"{share} %" for share in SHARES)]
PASSAGES, ASKED = 600, 20


def run(chosen: Iterable[str] | None, cap: Cap) -> list[Table]:
    """All tables."""
    cap = Cap(*(min(pair) for pair in zip(_numbers(cap), _numbers(LARGEST), strict=True)))
    name = use_remembered()
    found: dict[str, tuple[RetrievalSet, dict[str, Quality]]] = {}
    for set_name in chosen or names():
        data = load(set_name, cap)
        say(f"speeds {set_name}: {len(data.docs)} documents, {len(data.queries)} queries")
        found[set_name] = data, one(data, name)
    return [
        table("nDCG@10, as `rove search` ranks", found, "reranked", "ndcg", cap),
        table("recall@10, as `rove search` ranks", found, "reranked", "recall", cap),
        table("nDCG@10 without the reranker", found, "fused", "ndcg", cap),
        *([] if chosen else [cost()]),
    ]


def _numbers(cap: Cap) -> tuple[int, int, int]:
    return cap.docs, cap.queries, cap.kilobytes


def one(data: RetrievalSet, name: str) -> dict[str, Quality]:
    """Measure words alone, and each way at each share."""
    runs = {}
    shallow.GROUP_CHUNKS = 4  # so that a share is met well
    docs = {doc.id: doc for doc in data.docs}
    texts = [Text(d.text, id=d.id, title=d.title, kind=kind(d)) for d in map(docs.__getitem__, by_hash(docs))]
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = Rove.open(Path(folder) / "kb", embedder={"name": name, "first": "static"})
        report = kb.add(texts, deep=False)
        if report.failed:
            raise RuntimeError(report.failed[0].reason)
        runs[WORDS] = ask(kb, data, mode="keyword", rerank=False)
        for share in SHARES:
            deepen(kb, share / 100)
            for way, (mode, rerank) in WAYS.items():
                runs[f"{way} {share}"] = ask(kb, data, mode=mode, rerank=rerank)
        kb.close()
    return {run: measure(lists, data.gold) for run, lists in runs.items()}


def deepen(kb: Rove, share: float) -> None:
    """Let the embedder reach a share of the passages: in an order that no question has any part in."""
    store = kb._kb.store
    with store.catalog.database.write() as connection:
        connection.execute(update(tables.shallow).values(asked=0))
    kb._run(deepen_all(store, kb._kb.embedder, until=lambda: store.catalog.depth().share >= share))


def table(
    title: str, found: dict[str, tuple[RetrievalSet, dict[str, Quality]]], way: str, number: str, cap: Cap
) -> Table:
    """One row a set, and the means."""
    rows: list[list[object]] = []
    values: list[list[float]] = []
    for name, (data, measured) in found.items():
        own = [getattr(measured[run], number) for run in (WORDS, *(f"{way} {share}" for share in SHARES))]
        values.append(own)
        shown = [f"{value:.3f} {verdict(value, own[0])}" for value in own[1:]]
        rows.append([name, len(data.docs), len(data.queries), f"{own[0]:.3f}", *shown])
    rows.append(["mean", "", "", *(f"{statistics.mean(column):.3f}" for column in zip(*values, strict=True))])
    note = (
        "By the share of the passages that the embedder has reached, in an order that no question has a part in. "
        f"Sets cut to {cap}. Mark: beside words alone, + better, = within 0.005, − worse; of 50 questions one whose "
        "document falls from the first place to the second is 0.007. No number was chosen by these sets; that the "
        "embedder looks at what the words have found first, too, was seen to be missing on mh_hotpot100 and "
        "tools_stabletoolbench."
    )
    return Table(f"Two speeds: {title}", COLUMNS, rows, note)


def cost() -> Table:
    """Two adds of the same passages, at one speed and at two; and searches meanwhile."""
    say("speeds cost")
    texts = [Text(text, id=str(n)) for n, text in enumerate(workload.chunks(PASSAGES))]
    questions = workload.queries(ASKED)
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        with Rove.open(Path(folder) / "one") as kb:
            warm(kb)
            single = measured(lambda: kb.add(texts))
            plain, _ = (searching(kb, questions) for _ in range(2))
        with Rove.open(Path(folder) / "two", embedder={"first": "static"}) as kb:
            warm(kb)
            first = measured(lambda: kb.add(texts, deep=False))
            new, again = (searching(kb, questions) for _ in range(2))
            second = measured(kb.add)
            after = searching(kb, questions)
    per = 1000 / PASSAGES
    rows: list[list[object]] = [
        ["one pass: until all can be found, s per 1,000 passages", single[0] * per],
        ["one pass, CPU s per 1,000 passages", single[1] * per],
        ["first pass: until all can be found, s per 1,000 passages", first[0] * per],
        ["first pass, CPU s per 1,000 passages", first[1] * per],
        [f"second pass after {ASKED} questions, CPU s per 1,000 passages", second[1] * per],
        ["a search, all deep, CPU ms", plain],
        ["a search, all shallow, when it meets its passages for the first time, CPU ms", new],
        ["the same again, CPU ms", again],
        ["the same, all deep, CPU ms", after],
    ]
    note = (
        f"{PASSAGES:,} real passages of 200 to 480 characters in five languages, the packaged embedder, all cores; CPU "
        "of all processes and threads. Seconds on a busy machine are more than on one that rests."
    )
    return Table("Two speeds: cost", ["what", "measured"], rows, note)


def warm(kb: Rove) -> None:
    """Load what is loaded once."""
    kb.add(Text("It is warm.", id="warm"))
    kb.search("Is it warm?")


def measured(work) -> tuple[float, float]:
    """Seconds by the clock, and of all processors."""
    clock, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    return time.perf_counter() - clock, sum(after[:4]) - sum(before[:4])


def searching(kb: Rove, questions: Sequence[str]) -> float:
    """CPU milliseconds of a search: the mean."""
    return 1000 * measured(lambda: [kb.search(question) for question in questions])[1] / len(questions)
