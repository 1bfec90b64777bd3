"""What a search of the store gives: ranked lists, and how much of the question the words of the best hit cover."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from rove.store import Scored


@dataclass(frozen=True, slots=True)
class SearchLists:
    """Ranked lists by name ("keyword", "semantic"), best first.

    `coverage`: the share of the question's different terms in the best keyword hit, 0 to 1. `nearness`: of each chunk
    of the semantic list, how near its document as a whole is to the question; empty where the index does not know.
    `languages`: of each chunk of the semantic list; empty where the base has one language.
    `trust`: how far the semantic list is trusted beside the keywords, see `rove.models.trust_of`.

    `shallow`: the list of the chunks that are shallow, by the stand-in's cosines, where its vector was given;
    `shallow_chunks`: how many of those there are in all. See `rove.store.shallow`.
    """

    ranked: Mapping[str, Sequence[Scored]]
    coverage: float = 1.0
    nearness: Mapping[str, float] = field(default_factory=dict[str, float])
    trust: float = 1.0
    languages: Mapping[str, str] = field(default_factory=dict[str, str])
    shallow: Sequence[Scored] = ()
    shallow_chunks: int = 0


def coverage(asked: Collection[str], found: Collection[str]) -> float:
    """Return the share of the question's different terms that a chunk has, 0 to 1; 0 where nothing is asked.

    >>> coverage(["who", "wrote", "it", "it"], ["wrote", "it"])
    0.6666666666666666
    """
    terms = set(asked)
    return len(terms.intersection(found)) / len(terms) if terms else 0.0


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return what was counted, most frequent first; ties by name.

    >>> by_frequency({"de": 2, "zh": 5, "en": 2})
    ['zh', 'de', 'en']
    """
    return sorted(counts, key=lambda name: (-counts[name], name))
