"""What every transcriber promises: words in the order of their times, within the sound, and none where it is silent."""

from __future__ import annotations

import numpy as np

from rove.models.transcribe import MOST_S, RATE_HZ, TRANSCRIBERS, Samples, Transcriber
from rove.testing.contract import Contract

LOUDEST = 0.3


class TranscriberContract(Contract):
    """Inherit it, and give `name`, or `make`; and `sound`, in which somebody speaks."""

    registry = TRANSCRIBERS

    def make(self) -> Transcriber:
        """Return the transcriber."""
        return self.registered()()

    def sound(self) -> Samples:
        """Return a few seconds of sound: here a rising tone, in which a transcriber need hear no word."""
        times = np.arange(2 * RATE_HZ, dtype=np.float32) / RATE_HZ
        return (LOUDEST * np.sin(2 * np.pi * (200 + 100 * times) * times)).astype(np.float32)

    def test_words_stand_in_the_order_of_their_times_within_the_sound(self) -> None:
        """Utterances have text; asked again, they are the same; a language that is given is the one that is told."""
        transcriber, sound = self.make(), self.sound()
        heard = transcriber.transcribe(sound, "", "")
        assert heard == transcriber.transcribe(sound, "", "")
        starts = [one.start_s for one in heard.utterances]
        assert starts == sorted(starts)
        assert all(0 <= one.start_s <= one.end_s <= len(sound) / RATE_HZ + 0.1 for one in heard.utterances)
        assert all(one.text.strip() for one in heard.utterances)
        assert bool(heard.language) <= bool(heard.utterances)
        assert transcriber.transcribe(sound, "de", "").language in {"de", ""}

    def test_silence_has_no_words(self) -> None:
        """No sound at all, and the longest piece of it."""
        for length in (1, int(MOST_S * RATE_HZ)):
            assert self.make().transcribe(np.zeros(length, np.float32), "", "").utterances == ()

    def test_the_version_stays(self) -> None:
        """What was heard is kept by it: a fresh one says the same."""
        assert self.make().version == self.make().version != ""
