"""Recordings: speech becomes text, by a model here or at an endpoint; every word keeps the second it is said at."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from rove.errors import InputError
from rove.installing import install_cure
from rove.load import LoadOptions
from rove.load.limits import OutOfTime
from rove.load.sound.spoken import Spoken, spoken_document
from rove.load.transcripts import MAX_BYTES, Transcripts
from rove.models.transcribe import ENDPOINT, NONE, TRANSCRIBERS, Transcriber
from rove.records import Document, Source
from rove.records.moment import Speech, clock_time
from rove.registry import load_extra

if TYPE_CHECKING:  # it decodes by a library that an extra brings
    from rove.load.sound.decode import Stretch

DEFAULT = LoadOptions()
UNSURE_CURE = "Set transcriber.language, or an endpoint with a larger model, and add it anew; or correct the words."


class SoundLoader:
    """See `Loader`. Of a film the sound is read."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        if not source.data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
            message = f"{source.name!r} is empty."
            raise InputError(message, cure="Get the file again.", outcome="empty")
        transcripts = self.options.transcripts or Transcripts()
        tags: dict[str, str] = {}
        if self.options.transcriber in {"", NONE}:
            raise _no_transcriber_error(source, self.options.transcriber)
        if self.options.transcriber == ENDPOINT:
            spoken = self._asked(source, transcripts)
        else:
            tags, spoken = self._heard(source, transcripts)
        if not spoken.utterances:
            raise _speechless(source, spoken)
        yield spoken_document(source, spoken, tags)
        if spoken.missing:
            message = f"{source.name!r} was read in part: {spoken.missing}."
            raise InputError(message, cure="Cut it up, and add the parts.", outcome="partial")
        if spoken.unsure:
            message = f"{source.name!r} was read, but many words are perhaps others than were said ({spoken.doubtful})."
            raise InputError(message, cure=UNSURE_CURE, outcome="partial")

    def _heard(self, source: Source, transcripts: Transcripts) -> tuple[dict[str, str], Spoken]:
        """Listen, stretch by stretch; what each says is kept, so that who comes back goes on where it stopped."""
        transcriber: Transcriber = TRANSCRIBERS.get(self.options.transcriber)()
        make = load_extra("rove.load.sound.decode:Recording", "audio", f"To read {source.name!r} here")
        sound, spoken, before = make(source.name, source.data), Spoken(), ""
        try:
            for heard in sound.heard():
                for stretch in heard.stretches:
                    spoken.until_s = stretch.start_s
                    speech = self._said(transcriber, stretch, before, transcripts, sound.length_s)
                    before = speech.language or before
                    spoken.add(speech, stretch.start_s)
                    spoken.unsure += [(stretch.start_s, stretch.end_s)] if speech.unsure else []
                spoken.until_s = heard.until_s
                transcripts.tell("", b"", *_minute_progress(heard.until_s, sound.length_s))
                if transcripts.is_over:
                    spoken.missing = f"transcribing ended at {clock_time(heard.until_s)}"
                    break
        except OutOfTime:
            spoken.missing = f"its time was up at {clock_time(spoken.until_s)}"
        spoken.length_s = max(sound.length_s, spoken.until_s)
        if sound.cut_s:
            spoken.missing = f"it is damaged after {clock_time(sound.cut_s)}"
        return sound.tags, spoken

    def _said(
        self, transcriber: Transcriber, stretch: Stretch, before: str, transcripts: Transcripts, length_s: float
    ) -> Speech:
        asked = repr((self.options.transcriber, transcriber.version, self.options.spoken, before)).encode()
        digest = hashlib.sha256(asked + stretch.samples.tobytes()).hexdigest()
        known = _load_known_speech(transcripts, digest)
        speech = known or transcriber.transcribe(stretch.samples, self.options.spoken, before)
        packed = b"" if known else _pack_speech(speech)
        transcripts.tell(digest, packed, *_minute_progress(stretch.end_s, length_s))
        return speech

    def _asked(self, source: Source, transcripts: Transcripts) -> Spoken:
        """Have the whole file transcribed at the endpoint, which this process cannot reach itself."""
        digest = hashlib.sha256(repr((ENDPOINT, self.options.spoken)).encode() + source.data).hexdigest()
        speech = _load_known_speech(transcripts, digest)
        if speech is None:
            if self.options.transcribe is None:
                raise _no_transcriber_error(source, "")
            speech = self.options.transcribe(source)
            transcripts.tell(digest, _pack_speech(speech), 1, 1)
        spoken = Spoken()
        spoken.add(speech, 0.0)
        spoken.length_s = spoken.until_s = max((one.end_s for one in speech.utterances), default=0.0)
        return spoken


def _load_known_speech(transcripts: Transcripts, digest: str) -> Speech | None:
    known = transcripts.known.get(digest)
    if known is None:
        return None
    try:
        return msgspec.msgpack.decode(zlib.decompressobj().decompress(known, MAX_BYTES), type=Speech)
    except (zlib.error, msgspec.MsgspecError, UnicodeDecodeError):  # what was kept is damaged: it is heard again
        return None


def _pack_speech(speech: Speech) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(speech))


def _minute_progress(until_s: float, length_s: float) -> tuple[int, int]:
    """The minute that was read last, and how many there are."""
    last = max(1, ceil(length_s / 60))
    return min(max(1, ceil(until_s / 60)), last), last


def _speechless(source: Source, spoken: Spoken) -> InputError:
    if spoken.missing:
        message = f"No speech was found in {source.name!r}, and {spoken.missing}."
        return InputError(message, cure="Cut it up, and add the parts.", outcome="too-slow")
    message = f"No word is made out in {source.name!r}: it holds silence, noise, music, or speech that is not clear."
    cure = "If somebody speaks in it, set transcriber.language, or an endpoint with a larger model; else leave it out."
    return InputError(message, cure=cure, outcome="empty")


def _no_transcriber_error(source: Source, transcriber: str) -> InputError:
    what = "a film" if source.kind == "video" else "a recording"
    if transcriber == NONE:
        message = f"{source.name!r} is {what}, and transcriber.name is {NONE!r}: speech is not read."
        return InputError(message, cure='Set transcriber.name to "auto".', outcome="unsupported")
    message = f"{source.name!r} is {what}, and nothing here transcribes speech."
    cure = (
        f"{install_cure('audio')} - or set transcriber.base_url and transcriber.model to an endpoint that does. "
        "Then add it again. Or add a transcript of it."
    )
    return InputError(message, cure=cure, outcome="unsupported")
