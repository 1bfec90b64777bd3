"""Questions made from documents: a sentence in which a question word stands for a name or a number, the answer.

After Lewis, Denoyer and Riedel, Unsupervised question answering by cloze translation, ACL 2019.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import regex

from rove.language.sentences import sentence_spans

WORDS = {"en": "what", "de": "was", "es": "qué", "zh": "什么", "ja": "何"}
UNSPACED = frozenset({"zh", "ja"})
CHARS = {False: (40, 200), True: (14, 80)}
"""Shortest and longest sentence, by whether the language puts no spaces between words."""
DROPPED = 0.2
"""Share of the words left out, so that not every word of a question stands in its passage."""
TARGETS = regex.compile(
    r"(?<=[《「『“\"„])[^《》「」『』“”\"„]{2,24}(?=[》」』”\"“])"  # a title, a quotation
    r"|\d[\d.,]*\d|\d{2,}"
    r"|(?<=\P{L})\p{Lu}[\p{L}'-]{2,}(?: \p{Lu}[\p{L}'-]+)*"  # a name, in German any noun; not where the text begins
    r"|[\p{Katakana}ー]{4,}"
)


@dataclass(frozen=True, slots=True)
class Cloze:
    """A made question and its answer, which the document's text holds word for word."""

    text: str
    answer: str


def clozes(text: str, language: str, most: int, drawn: random.Random) -> list[Cloze]:
    """Make up to `most` questions of different sentences; [] for a language without a question word here."""
    if language not in WORDS:
        return []
    shortest, longest = CHARS[language in UNSPACED]
    sentences = [text[a:b] for a, b in sentence_spans(text, language) if shortest <= b - a <= longest]
    drawn.shuffle(sentences)
    made = (cloze(sentence, language, drawn) for sentence in sentences)
    return [question for question in made if question][:most]


def cloze(sentence: str, language: str, drawn: random.Random) -> Cloze | None:
    """Replace one name or number of a sentence; None where there is none.

    >>> cloze("The tower was built by 1889.", "en", random.Random(2))
    Cloze(text='tower built by what?', answer='1889')
    """
    targets = [match for match in TARGETS.finditer(sentence) if match.start()]
    if not targets:
        return None
    target = drawn.choice(targets)
    before, after = sentence[: target.start()], sentence[target.end() :].rstrip(" .。!！")
    if language in UNSPACED:
        return Cloze(f"{before}{WORDS[language]}{after}？", target[0])
    words = [w for w in before.split(" ") if drawn.random() >= DROPPED] if before else []
    rest = [w for w in after.split(" ") if drawn.random() >= DROPPED]
    parts = [*words, WORDS[language], *rest]
    return Cloze(" ".join(part for part in parts if part) + "?", target[0])
