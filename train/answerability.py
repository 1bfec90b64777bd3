"""Trains the network of `rove.answer.answerability`: `python -m train.answerability --reader FILE`.

On what `python -m train.reader_data` keeps: each test question of the reader, whose documents that has not seen, once
with all its candidates and once without those that answer it; both also with only a few candidates, as a small base
gives them. Half of the questions are for training, the other half for the tables.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from bench.sets import by_hash
from torch import nn

from bench import CACHE
from rove.answer.answerability import FEATURES, NO_SPAN, POOL, Evidence, features
from rove.language.words import query_terms, terms
from rove.models.e5.interaction import Interaction, products
from rove.models.e5.reader import CrossReader
from rove.models.passage_reading import PassageReading
from train.reader_eval import LATE, WRONGLY_REFUSED, auc, refused, row
from train.reader_examples import standard
from train.reader_sets import Base, bases

FEW = (1, 2, 3, 5, 8, 12)
"""How many candidates a small base gives."""
UNCLEAR = ("tools_", "schema_", "lohelp_", "pgdocs")
"""Sets where another document may answer as well: their questions are never taken for unanswerable."""
STEPS, RATE, DECAY = 1500, 0.02, 1e-3


@dataclass(frozen=True, slots=True)
class Case:
    """A question with what was found for it. `group`: who asks whom; `few`: only some candidates."""

    group: str
    language: str
    is_answered: bool
    few: bool
    is_training: bool
    values: np.ndarray

    @property
    def spoken(self) -> bool:
        """Whether the best passage is in the question's language."""
        return bool(self.values[list(FEATURES).index("spoken")])


def main() -> None:
    """Train, show what it is worth on the other half, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE / "reader")
    parser.add_argument("--reader", type=Path, required=True, help="the trained reader's .npz file")
    parser.add_argument("--questions", type=int, default=260, help="at most so many of each group")
    parser.add_argument("--width", type=int, default=1)
    parser.add_argument("--without", nargs="*", default=[], choices=list(FEATURES), help="leave these features out")
    parser.add_argument("--write", type=Path, help="write the weights to this file")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    reader = CrossReader(chosen.reader, Interaction())
    cases = [case for base in bases(chosen.cache) for case in cases_of(base, reader, chosen.questions)]
    blind = np.array([name in chosen.without for name in FEATURES])
    for case in cases:
        case.values[blind] = 0
    training = [case for case in cases if case.is_training]
    network = fit(training, chosen.width)
    print(table(cases, network, chosen.width))
    if chosen.write:
        np.savez(chosen.write, **{name: value.astype(np.float32) for name, value in network.items()})


def cases_of(base: Base, reader: CrossReader, most: int) -> Iterator[Case]:
    """Yield the cases of a set's test questions."""
    groups: dict[str, dict[str, int]] = {}
    for n, question in enumerate(base.questions):
        if question.side == "test":
            groups.setdefault(question.asker, {})[question.id] = n
    for asker, rows in sorted(groups.items()):
        name = base.name if asker == base.name else f"{asker}>{base.name}"
        for query in by_hash(rows)[:most]:
            yield from question_cases(base, reader, rows[query], name)


def question_cases(base: Base, reader: CrossReader, at: int, name: str) -> Iterator[Case]:
    """Yield a question with and without the passages that answer it, each time with many candidates and with few."""
    question = base.questions[at]
    chunks = np.array([c for c in base.candidates[at] if c >= 0])
    labels = [base.label(question, int(c)) for c in chunks]
    is_gold = np.array([base.passages[c].document in question.gold for c in chunks])
    is_right = np.array([label.is_relevant == 1 for label in labels])
    is_other = ~is_gold & np.array([label.answers == 0 for label in labels])
    readings = reader.read(base.question_tokens(at), [base.packed(int(c)) for c in chunks])
    digest = hashlib.sha1(f"{sorted(question.gold)}".encode(), usedforsecurity=False).digest()
    drawn = np.random.default_rng(digest[0] * 256 + digest[1])
    for is_answered in (True, False):
        if is_answered and not is_right[:POOL].any():
            continue
        if not is_answered and (name.startswith(UNCLEAR) or not is_other.any()):
            continue
        keep = np.ones(len(chunks), bool) if is_answered else is_other
        many = np.flatnonzero(keep)[:POOL]
        others = np.flatnonzero(keep & ~is_right)
        few = drawn.permutation(others)[: drawn.choice(FEW) - is_answered]
        if is_answered:
            few = np.concatenate([np.flatnonzero(is_right)[:1], few])
        for is_few, places in ((False, many), (True, few)):
            if len(places):
                found = evidence(base, at, chunks, readings, places)
                yield Case(name, question.language, is_answered, is_few, digest[-2] % 2 == 0, features(found))


def evidence(
    base: Base, at: int, chunks: np.ndarray, readings: Sequence[PassageReading], places: np.ndarray
) -> Evidence:
    """Put together what is known of the candidates at these places, in Rove's order."""
    first, late = base.first[at, places], base.maxsim[at, places]
    places = places[np.argsort(-((1 - LATE) * standard(first) + LATE * standard(late)), kind="stable")]
    question, rows = base.questions[at], [int(c) for c in chunks[places]]
    asked = base.question_tokens(at)
    wanted = list(dict.fromkeys(query_terms(question.text, question.language)))
    held = [held_terms(base.passages[c].text, base.language) for c in rows]
    spans = [readings[n].best_span() for n in places]
    return Evidence(
        base.maxsim[at, places],
        base.cosine[at, places],
        np.array([np.maximum(products(base.passage_tokens(c), asked), 0).max(axis=0) for c in rows]),
        np.array([[term in own for term in wanted] for own in held], np.bool_).reshape(len(rows), len(wanted)),
        np.full(len(rows), base.language == question.language),
        np.array([readings[n].answer for n in places], np.float32),
        np.array([span.score if span else NO_SPAN for span in spans], np.float32),
    )


