"""A theme: what a part of a base is about."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.hit import Hit


@dataclass(frozen=True, slots=True)
class Theme:
    """Passages that are nearer to one another than to the rest.

    `label`: the phrases, titles and headings that most of them have and few others, best first. `share`: of all that
    were looked at, 0 to 1. `hits`: those in the midst of it, the most central first; their score is the cosine to its
    middle.
    """

    label: tuple[str, ...]
    share: float
    hits: tuple[Hit, ...]

    @property
    def name(self) -> str:
        """The label on one line."""
        return ", ".join(self.label)
