"""One question's ranking beside what is known of its documents: what every metric of a ranking is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """A ranking and the grades of its question.

    `ranking`: ids, best first; `cut`: how many places count (None: all). `grades`: id → grade, for what was judged; 0
    and less is "judged, and not relevant". `relevant`: the ids whose grade is high enough. A repeated id counts at its
    first place only, unless a metric says otherwise; `measure` takes repetitions out before, unless told otherwise.
    """

    ranking: Sequence[str]
    grades: Mapping[str, int]
    relevant: frozenset[str]
    cut: int | None = None

    @property
    def top(self) -> Sequence[str]:
        """The places that count."""
        return self.ranking[: self.cut]

    @property
    def positions(self) -> list[int]:
        """Places of relevant ids, from 1, each occurrence of an id counted."""
        return [place for place, name in enumerate(self.top, 1) if name in self.relevant]

    @property
    def first_positions(self) -> list[int]:
        """Places of relevant ids, from 1, each id at its first place only."""
        seen: dict[str, int] = {}
        for place, name in enumerate(self.top, 1):
            if name in self.relevant:
                seen.setdefault(name, place)
        return list(seen.values())


def relevant_ids(grades: Mapping[str, int], least: int = 1) -> frozenset[str]:
    """Return the ids that have at least this grade.

    >>> sorted(relevant_ids({"a": 2, "b": 1, "c": 0}))
    ['a', 'b']
    """
    return frozenset(name for name, grade in grades.items() if grade >= least)


def without_repetitions(ranking: Sequence[str]) -> list[str]:
    """Keep the first of each id; what is below moves up.

    >>> without_repetitions(["a", "a", "b"])
    ['a', 'b']
    """
    return list(dict.fromkeys(ranking))
