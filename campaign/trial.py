"""What a kind of attack is, and what one trial of it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rove.errors import RoveError

LONGEST_CHARS = 600


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial: what came of it in a few words, counted on the page; and what diverged, nothing where it held.

    `count` says for how many tries it stands: a trial of filters asks the same base many of them.
    """

    outcome: str
    faults: tuple[str, ...] = ()
    count: int = 1


class Attack(Protocol):
    """A kind of attack, ready. It is made once with an empty folder of its own and then given seed after seed.

    The same seed must always make the same trial, whatever was tried before.
    """

    def __init__(self, folder: Path) -> None:
        """Make ready."""
        ...

    def trial(self, seed: int) -> Trial:
        """Try once. What it raises is a fault as well."""
        ...

    def close(self) -> None:
        """End what was started. The folder is removed by who made it."""
        ...


class Faults(list[str]):
    """Collects what diverged in one trial."""

    def expect(self, holds: object, said: str) -> bool:
        """Note a fault unless something holds; returns whether it does."""
        if not holds:
            self.append(said[:LONGEST_CHARS])
        return bool(holds)

    def trial(self, outcome: str, count: int = 1) -> Trial:
        """Close the trial."""
        return Trial("diverged" if self else outcome, tuple(self), count)

    @contextmanager
    def typed(self, doing: str) -> Iterator[list[RoveError]]:
        """Let a typed error with a cure pass, noted in the list that is yielded; any other exception is a fault."""
        refused: list[RoveError] = []
        try:
            yield refused
        except RoveError as error:
            self.expect(error.cure, f"{doing}: {type(error).__name__} without a cure: {error}")
            refused.append(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it should have been typed
            self.append(untyped(doing, error))


def untyped(doing: str, error: BaseException) -> str:
    """Say which error came that should have been typed, and from where."""
    at, place = error.__traceback__, ""
    while at is not None:
        code = at.tb_frame.f_code
        if "/rove/" in code.co_filename:
            place = f" at {code.co_filename.rpartition('/src/')[2]}:{at.tb_lineno}"
        at = at.tb_next
    said = str(error).replace("\n", " ")[:300]
    return f"{doing}: untyped {type(error).__name__}: {said}{place}"
