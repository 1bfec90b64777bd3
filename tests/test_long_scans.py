"""A long scan: what OCR has read of it is kept page by page, and no limit of a source ends it while it gets on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from load.samples_pages import picture, picture_file
from rove.events import Event, PageReached
from rove.load.discover import locate
from rove.load.image import ocr
from rove.prepare import Recipe
from rove.records import SourceEnd
from rove.sandbox import Limits
from rove.sandbox.pool import Pool
from rove.sync import Rove

pytestmark = [
    pytest.mark.skipif(not ocr.can_read("tesseract"), reason="tesseract is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="tesseract is wrapped by a shell script"),
]
PAGES = 4
SETTINGS = ["--set", "embedder.name=fake", "--set", "load.ocr=tesseract"]  # which a line of shell can stand for
COMMAND = [sys.executable, "-c", "from rove.cli import main; main()"]
REAL = shutil.which("tesseract") or ""


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """A PDF of pictures, without text."""
    made = tmp_path / "scan.pdf"
    pages = (picture(f"The {word} stands on page {n}") for n, word in enumerate(["heron", "ibis", "crane", "stork"], 1))
    made.write_bytes(picture_file(*pages, kind="PDF"))
    return made


def wrapped(folder: Path, reading: str) -> dict[str, str]:
    """An environment in which tesseract does something else to read a page: a line of shell."""
    folder.mkdir()
    script = folder / "tesseract"
    script.write_text(f'#!/bin/sh\ncase "$*" in *tsv*) {reading};; esac\nexec {REAL} "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def add(base: Path, scan: Path, environment: dict[str, str]) -> dict[str, list[dict[str, str]]]:
    command = [*COMMAND, "add", "--json", "--kb", str(base), *SETTINGS, str(scan)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def kept(base: Path) -> int:
    """How many pages are kept of sources that are not read to their end."""
    file = base / "catalog.sqlite"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file)) as connection:
        try:
            return connection.execute("SELECT count(*) FROM transcripts").fetchone()[0]
        except sqlite3.OperationalError:  # the table is not there yet
            return 0


def test_after_kill_9_the_pages_that_were_read_are_not_read_again(tmp_path: Path, scan: Path) -> None:
    base = tmp_path / "kb"
    slow = wrapped(tmp_path / "slow", "sleep 1.5")
    command = [*COMMAND, "add", "--kb", str(base), *SETTINGS, str(scan)]
    adding = subprocess.Popen(command, env=slow, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not kept(base) and time.monotonic() < until and adding.poll() is None:
        time.sleep(0.05)
    adding.send_signal(signal.SIGKILL)
    adding.wait()
    read = kept(base)
    assert 1 <= read < PAGES

    report = add(base, scan, wrapped(tmp_path / "broken", "exit 1"))  # so that what is there was there before
    assert [entry["outcome"] for entry in report["failed"]] == ["partial"]
    assert f"{PAGES - read} pages" in report["failed"][0]["reason"]
    with Rove.open(base, embedder={"name": "fake"}, load={"ocr": "tesseract"}) as kb:
        [info] = kb.documents()
        assert "heron stands on page 1" in kb.text(info.document_id)
        assert "stork" not in kb.text(info.document_id)

        reached: list[int] = []

        def listen(event: Event) -> None:
            if isinstance(event, PageReached):
                reached.append(event.page)

        assert kb.add(scan, listener=listen).added == 1, "read in part by another tesseract: it is read again"
        assert reached == [1, 2, 3, 4]
        assert "stork stands on page 4" in kb.text(info.document_id)
        assert kept(base) == 0
        assert kb.add(scan).unchanged == 1


def test_what_was_read_of_a_scan_is_erased_with_it(tmp_path: Path, scan: Path) -> None:
    base = tmp_path / "kb"
    with Rove.open(base, embedder={"name": "fake"}, load={"max_ocr_s": 0.01, "ocr": "tesseract"}) as kb:
        assert [entry.outcome for entry in kb.add(scan).failed] == ["partial"]
        assert kept(base) == 1
        kb.delete(scan)
        assert kept(base) == 0


def test_each_page_has_its_own_time(tmp_path: Path, scan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", wrapped(tmp_path / "slow", "sleep 1.7")["PATH"])
    pool = Pool(Recipe("none", "none", ocr="tesseract"), Limits(wall_s=6.0), 1)
    began = time.monotonic()
    *_, end = [item for item in pool.read([(location, "") for location in locate([scan])]) if item is not None]
    pool.close()
    assert time.monotonic() - began > 6.0
    assert isinstance(end, SourceEnd)
    assert not end.outcome, end.reason
