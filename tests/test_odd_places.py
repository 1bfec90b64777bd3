"""Files whose names are no text, and bases that may only be read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rove.records import Text
from rove.sync import Rove

FAKE = {"embedder": {"name": "fake"}}
READ_ONLY = """
import os, sys
from rove import Rove, ServiceError
base, uid = sys.argv[1:]
with Rove.open(base, embedder={"name": "fake"}) as kb:
    kb.search("What is imported late is imported now.", mode="keyword")
os.setuid(int(uid))
with Rove.open(base, embedder={"name": "fake"}) as kb:
    print([hit.chunk.document_id for hit in kb.search("osprey", mode="keyword")])
    try:
        kb.delete("osprey")
    except ServiceError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all names of files are Unicode")
def test_a_name_that_is_not_utf_8_goes_in_and_is_found_by_it(tmp_path: Path) -> None:
    """One is read by the process that adds, one by a reading process; neither stops the others."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("The kettle is on the stove.")
    odd = [os.fsdecode(os.fsencode(folder) + name) for name in (b"/caf\xe9.txt", b"/\xff.html")]
    for path in odd:
        Path(path).write_text("<p>The samovar is on the table.</p>")
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        assert kb.add(folder).added == 3
        assert f"{folder}/caf\\udce9.txt" in {info.source for info in kb.documents()}
        assert kb.add(f"{folder}/caf\\udce9.txt").unchanged == 1, "by the name that the ledger has"
        assert kb.delete(*odd) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_base_that_may_only_be_read_is_searched() -> None:
    with TemporaryDirectory() as name:  # not tmp_path, into which another user may not look
        folder = Path(name)
        folder.chmod(0o755)
        base = folder / "kb"
        with Rove.open(base, **FAKE) as kb:
            kb.add(Text("The osprey nests on the pylon.", id="osprey"))
        for path in (*base.rglob("*"), base):
            path.chmod(0o555 if path.is_dir() else 0o444)
        user = "65534" if os.geteuid() == 0 else str(os.geteuid())  # root may write anywhere
        command = [sys.executable, "-c", READ_ONLY, str(base), user]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        for path in (base, *base.rglob("*")):
            path.chmod(0o755)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "osprey" in done.stdout
    assert "cannot be written to" in done.stdout
