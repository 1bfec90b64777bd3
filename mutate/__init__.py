"""Mutation testing of the ranking: `python -m mutate --minutes 30`; see docs/decisions/030-mutation.md."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
CACHE = Path(__file__).with_name(".cache")
FOLDERS = ("retrieve", "store", "answer", "walk")
"""Folders of src/rove whose code is mutated."""
TESTS = (
    "tests/answer", "tests/contracts", "tests/question", "tests/records", "tests/retrieve", "tests/store", "tests/walk",
    "tests/test_engine.py",
)  # fmt: skip
"""Tests that are asked. The rest of the suite checks other rooms, and takes most of its time."""
