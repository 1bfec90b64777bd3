"""Models without weights, functions of their input: a lexical hashing embedder and a chat model that quotes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from rove.errors import ConfigError, CutReplyError
from rove.language.token_count import count_tokens
from rove.models import Fingerprint, Vectors
from rove.models.fake_typed import filled, first_sentence
from rove.models.transcribe import RATE_HZ, Samples
from rove.models.usage import Usage, account
from rove.records.moment import Speech, Utterance
from rove.settings import ChatSettings, EmbedderSettings

DIMENSION = 384
MAX_DISTANCE = 0.9  # 95 % of XQuAD's questions are nearer to their paragraph; texts without a shared word lie at 1.0
SLAB_TEXTS = 32  # a slab's arrays stay inside the second-level cache
WORD_WEIGHT_MAX = 7
GAP = "\n\n\n"  # no pair or trigram reaches over it
UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF))

Mischief = Literal["", "wrong-number", "invented", "nothing", "uncited", "refusal", "cut"]
Codes = NDArray[np.uint32]
CUT = "The fake model was told not to end its reply."


class FakeEmbedder:
    """Hashes words, the trigrams inside them, and bigrams of unspaced scripts into signed buckets. See `Embedder`.

    Longer words weigh more, which stands in for their rarity. Texts are near when they share words; meaning is not
    seen. No call waits for anything, so this embedder also shows what all the rest costs.
    """

    def __init__(self, settings: EmbedderSettings | None = None, *, dimension: int = DIMENSION) -> None:
        self._dimension = (settings.dimension if settings else 0) or dimension
        if self._dimension < 1:
            message = f"The fake embedder was given dimension={dimension}."
            raise ConfigError(message, cure="Give a dimension of 1 or more.")

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        return Fingerprint(model="fake", dimension=self._dimension)

    @property
    def min_lead(self) -> float:
        """See `Embedder.min_lead`."""
        return 0.0

    @property
    def max_distance(self) -> float:
        """See `Embedder.max_distance`."""
        return MAX_DISTANCE

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return hash_vectors(texts, self._dimension)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        return hash_vectors(texts, self._dimension)


def hash_vectors(texts: Sequence[str], dimension: int) -> Vectors:
    """Return (n, dimension) float32, unit length. A text without a letter or digit gets the first unit vector.

    >>> a, b, c = hash_vectors(["the red lighthouse", "The LIGHTHOUSE", "annual tax return"], 384)
    >>> bool(a @ b > 0.5), bool(abs(a @ c) < 0.3)
    (True, True)
    """
    slabs = [_hash_slab(texts[at : at + SLAB_TEXTS], dimension) for at in range(0, len(texts), SLAB_TEXTS)]
    vectors = np.concatenate(slabs) if slabs else np.zeros((0, dimension), np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    vectors[norms == 0, 0] = 1.0
    vectors /= np.where(norms == 0, 1.0, norms)[:, None]
    return vectors


def _hash_slab(texts: Sequence[str], dimension: int) -> Vectors:
    folded = [text.casefold() for text in texts]
    joined = GAP.join(folded) + GAP
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _code_point_kinds()[np.minimum(codes, 0xFFFF)]
    pairs = codes[:-1] * np.uint32(0x9E3779B1)
    pairs += codes[1:] * np.uint32(0x85EBCA6B)
    pieces = (_hash_word_runs(pairs, kinds), _grams(pairs, codes, kinds))
    starts = np.concatenate([piece[0] for piece in pieces])
    hashes = _mix(np.concatenate([piece[1] for piece in pieces]))
    weights = np.concatenate([piece[2] for piece in pieces])
    weights *= (hashes & np.uint32(1)).astype(np.float64) * 2 - 1
    owners = np.repeat(np.arange(len(folded)) * dimension, [len(text) + len(GAP) for text in folded])
    buckets = owners[starts] + ((hashes >> np.uint32(8)) * np.uint64(dimension) >> np.uint64(24)).astype(np.int64)
    sums = np.bincount(buckets, weights=weights, minlength=len(folded) * dimension)
    return sums.reshape(len(folded), dimension).astype(np.float32)


def _hash_word_runs(pairs: Codes, kinds: NDArray[np.uint8]) -> tuple[NDArray[np.intp], Codes, NDArray[np.float64]]:
    """Hash each run of letters and digits of a spaced script by its pairs: (starts, hashes, weights)."""
    edges = np.flatnonzero(np.diff((kinds == 1).view(np.int8)))
    if kinds[0] == 1:
        edges = np.concatenate(([-1], edges))
    edges += 1
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    if not len(starts):
        return starts, np.zeros(0, np.uint32), np.zeros(0)
    inner = np.where((kinds[:-1] == 1) & (kinds[1:] == 1), _scatter(pairs), np.uint32(0))
    hashes = np.add.reduceat(inner, starts) + pairs[starts] * (lengths == 1)
    return starts, hashes.astype(np.uint32), np.clip(lengths - 1, 1, WORD_WEIGHT_MAX).astype(np.float64)


def _grams(pairs: Codes, codes: Codes, kinds: NDArray[np.uint8]) -> tuple[NDArray[np.intp], Codes, NDArray[np.float64]]:
    """Hash each trigram inside a word and each bigram of an unspaced script: (starts, hashes, weights)."""
    same = kinds[:-2] & kinds[1:-1]
    starts = np.flatnonzero((same & (kinds[2:] | np.uint8(2))) != 0)
    unspaced = kinds[starts] == 2
    hashes = pairs[starts] + np.where(unspaced, np.uint32(7), codes[starts + 2] * np.uint32(0xC2B2AE35))
    return starts, hashes, np.where(unspaced, 2.0, 0.5)


def _scatter(values: Codes) -> Codes:
    return (values ^ (values >> np.uint32(15))) * np.uint32(0x27D4EB2F)


def _mix(values: Codes) -> Codes:
    values = (values ^ (values >> np.uint32(16))) * np.uint32(0x7FEB352D)
    values = (values ^ (values >> np.uint32(15))) * np.uint32(0x846CA68B)
    return values ^ (values >> np.uint32(16))


@cache
def _code_point_kinds() -> NDArray[np.uint8]:
    """For each code point of the first plane: 0 between words, 1 a letter or digit, 2 one of an unspaced script."""
    kinds = np.fromiter((chr(code).isalnum() for code in range(0x10000)), np.uint8, 0x10000)
    for low, high in UNSPACED:
        kinds[low : high + 1] *= np.uint8(2)
    kinds[0xFFFF] = 2  # stands for all planes above
    return kinds


class FakeChatModel:
    """Answers with the first sentence of each of the first references, cited. See `ChatModel`.

    Args:
        settings: ignored, so that the registry can build every chat model alike.
        references: how many references are quoted.
        mischief: how it misbehaves: "wrong-number" cites a reference that is not there, "invented" adds a sentence
            that no reference holds, "nothing" replies nothing, "uncited" leaves the numbers out, "refusal" refuses,
            "cut" ends before its last piece.
        delay_s: seconds between two pieces.
    """

    def __init__(
        self,
        settings: ChatSettings | None = None,
        *,
        references: int = 2,
        mischief: Mischief = "",
        delay_s: float = 0.0,
    ) -> None:
        del settings
        self._references = references
        self._mischief = mischief
        self._delay_s = delay_s

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return "fake"

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        """See `ChatModel.stream`. Pieces are words with the blanks before them, or single CJK characters.

        An object of a shape is filled from the prompt's fenced material. See `rove.models.fake_typed`.
        """
        reply = filled(shape, prompt) if shape and not self._mischief else self._reply(instructions, prompt)
        pieces = re.findall(r"\s*[⺀-鿿가-힣]|\s*[^\s⺀-鿿가-힣]+|\s+", reply)
        for piece in pieces[:-1] if self._mischief == "cut" else pieces:
            await asyncio.sleep(self._delay_s)
            yield piece
        account(Usage(1, count_tokens(f"{instructions}{prompt}"), count_tokens(reply), estimated=True))
        if self._mischief == "cut":
            raise CutReplyError(CUT, cure="Give it no mischief.", retryable=False)

    def _reply(self, instructions: str, prompt: str) -> str:
        if self._mischief == "nothing":
            return ""
        refusal = re.search(r"[“\"「]([^“”\"「」\n]++)[”\"」]", instructions)
        found = re.findall(r"⟦(\d+)\n(.*?)\n\1⟧", prompt, re.DOTALL)
        if self._mischief == "refusal" or not found:
            return refusal.group(1) if refusal else "The knowledge base does not hold enough to answer this."
        shift = 90 if self._mischief == "wrong-number" else 0
        mark = "" if self._mischief == "uncited" else " [{}]"
        sentences = [
            first_sentence(text) + mark.format(int(number) + shift) for number, text in found[: self._references]
        ]
        if self._mischief == "invented":
            sentences.append("In 1789 the Martian senate moved to Zanzibar with 4711 elephants. [1]")
        return " ".join(sentences)


class FakeTranscriber:
    """Says how loud each second of the sound is, where it is not silent. See `Transcriber`."""

    version = "fake"

    def transcribe(self, samples: Samples, language: str, before: str) -> Speech:
        """See `Transcriber.transcribe`."""
        said: list[Utterance] = []
        for start in range(0, len(samples), RATE_HZ):
            loud = float(np.abs(samples[start : start + RATE_HZ]).mean())
            if loud > 0.0:
                end_s = min(start + RATE_HZ, len(samples)) / RATE_HZ
                said.append(Utterance(start / RATE_HZ, end_s, f"Loudness {loud:.3f}."))
        return Speech(language or before or "en" if said else "", tuple(said))
