"""Random filters over random metadata: all searchers let pass what `Filter.matches` says; past the bounds nothing."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from random import Random
from typing import Any

from campaign.trial import Faults, Trial
from rove.records import Filter, Text
from rove.records.filter import DEEPEST as BOUND
from rove.records.filter import MOST_CONDITIONS, All, Compare, Not
from rove.records.filter import Any as AnyOf
from rove.sync import Rove

DOCUMENTS = 60
EACH = 200
"""Filters over one set of metadata and each searcher: one trial."""
EXCESSIVE = 3
"""Filters past the bounds, of each searcher."""
DEEPEST = 3
FIELDS = ("a", "b", "c", "d", "tags", "weird name", 'q"uote', "ж", "year", "true")
MISSING = ("nothing", "none.of", "SELECT")
BUILT_IN = ("document_id", "title", "language", "type", "kind", "source")
SEARCHERS = {"embedded": ({}, "keyword"), "LanceDB": ({"index": "lancedb", "resident_chunks": 0}, "semantic")}
"""What is searched: the settings of its store, and a mode in which it applies the filter."""
INTS = (0, 1, -1, 2, 3, 2**31, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**18 + 1)
FLOATS = (0.0, -0.0, 1.0, 0.1, -1.5, 2.5, 1e300, -1e-300, float(2**53), float(2**63), 1e19)
HARD_FLOATS = (math.nan, math.inf, -math.inf)
WORDS = ("", " ", "a", "A", "b", "ä", "a\u0308", "zz", "1", "true", "None", "it's", 'say "x"', "100%", "_", "漢字",
         "\\", "a\nb", "😀", "\x7f")  # fmt: skip
TOO_LARGE = (2**64, -(2**63) - 1, 10**400)
OPS = ("==", ">", ">=", "<", "<=")


def scalar(chance: Random, *, hard: bool = False) -> str | int | float | bool:
    """A value of any kind; `hard` ones are asked for, and never kept."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        return chance.choice(INTS + (TOO_LARGE if hard and chance.random() < 0.1 else ()))
    if kind == 2:
        return chance.choice(FLOATS + (HARD_FLOATS if hard and chance.random() < 0.2 else ()))
    return chance.choice((True, False))


def metadata(chance: Random) -> dict[str, Any]:
    """Fields of a document: of any kind each, so that one name has several kinds in one base."""
    made: dict[str, Any] = {}
    for name in FIELDS:
        if chance.random() < 0.4:
            continue
        made[name] = scalar(chance)
        if name == "tags" or chance.random() < 0.1:
            made[name] = tuple(chance.choice(WORDS) for _ in range(chance.randrange(0, 4)))
        elif name == "year":
            made[name] = chance.randrange(1990, 2030)
    return made


def random_filter(chance: Random, depth: int = 0) -> Filter:
    """A tree of conditions."""
    roll = chance.random()
    if depth < DEEPEST and roll < 0.35:
        parts = tuple(random_filter(chance, depth + 1) for _ in range(chance.choice((0, 1, 2, 2, 3))))
        return chance.choice((All, AnyOf))(parts)
    if depth < DEEPEST and roll < 0.5:
        return Not(random_filter(chance, depth + 1))
    name = chance.choice(FIELDS + FIELDS + FIELDS + MISSING + BUILT_IN)
    op = chance.choice(("==", "==", "in", "exists", *OPS))
    if op == "exists":
        return Compare(name, op, value=True)
    if op == "in":
        return Compare(name, op, tuple(scalar(chance, hard=True) for _ in range(chance.choice((0, 1, 2, 5)))))
    if name == "year":
        return Compare(name, op, chance.choice((2000, 2010.5, 2029, "2000", True)))
    if name == "document_id":
        return Compare(name, op, f"d{chance.randrange(DOCUMENTS)}")
    return Compare(name, op, scalar(chance, hard=True))


