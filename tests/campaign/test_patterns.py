"""Every regular expression that meets a text takes time in proportion to it: 1 ms for a kilobyte, at 200 kB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from campaign.pattern_sites import ANCHORED, SCANNING, Site
from campaign.pattern_texts import pumps
from campaign.patterns import growth_of, texts_of, try_small

from rove.language.find_words import find_words
from rove.language.rendering import render

ROOT = Path(__file__).parents[2]
MOST_CPU_S = 240
pytestmark = [
    pytest.mark.timed,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no timers of CPU time"),
]


def site(pattern: str, *, methods: frozenset[str] = SCANNING, library: str = "re") -> Site:
    return Site("a.py", 1, "A", library, pattern, 0, methods)


@pytest.mark.long
def test_each_pattern_takes_time_in_proportion_to_the_text() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -t {MOST_CPU_S}; exec "$0" -m campaign.patterns', sys.executable],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2_000:]  # the last line names a pattern that could not be stopped
    counted, *slow = map(json.loads, done.stdout.splitlines())
    assert counted["patterns"] > 400
    assert counted["unread"] == [], "a call whose pattern nothing can find out: keep the pattern in the module"
    assert counted["unused"] == [], "an exemption of `campaign.patterns` that no pattern bears any more"
    assert slow == []


@pytest.mark.parametrize(
    "pattern",
    [r"\s*x", r"(?:a+)+b", r"[^/]*/[^/\s]*/[^\s]*\)", r"“([^”]+)”", r"\[[^\]]*\]\(", r"^[\s|]*a", r"(\d+)*kg"],
)
def test_a_pattern_that_goes_back_and_forth_is_found(pattern: str) -> None:
    slow = site(rf"(?m){pattern}")
    assert try_small(slow, texts_of(slow), enough=1)


@pytest.mark.parametrize(
    "pattern", [r"(?:a+)+b", r"[^/]*/[^/\s]*/[^\s]*\)", r"“([^”]+)”", r"\[[^\]]*\]\(", r"\s*x", r"[\w.]+@\w"]
)
def test_it_is_found_in_the_other_library_too(pattern: str) -> None:
    slow = site(pattern, library="regex")
    assert try_small(slow, texts_of(slow), enough=1)


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s*+x", r"[a-z]++b?", r"\d{1,4}-\d\d", r"\bword\b", r"“([^“”]+)”"])
def test_a_pattern_that_goes_once_through_is_not(pattern: str) -> None:
    quick = site(pattern)
    assert try_small(quick, texts_of(quick)) == []


def test_what_is_matched_at_one_place_may_look_to_its_end() -> None:
    anchored = site(r"\s*x", methods=ANCHORED)
    assert try_small(anchored, texts_of(anchored)) == []


def test_pumps_are_made_of_what_a_pattern_repeats() -> None:
    found = pumps(r"<b>(?:ab|[0-9]+;)*</b>", 0)
    assert ("<b>", "ab") in found
    assert ("<b>", "0;") in found
    assert pumps(r"[^/]+/x", 0, Random(1)) == pumps(r"[^/]+/x", 0, Random(1))


@pytest.mark.parametrize("unit", ["/", "</", "a/", '/ "', "(/", "[/"])
def test_rendering_takes_time_in_proportion_to_slashes(unit: str) -> None:
    assert growth_of(render, unit) < 1.5


@pytest.mark.parametrize(("words", "unit"), [("* * * * *", "*"), ("a* *b", "a*"), ("_ _ _", "_ "), ("w x y", "w ")])
def test_words_that_are_marks_are_found_in_time(words: str, unit: str) -> None:
    assert growth_of(lambda text: list(find_words(text, words)), unit) < 1.5
