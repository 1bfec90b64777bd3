"""How files end that are read in the sandbox: what comes out of each, and what must not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from load.bad_files import BadFile
from load.hostile_text import SECRET
from rove.load.discover import locate
from rove.prepare import Recipe
from rove.records import Document, Prepared, SourceEnd
from rove.records.ledger import OUTCOMES
from rove.sandbox import Limits
from rove.sandbox.pool import Pool

TEXT_FREE_CHARS, TEXT_RATIO = 1 << 24, 400
MESSAGE_CHARS = 4_000
PLACES = ("left", "top", "right", "bottom")


@dataclass(slots=True)
class Ending:
    """How one file ended: "read" or one of `OUTCOMES`; `problems` says what must not be. `wall_s` is since the last."""

    outcome: str = ""
    reason: str = ""
    problems: list[str] = field(default_factory=list)
    documents: int = 0
    chars: int = 0
    wall_s: float = 0.0


def endings(files: Iterable[BadFile], folder: Path, limits: Limits, *, processes: int = 1) -> dict[str, Ending]:
    """Read the files in a pool of reading processes; every one of them has an ending."""
    made: dict[str, Ending] = {}
    for number, file in enumerate(files):
        place = folder / f"{number // 1000}"
        place.mkdir(exist_ok=True)
        (place / file.name).write_bytes(file.data)
        made[str(place / file.name)] = Ending()
    pool = Pool(Recipe("none", "none"), limits, processes)
    began = monotonic()
    try:
        for item in pool.read([(location, "") for location in locate([folder])]):
            if isinstance(item, Prepared):
                ending = made[item.ledger_source]
                ending.documents, ending.chars = ending.documents + 1, ending.chars + len(item.document.text)
                ending.problems += faults(item)
            elif isinstance(item, SourceEnd):
                made[item.source].wall_s, began = monotonic() - began, monotonic()
                _end(made[item.source], item, Path(item.source).stat().st_size)
    finally:
        pool.close()
    for ending in made.values():
        ending.problems += [] if ending.outcome else ["has no ending"]
    return {Path(source).name: ending for source, ending in made.items()}


def _end(ending: Ending, end: SourceEnd, size: int) -> None:
    ending.outcome, ending.reason = end.outcome or "read", end.reason
    if not end.outcome and not ending.documents:
        ending.problems.append("silently empty")
    if end.outcome and end.outcome not in OUTCOMES:
        ending.problems.append(f"outcome {end.outcome!r}")
    if end.outcome and not (end.reason and end.cure):
        ending.problems.append(f"reason {end.reason!r}, cure {end.cure!r}")
    if len(end.reason) > MESSAGE_CHARS:
        ending.problems.append(f"a reason of {len(end.reason)} characters")
    if ending.chars > TEXT_FREE_CHARS + TEXT_RATIO * size:
        ending.problems.append(f"{ending.chars} characters from {size} bytes")


def faults(item: Prepared) -> Iterator[str]:
    """Say what is wrong with a document that was read."""
    document = item.document
    if not document.text.strip():
        yield "blank text"
    if SECRET in document.text:
        yield "a file beside its own was read"
    if not item.chunks:
        yield "no chunks"
    parts = (*document.sections, *document.pages, *document.blocks, *document.boxes, *item.chunks)
    if any(not 0 <= part.span[0] <= part.span[1] <= len(document.text) for part in parts):
        yield "a span outside of the text"
    yield from _boxes(document)


def _boxes(document: Document) -> Iterator[str]:
    for box in document.boxes:
        if not (-0.01 <= box.left <= box.right <= 1.01 and -0.01 <= box.top <= box.bottom <= 1.01):
            yield f"a box outside of its page: {box}"
            return
