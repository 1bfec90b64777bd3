"""What this stage says and knows as data: prompts, refusals, words for numbers and for "not"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import cast

SLOT = re.compile(r"\{([a-z]+)\}")


@cache
def table(name: str) -> Mapping[str, str]:
    """Return the table in `<name>.toml`: language code → text."""
    text = files("rove.answer").joinpath(f"{name}.toml").read_text("utf-8")
    return cast("Mapping[str, str]", tomllib.loads(text))


@cache
def prompt(name: str) -> str:
    """Return the text of `prompts/<name>.md` without the line break at its end."""
    return files("rove.answer").joinpath("prompts", f"{name}.md").read_text("utf-8").rstrip("\n")


def fill(template: str, slots: Mapping[str, str]) -> str:
    """Put the values into the named slots, all in one pass: what looks like a slot inside a value stays as it is.

    >>> fill("{question} {text}", {"question": "{text}?", "text": "hello"})
    '{text}? hello'
    """
    return SLOT.sub(lambda slot: slots.get(slot.group(1), slot.group(0)), template)
