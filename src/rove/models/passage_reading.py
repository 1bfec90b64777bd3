"""Reading: a question and a passage at once, token by token; more exact than comparing what was made of each alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from rove.models import Embedder, Vectors

TokenPlaces = NDArray[np.int32]
"""(tokens, 2): where each begins and ends in its text, in characters."""
ANSWER_TOKENS = 32
"""The longest span, in tokens."""


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """Tokens `start` to before `end` of a passage. `score`: how much better than no span, a logit: 0 is level."""

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What was read in a passage, given a question of q tokens.

    `relevance` and `answer` (whether it answers) are logits, higher is better. `begins` and `ends`, (tokens,) float32:
    an answer begins or ends at this token; `no_span`: there is none. `late` is the score of late interaction, and
    `closest`, (q,), of each of the question's tokens the cosine of the nearest in the passage, at least 0.
    """

    relevance: float
    answer: float
    begins: Vectors
    ends: Vectors
    no_span: float
    late: float
    closest: Vectors

    def best_span(self, first: int = 0, end: int | None = None) -> TokenSpan | None:
        """Return the best span of at most `ANSWER_TOKENS`, the earliest of equals; None where there are no tokens.

        It stands within the tokens from `first` to before `end`.
        """
        found = best_span(self.begins[first:end], self.ends[first:end], self.no_span)
        return found and TokenSpan(first + found.start, first + found.end, found.score)


def best_span(begins: Vectors, ends: Vectors, no_span: float) -> TokenSpan | None:
    """Return the best span of at most `ANSWER_TOKENS`, the earliest of equals; None where there are no tokens.

    Args:
        begins: (tokens,) how rather an answer begins at this token than elsewhere, a logit.
        ends: the same of its last token.
        no_span: the sum of both where there is no answer.
    """
    if not len(begins):
        return None
    beyond = np.full(ANSWER_TOKENS - 1, -np.inf, np.float32)
    sums = begins[:, None] + sliding_window_view(np.concatenate([ends, beyond]), ANSWER_TOKENS)
    start, more = divmod(int(sums.argmax()), ANSWER_TOKENS)
    return TokenSpan(start, start + more + 1, float(sums[start, more]) - no_span)


@runtime_checkable
class ReadingEmbedder(Protocol):
    """A `LateEmbedder` that can read: it keeps enough of a passage's tokens for that."""

    async def read(self, question: str, passages: Sequence[bytes]) -> Sequence[PassageReading] | None:
        """Read passages, of each the tokens that `LateEmbedder.passages_with_tokens` returned.

        None where it cannot: the tokens are of another model, or there are none.
        """
        ...

    async def token_spans(self, text: str) -> TokenPlaces:
        """Return where the tokens of a passage stand in its text; none where it cannot say."""
        ...


async def query_tokens(embedder: Embedder, question: str) -> Vectors | None:
    """Return (tokens, dimension) float32, unit length, for a question; None of an embedder without `query_tokens`."""
    tokens = getattr(embedder, "query_tokens", None)
    return None if tokens is None else cast("Vectors | None", await tokens(question))