class Filters:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Make a base a searcher, and ask both the same."""
        faults, made = Faults(), [metadata(Random(f"{seed} {n}")) for n in range(DOCUMENTS)]
        filters = [random_filter(Random(f"{seed} filter {n}")) for n in range(EACH)]
        tries = 0
        for name, (store, mode) in SEARCHERS.items():
            base = self.folder / f"{name}{seed}"
            try:
                with Rove.open(base, embedder={"name": "fake"}, store=store) as kb:
                    tries += compared(kb, name, mode, made, filters, faults)
            finally:
                shutil.rmtree(base, ignore_errors=True)
        return faults.trial("the same", tries)


def compared(
    kb: Rove, searcher: str, mode: str, made: list[dict[str, Any]], filters: list[Filter], faults: Faults
) -> int:
    """Ask one base with every filter; returns how many."""
    report = kb.add([Text(f"alpha document {n}.", id=f"d{n}", metadata=fields) for n, fields in enumerate(made)])
    faults.expect(report.ok, f"{searcher}: metadata was not taken: {[entry.reason for entry in report.failed[:2]]}")
    fields = {info.document_id: dict(info.fields) for info in kb.documents()}
    kept_as_given(searcher, made, fields, faults)
    fields = {name: {**of, "kind": "text"} for name, of in fields.items()}
    for number, where in enumerate(filters):
        wanted = {name for name, of in fields.items() if where.matches(of)}
        said = f"{searcher}: filter {number} {where}"
        with faults.typed(said) as refused:
            hits = kb.search("alpha", mode=mode, top_k=1000, where=where, listener=lambda _: None)
            found = {hit.chunk.document_id for hit in hits}
            if found != wanted:
                one = sorted(found ^ wanted)[0]
                kept = {name: fields[one].get(name) for name in names_of(where)}
                faults.append(f"{said}: {len(found)} instead of {len(wanted)}; {one} has {kept}"[:600])
        faults += [f"{said}: refused: {error}"[:600] for error in refused if not _is_beyond(where)]
    for number in range(EXCESSIVE):
        refused_whole(kb, searcher, excessive(Random(f"{searcher} {filters[0]!r} {number}")), faults)
    return len(filters) + EXCESSIVE


def excessive(chance: Random) -> Filter:
    """A filter deeper or wider than any may be, in one of many ways."""
    leaf = random_filter(chance, DEEPEST)
    if chance.random() < 0.3:
        return chance.choice((All, AnyOf))((leaf,) * chance.randrange(MOST_CONDITIONS, 100_000))
    made = leaf
    wrap = [lambda one: ~one, lambda one: All((one,)), lambda one: AnyOf((one, leaf))]
    for _ in range(chance.choice((BOUND, BOUND + 1, 60, 3_000))):
        made = chance.choice(wrap)(made)
    return made


def refused_whole(kb: Rove, searcher: str, where: Filter, faults: Faults) -> None:
    """It must be refused with a cure, by a search and by an erasure, and nothing may be gone."""
    for doing, call in (
        ("search", lambda: kb.search("alpha", where=where)),
        ("delete", lambda: kb.delete(where=where)),
    ):
        with faults.typed(f"{searcher}: {doing} with a filter past the bounds") as refused:
            call()
        faults.expect(refused, f"{searcher}: {doing} took a filter past the bounds")
    faults.expect(len(kb.documents()) == DOCUMENTS, f"{searcher}: a filter past the bounds erased something")


def kept_as_given(searcher: str, made: list[dict[str, Any]], fields: dict[str, dict[str, Any]], faults: Faults) -> None:
    """What was handed in stands there to the letter, of the same kind."""
    for number, given in enumerate(made):
        kept = fields.get(f"d{number}", {})
        wrong = {
            n: (v, kept.get(n))
            for n, v in given.items()
            if (type(v), v) != (type(kept.get(n)), kept.get(n)) and v != ()
        }
        faults.expect(not wrong, f"{searcher}: d{number} keeps other metadata (given, kept): {wrong}")


def names_of(where: Filter) -> list[str]:
    """The fields that a filter asks for."""
    match where:
        case All(parts) | AnyOf(parts):
            return [name for part in parts for name in names_of(part)]
        case Not(part):
            return names_of(part)
        case Compare(name):
            return [name]
        case _:
            return []


def _is_beyond(where: Filter) -> bool:
    """A number that no index can hold, or that is none, may be refused with a cure."""
    return any(text in repr(where) for text in ("nan", "inf", str(2**64), str(10**400), str(-(2**63) - 1)))
