"""The default install has no Arrow: all but what needs it works, and what does says what installs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json, sys
from rove import Rove
from rove.evaluate.dataset import read_dataset
from rove.errors import ConfigError
folder = sys.argv[1]
with Rove.open(f"{folder}/kb", embedder={"name": "fake"}) as kb:
    report = kb.add(f"{folder}/in")
    entries = {entry.source.rpartition("/")[2]: (entry.outcome, entry.cure) for entry in kb.ledger()}
    found = [hit.title for hit in kb.search("blue door")]
try:
    len(list(read_dataset(f"{folder}/votes").questions))
except ConfigError as error:
    refused = error.cure
print(json.dumps([entries, found, refused]))
"""


def test_without_arrow_only_what_needs_it_is_refused_with_what_installs_it(tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.mkdir()
    (given / "a.md").write_text("# Door\n\nThe blue door is locked.\n", "utf-8")
    (given / "b.parquet").write_bytes(b"PAR1 whatever PAR1")
    (tmp_path / "votes").mkdir()
    for name in ("posts.parquet", "labels.parquet"):
        (tmp_path / "votes" / name).write_bytes(b"PAR1")
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "pyarrow.py").write_text("raise ModuleNotFoundError('No Arrow', name='pyarrow')\n", "utf-8")
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(hidden)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    entries, found, refused = json.loads(done.stdout.splitlines()[-1])
    assert entries["a.md"][0] == ""
    assert entries["b.parquet"][0] == "unsupported"
    assert "pip install" in entries["b.parquet"][1]
    assert found[0] == "Door"
    assert "pip install" in refused
