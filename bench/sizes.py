"""Sizes: what a passage takes on the disk, part by part, in a folder."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.report import Table, say
from bench.sets import Cap, load
from bench.vectors import use_remembered
from bench.walk import as_text
from rove import Rove, Text
from rove.models.fake import FakeEmbedder
from rove.store.array_file import ArrayPlace
from rove.store.snapshot import FACTS

SETS = ("pgdocs", "lohelp_de", "xquad_zh")
CAP = Cap(450, 5, 400)
LARGE = ("scifact_train", "pgdocs", "lohelp_de", "lohelp_en", "xquad_zh", "jsquad")
WHOLE = Cap(1_000_000, 5, 1_000_000)
COLUMNS = {
    "canonical text": ("texts", ("text", "boxes")),
    "chunks' text": ("chunks", ("text",)),
    "terms": ("chunks", ("terms",)),
    "names": ("chunks", ("names",)),
    "prefix, headings, metadata": ("chunks", ("prefix", "headings", "metadata", "parent")),
    "vectors": ("vectors", ("vector",)),
    "tokens": ("tokens", ("tokens",)),
}
"""Part of the catalog → its table, and its columns."""
ARRAYS = {
    "snapshot: vectors": ("upper", "lower", "exponents", "order", "centres", "axes"),
    "snapshot: words": ("posting_", "starts", "word", "lengths", "owners"),
}
"""Part of the snapshot → how the names of its arrays begin; what is left are ids and fields."""


def run() -> list[Table]:
    """Measure a base by the packaged embedder, and a larger one whose embedder has no weights."""
    small = [as_text(doc) for name in SETS for doc in load(name, CAP).docs]
    large = [as_text(doc) for name in LARGE for doc in load(name, WHOLE).docs]
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        say(f"sizes, {len(small)} documents")
        first = measured(Path(folder) / "small", small, embedder={"name": use_remembered()})
        say(f"sizes, {len(large)} documents")
        second = measured(Path(folder) / "large", large, embedder=FakeEmbedder(dimension=384))
    counts = [f"{one.pop('passages'):,.0f} passages" for one in (first, second)]
    rows = [[part, round(first[part]), round(second[part])] for part in first]
    note = (
        f"Bytes a passage. Left: {', '.join(SETS)}, {CAP}, by the packaged embedder. Right: all of {', '.join(LARGE)}, "
        "by an embedder without weights that has as many numbers (384) and no tokens. The database's own: ids, keys, "
        "indexes, and the room that pages leave."
    )
    return [Table("What does a passage take?", ["part", *counts], rows, note)]


def measured(place: Path, texts: Sequence[Text], **options: object) -> dict[str, float]:
    """Make a base and say what each part takes, in bytes a passage; "passages" is their number."""
    with Rove.open(place, **options) as kb:
        kb.add(list(texts))
        kb.doctor()
    catalog = sqlite3.connect(place / "catalog.sqlite")
    count = int(catalog.execute("SELECT count(*) FROM chunks").fetchone()[0])
    found: dict[str, float] = {}
    for part, (table, columns) in COLUMNS.items():
        lengths = " + ".join(f'coalesce(length(CAST("{column}" AS BLOB)), 0)' for column in columns)
        found[part] = float(catalog.execute(f"SELECT sum({lengths}) FROM {table}").fetchone()[0] or 0)
    catalog.close()
    files = [path for path in place.iterdir() if path.is_file()]
    found["the database's own"] = sum(path.stat().st_size for path in files) - sum(found.values())
    (facts,) = (place / "resident").glob(f"*/{FACTS}")
    described = json.loads(facts.read_bytes())["arrays"].items()
    arrays = {name: ArrayPlace.of(array).bytes for name, array in described}
    for part, begins in ARRAYS.items():
        found[part] = sum(size for name, size in arrays.items() if name.startswith(begins))
    found["snapshot: ids and fields"] = sum(arrays.values()) - sum(found[part] for part in ARRAYS)
    whole = sum(found.values())
    each = {part: size / count for part, size in found.items()}
    return {**each, "without tokens": (whole - found["tokens"]) / count, "all": whole / count, "passages": count}
