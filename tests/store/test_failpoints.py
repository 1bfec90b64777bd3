"""A failpoint kills at its own place, and at the time that is named."""

from __future__ import annotations

import os
import signal

import pytest

from rove.store.failpoints import failpoint


@pytest.mark.parametrize(("wanted", "fatal"), [("staged", 1), ("staged:1", 1), ("staged:3", 3), ("other", 0), ("", 0)])
def test_it_kills_the_time_that_is_named(monkeypatch: pytest.MonkeyPatch, wanted: str, fatal: int) -> None:
    kills: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda process, sent: kills.append((process, sent)))
    monkeypatch.setenv("ROVE_FAILPOINT", wanted)
    for time in range(1, 4):
        failpoint("indexed")
        failpoint("staged")
        if kills:
            assert (time, kills) == (fatal, [(os.getpid(), signal.SIGKILL)])
            return
    assert not fatal
