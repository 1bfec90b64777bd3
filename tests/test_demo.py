"""The demo, as `make demo` runs it: the packaged embedder, real documents, five languages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.long
@pytest.mark.model
def test_demo_answers_in_every_language_and_opens_a_citation(tmp_path: Path) -> None:
    environment = {**os.environ, "ROVE_KB": str(tmp_path / "kb"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, ROOT / "demo" / "run.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert "21 sources added" in told
    assert "情報システム部へ電話で連絡する" in told
    assert "»Mobiles Arbeiten genehmigt seit dem 1. März 2024 die Abteilungsleitung;" in told
    assert "当年未休完的年假可以顺延到次年三月三十一日，逾期作废。 [" in told
    assert "A napidíj külföldi kiküldetés esetén napi 55 euró" in told
    assert "SIGINT This is the Fast Shutdown mode. [" in told
    assert "\nRound 1\n" in told
    assert "The knowledge base does not hold enough to answer this." in told
    assert "21 unchanged" in told
