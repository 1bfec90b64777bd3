"""What every rule promises: a number of ranks for any fields at all, and the same one for the same fields."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest

from rove.records import Chunk, Hit
from rove.records.source import Metadata, MetaValue
from rove.retrieve.rules import RULES, Rule
from rove.retrieve.rules.apply_rules import ruled
from rove.testing.contract import Contract

ODD_VALUES: tuple[MetaValue, ...] = (
    0,
    -1,
    10**30,
    0.5,
    math.inf,
    -math.inf,
    math.nan,
    True,
    "",
    "2024-05-01",
    "nonsense",
    "日本",
    (),
    ("a", ""),
)


class RuleContract(Contract):
    """Inherit it, and give `name`, or `make`; `options` if it needs some, and the `fields` that it looks at."""

    registry = RULES
    options: ClassVar[Mapping[str, Any]] = {}
    fields: ClassVar[Sequence[str]] = ("title",)

    def make(self) -> Rule:
        """Return the rule."""
        return self.registered()(**self.options)

    def test_any_fields_give_a_number_of_ranks(self) -> None:
        """A field may be missing, or hold what nobody expects: metadata is written by strangers."""
        rule = self.make()
        for fields in self._odd():
            shift = rule.shift(fields)
            assert isinstance(shift, int | float)
            assert not math.isnan(shift)
            assert shift == pytest.approx(self.make().shift(fields)), "the same fields, another shift"

    def _odd(self) -> list[Metadata]:
        odd: list[Metadata] = [{name: value} for name in self.fields for value in ODD_VALUES]
        return [{}, *odd]

    def test_hits_are_ordered_by_it(self) -> None:
        """All that it does not leave out is there once, with the scores where the ranks are."""
        rows = self._odd()
        hits = [
            Hit(Chunk(str(n), str(n), "text", (0, 4), 0, metadata=fields), score=1.0 / (n + 1))
            for n, fields in enumerate(rows)
        ]
        after = ruled(hits, [self.make()])
        assert {hit.chunk.chunk_id for hit in after} <= {hit.chunk.chunk_id for hit in hits}
        assert len({hit.chunk.chunk_id for hit in after}) == len(after)
        assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
