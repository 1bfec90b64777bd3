"""Check (c): Rove's rules on each stored unreranked ranking give the stored reranked one.

Posts that say the same in the same words are equally far from a question, and the study's index gave them back in
another order each time that it was asked: the two searches that its overwritten filter made one and the same differ
in such ties too (`reproduce.faults`). The order that a rerank began with is therefore not on record where there are
ties, so an order of them is looked for from which the rules give what is stored, to the last place.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from reproduce.study import Config, Key, Stored, Study
from rove.retrieve.rules import RULES, Rule
from rove.retrieve.rules.apply_rules import ordered

ATTEMPTS = 60
KICK = 3
"""Ties that are moved at random where the search for their order is stuck."""
Places = Sequence[Stored]


@dataclass(slots=True)
class Reranks:
    """How the reranked rankings came out: as they stand, with other posts of the last distance, with other ties.

    `edge`: of posts that tie for the last of the 50 places, the study's second search gave others. `ties`: an order of
    ties was found from which the rules give what is stored. `unexplained` should be empty.
    """

    exact: int = 0
    edge: int = 0
    ties: int = 0
    unexplained: list[Key] = field(default_factory=list[Key])

    @property
    def compared(self) -> int:
        """How many reranked rankings there are."""
        return self.exact + self.edge + self.ties + len(self.unexplained)


def rerank(places: Places, rules: Sequence[Rule]) -> list[Stored]:
    """Apply Rove's rules to places of the study."""
    return ordered(places, rules, fields_of=lambda place: place.fields, score_of=lambda place: -place.distance)


def compare(study: Study) -> Reranks:
    """Rerank every stored unreranked ranking by the rules of every other configuration of the same search."""
    found = Reranks()
    for key, stored in study.rankings.items():
        config = Config(key[0])
        if not config.rules:
            continue
        rules = [RULES.get(name)() for name in config.rules]
        given = study.rankings[config.unreranked, key[1]]
        if agrees(rerank(given, rules), stored):
            found.exact += 1
            continue
        given = with_edge_of(stored, given)
        if agrees(rerank(given, rules), stored):
            found.edge += 1
        elif agrees(rerank(tie_order(given, stored, rules), rules), stored):
            found.ties += 1
        else:
            found.unexplained.append(key)
    return found


def agrees(left: Places, right: Places) -> bool:
    """Say whether two rankings have the same chunks in the same order."""
    return [place.same for place in left] == [place.same for place in right]


def with_edge_of(stored: Places, given: Places) -> list[Stored]:
    """Exchange the places of the last distance for those that the other ranking has of it, if they differ."""
    if Counter(p.same for p in stored) == Counter(p.same for p in given):
        return list(given)
    last = given[-1].distance
    return [p for p in given if p.distance != last] + [p for p in stored if p.distance == last]


def tie_order(given: Places, stored: Places, rules: Sequence[Rule]) -> list[Stored]:
    """Reorder ties until the rules give `stored`, by moves that bring the result nearer; the nearest that was found.

    Only places of one distance change among each other. Seeded: it finds the same every time.
    """
    chance = random.Random(0)
    now = list(given)
    for _ in range(ATTEMPTS):
        now, left = descend(now, stored, rules, chance)
        if not left:
            return now
        for _ in range(KICK):
            start, end = chance.choice(tied(now))
            now.insert(chance.randrange(start, end), now.pop(chance.randrange(start, end)))
    return now


def descend(
    given: list[Stored], stored: Places, rules: Sequence[Rule], chance: random.Random
) -> tuple[list[Stored], int]:
    """Take moves within ties as long as one brings the result nearer; returns the order and how far it still is."""
    now, best, nearer = given, away(rerank(given, rules), stored), True
    while best and nearer:
        nearer = False
        moves = [(i, j) for a, b in tied(now) for i in range(a, b) for j in range(a, b) if i != j]
        chance.shuffle(moves)
        for source, target in moves:
            trial = list(now)
            if chance.random() < 0.5:
                trial.insert(target, trial.pop(source))
            else:
                trial[source], trial[target] = trial[target], trial[source]
            distance = away(rerank(trial, rules), stored)
            if distance < best:
                now, best, nearer = trial, distance, True
    return now, best


def tied(places: Places) -> list[tuple[int, int]]:
    """Runs of places with one distance: (start, end) each, of two and more.

    The places stand by distance, so that each distance is one run.
    """
    ends = [0]
    for _, run in groupby(places, key=lambda place: place.distance):
        ends.append(ends[-1] + len(list(run)))
    return [(start, end) for start, end in pairwise(ends) if end - start > 1]


def away(result: Places, stored: Places) -> int:
    """Sum of how many places each chunk stands from where it is stored."""
    wanted: dict[tuple[str, float, int], list[int]] = defaultdict(list)
    for rank, place in enumerate(stored):
        wanted[place.same].append(rank)
    return sum(abs(rank - wanted[place.same].pop(0)) for rank, place in enumerate(result))
