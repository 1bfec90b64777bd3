"""How far annotators agree: share of pairs, Cohen's and Fleiss' kappa, Krippendorff's alpha. Never NaN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from rove.evaluate.labels import Vote
from rove.records.reviewed import VERDICTS, ReviewDecision

Ratings = Mapping[str, Mapping[str, int]]
"""Annotator → item → label."""

Distance = Callable[[int, int, Mapping[int, float]], float]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree. None: it cannot be told, without an item with two labels or (save `pairs`) two labels.

    `items`: those with at least two labels. `pairs`: share of pairs of labels on one item that are equal, 0 … 1.
    `cohen`: the mean of Cohen's kappa over the pairs of annotators. `fleiss`: Fleiss' kappa. `alpha`: Krippendorff's,
    for labels in an order. 1 is perfect, 0 what chance gives, below 0 worse than that.
    """

    annotators: int
    items: int
    pairs: float | None
    cohen: float | None
    fleiss: float | None
    alpha: float | None


def agreement(votes: Sequence[Vote]) -> Agreement:
    """Say how far the annotators agree on the same documents for the same questions.

    >>> votes = [Vote(who, "q", item, label) for who in "ab" for item, label in (("d", 1), ("e", 3))]
    >>> agreement(votes)
    Agreement(annotators=2, items=2, pairs=1.0, cohen=1.0, fleiss=1.0, alpha=1.0)
    """
    ratings: dict[str, dict[str, int]] = {}
    for vote in votes:
        if vote.label is not None:
            ratings.setdefault(vote.annotator, {})[f"{vote.question_id}\0{vote.document_id}"] = vote.label
    kappas = [cohen_kappa(one, other) for one, other in combinations(ratings.values(), 2)]
    known = [kappa for kappa in kappas if kappa is not None]
    by_item = labels_by_item(ratings)
    return Agreement(
        annotators=len(ratings),
        items=len(by_item),
        pairs=equal_pairs(by_item),
        cohen=sum(known) / len(known) if known else None,
        fleiss=fleiss_kappa(by_item),
        alpha=krippendorff_alpha(by_item),
    )


def reviewers_agreement(decisions: Sequence[ReviewDecision]) -> Agreement:
    """Say how far reviewers agree: on whether a thing is accepted, edited or rejected. The last word of each counts."""
    return agreement([Vote(one.by, one.item_id, "", VERDICTS.index(one.verdict)) for one in decisions])


def labels_by_item(ratings: Ratings) -> list[list[int]]:
    """Return the labels of each item that has at least two.

    >>> labels_by_item({"a": {"x": 1, "y": 2}, "b": {"x": 3}})
    [[1, 3]]
    """
    items: dict[str, list[int]] = {}
    for labels in ratings.values():
        for item, label in labels.items():
            items.setdefault(item, []).append(label)
    return [labels for labels in items.values() if len(labels) > 1]


def equal_pairs(items: Sequence[Sequence[int]]) -> float | None:
    """Return the mean over the items of the share of equal pairs.

    >>> equal_pairs([[1, 1], [1, 2]])
    0.5
    """
    return sum(map(_equal_pair_share, items)) / len(items) if items else None


def cohen_kappa(one: Mapping[str, int], other: Mapping[str, int]) -> float | None:
    """κ = (p_o − p_e) / (1 − p_e) on what both labelled (Cohen, 1960); p_e from each one's own shares.

    None: nothing in common, or both gave one and the same label to all.

    >>> cohen_kappa({"x": 1, "y": 2}, {"x": 1, "y": 1})
    0.0
    """
    both = [item for item in one if item in other]
    if not both:
        return None
    seen = sum(one[item] == other[item] for item in both) / len(both)
    first, second = Counter(one[item] for item in both), Counter(other[item] for item in both)
    chance = sum(first[label] * second[label] for label in first) / len(both) ** 2
    return (seen - chance) / (1 - chance) if chance < 1 else None


def fleiss_kappa(items: Sequence[Sequence[int]]) -> float | None:
    """κ = (P̄ − P̄ₑ) / (1 − P̄ₑ) (Fleiss, 1971): P̄ the mean share of equal pairs, P̄ₑ = Σ share(label)².

    Items may have different numbers of labels, from two. None: no item, or one label throughout.

    >>> fleiss_kappa([[1, 1, 1], [2, 2, 2]])
    1.0
    """
    seen = equal_pairs(items)
    if seen is None:
        return None
    counts = Counter(label for labels in items for label in labels)
    chance = sum((count / counts.total()) ** 2 for count in counts.values())
    return (seen - chance) / (1 - chance) if len(counts) > 1 else None


def nominal(one: int, other: int, counts: Mapping[int, float]) -> float:
    """Labels without an order: 0 if equal, else 1."""
    del counts
    return float(one != other)


def ordinal(one: int, other: int, counts: Mapping[int, float]) -> float:
    """Labels in an order: (labels given from one to the other, each of the two counted half)²."""
    low, high = min(one, other), max(one, other)
    between = sum(count for label, count in counts.items() if low <= label <= high)
    return (between - (counts[one] + counts[other]) / 2) ** 2


def interval(one: int, other: int, counts: Mapping[int, float]) -> float:
    """Labels as numbers: (one − other)²."""
    del counts
    return float((one - other) ** 2)


def krippendorff_alpha(items: Sequence[Sequence[int]], distance: Distance = ordinal) -> float | None:
    """α = 1 − D_o / D_e, the disagreement seen over the one by chance (Krippendorff, 2011).

    Each item's pairs weigh 1 / (its labels − 1). At most 1. None: no item, or one label throughout.

    >>> krippendorff_alpha([[1, 1], [3, 3], [1, 3]])
    0.4444444444444444
    """
    weights: dict[tuple[int, int], float] = {}
    for labels in items:
        for pair, count in Counter(permutations(labels, 2)).items():
            weights[pair] = weights.get(pair, 0.0) + count / (len(labels) - 1)
    counts: dict[int, float] = {}
    for (one, _), weight in weights.items():
        counts[one] = counts.get(one, 0.0) + weight
    if len(counts) < 2:
        return None
    total = sum(counts.values())
    seen = sum(weight * distance(*pair, counts) for pair, weight in weights.items())
    chance = sum(counts[a] * counts[b] * distance(a, b, counts) for a, b in permutations(counts, 2))
    return 1.0 - (total - 1) * seen / chance


def _equal_pair_share(labels: Sequence[int]) -> float:
    pairs = len(labels) * (len(labels) - 1)
    return sum(count * (count - 1) for count in Counter(labels).values()) / pairs
