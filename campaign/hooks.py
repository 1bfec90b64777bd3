"""Attacks that stand in files of their own by another shape: two worlds, and the soak."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from campaign.runner import SECONDS
from campaign.trial import Faults, Trial

QUESTIONS = 20
MOST_OBJECTS_A_CALL = 0.5
"""Objects of Python by which there may be more after each call. A leak shows here in minutes: by itself it is 0.0."""
MOST_KB_A_CALL = 20.0
"""What memory may grow by with each call once caches are full, less two standard errors; a short run shows no less."""
LONG_MINUTES = 60.0
MOST_MB_H = 1.0
"""What memory may grow by in an hour after the first, in a run of two hours or more."""
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
        more = result.objects_a_call
        faults.expect(more <= MOST_OBJECTS_A_CALL, f"{more:.2f} more objects after each call")
        least = result.slope_mb_h - 2 * result.noise_mb_h
        faults.expect(1_000 * least <= MOST_KB_A_CALL * result.calls_h, result.told_slope())
        faults.expect(minutes < LONG_MINUTES or least < MOST_MB_H, result.told_slope())
        return faults.trial(result.told().replace("\n", "; "))
