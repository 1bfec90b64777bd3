"""What this stage says and knows as data: refusals, words for numbers and for "not"."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast


@cache
def table(name: str) -> Mapping[str, str]:
    """Return the table in `<name>.toml`: language code → text."""
    text = files("rove.answer").joinpath(f"{name}.toml").read_text("utf-8")
    return cast("Mapping[str, str]", tomllib.loads(text))
