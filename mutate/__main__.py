"""`python -m mutate --minutes 30 --seed 1 --write docs/mutation.md`: do the tests see it when the ranking changes?

The exit status is 1 where more than 15 % of the mutants survived without a reason, 2 where none could be tried.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from mutate import CACHE, ROOT, TESTS
from mutate.accepted import accepted
from mutate.mutants import Mutant, all_mutants, sampled
from mutate.page import page
from mutate.runner import SURVIVED, UNTESTED, Result, tried

MOST = 0.15
"""The share of mutants that may survive without a reason."""
LAST = CACHE / "survivors.json"


def parser() -> argparse.ArgumentParser:
    """Name the options; each says its default."""
    made = argparse.ArgumentParser(
        prog="python -m mutate", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made.add_argument("--minutes", type=float, default=30.0, help="how long mutants are tried, at most")
    made.add_argument("--sample", type=int, default=200, help="how many are tried, at most")
    made.add_argument("--seed", type=int, default=1, help="another one chooses others")
    made.add_argument("--lanes", type=int, default=2, help="mutants at once, a core each")
    made.add_argument("--only", action="append", default=[], help="of modules whose path holds this, as retrieve/fuse")
    made.add_argument("--tests", action="append", default=[], help="ask these files or folders of tests alone")
    made.add_argument("--again", action="store_true", help="those alone that survived the last time")
    made.add_argument("--write", type=Path, default=None, help="write the page there too")
    return made


def main(arguments: list[str]) -> int:
    """Do what the arguments say."""
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the copies are removed
    every = all_mutants(options.only)
    chosen = _last(every) if options.again else sampled(every, options.sample, options.seed)
    began = monotonic()
    results = tried(chosen, options.tests or TESTS, options.minutes, options.lanes, _say)
    left = [result.mutant for result in results if result.verdict in (SURVIVED, UNTESTED)]
    LAST.write_text(json.dumps([mutant.key for mutant in left], ensure_ascii=False, indent=0), "utf-8")
    text = page(f"python -m mutate {' '.join(arguments)}", results, len(every), monotonic() - began)
    print(text)
    if options.write:
        (ROOT / options.write).write_text(text, "utf-8")
    known = accepted()
    open_ones = sum(not any(one.fits(mutant) for one in known) for mutant in left)
    return 2 if not results else 1 if open_ones > MOST * len(results) else 0


def _last(every: Sequence[Mutant]) -> list[Mutant]:
    keys = set(json.loads(LAST.read_text("utf-8"))) if LAST.exists() else set[str]()
    return [mutant for mutant in every if mutant.key in keys]


def _say(result: Result) -> None:
    print(
        f"{result.verdict:8} {result.seconds:4.0f} s  {result.mutant.key}  {result.killer}", file=sys.stderr, flush=True
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
