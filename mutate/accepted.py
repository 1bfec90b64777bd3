"""Mutants that may survive, each with the reason: mutate/accepted.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mutate.mutants import Mutant

FILE = Path(__file__).with_name("accepted.toml")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A mutant by its module, its function and its change, "before → after"; `*` stands for any text."""

    module: str
    function: str
    change: str
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        """Say whether it is this mutant.

        >>> one = Mutant("src/rove/a/b.py", "f", "1 + x[0]", "1 - x[0]", 1, 0, 0, "", (1, 1))
        >>> Accepted("a/b.py", "f", "1 + x[0] → 1 - x[0]", "").fits(one), Accepted("a/b.py", "g", "*", "").fits(one)
        (True, False)
        """
        return (
            mutant.module == f"src/rove/{self.module}"
            and _like(mutant.function, self.function)
            and _like(mutant.change, self.change)
        )


def _like(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))


def accepted() -> list[Accepted]:
    """All of them, as the file has them."""
    tables = tomllib.loads(FILE.read_text("utf-8"))["accepted"]
    return [Accepted(one["module"], one["function"], one["change"], one["reason"]) for one in tables]
