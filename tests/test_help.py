"""`help` says what a call does on both faces, and a closed base says that it is closed."""

from __future__ import annotations

import inspect
from importlib.metadata import version
from pathlib import Path

import pytest

import rove
from rove import AsyncRove, InputError, Rove, Text

NAMES = sorted(name for name in dir(Rove) if not name.startswith("_") and callable(getattr(Rove, name)))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"migrate", "close"}])
def test_help_of_a_blocking_call_says_what_it_does(name: str) -> None:
    said, meant = inspect.getdoc(getattr(Rove, name)), inspect.getdoc(getattr(AsyncRove, name))
    assert said and meant
    assert "See `AsyncRove." not in said
    assert said.partition("\n")[0] == meant.partition("\n")[0]


def test_a_closed_base_says_so(tmp_path: Path) -> None:
    kb = Rove.open(tmp_path, embedder={"name": "fake"})
    kb.add(Text("Remote work is approved by the head of unit.", id="policy"))
    walk, lines, memory = kb.walk("Who approves remote work?"), kb.export(), kb.memory()
    kb.close()
    for call in (lambda: kb.search("remote"), lambda: next(walk), lambda: next(lines), memory.facts):
        with pytest.raises(InputError, match=r"is closed\. Open it again"):
            call()
    kb.close()


def test_the_version_is_that_of_the_package() -> None:
    assert rove.__version__ == version("rove")
