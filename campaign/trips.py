"""Bases carried elsewhere, by export and import and as a copied folder: the other holds and finds the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

from campaign.bases import FAKE, text_of, word
from campaign.children import store_of
from campaign.filters import metadata
from campaign.trial import Faults, Trial
from rove.records import Text
from rove.sync import Rove

MOST = 12


class Trips:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Make a base, carry it away in both ways, and compare."""
        chance, faults, place = Random(seed), Faults(), self.folder / f"trip{seed}"
        place.mkdir()
        index = store_of(chance.choice((0, 1)))
        try:
            with Rove.open(place / "one", **FAKE, store=index) as kb:
                _fill(kb, chance, place)
                lines, wanted = list(kb.export()), told(kb)
            shutil.copytree(place / "one", place / "copy")
            with Rove.open(place / "two", **FAKE, store=index) as kb:
                cut = lines[: chance.randrange(1, len(lines) + 1)]
                kb.import_(cut)  # once amid, as after a crash, and once whole
                kb.import_(lines)
                _same(wanted, told(kb), faults, "imported")
                _same(_of(lines), _of(list(kb.export())), faults, "exported again")
                faults.expect(kb.doctor().ok, "the imported base is not sound")
            with Rove.open(place / "copy", **FAKE, store=index) as kb:
                _same(wanted, told(kb), faults, "copied")
                faults.expect(kb.doctor().ok or "index" in index, "the copied base is not sound")  # memory begins empty
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return faults.trial("the same")


def _fill(kb: Rove, chance: Random, place: Path) -> None:
    """Texts with metadata of all kinds, files, and some that were changed or have gone."""
    names = [f"d{n}" for n in range(chance.randrange(1, MOST))]
    for version in range(chance.choice((1, 2))):
        some = names if not version else names[::2]
        kb.add([Text(text_of(name, version), id=name, title=name, metadata=metadata(chance)) for name in some])
    notes = place / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(
        f"---\ntitle: Ä 漢字\n---\n# One\n\n{text_of('a', 1)}\n\n| x | y |\n|---|---|\n| 1 | 2 |\n", "utf-8"
    )
    (notes / "b.html").write_text(f"<html><body><main><h1>B</h1><p>{text_of('b', 1)}</p></main></body></html>", "utf-8")
    kb.add(notes)
    if len(names) > 3:
        kb.delete(names[-1])


def told(kb: Rove) -> dict[str, Any]:
    """All that a base says of its documents, and what it finds."""
    made: dict[str, Any] = {}
    for info in kb.documents():
        document, chunks = kb.document(info.document_id)
        found = kb.search(word(info.document_id), mode="keyword", top_k=3)
        near = kb.search(document.text[:60], mode="semantic", top_k=3)
        made[info.document_id] = [
            document.text, document.title, info.source, sorted((n, repr(v)) for n, v in document.metadata.items()),
            [(chunk.span, chunk.text, chunk.kind) for chunk in chunks], list(document.sections),
            [hit.chunk.chunk_id for hit in found], [hit.chunk.chunk_id for hit in near],
        ]  # fmt: skip
    return made


def _of(lines: list[str]) -> dict[str, Any]:
    """An export, without the order of its documents."""
    trees = [json.loads(line) for line in lines[1:]]
    return {str(tree.get("document_id", number)): tree for number, tree in enumerate(trees)}


def _same(wanted: dict[str, Any], found: dict[str, Any], faults: Faults, how: str) -> None:
    faults.expect(wanted.keys() == found.keys(), f"{how}: other documents: {sorted(wanted.keys() ^ found.keys())}")
    for name in wanted.keys() & found.keys():
        one, other = wanted[name], found[name]
        if one != other:
            parts = one.items() if isinstance(one, dict) else enumerate(one)
            at = [key for key, part in parts if (other.get(key) if isinstance(other, dict) else other[key]) != part]
            said = "; ".join(f"{key}: {str(one[key])[:150]} ≠ {str(other[key])[:150]}" for key in at[:2] if key in at)
            faults.append(f"{how}: {name} differs in {said}"[:600])
