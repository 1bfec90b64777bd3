"""Recordings: speech becomes text, by a model here or at an endpoint; every word keeps the second it is said at."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

import msgspec

from rove.errors import InputError
from rove.installing import install_cure
from rove.language.cue_words import UNSPACED
from rove.load import LoadOptions
from rove.load.limits import OutOfTime
from rove.load.markdown import markdown_sections
from rove.load.text import clean, identify, stem
from rove.load.transcripts import MAX_BYTES, Transcripts
from rove.models.transcribe import ENDPOINT, NONE, TRANSCRIBERS, Transcriber
from rove.records import Document, Source
from rove.records.document import Box
from rove.records.moment import Speech, TimeSpan, Utterance, boxes_of, clock_time
from rove.records.source import MetaValue
from rove.registry import load_extra

if TYPE_CHECKING:  # it decodes by a library that an extra brings
    from rove.load.sound.decode import Stretch

DEFAULT = LoadOptions()
PAUSE_S = 2.0  # after which a new paragraph begins
PARAGRAPH_CHARS = 600  # after which one begins at the end of a sentence
MARKUP = "#>|*–- "  # at the beginning of what is said it would be read as a heading or a list
ENDS = (".", "!", "?", "…", "。", "！", "？")
FIELDS = ("artist", "album", "date")
REPEATED_CHARS = 12  # words that are as long and come a third time are made up; "five, five, five" is a number
LEAST_SHARE = 0.1  # of the time that somebody speaks, from which on a second language is named
CODE = re.compile(r"[a-z]{2}")
MOST_TIMES = 3
UNSURE_CURE = "Set transcriber.language, or an endpoint with a larger model, and add it anew; or correct the words."


@dataclass(slots=True)
class _Spoken:
    """What was said so far, how far that is, what is missing, and where the words are not sure."""

    utterances: list[Utterance] = field(default_factory=list[Utterance])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    until_s: float = 0.0
    length_s: float = 0.0
    missing: str = ""
    unsure: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    def add(self, speech: Speech, start_s: float) -> None:
        """Take what was said in a part that begins there; words that are only said again and again are left out."""
        for one in speech.utterances:
            text = " ".join(clean(one.text).split()).lstrip(MARKUP)
            looped = len(text) >= REPEATED_CHARS and [text] * 2 == [said.text for said in self.utterances[-2:]]
            if text and not looped:
                begun = start_s + one.start_s
                ended = max(start_s + one.end_s, begun)
                self.utterances.append(Utterance(begun, ended, text))
                length_s = self.seconds.get(speech.language, 0.0) + max(one.end_s - one.start_s, 0.1)
                self.seconds[speech.language] = length_s

    @property
    def doubtful(self) -> str:
        """When words are said that are not sure, the first three times."""
        times = [TimeSpan(*one).clock for one in self.unsure]
        return ", ".join((*times[:MOST_TIMES], *["…"] * (len(times) > MOST_TIMES)))

    @property
    def language(self) -> str:
        """The language that is spoken most."""
        return max(self.seconds, key=lambda name: self.seconds[name], default="")


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
            raise _unread(source, self.options.transcriber)
        if self.options.transcriber == ENDPOINT:
            spoken = self._asked(source, transcripts)
        else:
            tags, spoken = self._heard(source, transcripts)
        if not spoken.utterances:
            raise _speechless(source, spoken)
        yield _document(source, spoken, tags)
        if spoken.missing:
            message = f"{source.name!r} was read in part: {spoken.missing}."
            raise InputError(message, cure="Cut it up, and add the parts.", outcome="partial")
        if spoken.unsure:
            message = f"{source.name!r} was read, but many words are perhaps others than were said ({spoken.doubtful})."
            raise InputError(message, cure=UNSURE_CURE, outcome="partial")

    def _heard(self, source: Source, transcripts: Transcripts) -> tuple[dict[str, str], _Spoken]:
        """Listen, stretch by stretch; what each says is kept, so that who comes back goes on where it stopped."""
        transcriber: Transcriber = TRANSCRIBERS.get(self.options.transcriber)()
        make = load_extra("rove.load.sound.decode:Recording", "audio", f"To read {source.name!r} here")
        sound, spoken, before = make(source.name, source.data), _Spoken(), ""
        try:
            for heard in sound.heard():
                for stretch in heard.stretches:
                    spoken.until_s = stretch.start_s
                    speech = self._said(transcriber, stretch, before, transcripts, sound.length_s)
                    before = speech.language or before
                    spoken.add(speech, stretch.start_s)
                    spoken.unsure += [(stretch.start_s, stretch.end_s)] if speech.unsure else []
                spoken.until_s = heard.until_s
                transcripts.tell("", b"", *_progress(heard.until_s, sound.length_s))
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
        known = _known(transcripts, digest)
        speech = known or transcriber.transcribe(stretch.samples, self.options.spoken, before)
        packed = b"" if known else _packed(speech)
        transcripts.tell(digest, packed, *_progress(stretch.end_s, length_s))
        return speech

    def _asked(self, source: Source, transcripts: Transcripts) -> _Spoken:
        """Have the whole file transcribed at the endpoint, which this process cannot reach itself."""
        digest = hashlib.sha256(repr((ENDPOINT, self.options.spoken)).encode() + source.data).hexdigest()
        speech = _known(transcripts, digest)
        if speech is None:
            if self.options.transcribe is None:
                raise _unread(source, "")
            speech = self.options.transcribe(source)
            transcripts.tell(digest, _packed(speech), 1, 1)
        spoken = _Spoken()
        spoken.add(speech, 0.0)
        spoken.length_s = spoken.until_s = max((one.end_s for one in speech.utterances), default=0.0)
        return spoken


def _known(transcripts: Transcripts, digest: str) -> Speech | None:
    known = transcripts.known.get(digest)
    if known is None:
        return None
    try:
        return msgspec.msgpack.decode(zlib.decompressobj().decompress(known, MAX_BYTES), type=Speech)
    except (zlib.error, msgspec.MsgspecError):  # what was kept is damaged: it is heard again
        return None


def _packed(speech: Speech) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(speech))


def _progress(until_s: float, length_s: float) -> tuple[int, int]:
    """The minute that was read last, and how many there are."""
    last = max(1, ceil(length_s / 60))
    return min(max(1, ceil(until_s / 60)), last), last


def _document(source: Source, spoken: _Spoken, tags: dict[str, str]) -> Document:
    title = source.title or tags.get("title", "") or stem(source)
    text, boxes = _canonical(title, spoken)
    fields: dict[str, MetaValue] = {"length_s": round(spoken.length_s, 1)}
    fields |= {name: tags[name] for name in FIELDS if name in tags}
    whole = sum(spoken.seconds.values())
    ranked = sorted(spoken.seconds.items(), key=lambda one: -one[1])
    several = tuple(name for name, seconds in ranked if name and seconds >= LEAST_SHARE * whole)
    if len(several) > 1:
        fields["languages"] = several
    return Document(
        document_id=identify(source),
        source=source.uri,
        kind=source.kind,
        text=text,
        title=title,
        language=spoken.language if CODE.fullmatch(spoken.language) else "und",
        metadata=fields,
        sections=markdown_sections(text, setext=False),
        boxes=tuple(boxes),
    )


def _canonical(title: str, spoken: _Spoken) -> tuple[str, list[Box]]:
    """Write the title and the paragraphs, and where each utterance stands in time."""
    gap = "" if spoken.language in UNSPACED else " "
    text, boxes, begun, ended_s = f"# {title}", list[Box](), 0, 0.0
    for number, one in enumerate(spoken.utterances):
        full = len(text) - begun >= PARAGRAPH_CHARS and text.endswith(ENDS)
        if not number or full or one.start_s - ended_s >= PAUSE_S:
            text += "\n\n"
            begun = len(text)
        else:
            text += gap
        start, ended_s = len(text), one.end_s
        text += one.text
        boxes += boxes_of((start, len(text)), TimeSpan(one.start_s, one.end_s))
    return text, boxes


def _speechless(source: Source, spoken: _Spoken) -> InputError:
    if spoken.missing:
        message = f"No speech was found in {source.name!r}, and {spoken.missing}."
        return InputError(message, cure="Cut it up, and add the parts.", outcome="too-slow")
    message = f"No word is made out in {source.name!r}: it holds silence, noise, music, or speech that is not clear."
    cure = "If somebody speaks in it, set transcriber.language, or an endpoint with a larger model; else leave it out."
    return InputError(message, cure=cure, outcome="empty")


def _unread(source: Source, transcriber: str) -> InputError:
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
