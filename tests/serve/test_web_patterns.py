"""No regular expression of the page's scripts takes time with the square of a text's length."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import rove.serve

SCRIPT = Path(__file__).with_name("patterns.mjs")
WEB = Path(rove.serve.__file__).with_name("web")
CHARS, MOST_MS = 8_000, 40
"""A pattern of the square takes 90 ms of CPU or more for so many signs, another one."""


def slow(folder: Path) -> tuple[list[str], int]:
    """The patterns of the scripts in a folder that are too slow, and how many were tried."""
    if not shutil.which("node"):
        pytest.skip("needs node, which runs the page's scripts")
    command = ["node", str(SCRIPT), str(folder), str(CHARS), str(MOST_MS)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return ran.stdout.splitlines(), int(ran.stderr.split()[0])


def test_no_pattern_of_the_page_is_slow() -> None:
    found, tried = slow(WEB)
    assert found == []
    assert tried > 50


def test_one_that_is_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(r"const NUMBER = /^[-+]?[\d.,]*\d[\d.,]*%?$/;" + "\nconst OTHER = /^a+$/;\n")
    (tmp_path / "b.js").write_text(r"const ENDS = /\s+$/;" + "\n")
    found, tried = slow(tmp_path)
    assert [one.partition(":")[0] for one in found] == ["a.js", "b.js"]
    assert tried == 3
