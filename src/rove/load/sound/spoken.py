"""What was said, as a document: paragraphs by pauses and speakers, every utterance with its time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rove.language.cue_words import UNSPACED
from rove.load.markdown import markdown_sections
from rove.load.text import clean, identify, stem
from rove.records import Document, Source
from rove.records.document import Box
from rove.records.moment import Speech, TimeSpan, Utterance, boxes_of
from rove.records.source import MetaValue

PAUSE_S = 2.0  # after which a new paragraph begins
PARAGRAPH_CHARS = 600  # after which one begins at the end of a sentence
MARKUP = "#>|*–- "  # at the beginning of what is said it would be read as a heading or a list
ENDS = (".", "!", "?", "…", "。", "！", "？")
FIELDS = ("artist", "album", "date")
REPEATED_CHARS = 12  # words that are as long and come a third time are made up; "five, five, five" is a number
LEAST_SHARE = 0.1  # of the time that somebody speaks, from which on a second language is named
CODE = re.compile(r"[a-z]{2}")
MOST_TIMES = 3
MOST_SPEAKERS = 50


@dataclass(slots=True)
class Spoken:
    """What was said so far, how far that is, what is missing, and where the words are not sure."""

    utterances: list[Utterance] = field(default_factory=list[Utterance])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    until_s: float = 0.0
    length_s: float = 0.0
    missing: str = ""
    unsure: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    def add(self, speech: Speech, start_s: float, *, is_heard: bool = True) -> None:
        """Take what was said in a part that begins there.

        `is_heard`: by a model, so that words that come again and again are made up, and left out.
        """
        for one in speech.utterances:
            text = " ".join(clean(one.text).split()).lstrip(MARKUP)
            looped = (
                is_heard and len(text) >= REPEATED_CHARS and [text] * 2 == [said.text for said in self.utterances[-2:]]
            )
            if text and not looped:
                begun = start_s + one.start_s
                ended = max(start_s + one.end_s, begun)
                self.utterances.append(Utterance(begun, ended, text, one.speaker))
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


def spoken_document(source: Source, spoken: Spoken, tags: dict[str, str]) -> Document:
    """Make the document of what was said, with the title and the fields that the file's tags give."""
    title = source.title or tags.get("title", "") or stem(source)
    text, boxes = _canonical(title, spoken)
    fields: dict[str, MetaValue] = {"length_s": round(spoken.length_s, 1)}
    fields |= {name: tags[name] for name in FIELDS if name in tags}
    whole = sum(spoken.seconds.values())
    ranked = sorted(spoken.seconds.items(), key=lambda one: -one[1])
    several = tuple(name for name, seconds in ranked if name and seconds >= LEAST_SHARE * whole)
    if len(several) > 1:
        fields["languages"] = several
    if speakers := tuple(dict.fromkeys(one.speaker for one in spoken.utterances if one.speaker)):
        fields["speakers"] = speakers[:MOST_SPEAKERS]
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


def _canonical(title: str, spoken: Spoken) -> tuple[str, list[Box]]:
    """Write the title and the paragraphs, and where each utterance stands in time."""
    gap = "" if spoken.language in UNSPACED else " "
    text, boxes, begun, ended_s, speaker = f"# {title}", list[Box](), 0, 0.0, ""
    for number, one in enumerate(spoken.utterances):
        full = len(text) - begun >= PARAGRAPH_CHARS and text.endswith(ENDS)
        if not number or full or one.start_s - ended_s >= PAUSE_S or one.speaker != speaker:
            text += "\n\n" + (f"{one.speaker}: " if one.speaker else "")
            begun = len(text)
        else:
            text += gap
        start, ended_s, speaker = len(text), one.end_s, one.speaker
        text += one.text
        boxes += boxes_of((start, len(text)), TimeSpan(one.start_s, one.end_s))
    return text, boxes
