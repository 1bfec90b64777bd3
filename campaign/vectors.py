"""Vectors that cannot be used, at every door: from an embedder, in an export, and in the catalog's rows."""

from __future__ import annotations

import json
import shutil
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaign.bases import FAKE, document, text_of, word
from campaign.children import store_of
from campaign.trial import Faults, Trial
from rove.events import Event, Noted
from rove.models.fake import FakeEmbedder
from rove.settings import EmbedderSettings
from rove.sync import Rove

MOST = 8
ROWS: dict[str, Callable[[Any, Random], Any]] = {
    "not a number": lambda row, chance: np.where(np.arange(len(row)) == chance.randrange(len(row)), np.nan, row),
    "infinite": lambda row, chance: np.where(np.arange(len(row)) == chance.randrange(len(row)), -np.inf, row),
    "zeros": lambda row, _: row * 0,
    "short": lambda row, chance: row[: chance.randrange(1, len(row))],
    "long": lambda row, chance: np.concatenate([row, row[: chance.randrange(1, 9)]]),
}
"""What becomes of the vector of one text: nothing that could be used."""
WHOLES: dict[str, Callable[[Any, Random], Any]] = {
    "as they are": lambda rows, _: rows,
    "of another length": lambda rows, chance: rows * np.float32(10 ** chance.uniform(-20, 15)),
    "lists": lambda rows, _: rows.tolist(),
    "float64": lambda rows, _: rows.astype(np.float64),
    "float16": lambda rows, _: rows.astype(np.float16),
    "columns first": lambda rows, _: np.asfortranarray(rows),
    "a generator": lambda rows, _: (row for row in rows),
    "too few": lambda rows, _: rows[:-1],
    "too many": lambda rows, _: np.vstack([rows, rows[:1]]),
    "flat": lambda rows, _: rows.reshape(-1),
    "of another dimension": lambda rows, _: rows[:, : rows.shape[1] // 2],
    "nothing": lambda _, __: None,
}
"""What becomes of all of them; from "too few" on, nothing that could be used."""
USABLE = list(WHOLES)[: list(WHOLES).index("too few")]


class Odd(FakeEmbedder):
    """Gives what two functions make of the right vectors: of all, and of those of texts that hold a word."""

    def __init__(self, whole: str, row: str, marked: str, chance: Random) -> None:
        super().__init__(EmbedderSettings())
        self._whole, self._row, self._marked, self._chance = WHOLES[whole], ROWS.get(row), marked, chance

    async def passages(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - anything
        """See `Embedder.passages`, of which this keeps nothing."""
        return self._changed(await super().passages(texts), texts)

    async def queries(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - anything
        """Likewise."""
        return self._changed(await super().queries(texts), texts)

    def _changed(self, vectors: Any, texts: Sequence[str]) -> Any:  # noqa: ANN401 - anything
        rows: Any = self._whole(vectors, self._chance)
        marked = [self._marked in text for text in texts]
        if self._row is None or not any(marked):
            return rows
        each = list(rows)
        return [self._row(np.asarray(each[n]), self._chance) if bad else each[n] for n, bad in enumerate(marked)]


class BadVectors:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Try one door."""
        chance, faults, place = Random(seed), Faults(), self.folder / f"vectors{seed}"
        place.mkdir()
        door = (_embedder, _import, _catalog)[seed % 3]
        try:
            outcome = door(place, chance, faults)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return faults.trial(outcome)


def _embedder(place: Path, chance: Random, faults: Faults) -> str:
    """One document that the embedder has no vector for is refused, and a broken embedder said; the rest is found."""
    names = _names(chance)
    whole, row, bad = chance.choice(list(WHOLES)), chance.choice(["", *ROWS]), chance.choice(names)
    if whole not in USABLE:
        row = ""
    done = f"an embedder that gives {whole}{row and f', and {row} for {bad}'}"
    embedder = Odd(whole, row, word(bad), chance)
    with Rove.open(place / "kb", embedder=embedder, chunk=FAKE["chunk"], store=_store(chance)) as kb:
        with faults.typed(f"{done}: add") as refused:
            report = kb.add([document(name, 1) for name in names])
            failed = {entry.source for entry in report.failed}
            faults.expect(failed == ({bad} if row else set()), f"{done}: {failed} were refused")
            faults.expect(all(entry.cure for entry in report.failed), f"{done}: refused without a cure")
        faults.expect(bool(refused) == (whole not in USABLE), f"{done}: add says {refused or 'nothing'}")
        faults.expect(whole in USABLE or not kb.documents(), f"{done}: documents without vectors are live")
        if whole in USABLE:
            _all_found(kb, [name for name in names if not row or name != bad], faults, done)
        faults.expect(kb.doctor().ok, f"{done}: doctor finds something")
    return "refused" if refused else "in part" if row else "whole"


def _import(place: Path, chance: Random, faults: Faults) -> str:
    """Of an export with damaged vectors nothing is lost."""
    names = _names(chance)
    with Rove.open(place / "one", **FAKE) as kb:
        kb.add([document(name, 1) for name in names])
        lines = list(kb.export())
    torn = chance.sample(range(1, len(lines)), min(chance.choice((1, 1, 3)), len(lines) - 1))
    done = [_tear(lines, at, chance) for at in torn]
    with Rove.open(place / "two", **FAKE, store=_store(chance)) as kb, faults.typed(f"{done}: import"):
        report = kb.import_(lines)
        faults.expect(not report.failed, f"{done}: {report.failed} have failed")
        _all_found(kb, names, faults, str(done))
        faults.expect(kb.doctor().ok, f"{done}: doctor finds something in the imported base")
    return "made anew" if report.noted else "whole"


def _tear(lines: list[str], at: int, chance: Random) -> str:
    """Damage one vector of a line of an export; returns how."""
    tree = json.loads(lines[at])
    key = chance.choice(sorted(tree["vectors"]))
    blob = b64decode(tree["vectors"][key])
    how, damaged = _damaged(blob, chance)
    tree["vectors"][key] = chance.choice(("%%", None, 7)) if how == "no bytes" else b64encode(damaged).decode()
    lines[at] = json.dumps(tree)
    return how


def _damaged(blob: bytes, chance: Random) -> tuple[str, bytes]:
    """Damage the bytes of a vector."""
    match chance.choice(("flipped", "flipped", "cut", "longer", "zeroed", "noise", "floats", "no bytes")):
        case "flipped":
            at = chance.randrange(len(blob))
            return "flipped", blob[:at] + bytes([blob[at] ^ 1 << chance.randrange(8)]) + blob[at + 1 :]
        case "cut":
            return "cut", blob[: chance.randrange(len(blob))]
        case "longer":
            return "longer", blob + chance.randbytes(chance.randrange(1, 99))
        case "zeroed":
            return "zeroed", bytes(len(blob))
        case "noise":
            return "noise", chance.randbytes(len(blob))
        case "floats":
            return "floats", np.full(len(blob) // 2, chance.choice((np.nan, np.inf)), "<f4").tobytes()
        case _:
            return "no bytes", b"text"


def _catalog(place: Path, chance: Random, faults: Faults) -> str:
    """Damaged rows of the catalog hide their passages alone, a search says so, and doctor makes them anew."""
    names, store = _names(chance), _store(chance)
    with Rove.open(place / "kb", **FAKE, store=store) as kb:
        kb.add([document(name, 1) for name in names])
    seqs, done = _tear_rows(place / "kb" / "catalog.sqlite", chance)
    told: list[Event] = []
    with Rove.open(place / "kb", **FAKE, store=store) as kb:
        with faults.typed(f"{done}: read"):
            for mode in ("semantic", "hybrid", "walk"):
                kb.search("letters harbour", mode=mode, listener=told.append)
            kb.ask("Which letters were never opened?")
            faults.expect(len(list(kb.export())) > len(names), f"{done}: not all is in the export")
            faults.expect(kb.add(document("last", 1)).ok, f"{done}: nothing can be added")
        with faults.typed(f"{done}: doctor"):
            health = kb.doctor()
            faults.expect(not health.left, f"{done}: doctor leaves {health.left}")
            notes = [event.text for event in told if isinstance(event, Noted)]
            if "vector" in " ".join(health.problems):
                faults.expect(len(notes) == 1, f"{done}: a search says {notes}")
            faults.expect(kb.doctor().ok, f"{done}: doctor finds something after it has mended")
            _all_found(kb, [*names, "last"], faults, done)
    return f"{min(len(seqs), 2)}{'+' * (len(seqs) > 2)} rows"


def _tear_rows(file: Path, chance: Random) -> tuple[list[int], str]:
    with closing(sqlite3.connect(file)) as catalog, catalog:
        rows = catalog.execute("SELECT seq, vector FROM vectors ORDER BY seq").fetchall()
        some = chance.sample(rows, min(len(rows), chance.choice((1, 1, 2, 5))))
        told: list[str] = []
        for seq, blob in some:
            how, damaged = _damaged(blob, chance)
            given = "text" if how == "no bytes" else damaged
            catalog.execute("UPDATE vectors SET vector = ? WHERE seq = ?", (given, seq))
            told.append(how)
    return [seq for seq, _ in some], f"rows of the catalog {', '.join(told)}"


def _names(chance: Random) -> list[str]:
    return [f"d{n}" for n in range(chance.randrange(2, MOST))]


def _store(chance: Random) -> dict[str, Any]:
    return store_of(chance.choice((0, 1, 10_000)))


def _all_found(kb: Rove, names: Sequence[str], faults: Faults, done: str) -> None:
    """Each is found by a word that no other has, and by the whole of its text."""
    for name in names:
        for mode, asked in (("keyword", word(name)), ("semantic", text_of(name, 1))):
            with faults.typed(f"{done}: search"):
                found = [hit.chunk.document_id for hit in kb.search(asked, mode=mode, top_k=100)]
                faults.expect(name in found, f"{done}: {name} is not found in mode {mode}")
