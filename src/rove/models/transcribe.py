"""The contract of transcribers: what is said in a piece of sound, with its times and its language."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rove.records.moment import Speech
from rove.registry import Registry

RATE_HZ = 16_000
MOST_S = 28.0
"""How long a piece of sound may be."""
NONE, ENDPOINT = "off", "endpoint"

Samples = NDArray[np.float32]
"""(n,) float32, -1 to 1, `RATE_HZ` of them a second, one channel."""


class Transcriber(Protocol):
    """Writes down what is said. Built as `Transcriber()`, in a reading process: it reaches no network."""

    @property
    def version(self) -> str:
        """What the words depend on beside the sound: the model, and how it is asked."""
        ...

    def transcribe(self, samples: Samples, language: str, before: str) -> Speech:
        """Return what is said in `MOST_S` seconds of sound at most, in order, no word where nobody speaks.

        `language` is spoken there, "" where it has to be heard; `before` was spoken before, and is taken where a piece
        does not tell. Speakers are not told apart.
        """
        ...


TRANSCRIBERS = Registry(
    "transcriber",
    "rove.transcribers",
    {
        "whisper": "rove.models.transcribe_whisper:WhisperTranscriber [audio]",
        "fake": "rove.models.fake:FakeTranscriber",
    },
)
