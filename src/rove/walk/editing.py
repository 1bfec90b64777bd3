"""Edits of a walk by name: add a lead, correct a fact, drop either, ask otherwise, give more room."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from rove.argument_checks import all_checked
from rove.errors import InputError
from rove.records.walk_events import Budget, Edit, Fact, Lead
from rove.walk.leads import fact_id, lead_id
from rove.walk.state import State


class WalkEditing:
    """What a user changes of a walk, one thing at a time; `edit` takes several. The walk rests until `resume`."""

    state: State

    def __init_subclass__(cls) -> None:
        all_checked(cls)

    @abstractmethod
    async def edit(self, edit: Edit) -> None:
        """See `AsyncWalk.edit`."""

    async def add_lead(self, text: str, *, document_id: str = "", span: tuple[int, int] | None = None) -> str:
        """Add something to look for, or a place to read, before all other leads; returns the lead's id.

        Args:
            text: what is searched for.
            document_id: a document to read instead.
            span: the part of it to read, (start, end) in its text.

        Raises:
            InputError: the text is blank.
        """
        await self.edit(Edit(leads=(Lead("", text, "user", 0, document_id=document_id, span=span),)))
        return lead_id(text, document_id, span)

    async def add_fact(self, text: str) -> str:
        """Add what you know yourself: it needs no source. Returns the fact's id.

        Raises:
            InputError: the text is blank.
        """
        await self.edit(Edit(facts=(Fact("", text, 1.0, 0, "user"),)))
        return fact_id(text)

    async def change_fact(self, fact_id: str, text: str) -> None:
        """Let a fact say something else. It keeps its citation as long as that holds what it says now.

        Raises:
            InputError: there is no such fact, or the text is blank.
        """
        fact = next((one for one in self.state.facts if one.fact_id == fact_id), None)
        if fact is None:
            message = f"The walk has no fact {fact_id!r}."
            raise InputError(message, cure="Name one of `walk.state.facts`.")
        await self.edit(Edit(facts=(replace(fact, text=text),)))

    async def drop(self, *ids: str) -> None:
        """Drop facts and leads by their ids: what is dropped is neither followed nor answered from.

        Raises:
            InputError: the walk has no such fact or lead.
        """
        await self.edit(Edit(dropped=ids))

    async def ask(self, question: str) -> None:
        """Ask something else, with the facts that were found so far.

        Raises:
            InputError: the question is blank.
        """
        await self.edit(Edit(question=question))

    async def allow(self, budget: Budget) -> None:
        """Let the walk use up this much in all, what it has used included."""
        await self.edit(Edit(budget=budget))