@lru_cache(20_000)
def held_terms(text: str, language: str) -> frozenset[str]:
    """The terms of a passage."""
    return frozenset(terms(text, language))


def fit(cases: Sequence[Case], width: int) -> dict[str, np.ndarray]:
    """Train; every group counts alike, and of it what is answered and what is not. 0: `WRONGLY_REFUSED` are refused."""
    torch.manual_seed(0)
    values = np.stack([case.values for case in cases])
    mean, scale = values.mean(axis=0), values.std(axis=0) + 1e-6
    standardised = torch.from_numpy((values - mean) / scale)
    wanted = torch.tensor([float(case.is_answered) for case in cases])
    kinds = [(case.group, case.is_answered, case.few) for case in cases]
    counts = Counter(kinds)
    weight = torch.tensor([len(kinds) / len(counts) / counts[kind] for kind in kinds])
    model = nn.Sequential(nn.Linear(len(FEATURES), width), nn.Tanh(), nn.Linear(width, 1))
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / STEPS)
        loss = nn.functional.binary_cross_entropy_with_logits(model(standardised)[:, 0], wanted, weight)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    arrays = [parameter.detach().numpy() for parameter in model.parameters()]
    network = dict(zip(("inner", "inner_bias", "outer", "outer_bias"), arrays, strict=True))
    network |= {"outer": network["outer"][0], "mean": mean, "scale": scale}
    network["outer_bias"] = np.repeat(network["outer_bias"], 2)
    limits = [threshold([case for case in cases if case.spoken is spoken], network) for spoken in (False, True)]
    network["outer_bias"] = network["outer_bias"] - limits
    return network


def threshold(cases: Sequence[Case], network: dict[str, np.ndarray]) -> float:
    """The logit below which `WRONGLY_REFUSED` of what is answered lies, each group counting alike."""
    groups: dict[str, list[float]] = {}
    for case in cases:
        if case.is_answered and not case.few:
            groups.setdefault(case.group, []).append(logit(case, network))
    drawn = [float(v) for own in groups.values() for v in np.quantile(own, np.linspace(0.0025, 0.9975, 200))]
    return float(np.quantile(drawn, WRONGLY_REFUSED)) if drawn else 0.0


def logit(case: Case, network: dict[str, np.ndarray]) -> float:
    """What the network says of a case."""
    hidden = np.tanh(network["inner"] @ ((case.values - network["mean"]) / network["scale"]) + network["inner_bias"])
    return float(network["outer"] @ hidden + network["outer_bias"][int(case.spoken)])


def is_plain(group: str) -> bool:
    """Whether question and documents are of one language."""
    return ">" not in group


def table(cases: Sequence[Case], network: dict[str, np.ndarray], width: int) -> str:
    """Tables in Markdown, of the questions that were not trained on.

    "left out": by a network that has seen no question in the group's languages, with its own threshold.
    """
    shares = [f"{which}{what}" for which in ("", "few: ", "left out: ") for what in ("refused", "wrongly")]
    columns = ["set", "questions", "AUC", "refused at 5 %", *shares]
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    tested = [case for case in cases if not case.is_training]
    networks: dict[frozenset[str], dict[str, np.ndarray]] = {}
    numbers: dict[str, list[float]] = {}
    for name in sorted({case.group for case in tested}):
        own = [case for case in tested if case.group == name]
        spoken = frozenset(part[-2:] for part in name.split(">")) | {own[0].language}
        if spoken not in networks:
            others = [c for c in cases if c.is_training and not {c.language, c.group[-2:]} & spoken]
            networks[spoken] = fit(others, width)
        numbers[name] = judged(own, network, networks[spoken])
        count = sum(c.is_answered and not c.few for c in own)
        lines.append(row(name, count, numbers[name]))
    for title, wanted in (("one language, mean", True), ("two languages, mean", False)):
        some = [own for name, own in numbers.items() if is_plain(name) is wanted and not np.isnan(own[0])]
        if some:
            lines.append(row(title, len(some), np.mean(some, axis=0)))
    return "\n".join(lines)


def judged(cases: Sequence[Case], network: dict[str, np.ndarray], stranger: dict[str, np.ndarray]) -> list[float]:
    """The eight numbers of a group."""
    nan = float("nan")

    def logits(by: dict[str, np.ndarray], few: bool, is_answered: bool) -> list[float]:
        return [logit(c, by) for c in cases if c.few == few and c.is_answered == is_answered]

    def below(values: Sequence[float]) -> float:
        return float(np.mean(np.asarray(values) < 0)) if values else nan

    right, wrong = logits(network, False, True), logits(network, False, False)
    known = [auc(right, wrong), refused(right, wrong)] if right and wrong else [nan, nan]
    return [
        *known,
        below(wrong),
        below(right),
        below(logits(network, True, False)),
        below(logits(network, True, True)),
        below(logits(stranger, False, False)),
        below(logits(stranger, False, True)),
    ]


if __name__ == "__main__":
    main()
