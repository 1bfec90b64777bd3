"""A transcriber: it knows no words, and says "knock" where a sound begins after silence."""

from __future__ import annotations

import numpy as np

from rove.models.transcribe import RATE_HZ, Samples
from rove.records.moment import Speech, Utterance

LOUD, WINDOW = 0.05, RATE_HZ // 10


class Knocks:
    """See `rove.models.transcribe.Transcriber`."""

    version = "knocks 1"

    def transcribe(self, samples: Samples, language: str, before: str) -> Speech:
        """See `Transcriber.transcribe`: tenths of a second are loud or silent."""
        loud = [float(np.abs(samples[start : start + WINDOW]).max()) > LOUD for start in range(0, len(samples), WINDOW)]
        begins = [at for at, now in enumerate(loud) if now and not (at and loud[at - 1])]
        knocks = [
            Utterance(at * WINDOW / RATE_HZ, min((at + 1) * WINDOW, len(samples)) / RATE_HZ, "knock") for at in begins
        ]
        return Speech(language or before or "en" if knocks else "", tuple(knocks))
