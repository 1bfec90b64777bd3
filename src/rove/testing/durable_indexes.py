"""What an index on disk promises besides: it is there for the next process, forgets for good, and survives kill -9."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rove.store.failpoints import ENRICHING, NAMES
from rove.testing.contract import waited
from rove.testing.index_killed import FILED, VERSIONS, opened
from rove.testing.index_rows import make_rows
from rove.testing.indexes import IndexContract, VectorIndexContract, named

TIMEOUT_S = 120
MARK = "unicorn4711"


class LastingIndexContract(VectorIndexContract):
    """Inherit it, as `VectorIndexContract`, where the rows outlive the process: on a server, or on disk.

    `make` gives the same index for the same folder, in every process.
    """

    @waited
    async def test_the_next_one_in_the_folder_finds_all(self, tmp_path: Path) -> None:
        """Closed or not, what was added is there for another one that opens the folder, and so is what comes later."""
        rows = make_rows(30)
        async with self.opened(tmp_path / "index", rows[:20]) as index:
            await index.optimize()
        async with self.opened(tmp_path / "index") as index, self.opened(tmp_path / "index") as other:
            assert await other.count() == 20
            await index.add(rows[20:])
            await index.remove(["c00000"])
            assert sorted(await other.chunk_ids()) == [row.chunk_id for row in rows[1:]]
            assert await named(other, ["n25", "n0"]) in (None, ["c00025"])
            assert (await other.semantic(rows[22].vector, top_k=1))[0][0] == "c00022"

    @pytest.mark.parametrize("failpoint", [*NAMES, *ENRICHING])
    @waited
    async def test_killed_between_catalog_and_index(self, tmp_path: Path, failpoint: str) -> None:
        """A process is killed where catalog and index differ; the next writer finishes; nothing is lost or twice."""
        async with opened(self, tmp_path) as kb:
            assert (await kb.add(*VERSIONS[0])).ok
        self._kill(tmp_path, failpoint)
        async with opened(self, tmp_path) as kb:
            await kb.doctor()
            health = await kb.doctor()
            assert health.ok, health
            if failpoint in ENRICHING:
                assert len(await kb.search("zeppelin", where=FILED)) == len(VERSIONS[0])
            await kb.add(*VERSIONS[1])
            chunks = [chunk for info in await kb.documents() for chunk in (await kb.document(info.document_id))[1]]
            assert sorted(await kb.store.index.chunk_ids()) == sorted(chunk.chunk_id for chunk in chunks)
            for text in VERSIONS[1]:
                hits = await kb.search(text.text, mode="keyword", top_k=1)
                assert [hit.chunk.text for hit in hits] == [text.text]
            assert await kb.search("zeppelin", mode="keyword") == [], "a version that was replaced is found"

    def _kill(self, folder: Path, failpoint: str) -> None:
        """Let another process write to the base until it is killed there."""
        suite = type(self)
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "rove.testing.index_killed",
                inspect.getfile(suite),
                suite.__qualname__,
                str(folder),
            ],
            env={**os.environ, "ROVE_FAILPOINT": failpoint, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr


class DurableIndexContract(LastingIndexContract, IndexContract):
    """Inherit it, as `IndexContract`, where the index keeps its rows in its folder."""

    @waited
    async def test_no_file_holds_what_was_erased(self, tmp_path: Path) -> None:
        """After `remove` and `erase` the words of a chunk are in no file of the folder, nor is its id."""
        rows = make_rows(30)
        secret = [
            type(row)(f"{MARK}-{n}", f"{row.terms} {MARK}", row.vector, {"note": MARK}) for n, row in enumerate(rows)
        ]
        async with self.opened(tmp_path / "index", [*rows, *secret]) as index:
            await index.optimize()
            await index.remove([row.chunk_id for row in secret])
            await index.erase()
        assert _files_with(tmp_path, MARK) == []


def _files_with(folder: Path, word: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]
