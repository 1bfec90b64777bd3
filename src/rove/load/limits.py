"""Limits on what a parser may use: depth, size, parts and time; and the signal that its time is over."""

from __future__ import annotations

from dataclasses import dataclass

from rove.errors import InputError

MAX_INFLATED_BYTES = 1 << 30
MAX_RATIO, RATIO_FREE_BYTES = 200, 64 << 20
MAX_PARTS = 10_000
MAX_DEPTH = 4
"""How deep files may lie in files: a PDF in a mail in an archive is at depth 2."""


class OutOfTime(BaseException):
    """Raised within a loader, between two of its steps, when a source has used up most of its CPU time.

    No `Exception`, so that no loader takes it for a parser's error. A loader that can hand over what it has so far
    catches it, yields that, and raises the "partial" error that says what is missing; others let it pass.
    """


@dataclass(slots=True)
class Inflated:
    """What all the files in one file, at any depth, have unpacked to together."""

    total_bytes: int = 0
    parts: int = 0

    @property
    def is_full(self) -> bool:
        """Say whether it is too much."""
        return self.total_bytes > MAX_INFLATED_BYTES or self.parts > MAX_PARTS

    def add(self, name: str, size_bytes: int) -> None:
        """Count one more part of `name`.

        Raises:
            InputError: "too-large".
        """
        self.total_bytes += size_bytes
        self.parts += 1
        if self.is_full:
            message = f"{name!r} unpacks to more than {MAX_INFLATED_BYTES} bytes or {MAX_PARTS} files, nested ones too."
            raise InputError(message, cure="Unpack it, and add what you need of it.", outcome="too-large")


def check_inflated(name: str, packed: int, inflated: int, parts: int) -> None:
    """See that an archive of `packed` bytes does not become too much: `inflated` bytes in `parts` parts.

    Raises:
        InputError: "too-large".
    """
    bomb = inflated > MAX_RATIO * packed and inflated > RATIO_FREE_BYTES
    if inflated > MAX_INFLATED_BYTES or parts > MAX_PARTS or bomb:
        message = f"{name!r} unpacks from {packed} to {inflated} bytes in {parts} parts."
        cure = f"Split it: at most {MAX_INFLATED_BYTES} bytes, {MAX_PARTS} parts and {MAX_RATIO} times its size."
        raise InputError(message, cure=cure, outcome="too-large")
