"""Walks: what is asked of them, and what they tell."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from rove.records.walk_events import Budget, Edit, Fact, Lead, WalkInfo
from rove.serve.questions.schema import Question, QuestionIn
from rove.serve.schema import Reply, Wire

Ident = Annotated[str, Field(max_length=100)]
Words = Annotated[str, Field(min_length=1, max_length=4_000)]


class BudgetIn(Wire):
    """What a walk may use up."""

    rounds: int = Field(default=4, ge=1, le=50)
    calls: int = Field(default=24, ge=1, le=1_000)
    tokens: int = Field(default=100_000, ge=1, le=10_000_000)
    seconds: float = Field(default=120.0, gt=0, le=3_600)

    @property
    def record(self) -> Budget:
        """The budget."""
        return Budget(self.rounds, self.calls, self.tokens, self.seconds)


class WalkIn(QuestionIn):
    """A question to walk for; without a budget, that of the settings."""

    budget: BudgetIn | None = None


class FactIn(Wire):
    """A fact: a new one, or what one that is there is to say."""

    fact_id: Ident = ""
    text: Words


class LeadIn(Wire):
    """Something to look for: a new lead, or what one that is there is to look for."""

    lead_id: Ident = ""
    text: Words


class EditIn(Wire):
    """What is to change. What is left out stays; `dropped` names facts and leads to drop."""

    question: Question | None = None
    budget: BudgetIn | None = None
    facts: list[FactIn] = Field(default=[], max_length=100)
    leads: list[LeadIn] = Field(default=[], max_length=100)
    dropped: list[Ident] = Field(default=[], max_length=1_000)

    @property
    def record(self) -> Edit:
        """The edit. No place can be named: where a lead goes is the walk's to find, within what its asker may see."""
        return Edit(
            self.question,
            self.budget.record if self.budget else None,
            tuple(Fact(fact.fact_id, fact.text, 1.0, 0, "user") for fact in self.facts),
            tuple(Lead(lead.lead_id, lead.text, "user", 0) for lead in self.leads),
            tuple(self.dropped),
        )


class ForkIn(Wire):
    """After which event the other walk goes its own way; where this one ended if it is left out."""

    at: int | None = Field(default=None, ge=1, le=10**9)


class WalkEventOut(Reply):
    """An event of a walk: its name and its data. See `rove.records.walk_events`.

    Facts and quotations have `rendered` beside them: what is shown of them, as hits and citations have it.
    """

    event: str
    data: dict[str, JsonValue]


class WalkOut(Reply):
    """A walk."""

    walk_id: str
    question: str
    mode: str
    status: str
    rounds: int
    facts: int
    events: int
    started_at: str
    updated_at: str
    forked_from: str

    @classmethod
    def of(cls, info: WalkInfo) -> WalkOut:
        """Make it of a record."""
        return cls(
            walk_id=info.walk_id,
            question=info.question,
            mode=info.mode,
            status=info.status,
            rounds=info.rounds,
            facts=info.facts,
            events=info.events,
            started_at=info.started_at,
            updated_at=info.updated_at,
            forked_from=info.forked_from,
        )


class WalkList(Reply):
    """The walks of this key, the latest first; `next_cursor` asks for what follows."""

    walks: list[WalkOut]
    next_cursor: int | None = None


class WalkTold(Reply):
    """All that a walk has told."""

    walk_id: str
    events: list[WalkEventOut]


class ForkOut(Reply):
    """The other walk."""

    walk_id: str
