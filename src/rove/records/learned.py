"""What walks have learned: facts that stay tied to their words, and how leads have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.records.answer import Citation

Outcome = Literal["answer", "fact", "nothing"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """A fact that a walk has found. It is forgotten with the version of the document that it was read in.

    `question` is what was asked then, `relevance` (0 to 1) how much the fact bore on it; `used`: the answer needed it.
    `next_source`, `expected_info`: see `records.walk.Fact`. `stamp`: what that walk saw, "" where not all that it used
    is still remembered. `where`: see `LeadEnd`. `edited`: the user has put the text otherwise. `score`: how well it
    meets what is asked now; higher is better. `created_at`: ISO 8601, UTC.
    """

    memory_id: str
    text: str
    question: str
    relevance: float
    citation: Citation
    walk_id: str = ""
    space: str = ""
    next_source: str = ""
    expected_info: str = ""
    used: bool = False
    stamp: str = ""
    where: str | None = None
    edited: bool = False
    created_at: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class LeadEnd:
    """How a lead ended that a walk followed: in the answer, in a fact that the answer does not need, or in nothing.

    `chunk_id` and `document_id`: where it was found, "" where the user gave it. `terms`: its words as index terms.
    `where`: what that walk could see, a filter as `walk.json_format` writes it, "" for all; None: not known.
    """

    text: str
    kind: str
    outcome: Outcome
    terms: str = ""
    chunk_id: str = ""
    document_id: str = ""
    walk_id: str = ""
    where: str | None = None
    created_at: str = ""
