"""The calls of the engine that concern conversations that stay: they are begun, listed, read and gone on with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from rove.argument_checks import Positive, check_id
from rove.conversation.keeping import keep_reply, remembered
from rove.conversation.kept_turns import KeptReply, from_text, reply_of
from rove.errors import InputError, RoveError, check_asked
from rove.events import Listener, ignore
from rove.records import Answer, History, Response
from rove.records.filter import Where, as_filter
from rove.records.filter_tree import tree_of
from rove.records.walk_events import Answered, WalkEvent
from rove.settings import Settings
from rove.store.conversation_log import DONE, FAILED, STOPPED, ConversationInfo, ConversationLog, KeptTurn
from rove.store.store import Store

LOCAL = "local"
"""Whose conversations are those of the command line, and of a server without keys."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn of a conversation. `state`: "asked", "done", "failed" or "stopped". `answer`: None where there is none.

    `way`: "answer", "search" or "walk". `asked_at`: ISO 8601, UTC.
    """

    number: int
    way: str
    question: str
    asked_at: str
    state: str
    answer: Answer | None


class ConversationOperations:
    """The part of `AsyncRove` that keeps conversations. Each belongs to its `owner`, and nobody else sees it."""

    settings: Settings
    store: Store
    respond: Callable[..., Awaitable[Response]]
    replay: Callable[[str], AsyncIterator[WalkEvent]]

    async def begin_conversation(self, *, owner: str = LOCAL) -> str:
        """Begin a conversation; returns its id. Its first question will be its title.

        Raises:
            InputError: the owner has too many, or a name that cannot be kept.
        """
        check_id(owner, "The owner")
        return (await asyncio.to_thread(self._conversations.begin, owner)).conversation_id

    async def conversations(
        self, query: str = "", *, most: Positive = 50, owner: str = LOCAL
    ) -> list[ConversationInfo]:
        """List conversations, the latest first; with `query` those whose title or questions have its words.

        Raises:
            InputError: the owner has a name that cannot be kept.
        """
        check_id(owner, "The owner")
        return (await asyncio.to_thread(lambda: self._conversations.listed(owner, query, most=most)))[0]

    async def conversation(self, conversation_id: str, *, owner: str = LOCAL) -> list[SaidTurn]:
        """The turns of a conversation, in their order.

        Raises:
            InputError: the owner has no such conversation.
        """
        said: list[SaidTurn] = []
        for turn, reply in await self._turns(conversation_id, owner):
            answer = await self._answer_of(reply)
            said.append(SaidTurn(turn.number, turn.way, turn.question, turn.asked_at, turn.state, answer))
        return said

    async def converse(
        self,
        conversation_id: str,
        question: str,
        *,
        where: Where | None = None,
        listener: Listener = ignore,
        owner: str = LOCAL,
    ) -> Response:
        """Answer a question in the light of the turns before; question and answer stay in the conversation.

        The question is on the disk before it is answered. See `respond`.

        Raises:
            InputError: the question is blank, or the owner has no such conversation, or it is full.
        """
        check_asked(question)
        history = await self._history(conversation_id, owner)
        where = as_filter(where)
        where_text = json.dumps(tree_of(where)) if where is not None else ""
        turn = await asyncio.to_thread(
            lambda: self._conversations.ask(conversation_id, "answer", question, where=where_text, labels="")
        )
        state, reply = STOPPED, KeptReply()
        try:
            response = await self.respond(question, history=history, where=where, listener=listener)
            state, reply = DONE, reply_of(response.answer, response.understood)
        except RoveError:
            state = FAILED
            raise
        finally:
            await asyncio.shield(asyncio.to_thread(keep_reply, self.store, conversation_id, turn, state, reply))
        return response

    @property
    def _conversations(self) -> ConversationLog:
        return ConversationLog(self.store.catalog.database)

    async def _turns(self, conversation_id: str, owner: str) -> list[tuple[KeptTurn, KeptReply]]:
        check_id(owner, "The owner")
        check_id(conversation_id, "The conversation")
        if await asyncio.to_thread(self._conversations.get, owner, conversation_id) is None:
            message = f"There is no conversation {conversation_id!r}."
            raise InputError(message, cure="List them, and take the id of one.")
        turns = await asyncio.to_thread(self._conversations.turns, conversation_id)
        return [(turn, from_text(turn.reply)) for turn in turns]

    async def _history(self, conversation_id: str, owner: str) -> History:
        most = self.settings.question.max_turns
        said = await self._turns(conversation_id, owner)
        latest = said[-most:] if most else []
        return History(tuple([remembered(turn, reply, await self._answer_of(reply)) for turn, reply in latest]))

    async def _answer_of(self, reply: KeptReply) -> Answer | None:
        """The answer of a turn; of a walk, what it has come to, if it is still there."""
        if reply.answer or not reply.walk_id:
            return reply.answer
        with suppress(InputError):
            answers = [event.answer async for event in self.replay(reply.walk_id) if isinstance(event, Answered)]
            return answers[-1] if answers else None
        return None
