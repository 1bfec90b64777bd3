"""Metrics of spans: how much of the exact words that answer a question is in what was read, and how much else.

Character-wise recall, precision and IoU follow Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval"
(Chroma, 2024), who count tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rove.records.document import Span

GAP_CHARS = 2  # white space that chunking leaves out between two pieces

Spans = Mapping[str, Sequence[Span]]


@dataclass(frozen=True, slots=True)
class SpanScore:
    """One question. All are 0 … 1, and None where there is no gold; `precision` also where nothing was read.

    `recall`: gold characters read / gold characters. `whole`: gold spans that were read whole / gold spans.
    `precision`: gold characters read / characters read, those read twice counted twice. `iou`: gold characters read /
    (gold + read − gold read).
    """

    recall: float | None
    whole: float | None
    precision: float | None
    iou: float | None


def score_spans(read: Spans, gold: Spans) -> SpanScore:
    """Compare what was read with the gold, document by document: id → spans.

    Overlapping gold spans count once for characters, each for `whole`. Pieces that lie next to each other, with no more
    than `GAP_CHARS` between them, hold a gold span together.

    >>> score_spans({"d": [(0, 10), (10, 20)]}, {"d": [(5, 15), (30, 40)]})
    SpanScore(recall=0.5, whole=0.5, precision=0.5, iou=0.3333333333333333)
    """
    wanted = {name: join_spans(spans) for name, spans in gold.items()}
    gold_chars = sum(map(_count_span_chars, wanted.values()))
    if not gold_chars:
        return SpanScore(None, None, None, None)
    own = {name: join_spans(read.get(name, ())) for name in gold}
    hit = sum(shared_chars(own[name], wanted[name]) for name in gold)
    read_chars = sum(map(_count_span_chars, read.values()))
    held = [holds(own[name], span) for name, spans in gold.items() for span in spans]
    return SpanScore(
        recall=hit / gold_chars,
        whole=sum(held) / len(held),
        precision=min(1.0, hit / read_chars) if read_chars else None,  # a gap between two pieces can be gold
        iou=hit / max(read_chars + gold_chars - hit, hit),
    )


def join_spans(spans: Iterable[Span], gap_chars: int = GAP_CHARS) -> list[Span]:
    """Join spans that overlap or have at most so many characters between them; in order.

    >>> join_spans([(5, 9), (0, 4), (20, 30)])
    [(0, 9), (20, 30)]
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + gap_chars:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def holds(spans: Iterable[Span], gold: Span) -> bool:
    """Say whether one of the spans holds all of the gold.

    >>> holds([(0, 10)], (2, 10)), holds([(0, 10)], (2, 11))
    (True, False)
    """
    return any(start <= gold[0] and gold[1] <= end for start, end in spans)


def shared_chars(spans: Sequence[Span], gold: Sequence[Span]) -> int:
    """Count the characters that stand in both; neither may overlap itself. See `join_spans`.

    >>> shared_chars([(0, 10)], [(5, 7), (9, 12)])
    3
    """
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in spans for b in gold)


def _count_span_chars(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)
