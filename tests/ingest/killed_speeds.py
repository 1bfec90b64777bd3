"""`python killed_speeds.py RUNS SEED FOLDER`: adds at two speeds that are killed -9 in the second pass, and taken up.

A kill comes at a failpoint between catalog and index, or at a random moment after the first pass. Whatever was killed,
all that the first pass has kept is found; in the end every passage is deep, once, as if it had been added in one pass,
and none is embedded again whose vector was kept. A line of JSON says what was done.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from random import Random
from time import monotonic

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

# ruff: noqa: E402, T201 - a script, of which the output is what it has counted
from campaign.children import Child, Tell, complete, load_heavy, store_of

from rove import Rove, Text
from rove.models import Vectors
from rove.models.fake import FakeEmbedder
from rove.store import shallow
from rove.store.failpoints import DEEPENING
from rove.store.shallow import Depth

COUNT = 150
FIRST = {"name": "fake", "first": "static"}
SENTENCES = (
    "The archive keeps {0} letters about the harbour.",
    "Das Archiv bewahrt {0} Briefe über den Hafen.",
    "A levéltár {0} levelet őriz a kikötőről.",
    "档案馆保存着关于港口的{0}封信。",
    "文書館には港についての手紙が{0}通ある。",
)
TEXTS = [Text(SENTENCES[i % 5].format(i), id=f"t{i}") for i in range(COUNT)]
LIMIT_S = 240.0
ROWS = """SELECT chunk_id, key, hex(v.vector) FROM chunks JOIN documents d ON d.seq = document
    JOIN vectors v ON v.seq = chunks.vector WHERE d.revision > 0 ORDER BY 1"""
STRAYS = "SELECT count(*) FROM vectors WHERE seq NOT IN (SELECT vector FROM chunks)"


def telling(tell: Tell) -> None:
    """Let the embedder tell how many passages it embeds."""
    passages = FakeEmbedder.passages

    async def told(self: FakeEmbedder, texts: Sequence[str]) -> Vectors:
        tell(embedded=len(texts))
        return await passages(self, texts)

    FakeEmbedder.passages = told


def adding(base: Path, resident: int, failpoint: str, tell: Tell) -> None:
    """Add everything, and tell when the second pass begins."""
    shallow.GROUP_CHUNKS = 8
    with Rove.open(base, embedder=FIRST, store=store_of(resident)) as kb:
        kb.add(TEXTS, deep=False)
        os.environ["ROVE_FAILPOINT"] = failpoint
        tell(first=kb.depth().shallow)
        kb.add()


def going_on(base: Path, resident: int, tell: Tell) -> None:
    """Look at what there is, take it up, and look again."""
    telling(tell)
    with Rove.open(base, embedder=FIRST, store=store_of(resident)) as kb:
        assert kb.depth().chunks == COUNT
        store = kb._kb.store
        left = list(store.catalog.next_shallow().texts)
        tell(left=len(left), known=len(store.vectors.known(left)))
        for text in TEXTS[:: COUNT // 5]:
            assert kb.search(text.text, top_k=1)[0].chunk.document_id == text.id
        kb._run(store.judged.close())
        problems = kb.doctor().problems
        tell(mended=len(problems))
        shallow.GROUP_CHUNKS = 8
        kb.add()
        assert kb.depth() == Depth(COUNT, 0)
        assert kb.doctor().ok


def rows(base: Path) -> list[tuple[str, ...]]:
    """Every chunk with its key and vector; no vector is without one."""
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        assert database.execute(STRAYS).fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM shallow").fetchone() == (0,)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        return database.execute(ROWS).fetchall()


def main(runs: int, seed: int, folder: Path) -> int:
    """Kill so many, take each up, and say what was done."""
    load_heavy()
    import_module("rove.models.static.embedder")
    chance, done = Random(seed), Counter[str]()
    complete(lambda tell: in_one_pass(folder / "alone"))
    wanted = rows(folder / "alone")
    longest = 1.0
    for run in range(runs):
        base, resident = folder / f"kb{run}", chance.choice((0, 1))
        point = chance.choice((*DEEPENING, ""))
        failpoint = point and f"{point}:{chance.randrange(1, 12)}"
        began = monotonic()
        child = Child(lambda tell: adding(base, resident, failpoint, tell))  # noqa: B023 - forked at once
        ended = child.wait(None if point else chance.uniform(0, longest), armed_by="first", limit_s=LIMIT_S)
        if ended.state == "done":
            longest = max(0.3, 0.6 * (monotonic() - began))
        assert ended.state == "killed" or not point, (point, ended)
        done[f"{point or 'random'} {ended.state}"] += 1
        ended = Child(lambda tell: going_on(base, resident, tell)).wait(limit_s=LIMIT_S)  # noqa: B023
        assert ended.state == "done", ended
        told = {name: value for line in ended.told for name, value in line.items()}
        embedded = sum(line.get("embedded", 0) for line in ended.told)
        assert embedded == told["left"] - told["known"], f"{embedded} embedded: {told}"
        assert rows(base) == wanted
        done["taken up amid"] += 0 < told["left"] < COUNT
        done["mended"] += told["mended"] > 0
        shutil.rmtree(base)
    print(json.dumps(done))
    return 0


def in_one_pass(base: Path) -> None:
    """Add everything without a first pass."""
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        kb.add(TEXTS)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
