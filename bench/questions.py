"""Mode "questions": which stored questions are found by others that mean the same, which are taken for others.

Of each set half of the questions are kept as records (question and answer), chosen by the hash of their ids. Asked are
all: in the language of the records, and where a parallel set has them, in another.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from hashlib import sha1
from pathlib import Path

from bench.report import Table, say
from bench.sets import DATA, read_queries
from bench.vectors import use_remembered
from rove import Rove

ONE = ("xquad_en", "xquad_de", "xquad_es", "xquad_zh", "jsquad", "cmrc2018_dev")
TWO = (("xquad_en", "xquad_de"), ("xquad_en", "xquad_zh"), ("xquad_de", "xquad_en"), ("xquad_es", "xquad_en"))
"""Sets of records, and the parallel set that is asked."""
QUESTIONS = 800
"""Of each set, the first by the hash of their ids."""
SHOWN = 6
"""Questions that were taken for another one, at most, which the page shows for each set."""


def run() -> list[Table]:
    """Measure every set."""
    one: list[list[object]] = []
    taken: list[list[object]] = []
    for name in ONE:
        say(f"questions {name}")
        asked = questions_of(name)
        found = _found(asked, {key: f"  {text.rstrip('?？')} ?" for key, text in asked.items()})
        held = {key for key in asked if is_held(key)}
        wrong = [(key, hit) for key, hit in found.items() if key not in held and hit]
        one.append([name, len(held), _share(sum(found[key] == asked[key] for key in held), len(held)),
                    len(asked) - len(held), len(wrong), _share(len(wrong), len(asked) - len(held))])  # fmt: skip
        taken += [[name, asked[key], hit] for key, hit in wrong[:SHOWN]]
    two: list[list[object]] = []
    for kept, other in TWO:
        say(f"questions {kept} asked in {other}")
        stored, asked = questions_of(kept), questions_of(other)
        asked = {key: text for key, text in asked.items() if key in stored}
        found = _found(stored, asked)
        held = {key for key in asked if is_held(key)}
        right = sum(found[key] == stored[key] for key in held)
        mistaken = sum(bool(found[key]) and found[key] != stored[key] for key in held)
        strangers = sum(bool(found[key]) for key in asked.keys() - held)
        rest = len(asked) - len(held)
        two.append([kept, other, len(held), _share(right, len(held)), _share(mistaken, len(held)), rest,
                    _share(strangers, rest)])  # fmt: skip
    return [
        Table(
            "In one language",
            ["set", "stored", "found when asked again", "not stored", "answered", "share"],
            one,
            "Asked again with other marks and spaces. What is not stored should not be answered; but the sets ask some "
            "things twice, in the same or nearly the same words, of which the next table shows the first.",
        ),
        Table("Not stored, and answered by", ["set", "asked", "stored"], taken),
        Table(
            "In two languages",
            ["stored", "asked in", "stored questions", "found", "another was found", "not stored", "answered"],
            two,
        ),
    ]


def questions_of(name: str) -> Mapping[str, str]:
    """Return the questions of a set by their ids."""
    every = read_queries(DATA / name)
    return {key: every[key] for key in sorted(every, key=_hash)[:QUESTIONS]}


def is_held(key: str) -> bool:
    """Say whether a question is among the stored half."""
    return _hash(key)[-1] % 2 == 0


def _found(stored: Mapping[str, str], asked: Mapping[str, str]) -> dict[str, str]:
    """Return the stored question by which each of the others is answered, "" where none is."""
    records = {key: {"query": text, "document": f"The answer {key}."} for key, text in stored.items() if is_held(key)}
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        file = Path(folder) / "records.json"
        file.write_text(json.dumps(records), "utf-8")
        with Rove.open(Path(folder) / "kb", embedder={"name": use_remembered()}) as kb:
            kb.add(file)
            hits = {key: kb.search(text, mode="questions", top_k=1) for key, text in asked.items()}
    return {key: some[0].question if some else "" for key, some in hits.items()}


def _hash(key: str) -> bytes:
    return sha1(key.encode(), usedforsecurity=False).digest()


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else ""
