"""The campaign: each kind of attack holds on Rove as it is, and finds a fault that is planted into it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from campaign.__main__ import main
from campaign.hooks import Soak, Worlds
from campaign.kinds import KINDS
from campaign.long_soak import section_of, with_section
from campaign.page import page, tree
from campaign.runner import Run, Score, campaign
from campaign.soak import Sample
from campaign.worker import tried

from campaign import runner, soak

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("planted.py")
HOOKED = {"worlds", "soak"}

SOAKED = {
    "wrong": (),
    "handles": (20, 21),
    "threads": (9, 9),
    "slope_mb_h": 0.0,
    "noise_mb_h": float("inf"),
    "calls_h": 1.0,
    "objects_a_call": 0.01,
    "told_slope": lambda: "well",
    "told": lambda: "well",
}
GROWS = {"slope_mb_h": 3_000.0, "noise_mb_h": 10.0, "calls_h": 100_000.0}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """What trials of every kind have found, without and with a planted fault: (kind, fault) → what diverged."""
    kinds = [name for name, kind in KINDS.items() if name not in HOOKED and not kind.missing()]
    order = [
        name for name in ("kills", "torn", "lost", "disks", "writers") if name in kinds
    ]  # those that fork come first
    folder = tmp_path_factory.mktemp("campaign")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(SCRIPT), *order, *(name for name in kinds if name not in order)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder)},
        capture_output=True, text=True, timeout=1_500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:4000]
    assert list(folder.iterdir()) == [], "a kind has left something behind"
    lines = map(json.loads, done.stdout.splitlines())
    return {(line["kind"], line["fault"]): line["faults"] for line in lines}


@pytest.mark.long
@pytest.mark.parametrize("kind", [name for name in KINDS if name not in HOOKED])
def test_each_kind_holds_and_finds_what_is_planted(kind: str, told: dict[tuple[str, str], list[str]]) -> None:
    if missing := KINDS[kind].missing():
        pytest.skip(missing)
    assert told[kind, ""] == []
    planted = {fault: found for (of, fault), found in told.items() if of == kind and fault}
    assert planted
    assert [fault for fault, found in planted.items() if not found] == []


@pytest.mark.parametrize(
    ("kind", "module", "good", "bad"),
    [
        (Worlds, "worlds", {"differing": 0, "comparisons": 9, "examples": ()},
         {"differing": 1, "comparisons": 9, "examples": ("a is not b",)}),
        (Soak, "soak", SOAKED, {**SOAKED, "handles": (20, 90)}),
        (Soak, "soak", SOAKED, {**SOAKED, "objects_a_call": 1.0}),
        (Soak, "soak", {**SOAKED, **GROWS, "slope_mb_h": 900.0}, {**SOAKED, **GROWS}),
    ],
)  # fmt: skip
def test_a_kind_of_another_shape_is_taken_over(
    kind: type, module: str, good: dict, bad: dict, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for result, fails in ((good, False), (bad, True)):
        made = SimpleNamespace(run=lambda *_, r=result, **__: SimpleNamespace(**r))
        monkeypatch.setitem(sys.modules, f"campaign.{module}", made)
        assert bool(tried(kind(tmp_path), 1).faults) == fails


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A kind whose process is a script of the test's own."""
    script = tmp_path / "kind.py"
    monkeypatch.setitem(KINDS, "addresses", replace(KINDS["addresses"], quota=60 * 5, patience_s=1.0))
    monkeypatch.setattr(Run, "command", lambda self: [sys.executable, str(script), str(self.next)])
    return script


