"""Make a base with the Rove of an older commit, and keep it with what it held, for the tests of upgrades.

    python tests/deploy/older_base.py COMMIT

It runs in the environment of today, as far as the older one can.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("older")
MADE = """
import json, sys
from pathlib import Path
from rove import Rove, Text

QUESTIONS = [
    "Wer genehmigt mobiles Arbeiten?", "When does the office close?", "ノートパソコンをなくした", "utazási költség"]
place, documents, told = map(Path, sys.argv[1:])
with Rove.open(place, embedder={"name": "fake"}) as kb:
    hours = Text("The office closes at 18:00.", id="hours", title="Hours", metadata={"topic": "facilities", "floor": 3})
    report = kb.add(documents, hours)
    assert not report.failed, report
    walks = []
    if hasattr(kb, "walks"):
        for _ in (walk := kb.walk(QUESTIONS[0])):
            pass
        walks = [info.walk_id for info in kb.walks()]
    held = []
    for info in kb.documents():
        document, chunks = kb.document(info.document_id)
        held.append({
            "document_id": info.document_id, "source": info.source, "title": info.title, "text": document.text,
            "metadata": dict(document.metadata), "chunks": [[chunk.chunk_id, *chunk.span] for chunk in chunks],
        })
    found = {question: [[hit.chunk.document_id, *hit.chunk.span] for hit in kb.search(question, top_k=3)]
             for question in QUESTIONS}
    told.write_text(json.dumps({"documents": held, "found": found, "walks": walks}, ensure_ascii=False, default=str))
"""


def make(commit: str) -> Path:
    """Make and pack it."""
    packed = KEPT / f"{commit}.zip"
    packed.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        source = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(source)) as archive:
            archive.extractall(place / "older", filter="data")
        (place / "documents").mkdir()
        for name in ("mobiles-arbeiten.md", "joho-security.md", "utazasi-szabalyzat.txt"):
            (place / "documents" / name).write_bytes((ROOT / "demo" / "documents" / "handbook" / name).read_bytes())
        environment = {**os.environ, "PYTHONPATH": str(place / "older" / "src")}
        arguments = [str(place / name) for name in ("kb", "documents", "told.json")]
        subprocess.run([sys.executable, "-W", "ignore", "-c", MADE, *arguments], env=environment, check=True)
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
            archive.write(place / "told.json", "told.json")
            for file in sorted(file for file in (place / "kb").rglob("*") if file.is_file()):
                archive.write(file, f"kb/{file.relative_to(place / 'kb').as_posix()}")
    return packed


if __name__ == "__main__":
    for one in sys.argv[1:]:
        file = make(one)
        sys.stdout.write(f"{file.name}: {file.stat().st_size:,} bytes\n")
