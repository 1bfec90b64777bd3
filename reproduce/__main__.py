"""`python -m reproduce [--write PAGE]`: check the study; `python -m reproduce beat`: Rove on the same questions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reproduce import DATA
from reproduce.page import check, lines, write
from reproduce.study import Study

BEATEN = Path(__file__).parent / "beaten.md"


def main() -> int:
    """Run what the arguments say; 1 where something did not come out as published."""
    parser = argparse.ArgumentParser(prog="python -m reproduce", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the study's parquet files")
    parser.add_argument("--write", type=Path, default=None, help="write the page there, its pictures beside it")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"The study's data is not in {options.data}. Name its folder: --data FOLDER", file=sys.stderr)
        return 2
    found = check(Study(options.data))
    if options.write:
        write(found, options.write, BEATEN.read_text("utf-8") if BEATEN.is_file() else "")
    print("\n".join(lines(found)))
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