TRIES = """
import json, os, sys, time
for seed in range(int(sys.argv[1]), 10**9):
    print(json.dumps({"begun": seed}), flush=True)
    {what}
    print(json.dumps({"seed": seed, "outcome": "held", "faults": [], "count": 1}), flush=True)
"""


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("if seed % 10 == 1: os.kill(os.getpid(), 9)", "the process ended (status -9)"),
        ("if seed % 10 == 1: sys.exit('no more')", "no more"),
        ("if seed % 10 == 1: time.sleep(60)", "hung: no end after 1 s"),
    ],
)
def test_a_trial_that_kills_or_holds_its_process_is_a_fault_and_the_next_goes_on(
    what: str, said: str, fake: Path
) -> None:
    fake.write_text(TRIES.replace("{what}", what), "utf-8")
    (score,) = campaign(["addresses"], 0.1, 7, 1, lambda _: None)
    assert score.outcomes["held"] > 2
    assert score.failed >= 1
    seed, faults = score.faults[0]
    assert seed == 7_000_001
    assert said in faults[0]


def test_a_real_kind_runs_to_its_quota_and_leaves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "page.md"
    status = main(["--only", "addresses", "--minutes", "0.1", "--json", "--write", str(place)])
    (score,) = json.loads(capsys.readouterr().out)
    assert (status, score["diverged"], score["outcomes"]) == (0, 0, {"refused": score["tries"]})
    assert "**Nothing diverged.**" in place.read_text("utf-8")


def test_one_trial_is_repeated_by_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "addresses", "--trial", "1000003"]) == 0
    assert capsys.readouterr().out.strip() == "refused"
    assert main(["--trial", "3"]) == 2


def test_the_page_names_what_diverged_what_was_not_tried_and_how_to_repeat_it() -> None:
    score = Score("kills", wanted=10, first=1_000_000)
    score.take(1_000_000, "killed", [], 2)
    score.take(1_000_001, "diverged", ["d3 is `lost` | twice"], 1)
    text = page("python -m campaign", [score, Score("soak", skipped="campaign.soak is not there")], 61.0)
    assert "**1 trials diverged.**" in text
    assert "- not tried: soak (campaign.soak is not there)" in text
    assert "`python -m campaign --only kills --trial 1000001`" in text
    assert "d3 is 'lost' | twice" in text
    assert "killed 2, diverged 1" in text
    assert tree([score])[0]["diverged"] == 1


def test_sixty_minutes_have_the_quotas_that_are_asked_for() -> None:
    asked = {"kills": 1_000, "torn": 500, "filters": 20_000, "chat": 500, "files": 10_000}
    assert {name: KINDS[name].quota for name in asked} == asked
    assert sum(kind.share for kind in KINDS.values()) == 2 * runner.ALL_MINUTES  # two cores


def test_a_soak_tells_growth_from_caches_that_fill() -> None:
    def run(growth: int, objects: float) -> list[Sample]:
        warm = [min(n, 80) for n in range(200)]
        return [
            Sample(2.0 * n, 50 * n, int(90_000 + objects * 50 * n), 10**6 * warm[n] + growth * n, 0, 20, 9, 0, 0)
            for n in range(200)
        ]

    slope, noise, calls_h = soak._slope(run(0, 0.0))
    assert (round(slope, 6), round(noise, 6), round(calls_h)) == (0.0, 0.0, 90_000)
    assert round(soak._slope(run(50_000, 0.0))[0]) == 90
    assert soak._slope(run(50_000, 0.0)[:85])[1] == float("inf")  # nothing is said of caches that fill
    assert soak._objects_a_call(run(0, 0.0)) == 0.0
    assert round(soak._objects_a_call(run(0, 2.0)), 1) == 2.0


def test_a_campaign_leaves_what_the_long_soak_has_told_and_the_next_takes_its_place() -> None:
    page = with_section("# Campaign\n\nscores\n", "60 minutes", "campaign.soak", "2026-11-28")
    assert section_of(page).count("60 minutes") == 1
    again = with_section(
        "# Campaign\n\nothers\n" + section_of(page), "90 minutes", "python -m campaign.soak", "2026-11-29"
    )
    assert again.startswith("# Campaign\n\nothers\n\n## The long soak\n")
    assert "90 minutes" in again
    assert "60 minutes" not in again
    assert section_of("# Campaign\n") == ""
