"""The tool that changes the ranking's code: what it makes of a module, and which tests it asks."""

from __future__ import annotations

import doctest
from importlib import import_module
from math import sqrt

import pytest
from mutate.accepted import Accepted, accepted
from mutate.choice import Choice, source_hash
from mutate.mutants import Mutant, all_mutants, mutants, sampled
from mutate.page import page
from mutate.runner import KILLED, SURVIVED, Result

from mutate import ROOT

SOURCE = '''"""A module."""
from math import sqrt

WEIGHT = 8.0


def score(words: "list[int]", share=0.25):
    """Score. 1 + 1 stays."""
    if not words:
        return 0.0
    best = max(words[1:], default=-1)
    words.append(best)
    if best < 0 and share == 1:
        raise ValueError(f"no word {1 + 1}")
    return WEIGHT * sqrt(share) + sum(word for word in words if word > 2)
'''
MODULE = "src/rove/retrieve/made.py"


def changes(source: str = SOURCE) -> dict[str, Mutant]:
    return {mutant.change: mutant for mutant in mutants(MODULE, source.encode())}


def applied(change: str) -> object:
    scope: dict[str, object] = {}
    exec(changes()[change].applied(SOURCE.encode()), scope)
    return scope["score"]


def test_each_kind_of_change_is_made() -> None:
    assert changes().keys() >= {
        "8.0 → 16.0",
        "not words → words",
        "not words → False",
        "0.0 → 1.0",
        "max(words[1:], default=-1) → min(words[1:], default=-1)",
        "words[1:] → words[:]",
        "words.append(best) → None",
        "best < 0 and share == 1 → best < 0 or share == 1",
        "best < 0 → best <= 0",
        "share == 1 → share != 1",
        "WEIGHT * sqrt(share) → WEIGHT / sqrt(share)",
        "sqrt(share) → share",
        "word > 2 → True",
    }
    assert not any("1 + 1" in change for change in changes())


def test_a_mutant_is_the_module_with_that_change_alone() -> None:
    assert applied("sqrt(share) → share")([0, 3]) == 8.0 * 0.25 + 6  # pyright: ignore
    assert applied("8.0 → 16.0")([0, 3]) == 16.0 * sqrt(0.25) + 6  # pyright: ignore
    assert applied("words.append(best) → None")([0, 3]) == 8.0 * sqrt(0.25) + 3  # pyright: ignore
    assert applied("not words → words")([0, 3]) == 0.0  # pyright: ignore


def test_a_mutant_keeps_its_name_and_its_place_in_the_sample_when_lines_move() -> None:
    before = mutants(MODULE, SOURCE.encode())
    after = mutants(MODULE, SOURCE.replace("WEIGHT = 8.0", "import os  # árvíz\n\nOTHER = 3\nWEIGHT = 8.0").encode())
    keys = [mutant.key for mutant in after]
    assert [key for key in keys if "OTHER" not in key] == [mutant.key for mutant in before]
    assert len(set(keys)) == len(keys)
    chosen = [mutant.key for mutant in sampled(before, 5, seed=1)]
    assert [key for key in (one.key for one in sampled(after, 6, seed=1)) if "OTHER" not in key][:5] == chosen
    assert chosen != [mutant.key for mutant in sampled(before, 5, seed=2)]


def test_every_mutant_of_the_ranking_is_code() -> None:
    every = all_mutants(["retrieve/"])
    assert len(every) > 300
    for mutant in every:
        compile(mutant.applied((ROOT / mutant.module).read_bytes()), mutant.module, "exec")


def test_what_is_accepted_is_there_and_has_a_reason() -> None:
    every = all_mutants()
    for one in accepted():
        assert one.reason
        assert any(one.fits(mutant) for mutant in every), f"{one} fits no mutant"


def test_tests_are_asked_that_run_the_line_those_that_kill_and_those_that_run_little_else_first() -> None:
    mutant = next(iter(all_mutants(["retrieve/fuse"])))
    mark = source_hash(mutant.module)
    own, slow, other = "tests/retrieve/test_a.py::own", "tests/retrieve/test_a.py::slow", "tests/walk/test_b.py::other"
    choice = Choice()
    line = mutant.lines[1]
    choice.take(
        {
            "seconds": {own: 1.0, slow: 2.0, "tests/retrieve/test_a.py::far": 0.1},
            "failed": [],
            "lines": {
                mutant.module: {own: [line], slow: [line], "tests/retrieve/test_a.py::far": [line + 1_000]},
                "src/rove/walk/other.py": {own: [1]},
            },
            "sources": {mutant.module: mark, "src/rove/walk/other.py": ""},
        }
    )
    choice.take(
        {
            "seconds": {other: 0.5, "tests/walk/test_b.py::red": 0.1},
            "failed": ["tests/walk/test_b.py::red"],
            "lines": {mutant.module: {"tests/walk/test_b.py": [line]}, "src/rove/walk/other.py": {other: [1, 2]}},
            "sources": {mutant.module: mark, "src/rove/walk/other.py": ""},
        }
    )
    assert choice.tests(mutant) == [slow, own, other]
    choice.killed(mutant, other)
    assert choice.tests(mutant) == [other, slow, own]
    choice.sources[mutant.module].add("as it was before")
    assert "tests/retrieve/test_a.py::far" in choice.tests(mutant)


def test_the_page_counts_by_folder_and_names_what_survived(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = mutants(MODULE, SOURCE.encode())[:3]
    known = [Accepted("retrieve/made.py", three.function, three.change, "it is the same")]
    monkeypatch.setattr("mutate.page.accepted", lambda: known)
    results = [Result(one, KILLED, "t", 1.0), Result(two, SURVIVED, "", 1.0), Result(three, SURVIVED, "", 1.0)]
    text = page("python -m mutate", results, 4_000, 60.0)
    assert "**3 of 4,000 mutants were tried; 33.3% survived without a reason.**" in text
    assert "| `retrieve/` | 3 | 1 | 0 | 1 | 1 | 33.3% |" in text
    assert f"- `retrieve/made.py` {two.function}: `{two.change}`\n" in text
    assert f"`{three.change}`: it is the same" in text


@pytest.mark.parametrize("name", ["accepted", "mutants", "swaps"])
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(import_module(f"mutate.{name}")).failed == 0
