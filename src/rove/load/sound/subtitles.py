"""Subtitles and transcripts of calls (WebVTT, SubRip): what is said and when, and by whom where the file tells it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rove.errors import InputError
from rove.language.detect import detect
from rove.load.sound.spoken import REPEATED_CHARS, Spoken, spoken_document
from rove.load.text import decode, require_text
from rove.records import Document, Source
from rove.records.moment import Speech, Utterance

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?"
TIMES = re.compile(rf"\s{{0,20}}{_TIME}\s{{0,20}}-->\s{{0,20}}{_TIME}(?:\s|\Z)")
NUMBER = re.compile(r"\s{0,20}\d{1,9}\s{0,20}")
VTT = "WEBVTT"
LANGUAGE = re.compile(r"Language:\s{0,20}([A-Za-z]{2})\b")
VOICE = re.compile(r"<v(?:\.[^\s<>]{0,80})?\s{1,20}([^<>]{1,200})>")
RUBY = re.compile(r"<rt\b[^<>]{0,80}>[^<]{0,200}(?:</rt>)?")
TAG = re.compile(r"</?(?:b|c|font|i|lang|ruby|s|u|v)\b[^<>]{0,200}>|<[\d:.]{5,20}>|\{\\[^{}]{1,80}\}", re.IGNORECASE)
ENTITY = re.compile(r"&#?\w{2,10};")
DETECT_CHARS = 4000
AT_ONCE_S = 0.1  # between two cues, up to which the second may show on what the first did


@dataclass(slots=True)
class _Cue:
    """What is shown at a time, line by line as the file has it."""

    start_s: float
    end_s: float
    lines: list[str] = field(default_factory=list[str])


class SubtitlesLoader:
    """See `Loader`. What styles and places the words goes; a line that is shown on in the next cue stands once."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        text = require_text(decode(source.data), source)
        utterances = list(_utterances(text))
        if not utterances:
            message = f"{source.name!r} has no line with a time (“00:00:01.000 --> 00:00:04.000”) and words below it."
            raise InputError(message, cure="If it is plain text, name it .txt.", outcome="empty")
        named = LANGUAGE.search(text[: max(text.find("\n\n"), 0)]) if text.startswith(VTT) else None
        sample = " ".join(one.text for one in utterances)[:DETECT_CHARS]
        spoken = Spoken(length_s=max(one.end_s for one in utterances))
        spoken.add(Speech(named[1].lower() if named else detect(sample), tuple(utterances)), 0.0, is_heard=False)
        yield spoken_document(source, spoken, {})


def _utterances(text: str) -> Iterator[Utterance]:
    """Yield what each cue says that the one before did not show already, by whom where it is named."""
    before, ended_s = list[str](), 0.0
    for cue in _parse_subtitle_cues(text):
        shown = [line.strip() for line in cue.lines]
        stays = cue.start_s <= ended_s + AT_ONCE_S
        while stays and shown and len(shown[0]) >= REPEATED_CHARS and not VOICE.search(shown[0]) and shown[0] in before:
            del shown[0]
        before, ended_s = [TAG.sub("", line).strip() for line in cue.lines], cue.end_s
        speaker, *rest = "", *VOICE.split(RUBY.sub("", " ".join(shown)))
        for said, following in zip(rest[::2], [*rest[1::2], ""], strict=True):
            if words := _cue_plain_text(said):
                yield Utterance(cue.start_s, cue.end_s, words, speaker)
            speaker = _cue_plain_text(following)


def _parse_subtitle_cues(text: str) -> Iterator[_Cue]:
    """Yield the cues in the order of the file; comments, styles and numbers stand outside of them."""
    cue: _Cue | None = None
    for line in text.split("\n"):
        if times := TIMES.match(line):
            if cue is not None:
                if cue.lines and NUMBER.fullmatch(cue.lines[-1]):  # of this cue, behind no blank line
                    del cue.lines[-1]
                yield cue
            cue = _Cue(_cue_time_seconds(times.groups()[:4]), _cue_time_seconds(times.groups()[4:]))
        elif cue is not None and line.strip():
            cue.lines.append(line)
        elif cue is not None and cue.lines:
            yield cue
            cue = None
    if cue is not None:
        yield cue


def _cue_time_seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction or 0}")


def _cue_plain_text(said: str) -> str:
    r"""Return words without what styles them.

    >>> _cue_plain_text(r"<i>Don't</i> {\an8}say &lt;b&gt; <00:00:01.500>twice"), _cue_plain_text("a <3 and b> 2")
    ("Don't say <b> twice", 'a <3 and b> 2')
    """
    return ENTITY.sub(lambda found: html.unescape(found[0]), " ".join(TAG.sub("", said).split()))
