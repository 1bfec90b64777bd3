"""What this stage knows and says as data: words that lean, fixed questions back, names of months and days."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast


@cache
def table(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return the tables of `<name>.toml`: what → language code → text."""
    text = files("rove.question").joinpath(f"{name}.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))


def localized_text(name: str, what: str, language: str) -> str:
    """Return the text in a language; in English where there is none.

    >>> localized_text("phrases", "options", "de"), localized_text("phrases", "options", "xx")
    ('Meinen Sie:', 'Do you mean:')
    """
    texts = table(name)[what]
    return texts.get(language.partition("-")[0].lower(), texts["en"])
