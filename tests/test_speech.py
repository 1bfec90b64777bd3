"""Speech from the file to the answer: read in the jail, cited with its second, gone on with where it was cut off."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from load.samples_sound import RATE_HZ, samples_of, wav
from load.speech_files import LEASE
from rove.events import Event, PageReached
from rove.sync import Rove

COMMAND = [sys.executable, "-c", "from rove.cli import main; main()"]
FAKE = {"name": "fake"}


def rove(*arguments: object) -> str:
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_speech_is_read_in_the_jail_and_every_face_says_when(tmp_path: Path) -> None:
    file = tmp_path / "lease call.opus"
    file.write_bytes(LEASE.read_bytes())
    base = tmp_path / "kb"
    with Rove.open(base, embedder=FAKE) as kb:
        report = kb.add(file)
        assert not report.failed
        answer = kb.ask("How much is the monthly rent?")
    [citation] = answer.citations
    assert "940" in citation.quote
    assert citation.time
    assert 2.0 < citation.time.start_s < 4.0 < citation.time.end_s < 6.0
    named = ("--kb", base, "--set", "embedder.name=fake")
    assert f"lease call.opus, {citation.time.clock}" in rove("ask", *named, "How much is the monthly rent?")
    told = json.loads(rove("ask", "--json", *named, "How much is the monthly rent?"))
    cited = told["sentences"][0]["citations"][0]["time"]
    assert cited == {"start_s": citation.time.start_s, "end_s": citation.time.end_s}
    [hit] = json.loads(rove("search", "--json", *named, "passport"))
    assert hit["time"]["end_s"] == pytest.approx(9.0, abs=0.6)
    assert "0:00–0:0" in rove("search", *named, "passport")


def test_a_recording_takes_less_than_a_gigabyte_on_any_processor(tmp_path: Path) -> None:
    file = tmp_path / "call.opus"
    file.write_bytes(LEASE.read_bytes())
    with Rove.open(tmp_path / "kb", embedder=FAKE, load={"max_memory_mb": 900}) as kb:
        assert not kb.add(file).failed


def test_without_a_transcriber_the_ledger_says_what_to_do(
    tmp_path: Path,
) -> None:
    file = tmp_path / "call.opus"
    file.write_bytes(LEASE.read_bytes())
    with Rove.open(tmp_path / "kb", embedder=FAKE, transcriber={"name": "off"}) as kb:
        [entry] = kb.add(file).failed
        assert (entry.outcome, entry.kind) == ("unsupported", "audio")
        assert "transcriber.name" in entry.cure
    with Rove.open(tmp_path / "kb", embedder=FAKE, transcriber=FAKE) as kb:
        assert kb.add(file).added == 1
        assert kb.add(file).unchanged == 1


def test_a_long_recording_goes_on_where_it_was_cut_off_and_tells_its_minutes(tmp_path: Path) -> None:
    said, pause = samples_of(LEASE.read_bytes()), np.zeros(3 * RATE_HZ, np.float32)
    file = tmp_path / "long.wav"
    file.write_bytes(wav(np.concatenate([part for n in range(14) for part in (said * (1 - n / 100), pause)])))
    base = tmp_path / "kb"
    reached: list[tuple[int, int]] = []

    def listen(event: Event) -> None:
        if isinstance(event, PageReached):
            reached.append((event.page, event.pages))

    with Rove.open(base, embedder=FAKE, transcriber=FAKE, load={"max_ocr_s": 1e-6}) as kb:
        [entry] = kb.add(file).failed
        assert entry.outcome == "partial"
        assert "transcribing ended at" in entry.reason
    with closing(sqlite3.connect(base / "catalog.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM transcripts").fetchone()[0] >= 1
    with Rove.open(base, embedder=FAKE, transcriber=FAKE) as kb:
        assert kb.add(file, listener=listen).added == 1
        [info] = kb.documents()
        assert info.metadata["length_s"] == pytest.approx(168.0, abs=0.5)
    assert reached[-1] == (3, 3)
    assert reached == sorted(reached)
    with closing(sqlite3.connect(base / "catalog.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM transcripts").fetchone()[0] == 0
