"""JSON that others wrote, read within bounds: whatever is wrong with it is a ValueError."""

from __future__ import annotations

from pydantic_core import from_json


def read_json(text: str | bytes, *, nan: bool = False) -> object:
    r"""Read JSON in time that grows with its length. Of a name that an object has twice, the last value counts.

    `nan`: NaN and Infinity, which are not JSON, are read too.

    >>> read_json('{"a": [1, 2.5, "x"], "a": null}')
    {'a': None}
    >>> for damaged in ("[" * 100_000, "1" * 5_000, "NaN", '"\\ud800"', "{"):
    ...     try:
    ...         print(read_json(damaged))
    ...     except ValueError:
    ...         print("no")
    no
    no
    no
    no
    no

    Raises:
        ValueError: it is not JSON, nested more than 200 deep, not Unicode (half of a surrogate pair), or has a whole
            number of more than 4,300 digits.
    """
    return from_json(text.encode() if isinstance(text, str) else text, allow_inf_nan=nan)
