"""What stands in a file, by format: `python -m bench.reading.truth MANIFEST` prints it as JSON.

Runs in the venv of the compared reader, whose parsers it may use; nothing of Rove or markitdown is imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path

ORACLES = {
    "docx": "truth_office:docx",
    "pptx": "truth_office:pptx",
    "xlsx": "truth_office:xlsx",
    "xls": "truth_data:xls",
    "html": "truth_web:html",
    "epub": "truth_web:epub",
    "xml": "truth_web:feed",
    "eml": "truth_web:eml",
    "msg": "truth_web:msg",
    "pdf": "truth_pdf:pdf",
    "csv": "truth_data:csv_rows",
    "tsv": "truth_data:csv_rows",
    "json": "truth_data:json_text",
    "jsonl": "truth_data:json_lines",
    "ipynb": "truth_data:notebook",
    "rst": "truth_data:rst",
    "parquet": "truth_data:parquet",
    "sqlite": "truth_data:sqlite",
    "zip": "truth_data:zip_members",
}


@dataclass(slots=True)
class Heading:
    """`level` 1 is the highest; 0 is the document's own title, which may be level 1 or stand above it."""

    level: int
    title: str


@dataclass(slots=True)
class Truth:
    """What a file holds. `text` must come out, `spare` may: both are words in the order of the file.

    `ordered`: the order of the text is one that a reader must keep. `numeric`: numbers are shown by a format, so that
    only words with letters are looked for. `tables` are rows of cells. `pages` is 0 where there are none.
    """

    text: str = ""
    spare: str = ""
    ordered: bool = True
    numeric: bool = False
    headings: list[Heading] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    formulas: int = 0
    pages: int = 0


def oracle(kind: str) -> Callable[[Path], Truth]:
    """Find what reads that format."""
    module, _, name = ORACLES[kind].partition(":")
    return getattr(import_module(f"bench.reading.{module}"), name)


def main(manifest: str) -> None:
    """Print a list: a truth for each file, or null where the format has no oracle."""
    files = json.loads(Path(manifest).read_text("utf-8"))
    found = [asdict(oracle(f["kind"])(Path(f["path"]))) if f["kind"] in ORACLES else None for f in files]
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
