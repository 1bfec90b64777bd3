"""Batches for the reader: every question beside one passage that is right and several that Rove found and are not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rove.models.e5.reader import QUESTION_TOKENS
from train.reader_model import Pairs
from train.reader_sets import Base

RERANKED = 20
PASSAGE_TOKENS = 192
"""A longer passage is cut to a window of so many; inference reads it whole."""
HARDEST, FROM_BEST = 3, 6
"""So many of the wrong passages are of the best so many."""
SORTED_BATCHES = 32


@dataclass(frozen=True, slots=True)
class Example:
    """A question's row, the rows of the passages that are right and wrong, and z-scores of the first stage by row.

    `answers` and `spans`: `Label.answers` and `Label.spans` by passage.
    """

    base: Base
    row: int
    right: np.ndarray
    wrong: np.ndarray
    first: dict[int, float]
    answers: dict[int, int]
    spans: dict[int, tuple[tuple[int, int], ...]]
    tokens: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs of b questions by k passages, the right one first, and what they are worth.

    `first` (b, k) the first stage's z-scores; `answers` (b · k,) 1, 0 or -1; `begins` and `ends` (b · k, 1 + p) bool:
    where an answer may begin and end, at 0 for none; `is_known` (b · k,): whether these say anything.
    """

    pairs: Pairs
    first: Tensor
    answers: Tensor
    begins: Tensor
    ends: Tensor
    is_known: Tensor


def examples(found: Sequence[Base], most: int, left_out: Collection[str], seed: int) -> list[Example]:
    """Take of every group (who asks whom) up to `most` questions for training; none in a language that is left out."""
    drawn = np.random.default_rng(seed)
    chosen: list[Example] = []
    for base in found:
        groups: dict[str, list[int]] = {}
        for row, question in enumerate(base.questions):
            if question.side == "train" and not {question.language, base.language} & set(left_out):
                groups.setdefault(question.asker, []).append(row)
        for asker, rows in groups.items():
            drawn.shuffle(rows)
            usable = [e for e in (example(base, row) for row in rows[:most]) if len(e.right) and len(e.wrong)]
            print(f"{asker} asks {base.name}: {len(usable)} training questions", flush=True)
            chosen += usable
    return chosen


def example(base: Base, row: int) -> Example:
    """Label a question's best candidates of the training side."""
    chunks = [int(c) for c in base.candidates[row] if c >= 0 and base.passages[c].side == "train"][:RERANKED]
    labels = {c: base.label(base.questions[row], c) for c in chunks}
    places = {int(c): n for n, c in enumerate(base.candidates[row])}
    first = standard(np.array([base.first[row, places[c]] for c in chunks], np.float64))
    right, wrong = (np.array([c for c in chunks if labels[c].is_relevant == is_so], np.int64) for is_so in (1, 0))
    return Example(
        base,
        row,
        right,
        wrong,
        dict(zip(chunks, first.tolist(), strict=True)),
        {c: label.answers for c, label in labels.items()},
        {c: label.spans for c, label in labels.items()},
        max((len(base.packed(c)) for c in chunks), default=0),
    )


def standard(values: np.ndarray) -> np.ndarray:
    """z-scores; all 0 where the values are the same."""
    return (values - values.mean()) / max(values.std(), 1e-9) if len(values) else values


def order(data: Sequence[Example], size: int, seed: int) -> Iterator[list[Example]]:
    """Yield batches for ever, each epoch shuffled anew; passages of about the same length stand together."""
    epoch = 0
    while True:
        drawn = np.random.default_rng((seed, epoch))
        shuffled = drawn.permutation(len(data))
        for begin in range(0, len(shuffled), size * SORTED_BATCHES):
            near = sorted(shuffled[begin : begin + size * SORTED_BATCHES], key=lambda i: data[i].tokens)
            batches = [near[at : at + size] for at in range(0, len(near), size)]
            for n in drawn.permutation(len(batches)):
                yield [data[i] for i in batches[n]]
        epoch += 1


def batch(chosen: Sequence[Example], passages: int, drawn: np.random.Generator) -> Batch:
    """Draw each question's passages and put them together."""
    questions, texts, first, answers, spans, known = [], [], [], [], [], []
    for e in chosen:
        asked = e.base.question_tokens(e.row)[:QUESTION_TOKENS]
        for chunk in (int(drawn.choice(e.right)), *wrong_ones(e.wrong, passages - 1, drawn)):
            own = e.spans[chunk]
            tokens, moved = window(e.base.passage_tokens(chunk), own, drawn)
            questions.append(asked)
            texts.append(tokens)
            first.append(e.first[chunk])
            answers.append(e.answers[chunk])
            spans.append(moved)
            known.append(bool(own) or e.answers[chunk] == 0)
    question, there = padded(questions)
    passage, given = padded(texts)
    begins, ends = (torch.zeros(len(texts), 1 + passage.shape[1], dtype=torch.bool) for _ in range(2))
    for n, own in enumerate(spans):
        begins[n, [1 + a for a, _ in own] or [0]] = True
        ends[n, [1 + b for _, b in own] or [0]] = True
    return Batch(
        Pairs(question, there, passage, given),
        torch.tensor(first).view(len(chosen), passages),
        torch.tensor(answers),
        begins,
        ends,
        torch.tensor(known),
    )


def wrong_ones(found: np.ndarray, count: int, drawn: np.random.Generator) -> list[int]:
    """Draw some of the best and some of all; a passage may stand twice where there are too few."""
    best = drawn.permutation(found[:FROM_BEST])[: min(HARDEST, count)]
    others = np.setdiff1d(found, best) if len(found) > len(best) else found
    more = drawn.choice(others, count - len(best), replace=len(others) < count - len(best))
    return [int(c) for c in (*best, *more)]


def window(
    tokens: np.ndarray, spans: Sequence[tuple[int, int]], drawn: np.random.Generator
) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Cut a long passage to a window that holds one of its answers; return it and the answers that it holds, moved."""
    if len(tokens) <= PASSAGE_TOKENS:
        return tokens, list(spans)
    last = len(tokens) - PASSAGE_TOKENS
    low, high = 0, last
    if spans:
        start, end = spans[drawn.integers(len(spans))]
        low, high = max(0, end + 1 - PASSAGE_TOKENS), min(start, last)
    # Half of them begin where the passage does, with its title.
    begin = low if drawn.random() < 0.5 else int(drawn.integers(low, max(low, high) + 1))
    held = [(a - begin, b - begin) for a, b in spans if a >= begin and b < begin + PASSAGE_TOKENS]
    return tokens[begin : begin + PASSAGE_TOKENS], held


def padded(arrays: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
    """(n, longest, 128) float32, and which of the tokens are there."""
    longest = max(map(len, arrays))
    whole = np.zeros((len(arrays), longest, arrays[0].shape[1]), np.float32)
    there = np.zeros(whole.shape[:2], bool)
    for n, array in enumerate(arrays):
        whole[n, : len(array)], there[n, : len(array)] = array, True
    return torch.from_numpy(whole), torch.from_numpy(there)
