"""What `train.reader_data` has collected, memory-mapped, and what it says is right: which passage, which tokens."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from bench.sets import Doc

from rove.models.e5.interaction import Interaction
from rove.models.e5.reader import first_token

Side = Literal["train", "test"]
XQUAD = "xquad_"
NEVER_TRAINED_ON = ("lohelp_", "pgdocs")
ANSWERED = frozenset({"xquad_de", "xquad_en", "xquad_es", "xquad_zh", "jsquad", "cmrc2018_dev"})
"""Sets whose answers stand in their passages word for word."""
TELLING_BYTES = 6
"""A passage of another document that holds an answer of so many bytes may answer, too: it is no negative."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the set that asks it, its language, the documents that answer it, and how they put the answer."""

    id: str
    text: str
    asker: str
    language: str
    gold: tuple[str, ...]
    answers: tuple[str, ...]
    side: Side


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it is embedded; its first `prefix_chars` are not the document's text."""

    document: str
    text: str
    prefix_chars: int
    side: Side = "test"


def split(name: str, groups: Sequence[str]) -> Side:
    """Say on which side a question stands whose documents are of these groups.

    Of XQuAD the paragraphs whose id's SHA-1 is even are trained on; of other sets four fifths of the groups, by the
    last byte of their SHA-1. A question any of whose documents is for testing is for testing.

    >>> split("xquad_de", ["d00000"]), split("pgdocs", ["a"]), split("jsquad", ["梅雨"])
    ('train', 'test', 'train')
    """
    if name.startswith(NEVER_TRAINED_ON):
        return "test"
    last = [hashlib.sha1(g.encode(), usedforsecurity=False).digest()[-1] for g in groups]
    is_test = any(byte % 2 for byte in last) if name.startswith(XQUAD) else any(byte % 5 == 0 for byte in last)
    return "test" if is_test else "train"


def group(name: str, doc: Doc) -> str:
    """What must not stand on both sides: an article, a database, a tool with all its calls; else the document."""
    if name in ("jsquad", "cmrc2018_dev"):
        return doc.title
    if name == "schema_spider_dev":
        return doc.id.partition(".")[0]
    return doc.id.partition("::")[0] if name == "tools_stabletoolbench" else doc.id


@dataclass(frozen=True, slots=True)
class Label:
    """Of a question and one of its passages. -1: not known, so that nothing is learned from it.

    `is_relevant`: it is what was asked for. `answers`: it holds the answer. In a set without answers both say whether
    the document is the right one; where that has several passages, it is not known which of them answers.
    `spans`: first and last token of every place that holds an answer.
    """

    is_relevant: int
    answers: int
    spans: tuple[tuple[int, int], ...] = ()


class Base:
    """A set's questions and their candidates, best first: rows of `passages`, -1 where there are no more."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        texts = json.loads((folder / "texts.json").read_text("utf-8"))
        self.language: str = texts["language"]
        self.questions = [
            Question(**{**row, "gold": tuple(row["gold"]), "answers": tuple(row["answers"])})
            for row in texts["questions"]
        ]
        self.passages = [Passage(**row) for row in texts["passages"]]
        names = ("candidates", "first", "cosine", "maxsim")
        self.candidates, self.first, self.cosine, self.maxsim = (np.load(folder / f"{name}.npy") for name in names)
        self._parts = Counter(passage.document for passage in self.passages)
        self._folder = folder
        self._interaction = Interaction()

    def question_tokens(self, row: int) -> np.ndarray:
        """(tokens, 128) float32."""
        whole, offsets = self._asked
        return whole[offsets[row] : offsets[row + 1]].astype(np.float32)

    def packed(self, row: int) -> np.ndarray:
        """A passage's tokens as Rove keeps them: (tokens, 64) int8."""
        whole, offsets = self._tokens
        return whole[offsets[row] : offsets[row + 1]]

    def passage_tokens(self, row: int) -> np.ndarray:
        """(tokens, 128) float32, as they are after packing."""
        return self._interaction.unpack(self.packed(row))

    def spans(self, row: int) -> np.ndarray:
        """Where each token of a passage stands in its text: (tokens, 2)."""
        whole, offsets = self._spans
        return whole[offsets[row] : offsets[row + 1]]

    @cached_property
    def _asked(self) -> tuple[np.ndarray, np.ndarray]:
        return self._ragged("asked")

    @cached_property
    def _tokens(self) -> tuple[np.ndarray, np.ndarray]:
        return self._ragged("tokens")

    @cached_property
    def _spans(self) -> tuple[np.ndarray, np.ndarray]:
        return self._ragged("spans")

    def _ragged(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        return np.load(self._folder / f"{name}.npy", mmap_mode="r"), np.load(self._folder / f"{name}_offsets.npy")

    def label(self, question: Question, row: int) -> Label:
        """Say what is known of a question and a passage."""
        passage = self.passages[row]
        is_gold = passage.document in question.gold
        if not question.answers:
            return Label(int(is_gold), -1 if is_gold and self._parts[passage.document] > 1 else int(is_gold))
        if is_gold:
            found = answer_places(passage, question.answers)
            return Label(1, 1, self._token_spans(row, found)) if found else Label(0, 0)
        telling = [a for a in question.answers if len(a.encode()) >= TELLING_BYTES]
        return Label(-1, -1) if answer_places(passage, telling) else Label(0, 0)

    def _token_spans(self, row: int, found: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Turn spans of characters into first and last token."""
        spans = self.spans(row)
        behind = first_token(spans, self.passages[row].prefix_chars)
        pairs = []
        for start, end in found:
            touched = np.flatnonzero((spans[behind:, 0] < end) & (spans[behind:, 1] > start)) + behind
            if len(touched):
                pairs.append((int(touched[0]), int(touched[-1])))
        return tuple(dict.fromkeys(pairs))


def answer_places(passage: Passage, answers: Sequence[str]) -> list[tuple[int, int]]:
    r"""Every place in a passage's own text where an answer stands word for word.

    >>> answer_places(Passage("d", "Title 12\nIt was 12, then 3.", 9), ["12", "3"])
    [(16, 18), (25, 26)]
    """
    places = []
    for answer in answers:
        at = passage.text.find(answer, passage.prefix_chars) if answer else -1
        while at >= 0:
            places.append((at, at + len(answer)))
            at = passage.text.find(answer, at + 1)
    return places


def bases(cache: Path) -> list[Base]:
    """Read every set that is collected; the folder of one that is being collected begins with a dot."""
    return [Base(file.parent) for file in sorted(cache.glob("[!.]*/texts.json"))]
