"""The packaged judge: a cross-encoder of E5's architecture over the packaged embedder's token table.

One pass over `<s> claim or question </s> passage </s>` tells whether the passage supports the claim, whether it answers
the question, and where the answer stands. Only the layers are its own (22 MB, int8). How it was trained, on what, and
what it is worth: train/judge.md.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import erf, sqrt
from pathlib import Path
from threading import Lock
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rove.cached import cached_model, checksum_of
from rove.models import Vectors, free_cores
from rove.models.e5 import packaged
from rove.models.e5.encoder_graph import CONVERTER, converted
from rove.models.e5.runtime import session
from rove.models.judge import JudgedSpan, Support
from rove.models.passage_reading import best_span
from rove.settings import JudgeSettings

MODEL = Path(__file__).with_name("judge.npz")
FIRST_TOKENS = 64
WINDOW_TOKENS = 256
STEP_TOKENS = 192
"""A longer passage is read in windows of so many tokens, which begin so many apart."""
REMEMBERED = 64
OUTPUTS = [f"{name}.{part}" for name in ("cls.0", "cls.2", "span") for part in ("weight", "bias")]
"""The layers behind the last state: those of the first token, which are two, and that of every token."""


@dataclass(frozen=True, slots=True)
class PairReading:
    """What one pass over a window gave, as logits: `support` (3,): supported, neither, contradicted.

    `begins`, `ends` (tokens,): an answer begins or ends at this token of the window; `no_span`: there is none.
    """

    support: Vectors
    answers: float
    begins: Vectors
    ends: Vectors
    no_span: float


class JudgeWeights:
    """The file's layers under the names of the embedder's: see `EncoderWeights`. Arrays are read when asked for."""

    _NAMES = {"w": "weight", "b": "bias"}  # noqa: RUF012

    def __init__(self, path: Path) -> None:
        self._path = path

    def array(self, name: str) -> Vectors:
        """Return an array of the file, float32; a matrix of int8 times the steps of its rows."""
        with np.load(self._path) as file:
            steps = file[f"{name}.scale"][:, None] if f"{name}.scale" in file else np.float32(1)
            return file[name].astype(np.float32) * steps

    def vector(self, name: str) -> Vectors:
        """See `EncoderWeights.vector`."""
        return self.array(self._named(name))

    def matrix(self, name: str, inputs: int) -> Vectors:
        """See `EncoderWeights.matrix`."""
        return self.array(self._named(name)).reshape(-1, inputs)

    def _named(self, name: str) -> str:
        where, part, kind = name.split(".")
        layer = "" if where == "emb" else f"layers.{where[1:]}."
        return f"{layer}{part}.{self._NAMES[kind]}"


class CrossEncoder:
    """The model, ready. Threads may share one."""

    def __init__(self, path: Path = MODEL) -> None:
        """Load, converting first where no conversion is cached.

        Its products are of float32: in int8, as the embedder's are, the last digit of a float decides which way a value
        is rounded, and a chance of .5 became .4 or .6.

        Raises:
            UnsuitableError: the package whose token table it shares is missing or of an unknown version.
        """
        self._table = packaged.weights()
        self._tokenizer = packaged.tokenizer()
        self._begin, self._end = packaged.vocabulary().begin, packaged.vocabulary().end
        weights = JudgeWeights(path)
        made_of = f"{checksum_of(path)} {CONVERTER}"
        name = f"judge-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.onnx"
        self._session = session(cached_model(name, lambda: converted(weights)))
        self._places, self._sides = weights.array("pos"), weights.array("seg")
        self._heads = {name: weights.array(name) for name in OUTPUTS}

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text, without the embedder's prefix."""
        return self._tokenizer.ids(text.rstrip(), is_query=False)[self._tokenizer.prefix_tokens[False] :]

    def token_spans(self, passage: str) -> NDArray[np.int32]:
        """Return where its tokens stand in a passage: see `Tokenizer.spans`."""
        return self._tokenizer.spans(passage.rstrip(), is_query=False)

    def read(self, first: str, passage: str) -> list[PairReading]:
        """Read a claim or question with each window of a passage, in order; of `first` its 64 first tokens."""
        asked, given = self.ids(first)[:FIRST_TOKENS], self.ids(passage)
        last = max(len(given) - WINDOW_TOKENS + STEP_TOKENS, 1)
        return [self._read(asked, given[begin : begin + WINDOW_TOKENS]) for begin in range(0, last, STEP_TOKENS)]

    def _read(self, first: list[int], passage: list[int]) -> PairReading:
        ids = np.array([self._begin, *first, self._end, *passage, self._end], np.int64)
        split = len(first) + 2
        rows = self._table.words(ids) + self._places[: len(ids)]
        rows[:split] += self._sides[0]
        rows[split:] += self._sides[1]
        states = cast("NDArray[np.float32]", self._session.run(None, {"embedded": rows[None]})[0])[0]
        logits = self._head("cls.2", _gelu(self._head("cls.0", states[0])))
        edges = self._head("span", states[split:-1])
        return PairReading(
            logits[:3], float(logits[3]), edges[:, 0], edges[:, 1], float(self._head("span", states[0]).sum())
        )

    def _head(self, name: str, states: Vectors) -> Vectors:
        return states @ self._heads[f"{name}.weight"].T + self._heads[f"{name}.bias"]


