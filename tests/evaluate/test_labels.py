"""Labels by several annotators: the study's tie rules, agreement against published examples."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.evaluate.agreement import (
    agreement,
    cohen_kappa,
    fleiss_kappa,
    interval,
    krippendorff_alpha,
    labels_by_item,
    nominal,
    ordinal,
)
from rove.evaluate.labels import Merged, Vote, gold_of, merge_votes, plurality

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve units.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
# Fleiss (1971) as commonly quoted: ten subjects, fourteen raters, five categories; kappa 0.210.
SUBJECTS = (
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
)  # fmt: skip

labels = st.none() | st.integers(1, 3) | st.just(21)
votes = st.builds(Vote, st.sampled_from("abc"), st.sampled_from("qr"), st.sampled_from("de"), labels)


@settings(deadline=None)
@given(st.lists(labels))
def test_ties_follow_the_rules(given_labels: list[int | None]) -> None:
    counts = [given_labels.count(label) for label in (1, 2, 3)]
    leading = {label for label, count in enumerate(counts, 1) if count == max(counts)}
    expected = {
        frozenset({1}): 1, frozenset({2}): 2, frozenset({3}): 3,
        frozenset({1, 2}): 2, frozenset({1, 3}): 3, frozenset({2, 3}): 2, frozenset({1, 2, 3}): 2,
    }[frozenset(leading)]  # fmt: skip
    assert plurality(given_labels) == (expected if any(counts) else None)
    assert plurality(reversed(given_labels)) == plurality(given_labels)


@settings(deadline=None)
@given(st.lists(votes))
def test_merging_asks_everybody_once(given_votes: list[Vote]) -> None:
    merged = merge_votes(given_votes)
    keys = [(found.question_id, found.document_id) for found in merged]
    assert Counter(keys) == Counter({(v.question_id, v.document_id): 1 for v in given_votes})


def test_gold_leaves_out_what_nobody_judged() -> None:
    merged = [Merged("q", "a", 1), Merged("q", "a", 3), Merged("q", "b", None), Merged("r", "c", None)]
    assert gold_of(merged) == {"q": {"a": 2}, "r": {}}
    assert gold_of(merged, {1: 1, 2: 0, 3: 0}) == {"q": {"a": 1}, "r": {}}


def test_alpha_is_that_of_krippendorffs_example() -> None:
    ratings = {
        str(who): {str(unit): int(label) for unit, label in enumerate(row) if label != "."}
        for who, row in enumerate(OBSERVERS)
    }
    items = labels_by_item(ratings)
    found = [krippendorff_alpha(items, distance) for distance in (nominal, ordinal, interval)]
    assert found == [pytest.approx(value, abs=0.0005) for value in (0.743, 0.815, 0.849)]


def test_kappas_are_those_of_the_textbooks() -> None:
    items = [[label for label, count in enumerate(row) for _ in range(count)] for row in SUBJECTS]
    assert fleiss_kappa(items) == pytest.approx(0.210, abs=0.0005)
    pairs = [(1, 1)] * 20 + [(1, 2)] * 5 + [(2, 1)] * 10 + [(2, 2)] * 15
    one, other = ({str(item): pair[side] for item, pair in enumerate(pairs)} for side in (0, 1))
    assert cohen_kappa(one, other) == pytest.approx(0.4)


@settings(deadline=None)
@given(st.lists(votes))
def test_agreement_is_never_nan(given_votes: list[Vote]) -> None:
    found = agreement(given_votes)
    for value in (found.pairs, found.cohen, found.fleiss, found.alpha):
        assert value is None or -20 <= value <= 1.0 + 1e-12
    assert (found.pairs is None) == (found.items == 0)


def test_agreement_on_one_label_throughout_is_whole_and_cannot_be_set_against_chance() -> None:
    found = agreement([Vote(who, "q", item, 1) for who in "ab" for item in "de"])
    assert (found.pairs, found.cohen, found.fleiss, found.alpha) == (1.0, None, None, None)
