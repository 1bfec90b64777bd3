"""Static vectors: what they find alone and beside the keywords, and what they cost. `python -m bench static`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench import workload
from bench.metrics import measure, verdict
from bench.quality import add, ask
from bench.report import Table, say
from bench.sets import Cap, RetrievalSet, load, names
from rove import Rove, Text

OPEN = frozenset(
    {
        "cmrc2018_dev", "jsquad", "lohelp_de", "reddit_posts", "schema_spider_dev", "scifact_train", "tools_metatool",
        "xquad_de", "xquad_de>en",
    }
)  # fmt: skip
"""The sets that the vectors were chosen by."""
MODES = ("keyword", "semantic", "hybrid")
INGESTED = 10_000
LOAD = """
import time
import numpy, regex
from rove.models import EMBEDDERS
from rove.settings import EmbedderSettings
import asyncio
began = time.process_time()
asyncio.run(EMBEDDERS.get("static")(EmbedderSettings()).queries(["Where does the cat sleep?"]))
print(time.process_time() - began)
"""


def run(chosen: Iterable[str] | None, cap: Cap) -> list[Table]:
    """Both tables."""
    return [quality(list(chosen or names()), cap), cost()]


def quality(chosen: Sequence[str], cap: Cap) -> Table:
    """One row a set; the means of the sets that the vectors were chosen by, and of those they were not."""
    rows, found = [], {}
    for name in chosen:
        say(f"static {name}")
        data = load(name, cap)
        found[name] = ndcg = one(data)
        half = "open" if name in OPEN else "held"
        numbers = [f"{value:.3f}" for value in ndcg]
        numbers[2] += f" {verdict(ndcg[2], ndcg[0])}"
        rows.append([name, half, len(data.docs), len(data.queries), *numbers])
    for half in ("open", "held"):
        own = [ndcg for name, ndcg in found.items() if (name in OPEN) == (half == "open")]
        if own:
            rows.append([f"mean, {half}", half, "", "", *(f"{statistics.mean(c):.3f}" for c in zip(*own, strict=True))])
    note = (
        f'nDCG@10 of Rove with the embedder "static", without a reranker; sets cut to {cap}, as in benchmarks.md, '
        'whose columns "semantic" and "hybrid" are the deep model on the same documents. Mark: hybrid beside keyword, '
        "+ better, = within 0.005, − worse. The vectors were chosen by open sets; nothing was read off the held ones."
    )
    return Table("Static vectors: quality", ["set", "half", "docs", "queries", *MODES], rows, note)


def one(data: RetrievalSet) -> list[float]:
    """Measure the three modes."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = Rove.open(Path(folder) / "kb", embedder={"name": "static"})
        add(kb, data)
        found = [measure(ask(kb, data, mode=mode, rerank=False), data.gold).ndcg for mode in MODES]
        kb.close()
    return found


def cost() -> Table:
    """Loading in a process of its own; passages, all words new and all known; an ingest beside the fake embedder's."""
    say("static cost")
    printed = subprocess.run([sys.executable, "-c", LOAD], check=True, capture_output=True, text=True).stdout
    texts = workload.chunks(INGESTED)
    first, again = (embedding(texts) for _ in range(2))
    rows: list[list[object]] = [
        ["load and first question, CPU s", float(printed)],
        ["files in the package, MB", shipped_bytes() / 1e6],
        ["µs CPU a passage, first time", first * 1e6],
        ["µs CPU a passage, words known", again * 1e6],
        *([f'ingest with "{name}", CPU s', ingest(name, texts)] for name in ("fake", "static")),
    ]
    note = (
        f"{INGESTED:,} real passages of 200 to 480 characters in five languages; one process. What is held grows by "
        "768 bytes for each piece met, 192 MB if all 250,002 are."
    )
    return Table("Static vectors: cost", ["what", "measured"], rows, note)


def embedding(texts: Sequence[str]) -> float:
    """CPU seconds a passage."""
    from rove.models.static.embedder import _embed_static_texts

    _embed_static_texts(["warm"])
    began = time.process_time()
    _embed_static_texts(texts)
    return (time.process_time() - began) / len(texts)


def ingest(name: str, texts: Sequence[str]) -> float:
    """CPU seconds of one `add`, all processes."""
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        kb = Rove.open(Path(folder) / "kb", embedder={"name": name})
        kb.add(Text("warm", id="warm"))
        began = os.times()
        kb.add(*[Text(text, id=str(n)) for n, text in enumerate(texts)])
        ended = os.times()
        kb.close()
    return sum(ended[:4]) - sum(began[:4])


def shipped_bytes() -> int:
    """What the files take."""
    from rove.models.static.pieces import MAP, SIGNS

    return MAP.stat().st_size + SIGNS.stat().st_size
