"""What the reader is worth on questions whose documents it was not trained on."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from bench.metrics import measure
from bench.sets import by_hash

from bench import CACHE
from rove.language.sentences import sentence_spans
from rove.models.e5.interaction import Interaction
from rove.models.e5.reader import CrossReader, characters, first_token
from rove.models.passage_reading import PassageReading, TokenSpan
from train.reader_examples import RERANKED, standard
from train.reader_sets import Base, answer_places, bases

LATE = 0.6
"""Rove's weight of late interaction beside the first stage."""
WEIGHTS = (0.3, 0.5, 0.7)
WRONGLY_REFUSED = 0.05
ORDERS = ("first stage", "Rove", "reader", *(f"{w} reader" for w in WEIGHTS))
SCORES = ("cosine", "MaxSim", "answer", "span")
PLACES = ("nearest sentence", "span", "span, end to end")


@dataclass(slots=True)
class Group:
    """Results of the questions that one set asks another's documents.

    `orders`: by way of ordering, the documents of each question. `with_gold` and `without`: by score, the best
    candidate's, where the right documents are there and where they are taken away. `held`: by way of choosing a
    sentence, whether it holds an answer: of the right passage, or of the one that stands first ("end to end").
    """

    name: str
    gold: dict[str, dict[str, int]] = field(default_factory=dict)
    orders: dict[str, dict[str, list[str]]] = field(default_factory=lambda: {name: {} for name in ORDERS})
    with_gold: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SCORES})
    without: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in SCORES})
    held: dict[str, list[bool]] = field(default_factory=lambda: {name: [] for name in PLACES})


def evaluate(reader: CrossReader, found: Iterable[Base], most: int) -> list[Group]:
    """Ask up to `most` test questions of each group, by SHA-1 of their ids."""
    groups: list[Group] = []
    for base in found:
        rows: dict[str, dict[str, int]] = {}
        for row, question in enumerate(base.questions):
            if question.side == "test":
                rows.setdefault(question.asker, {})[question.id] = row
        for asker, own in sorted(rows.items()):
            group = Group(base.name if asker == base.name else f"{asker}>{base.name}")
            for query in by_hash(own)[:most]:
                ask(reader, base, own[query], group)
            groups.append(group)
    return groups


def ask(reader: CrossReader, base: Base, row: int, group: Group) -> None:
    """Read a question's best candidates and note what came out."""
    question = base.questions[row]
    chunks = [int(c) for c in base.candidates[row] if c >= 0][:RERANKED]
    readings = reader.read(base.question_tokens(row), [base.packed(c) for c in chunks])
    spans = [reading.best_span(behind_prefix(base, c)) for reading, c in zip(readings, chunks, strict=True)]
    first, late = (table[row, : len(chunks)] for table in (base.first, base.maxsim))
    relevance = np.array([reading.relevance for reading in readings])
    rove = standard((1 - LATE) * standard(first) + LATE * standard(late))
    blended = {f"{w} reader": (1 - w) * rove + w * standard(relevance) for w in WEIGHTS}
    ways = {"first stage": first, "Rove": rove, "reader": relevance, **blended}
    group.gold[question.id] = dict.fromkeys(question.gold, 1)
    for name, scores in ways.items():
        ranked = [base.passages[chunks[n]].document for n in np.argsort(-scores, kind="stable")]
        group.orders[name][question.id] = list(dict.fromkeys(ranked))
    note_best(group, base, row, chunks, readings, spans)
    if question.answers:
        note_places(group, base, row, chunks, spans, int(blended["0.5 reader"].argmax()))


def behind_prefix(base: Base, chunk: int) -> int:
    """The first token of a passage's own text."""
    return first_token(base.spans(chunk), base.passages[chunk].prefix_chars)


def note_best(
    group: Group,
    base: Base,
    row: int,
    chunks: Sequence[int],
    readings: Sequence[PassageReading],
    spans: Sequence[TokenSpan | None],
) -> None:
    """Note the best candidate's scores, with the right documents and without them and what may answer, too."""
    question = base.questions[row]
    labels = [base.label(question, c) for c in chunks]
    is_gold = np.array([base.passages[c].document in question.gold for c in chunks])
    is_other = ~is_gold & np.array([label.answers == 0 for label in labels])
    by_score = {
        "cosine": base.cosine[row, : len(chunks)],
        "MaxSim": base.maxsim[row, : len(chunks)],
        "answer": np.array([reading.answer for reading in readings]),
        "span": np.array([span.score if span else -np.inf for span in spans]),
    }
    for name, scores in by_score.items():
        if any(label.is_relevant == 1 for label in labels):
            group.with_gold[name].append(float(scores.max()))
        if is_other.any():
            group.without[name].append(float(scores[is_other].max()))


def note_places(
    group: Group, base: Base, row: int, chunks: Sequence[int], spans: Sequence[TokenSpan | None], best: int
) -> None:
    """Note whether the sentences that were chosen hold an answer."""
    answers = base.questions[row].answers
    right = [n for n, c in enumerate(chunks) if base.label(base.questions[row], c).spans]
    if right:
        chunk = chunks[right[0]]
        near = nearest_sentence(base, row, chunk)
        group.held["nearest sentence"].append(holds(base, chunk, answers, *near))
        group.held["span"].append(span_holds(base, chunk, answers, spans[right[0]]))
    group.held["span, end to end"].append(span_holds(base, chunks[best], answers, spans[best]))


