"""Values of any kind in a request: bounded in number and size, so that a service's JSON can hold them."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, Field, JsonValue

MOST_VALUES, MOST_WHOLE = 2_000, 2**63


def _check_json_limits(value: JsonValue) -> JsonValue:
    """Refuse what a service's JSON cannot hold, or what holds too many values."""
    waiting: list[JsonValue] = [value]
    for seen, one in enumerate(_iter_json_values(waiting), 1):
        if seen > MOST_VALUES:
            message = f"a value may hold {MOST_VALUES:,} others"
            raise ValueError(message)
        if isinstance(one, float) and not math.isfinite(one):
            message = "a number has to be finite"
            raise ValueError(message)
        if isinstance(one, int) and abs(one) >= MOST_WHOLE:
            message = "a whole number may have 64 bits"
            raise ValueError(message)
    return value


def _iter_json_values(waiting: list[JsonValue]) -> Any:  # noqa: ANN401 - an iterator of values
    while waiting:
        one = waiting.pop()
        yield one
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


Name = Annotated[str, Field(max_length=200)]
Value = Annotated[JsonValue, AfterValidator(_check_json_limits)]
Values = Annotated[dict[Name, Value], Field(max_length=100)]
