"""What this stage says and knows as data: refusals, words for numbers and for "not"."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast


def table(name: str) -> Mapping[str, str]:
    """Return the table in `<name>.toml`: language code → text."""
    return cast("Mapping[str, str]", _load_word_list(name))


def tables(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return the tables in `<name>.toml`: language code → name → text."""
    return cast("Mapping[str, Mapping[str, str]]", _load_word_list(name))


@cache
def _load_word_list(name: str) -> Mapping[str, object]:
    return tomllib.loads(files("rove.answer").joinpath(f"{name}.toml").read_text("utf-8"))
