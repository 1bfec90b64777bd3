"""What `make test` makes of what fails: a few tests once more, alone; many, or a run that broke off, not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import run_all

BROKEN_OFF = 3


@pytest.mark.parametrize(
    ("statuses", "failed", "runs", "status"),
    [
        ([0, 0], 0, 2, 0),
        ([1, 0, 0], run_all.MOST_FLAKY, 3, 0),
        ([0, 1, 1], 1, 3, 1),
        ([1, 1], run_all.MOST_FLAKY + 1, 2, 1),
        ([BROKEN_OFF, 0], 0, 2, 1),
        ([1, BROKEN_OFF], 1, 2, 1),
    ],
)
def test_what_fails_is_run_once_more_where_it_is_little(
    statuses: list[int], failed: int, runs: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    kept = tmp_path / "lastfailed"
    kept.write_text(json.dumps({f"tests/test_{number}.py::test": True for number in range(failed)}))
    monkeypatch.setattr(run_all, "LAST_FAILED", kept)
    asked = list[tuple[str, ...]]()

    def ended(*arguments: str) -> int:
        asked.append(arguments)
        return statuses[len(asked) - 1]

    monkeypatch.setattr(run_all, "_run", ended)
    assert run_all.main() == status
    assert len(asked) == runs
    assert ("FLAKY" in capfd.readouterr().out) == (status == 0 and runs == 3)


def test_nothing_passes_where_what_failed_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_all, "LAST_FAILED", tmp_path / "absent")

    def ended(*_: str) -> int:
        return 1

    monkeypatch.setattr(run_all, "_run", ended)
    assert run_all.main() == 1