def span_holds(base: Base, chunk: int, answers: Sequence[str], found: TokenSpan | None) -> bool:
    """Whether the sentences that a span touches hold an answer."""
    return found is not None and holds(base, chunk, answers, *characters(base.spans(chunk), found))


def holds(base: Base, chunk: int, answers: Sequence[str], start: int, end: int) -> bool:
    """Whether the sentences of a passage that text[start:end] touches hold an answer."""
    touched = [(a, b) for a, b in sentences(base, chunk) if a < end and b > start]
    places = answer_places(base.passages[chunk], answers)
    return any(touched[0][0] <= a and b <= touched[-1][1] for a, b in places) if touched else False


def sentences(base: Base, chunk: int) -> list[tuple[int, int]]:
    """The sentences of a passage's own text, as spans of the whole."""
    passage = base.passages[chunk]
    begin = passage.prefix_chars
    return [(a + begin, b + begin) for a, b in sentence_spans(passage.text[begin:], base.language)]


def nearest_sentence(base: Base, row: int, chunk: int) -> tuple[int, int]:
    """The sentence whose tokens come nearest to the question's: mean over the question of the best cosine, cubed."""
    cosines = np.maximum(base.question_tokens(row) @ base.passage_tokens(chunk).T, 0) ** 3
    spans = base.spans(chunk)
    best, at = -1.0, (0, 0)
    for a, b in sentences(base, chunk):
        own = cosines[:, (spans[:, 0] >= a) & (spans[:, 1] <= b)]
        score = float(own.max(axis=1).mean()) if own.size else -1.0
        if score > best:
            best, at = score, (a, b)
    return at


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Chance that a positive stands above a negative; a tie counts half.

    >>> auc([2.0, 1.0], [1.0, 0.0])
    0.875
    """
    below, up_to = (np.searchsorted(np.sort(negative), positive, side) for side in ("left", "right"))
    return float(np.mean((below + up_to) / 2) / len(negative))


def refused(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Share of negatives below the threshold that refuses `WRONGLY_REFUSED` of the positives.

    >>> refused([1.0, 2.0, 3.0], [0.5, 1.5])
    0.5
    """
    return float(np.mean(np.asarray(negative) < np.quantile(positive, WRONGLY_REFUSED)))


def show(groups: Sequence[Group]) -> str:
    """Tables in Markdown; the last rows of the second are of several sets by one threshold."""
    lines = [f"\nnDCG@10\n\n| set | questions | {' | '.join(ORDERS)} |", "|---|---|" + "---|" * len(ORDERS)]
    table = [[measure(g.orders[name], g.gold).ndcg for name in ORDERS] for g in groups]
    lines += [row(g.name, len(g.gold), numbers) for g, numbers in zip(groups, table, strict=True)]
    lines.append(row("mean", sum(len(g.gold) for g in groups), np.mean(table, axis=0)))
    columns = [f"{what}, {name}" for what in ("AUC", "refused at 5 %") for name in SCORES]
    lines += [f"\n| set | questions | {' | '.join(columns)} |", "|---|---|" + "---|" * len(columns)]
    answered = [g for g in groups if g.held["span"]]
    pooled = (together("sets with answers", answered), together("all sets", groups))
    for g in (*groups, *pooled):
        pairs = [(g.with_gold[name], g.without[name]) for name in SCORES]
        if all(positive and negative for positive, negative in pairs):
            numbers = [judge(*pair) for judge in (auc, refused) for pair in pairs]
            lines.append(row(g.name, len(g.with_gold[SCORES[0]]), numbers))
    thresholds = [f"{name} {np.quantile(pooled[1].with_gold[name], WRONGLY_REFUSED):.3f}" for name in SCORES]
    lines.append(f"\nThresholds that refuse {WRONGLY_REFUSED:.0%} of all sets' questions: {', '.join(thresholds)}")
    lines += [f"\nthe sentence holds an answer\n\n| set | questions | {' | '.join(PLACES)} |", "|---|---|---|---|---|"]
    shares = [[float(np.mean(g.held[name])) for name in PLACES] for g in answered]
    lines += [row(g.name, len(g.held["span"]), share) for g, share in zip(answered, shares, strict=True)]
    if shares:
        lines.append(row("mean", sum(len(g.held["span"]) for g in answered), np.mean(shares, axis=0)))
    return "\n".join(lines)


def together(name: str, groups: Iterable[Group]) -> Group:
    """Put the best candidates' scores of several groups together, so that one threshold serves all."""
    whole = Group(name)
    for group in groups:
        for score in SCORES:
            whole.with_gold[score] += group.with_gold[score]
            whole.without[score] += group.without[score]
    return whole


def row(name: str, count: int, numbers: Iterable[float]) -> str:
    """One line of a table."""
    return f"| {name} | {count} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |"


def main() -> None:
    """Evaluate a trained reader: `python -m train.reader_eval FILE`."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("reader", type=Path)
    parser.add_argument("--cache", type=Path, default=CACHE / "reader")
    parser.add_argument("--test", type=int, default=300, help="at most so many questions of each group")
    chosen = parser.parse_args()
    reader = CrossReader(chosen.reader, Interaction())
    print(show(evaluate(reader, bases(chosen.cache), chosen.test)))


if __name__ == "__main__":
    main()
