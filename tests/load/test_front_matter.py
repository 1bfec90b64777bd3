"""Front matter has the types of YAML; what is hostile or no YAML costs nothing but its types."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cpu_time import at_most

from rove import Rove, field
from rove.load.front_matter import front_fields

TYPED = """\
version: 2
price: 1.5
draft: false
date: 2024-05-01
changed: 2024-05-01 12:30:00 +02:00
at: 12:30
language: no
id: 007
big: 9007199254740993
huge: 99999999999999999999
not: .nan
nothing: ~
title: "2024"
説明: |
  Több sor,
  egy szöveg.
author: {name: Jürgen, year: 1999}
tags:
  - 検索
  - 3
"""


def test_values_have_the_types_of_yaml() -> None:
    assert front_fields(TYPED) == {
        "version": 2,
        "price": 1.5,
        "draft": False,
        "date": "2024-05-01",
        "changed": "2024-05-01T10:30:00+00:00",
        "at": "12:30",
        "language": "no",
        "id": "007",
        "big": 9007199254740993,
        "huge": "99999999999999999999",
        "not": ".nan",
        "title": "2024",
        "説明": "Több sor,\negy szöveg.\n",
        "author.name": "Jürgen",
        "author.year": 1999,
        "tags": ("検索", "3"),
    }


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("title: Rove: a guide\nversion: 2\ndraft: true\n", {"title": "Rove: a guide", "version": 2, "draft": True}),
        ("note: *this*\nyear: 2024\n", {"note": "*this*", "year": 2024}),
        ("day: 2024-02-30\nyear: 2024\n", {"day": "2024-02-30", "year": 2024}),
        ("tag: !!python/object/apply:os.system [ls]\n", {"tag": "!!python/object/apply:os.system [ls]"}),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", {"a": "&a [x, x]", "b": "&b [*a, *a]", "c": ("*b", "*b")}),
        ("a: " + "[" * 500 + "\n", {"a": "[" * 500}),
        ("- a\n- b\n", None),
        ("prose\n", None),
        ("", None),
    ],
)
def test_what_is_no_yaml_is_read_line_by_line(block: str, fields: dict[str, object] | None) -> None:
    assert front_fields(block) == fields


@pytest.mark.parametrize("block", ["- " * 30_000, "[" * 60_000, "a: {" * 15_000, "? " * 30_000, "a:\n" * 20_000])
def test_hostile_blocks_end(block: str) -> None:
    with at_most(10):
        front_fields(block)


def test_typed_fields_are_filtered_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\n{TYPED}---\n# Guide\n\nHow to search.\n", "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert kb.add(tmp_path / "a.md").ok
        for where in (
            field("version") == 2,
            field("price") < 1.75,
            field("draft") == False,  # noqa: E712
            field("date") >= "2024-04-30",
            field("big") == 9007199254740993,
            field("tags") == "3",
        ):
            assert len(kb.search("search", where=where)) == 1, where
