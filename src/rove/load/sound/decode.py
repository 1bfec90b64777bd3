"""The sound of a recording, minute by minute, and the stretches of it in which somebody speaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import av
import numpy as np
from av.audio.resampler import AudioResampler
from av.error import FFmpegError, InvalidDataError
from faster_whisper import vad

from rove.errors import InputError
from rove.load.text import clean
from rove.models.transcribe import MOST_S, RATE_HZ, Samples

LISTEN_S = 60  # of sound are searched for speech at once
VOICE = vad.VadOptions(
    min_speech_duration_ms=200, max_speech_duration_s=MOST_S, min_silence_duration_ms=400, speech_pad_ms=200
)
TAGS = ("title", "artist", "album", "date", "comment")
TAG_CHARS = 500
CURE = "Play it, and save it again as .mp3 or .wav."


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of sound in which somebody speaks, no longer than `MOST_S`, and where it begins."""

    start_s: float
    samples: Samples

    @property
    def end_s(self) -> float:
        """Where it ends."""
        return self.start_s + len(self.samples) / RATE_HZ


@dataclass(frozen=True, slots=True)
class Heard:
    """What one step of listening has come to: how far it got, and the stretches up to there."""

    until_s: float
    stretches: tuple[Stretch, ...] = ()


@dataclass(slots=True)
class Recording:
    """A recording that is being decoded: its tags, and its length in seconds as it says itself, 0 where it does not.

    `cut_s`: where it is damaged, the second from which on nothing can be decoded; 0 where it is whole.
    """

    name: str
    data: bytes
    length_s: float = 0.0
    tags: dict[str, str] = field(default_factory=dict[str, str])
    cut_s: float = 0.0

    def heard(self) -> Iterator[Heard]:
        """Listen from the beginning to the end, `LISTEN_S` at a time; memory is bounded, whatever the length.

        Raises:
            InputError: it cannot be decoded at all, or has no sound.
        """
        kept, start = np.zeros(0, np.float32), 0
        pending: list[Samples] = []
        for samples in self._samples():
            pending.append(samples)
            if sum(map(len, pending)) >= LISTEN_S * RATE_HZ:
                kept, pending = np.concatenate([kept, *pending]), []
                found, used = _stretches(kept, start, ended=False)
                start, kept = start + used, kept[used:]
                yield Heard(start / RATE_HZ, found)
        kept = np.concatenate([kept, *pending])
        yield Heard((start + len(kept)) / RATE_HZ, _stretches(kept, start, ended=True)[0])

    def _samples(self) -> Iterator[Samples]:
        """Yield samples as they come; a packet that is damaged is left out, as players do."""
        decoded = 0
        try:
            with av.open(BytesIO(self.data), metadata_errors="ignore") as container:
                if not container.streams.audio:
                    raise self._silent()
                self._read_tags(container)
                for samples in _decode_audio_samples(container):
                    decoded += len(samples)
                    yield samples
        except FFmpegError as error:
            if not decoded:
                message = f"{self.name!r} cannot be decoded: {error.strerror or error}."
                raise InputError(message, cure=CURE, outcome="damaged") from error
            self.cut_s = decoded / RATE_HZ
        if not decoded:
            raise self._silent()

    def _read_tags(self, container: Any) -> None:  # noqa: ANN401 - a container of the library's
        self.length_s = (container.duration or 0) / av.time_base
        for holder in (container.streams.audio[0], container):
            told = {str(key).lower(): " ".join(clean(str(value)).split()) for key, value in holder.metadata.items()}
            self.tags |= {name: told[name][:TAG_CHARS] for name in TAGS if told.get(name)}

    def _silent(self) -> InputError:
        message = f"{self.name!r} has no sound."
        return InputError(message, cure="Leave it out, or add a text that says what it shows.", outcome="empty")


def _decode_audio_samples(container: Any) -> Iterator[Samples]:  # noqa: ANN401
    resampler = AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
    for packet in container.demux(audio=0):
        try:
            frames = packet.decode()
        except InvalidDataError:
            continue
        for frame in frames:
            yield from map(_floats, resampler.resample(frame))
    yield from map(_floats, resampler.resample(None))


def _floats(frame: Any) -> Samples:  # noqa: ANN401
    return frame.to_ndarray().reshape(-1).astype(np.float32) / 32768.0


def _stretches(samples: Samples, start: int, *, ended: bool) -> tuple[tuple[Stretch, ...], int]:
    """Find where somebody speaks; returned are the stretches that are whole, and how many samples are done with.

    A stretch goes on over pauses as long as it stays below `MOST_S`. `start`: the place of the first sample.
    """
    most, groups = int(MOST_S * RATE_HZ), list[tuple[int, int]]()
    for begun, ended_at in _voices(samples):
        if groups and ended_at - groups[-1][0] <= most:
            groups[-1] = (groups[-1][0], ended_at)
        else:
            groups.append((begun, min(ended_at, begun + most)))
    used = len(samples)
    if not ended:  # the last one may go on
        quiet = 2 * RATE_HZ
        used = groups.pop()[0] if groups and len(samples) - groups[-1][1] < quiet else max(used - quiet, 0)
    return tuple(Stretch((start + a) / RATE_HZ, samples[a:b]) for a, b in groups), used


def _voices(samples: Samples) -> list[tuple[int, int]]:
    """Find voices by Silero's model, which the library brings: the first sample of each, and the one after its last."""
    find: Any = vad.get_speech_timestamps  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return [(one["start"], one["end"]) for one in find(samples, VOICE)] if len(samples) else []
