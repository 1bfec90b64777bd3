"""Attacks that stand in files of their own by another shape: two worlds, and the soak."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from campaign.runner import SECONDS
from campaign.trial import Faults, Trial

QUESTIONS = 20
MOST_MB_H = 1.0
"""What memory may grow by in an hour, once caches are full: the slope less two standard errors is held against it."""
LONG_MINUTES = 5.0
"""Below, a slope says nothing."""
SPARE = 4
"""Handles and threads that come and go."""


class Worlds:
    """Two worlds that differ in hidden documents alone. See `campaign.worlds` and `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        del folder
        self._worlds: Any = import_module("campaign.worlds")

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Ask both worlds the same."""
        faults, resident = Faults(), seed % 2 * 200_000
        result = self._worlds.run(seed, QUESTIONS, resident_chunks=resident)
        faults += [f"resident_chunks {resident}: {example}"[:600] for example in result.examples[:5]]
        faults.expect(not result.differing, f"{result.differing} of {result.comparisons} replies differ")
        return faults.trial("the same", result.comparisons)


class Soak:
    """The same work for as long as there is time. See `campaign.soak` and `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        del folder
        self._soak: Any = import_module("campaign.soak")

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Work, and look at memory, handles, threads and the folder."""
        minutes = float(os.environ.get(SECONDS, "60")) / 60
        faults, result = Faults(), self._soak.run(minutes, seed)
        faults += result.wrong
        for what, (half, end) in {"handles": result.handles, "threads": result.threads}.items():
            faults.expect(end <= half + SPARE, f"{half} {what} at the half, {end} in the end")
        if minutes >= LONG_MINUTES:
            least = result.slope_mb_h - 2 * result.noise_mb_h
            said = f"memory grows by {result.slope_mb_h:.1f} ± {result.noise_mb_h:.1f} MB an hour"
            faults.expect(least < MOST_MB_H, said)
        return faults.trial(result.told().replace("\n", "; "))
