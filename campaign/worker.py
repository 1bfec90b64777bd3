"""One kind of attack in its own process: `python -m campaign.worker KIND FIRST COUNT`, one line of JSON a trial."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from campaign.kinds import KINDS
from campaign.trial import Attack, Trial, untyped


@contextmanager
def ready(kind: str) -> Iterator[Attack]:
    """A kind of attack in a folder of its own, which takes in all temporary files: what is killed leaves some."""
    with TemporaryDirectory(prefix="rove-campaign-") as folder:
        before = os.environ.get("TMPDIR", "")
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            own = Path(folder) / "attack"
            own.mkdir()
            attack = KINDS[kind].load()(own)
            try:
                yield attack
            finally:
                attack.close()
        finally:
            os.environ["TMPDIR"], tempfile.tempdir = before, None


def run(kind: str, seeds: range, tell: Callable[[dict[str, object]], None]) -> None:
    """Try seed after seed, and tell each before it begins and when it has ended."""
    with ready(kind) as attack:
        for seed in seeds:
            tell({"begun": seed})
            tell({"seed": seed, **asdict(tried(attack, seed))})
            gc.collect()


def tried(attack: Attack, seed: int) -> Trial:
    """Try one seed; an exception that comes through is a fault."""
    try:
        return attack.trial(seed)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return Trial("raised", (untyped("trial", error),))


def main(kind: str, first: str, count: str) -> None:
    """Speak to who started this, over what was the standard output; what others print goes to the standard error."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that a kind can clear up
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)

    def tell(line: dict[str, object]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    run(kind, range(int(first), int(first) + int(count)), tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