class E5Judge:
    """See `Judge`. Loads in half a second, holds about 140 MB beside the embedder; all of one process share one model.

    A pass takes about 45 ms of CPU for 200 tokens; what was read last is remembered.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        del settings
        self._known: OrderedDict[tuple[str, str], list[PairReading]] = OrderedDict()
        self._lock = Lock()

    async def supported(self, claim: str, premise: str) -> Support:
        """See `Judge.supported`. Of a long premise the window counts that supports most, else the one that denies."""
        chances = [_softmax_vector(reading.support) for reading in await self._read(claim, premise)]
        best = max(chances, key=lambda row: float(row[0]))
        if best[0] < max(row[2] for row in chances):
            best = max(chances, key=lambda row: float(row[2]))
        return Support(*(float(chance) for chance in best))

    async def answers(self, question: str, passage: str) -> float:
        """See `Judge.answers`. Of a long passage the best window counts."""
        best = max(reading.answers for reading in await self._read(question, passage))
        return float(1 / (1 + np.exp(-best)))

    async def span(self, question: str, passage: str) -> JudgedSpan | None:
        """See `Judge.span`: at most 32 tokens of the window that answers best. None for a passage without a word."""
        readings = await self._read(question, passage)
        number, best = max(enumerate(readings), key=lambda pair: pair[1].answers)
        found = best_span(best.begins, best.ends, best.no_span)
        if found is None:
            return None
        places = (await asyncio.to_thread(_load_judge_model().token_spans, passage))[number * STEP_TOKENS :]
        start, end = int(places[found.start, 0]), int(places[found.end - 1, 1])
        return JudgedSpan((start, end), found.score) if start < end else None

    async def _read(self, first: str, passage: str) -> list[PairReading]:
        pair = (first, passage)
        with self._lock:
            known = self._known.get(pair)
        if known is None:
            known = await asyncio.get_running_loop().run_in_executor(_threads(), _read_pair_windows, first, passage)
            with self._lock:
                self._known[pair] = known
                while len(self._known) > REMEMBERED:
                    self._known.popitem(last=False)
        return known


def _read_pair_windows(first: str, passage: str) -> list[PairReading]:
    return _load_judge_model().read(first, passage)


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads that judge, as many as there are cores: what waits for them holds no thread of others."""
    return ThreadPoolExecutor(free_cores(), "judge")


_loading = Lock()


def _load_judge_model() -> CrossEncoder:
    with _loading:
        return _build_cross_encoder()


@cache
def _build_cross_encoder() -> CrossEncoder:
    return CrossEncoder()


def _gelu(values: Vectors) -> Vectors:
    return np.array([value * (1 + erf(value / sqrt(2))) / 2 for value in values.tolist()], np.float32)


def _softmax_vector(logits: Vectors) -> Vectors:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()
