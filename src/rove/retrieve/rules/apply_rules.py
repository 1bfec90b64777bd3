"""Applying rules: one after the other, each to the ranks that the one before it left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TypeVar

from rove.errors import ConfigError
from rove.records import Hit, Place
from rove.records.source import Metadata, MetaValue
from rove.retrieve.rules import RULES, Rule
from rove.settings import SearchSettings

T = TypeVar("T")


def rules_of(settings: SearchSettings) -> tuple[Rule, ...]:
    """Build the rules that the settings name, in their order.

    Raises:
        ConfigError: no rule has that name, or no such option; or options are given for a rule that is not named.
    """
    unused = sorted(set(settings.rule_options) - set(settings.rules))
    if unused:
        message = f"search.rule_options has options for rules that search.rules does not name: {', '.join(unused)}."
        raise ConfigError(message, cure="Name them in search.rules, or take their options out.")
    return tuple(_rule(name, settings.rule_options.get(name, {})) for name in settings.rules)


def _rule(name: str, options: Mapping[str, object]) -> Rule:
    made = RULES.get(name)
    try:
        return made(**options)
    except (TypeError, ValueError) as error:
        message = f"The rule {name!r} cannot be made of the options {dict(options)}: {error}."
        raise ConfigError(message, cure=f"Correct [search.rule_options.{name}].") from error


def ordered(
    items: Sequence[T], rules: Sequence[Rule], *, fields_of: Callable[[T], Metadata], score_of: Callable[[T], float]
) -> list[T]:
    """Order items by the rules. `items` come best first; ranks count from 0.

    Each rule sorts by rank + shift, ties by score (higher first), then by rank; the next rule counts the ranks anew.
    What a rule shifts by infinity is left out. Source: the reranking of the Pawsitive Retrieval study, which this
    reproduces rule by rule (`python -m reproduce`).

    >>> class Late:
    ...     def shift(self, fields):
    ...         return 1.5 if fields["late"] else 0.0
    >>> items = [("a", True), ("b", False), ("c", False)]
    >>> [name for name, _ in ordered(items, [Late()], fields_of=lambda i: {"late": i[1]}, score_of=lambda i: 0.0)]
    ['b', 'a', 'c']
    """
    now = list(items)
    for rule in rules:
        ranked = [(rank + rule.shift(fields_of(item)), -score_of(item), rank) for rank, item in enumerate(now)]
        now = [now[rank] for place, _, rank in sorted(ranked) if place < inf]
    return now


def ruled(hits: Sequence[Hit], rules: Sequence[Rule]) -> list[Hit]:
    """Order hits by the rules; their scores stay with the ranks, so that the best still has the highest.

    Each hit gets its place as source "rules"; the score there is by how many ranks it has risen.
    """
    if not rules:
        return list(hits)
    before = {hit.chunk.chunk_id: rank for rank, hit in enumerate(hits)}
    after = ordered(hits, rules, fields_of=hit_fields, score_of=lambda hit: hit.score)
    scores = sorted((hit.score for hit in hits), reverse=True)
    return [
        replace(
            hit,
            score=scores[rank],
            sources={**hit.sources, "rules": Place(rank + 1, float(before[hit.chunk.chunk_id] - rank))},
        )
        for rank, hit in enumerate(after)
    ]


def hit_fields(hit: Hit) -> dict[str, MetaValue]:
    """What a rule can see of a hit: the same names as a filter, save the document's type."""
    chunk = hit.chunk
    fields: dict[str, MetaValue] = {
        "document_id": chunk.document_id,
        "source": hit.uri,
        "title": hit.title,
        "kind": chunk.kind,
        "language": chunk.language,
    }
    if chunk.page is not None:
        fields["page"] = chunk.page
    return {**fields, **chunk.metadata}
