"""Cuts a text into the same pieces as the package's engine, ties included.

SentencePiece's unigram model (Kudo, ACL 2018): of all ways to cut a text into pieces, the one whose scores add up to
most; a character that no piece covers counts as unknown, 10 below the worst piece. The engine adds in float32, so of
two cuts that are all but equal its rounding chooses. Here words are cut once and remembered with the margin by which
they won; a word whose margin rounding could bridge is cut again in float32, from the sum at which it stands.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rove.models.e5.piece_lookup import PieceLookup
from rove.models.e5.weights import PieceVocabulary

MARK = "\u2581"
WORD = re.compile(f"{MARK}[^{MARK}]*")
SPACES = re.compile("  +")
SURROGATE = re.compile("[\ud800-\udfff]")
PREFIXES = {True: "query: ", False: "passage: "}
REMEMBERED_CHARS = 24
REMEMBERED_WORDS = 20_000
"""Some 360 bytes each: 7 MB. With two and a half times as many, cutting takes 2 % less time, a pass .05 %."""
DIGIT = re.compile(r"\d")
"""Numbers never end: one that is not met again would only take the place of a word."""
NEVER = -1e30


class Cut(NamedTuple):
    """A word's pieces; its score; the margin to the second best cut at the closest of its joints."""

    ids: tuple[int, ...]
    score: float
    margin: float


class Tokenizer:
    """Text to token ids. Threads may share one: what it remembers is only ever added or dropped whole."""

    def __init__(self, vocabulary: PieceVocabulary) -> None:
        self._scores = vocabulary.scores
        self._unknown = vocabulary.unknown
        self._unknown_score = float(np.float32(vocabulary.scores.min()) - np.float32(10))
        self._map = {source: target for source, target in vocabulary.character_map.items() if chr(source) != target}
        self._text_of = vocabulary.text
        self._pieces_at = PieceLookup(vocabulary).pieces_at
        self._known: dict[str, Cut] = {}
        self.prefix_tokens = {is_query: len(self._cut_text(MARK + PREFIXES[is_query].strip())) for is_query in PREFIXES}

    def ids(self, text: str, *, is_query: bool) -> list[int]:
        """Return the ids of prefix and text, without the tokens that begin and end a window.

        The first `prefix_tokens[is_query]` of them are the prefix's.
        """
        text = (PREFIXES[is_query] + _encodable(text)).translate(self._map)
        return self._cut_text(MARK + SPACES.sub(" ", text).replace(" ", MARK))

    def spans(self, text: str, *, is_query: bool) -> NDArray[np.int32]:
        """Return where each of the text's own tokens stands in it: (tokens, 2), start and end in characters.

        The tokens are those of `ids` after the prefix's, in order. `text[start:end]` is what the token was made of,
        without white space before it; a token of white space alone is empty. Tokens that share a character, as "k" and
        "m" share "㎞", have the same span.
        """
        # The space that ends the prefix stands first: the first word's mark.
        cut, origins = [" "], [-1]
        for place, character in enumerate(_encodable(text)):
            for part in self._map.get(ord(character), character):
                if part != " " or cut[-1] != " ":
                    cut.append(part)
                    origins.append(place)
        ids = self.ids(text, is_query=is_query)[self.prefix_tokens[is_query] :]
        sizes = [1 if i == self._unknown else len(self._text_of(i)) for i in ids]
        found = np.zeros((len(ids), 2), np.int32)
        begin = 0
        for row, size in enumerate(sizes):
            is_marked = cut[begin] == " "
            end = origins[begin + size - 1] + 1
            found[row] = (end if size == is_marked else origins[begin + is_marked]), end
            begin += size
        return found

    def words(self, text: str, find: Callable[[str], Sequence[str]]) -> list[int]:
        """Return the ids of the words that `find` finds in the text, each cut by itself as if a space stood before it.

        Neither prefix nor what stands beside a word has a part in how it is cut.
        """
        ids: list[int] = []
        for word in find(_encodable(text).translate(self._map)):
            ids += (self._known.get(MARK + word) or self._alone(MARK + word)).ids
        return ids

    def _alone(self, word: str) -> Cut:
        return self._remember(word) if _is_met_again(word) else self._cut_word(word)

    def _cut_text(self, text: str) -> list[int]:
        """Cut at every mark, since no piece holds one but as its first character."""
        ids: list[int] = []
        total = 0.0
        for word in WORD.findall(text):
            cut = self._known.get(word)
            if cut is None and len(word) <= REMEMBERED_CHARS:
                cut = self._alone(word)
            # Rounding of a sum is at most 2^-24 of it a step, and there are at most 24 steps on either side.
            if cut is not None and cut.margin > 1e-5 - 4e-6 * (total + cut.score):
                ids += cut.ids
                total += cut.score
            else:
                begin = self._sum(ids)
                found = self._cut_exactly(word, begin)
                ids += found
                total = self._sum(found, begin)
        return ids

    def _sum(self, ids: Sequence[int], begin: float = 0.0) -> float:
        """Add scores as the engine does, one by one in float32."""
        scores = self._scores[np.array(ids, np.int64)]
        scores[[i == self._unknown for i in ids]] = self._unknown_score
        return float(np.add.accumulate(np.concatenate([np.array([begin], np.float32), scores]))[-1])

    def _remember(self, word: str) -> Cut:
        if len(self._known) >= REMEMBERED_WORDS:
            self._known = {}
        cut = self._known[word] = self._cut_word(word)
        return cut

    def _cut_word(self, word: str) -> Cut:
        """Cut in float64 and say how close it was."""
        size = len(word)
        best = [0.0] + [NEVER] * size
        second = [NEVER] * (size + 1)
        piece = [self._unknown] * (size + 1)
        origin = [0] * (size + 1)
        for start in range(size):
            base = best[start]
            candidates = self._pieces_at(word, start)
            candidates.append((start + 1, self._unknown, self._unknown_score))
            for stop, index, score in candidates:
                if base + score > best[stop]:
                    best[stop], second[stop] = base + score, best[stop]
                    piece[stop], origin[stop] = index, start
                elif base + score > second[stop]:
                    second[stop] = base + score
        ids: list[int] = []
        margin, at = -NEVER, size
        while at > 0:
            ids.append(piece[at])
            margin = min(margin, best[at] - second[at])
            at = origin[at]
        return Cut(tuple(ids[::-1]), best[size], margin)

    def _cut_exactly(self, word: str, begin: float) -> list[int]:
        """Cut in float32, step by step as the engine does, from the sum `begin` of what stands before."""
        size = len(word)
        best = array("f", [begin] + [NEVER] * size)
        piece = [self._unknown] * (size + 1)
        origin = [0] * (size + 1)
        rounded = array("f", [0.0])
        for start in range(size):
            base = best[start]
            candidates = self._pieces_at(word, start)
            candidates.append((start + 1, self._unknown, self._unknown_score))
            for stop, index, score in candidates:
                rounded[0] = base + score
                if rounded[0] > best[stop]:
                    best[stop] = rounded[0]
                    piece[stop], origin[stop] = index, start
        ids: list[int] = []
        at = size
        while at > 0:
            ids.append(piece[at])
            at = origin[at]
        return ids[::-1]


def _is_met_again(word: str) -> bool:
    return len(word) <= REMEMBERED_CHARS and not DIGIT.search(word)


def _encodable(text: str) -> str:
    """Replace what C strings cannot hold: a lone half of a surrogate pair, and NUL, at which they end."""
    return SURROGATE.sub("\ufffd", text).replace("\0", " ")
