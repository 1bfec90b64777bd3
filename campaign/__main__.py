"""`python -m campaign --minutes 60 --seed 1 --write docs/campaign.md`: attack Rove in every way, and keep the score.

The exit status is 1 where anything diverged, 2 where it could not be tried.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from time import monotonic

from campaign import ROOT
from campaign.kinds import KINDS
from campaign.long_soak import section_of
from campaign.page import Progress, page, tree
from campaign.runner import Score, campaign
from campaign.worker import run


def parser() -> argparse.ArgumentParser:
    """Name the options; each says its default."""
    made = argparse.ArgumentParser(
        prog="python -m campaign", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made.add_argument("--minutes", type=float, default=10.0, help="how long in all, at most")
    made.add_argument("--seed", type=int, default=1, help="another one makes other trials")
    made.add_argument("--only", action="append", choices=list(KINDS), default=None, help="these kinds alone")
    made.add_argument("--trial", type=int, default=None, help="repeat this one trial of the one kind that --only names")
    made.add_argument("--lanes", type=int, default=min(2, os.cpu_count() or 1), help="kinds at once, a core each")
    made.add_argument("--json", action="store_true", help="print the score as JSON instead of the page")
    made.add_argument("--write", type=Path, default=None, help="write the page there too")
    return made


def main(arguments: list[str]) -> int:
    """Do what the arguments say."""
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that what was started is ended
    kinds = options.only or list(KINDS)
    if options.trial is not None:
        if len(kinds) != 1:
            print("--trial needs --only with the kind that it is of.", file=sys.stderr)
            return 2
        return repeat(kinds[0], options.trial)
    began, progress = monotonic(), Progress()
    with progress.shown():
        scores = campaign(kinds, options.minutes, options.seed, options.lanes, progress.watch)
    text = page(f"python -m campaign {' '.join(arguments)}", scores, monotonic() - began)
    print(json.dumps(tree(scores), indent=2) if options.json else text)
    if options.write:
        place = ROOT / options.write
        place.write_text(text + (section_of(place.read_text("utf-8")) if place.is_file() else ""), "utf-8")
    return 1 if any(score.failed for score in scores) else 0 if any(score.trials for score in scores) else 2


def repeat(kind: str, seed: int) -> int:
    """Try one seed in this very process, where a debugger can be; print what came of it."""
    score = Score(kind)
    if missing := KINDS[kind].missing():
        print(missing, file=sys.stderr)
        return 2

    def tell(line: dict) -> None:
        if "outcome" in line:
            score.take(line["seed"], line["outcome"], line["faults"], line["count"])

    run(kind, range(seed, seed + 1), tell)
    print("\n".join([", ".join(score.outcomes), *(fault for _, faults in score.faults for fault in faults)]))
    return 1 if score.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
