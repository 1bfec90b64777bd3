"""Recordings: spoken ones that lie beside this file, and others that are made of them, or of noise."""

from __future__ import annotations

import wave
from io import BytesIO

import numpy as np
import pytest

from load.speech_files import LEASE

av = pytest.importorskip("av", reason="the extra audio is not installed")
pytest.importorskip("faster_whisper", reason="the extra audio is not installed")
RATE_HZ = 16_000
FORMATS = {
    "mp3": ("mp3", "libmp3lame"),
    "m4a": ("ipod", "aac"),
    "wav": ("wav", "pcm_s16le"),
    "ogg": ("ogg", "flac"),
    "flac": ("flac", "flac"),
    "opus": ("ogg", "libopus"),
    "mp4": ("mp4", "aac"),
    "webm": ("webm", "libopus"),
    "aiff": ("aiff", "pcm_s16be"),
}


def samples_of(data: bytes) -> np.ndarray:
    """The samples of a recording, float32, at `RATE_HZ`."""
    with av.open(BytesIO(data)) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        frames = [made for frame in container.decode(audio=0) for made in resampler.resample(frame)]
        parts = [frame.to_ndarray().reshape(-1) for frame in (*frames, *resampler.resample(None))]
    return np.concatenate(parts).astype(np.float32) / 32768


def wav(samples: np.ndarray) -> bytes:
    """A WAV file of samples."""
    file = BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()


def recording(suffix: str, *, title: str = "", film: bool = False, data: bytes | None = None) -> bytes:
    """The spoken English in another format; `film`: with two black pictures."""
    container_name, codec = FORMATS[suffix]
    file = BytesIO()
    with av.open(BytesIO(data or LEASE.read_bytes())) as given, av.open(file, "w", format=container_name) as out:
        if title:
            out.metadata["title"] = title
        stream = out.add_stream(codec, rate=48_000, layout="mono")
        pictures = out.add_stream("mpeg4" if suffix == "mp4" else "libvpx", rate=1) if film else None
        if pictures:
            pictures.width = pictures.height = 64
            pictures.pix_fmt = "yuv420p"
            for _ in range(2):
                black = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
                out.mux(pictures.encode(black))
            out.mux(pictures.encode(None))
        resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=48_000, frame_size=960)
        for frame in (*given.decode(audio=0), None):
            for made in resampler.resample(frame):
                out.mux(stream.encode(made))
        out.mux(stream.encode(None))
    return file.getvalue()


def silent_film() -> bytes:
    """A film without sound."""
    file = BytesIO()
    with av.open(file, "w", format="mp4") as out:
        stream = out.add_stream("mpeg4", rate=1)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        out.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")))
        out.mux(stream.encode(None))
    return file.getvalue()
