"""A caller's conversations in one space: kept turn by turn, answered one at a time, and read as the caller sees them.

A question is on the disk before it is answered. Whoever answers it holds the conversation; where nobody does any more,
because its server or its client has gone, it has stopped.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, replace

from rove.conversation.keeping import keep_reply, remembered
from rove.conversation.kept_turns import (
    KeptReply,
    documents_of,
    from_text,
    left_of,
    reply_of,
    without_database,
    without_loose,
)
from rove.errors import InputError, RoveError, ServiceError, check_asked
from rove.records import Answer, History, Turn
from rove.records.walk_events import Answered
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.conversations.schema import ConversationTurnIn, EntryOut, FeedbackIn
from rove.serve.problems import AbsentError, ThrottledError, problem_of
from rove.serve.questions.asking import AnswerAndUsage, answering, check_question
from rove.serve.questions.databases import rows_of
from rove.serve.walks.live_walks import CallerWalks
from rove.store.conversation_log import ASKED, DONE, FAILED, STOPPED, ConversationInfo, ConversationLog, KeptTurn
from rove.store.walk_holds import WalkHolds

CONVERSATION_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class CallerConversations:
    """The conversations of a caller in one space. Every call but `begin` and `listed` can raise `AbsentError`.

    Raises:
        DeniedError: the caller has not the right "read".
        AbsentError: there is no such conversation that is the caller's, or no such turn.
    """

    view: CallerView
    server: ServerContext

    async def begin(self, title: str) -> ConversationInfo:
        """See `ConversationLog.begin`."""
        self.view.require("read")
        return await asyncio.to_thread(self._log.begin, self._owner, " ".join(title.split()))

    async def listed(self, query: str, cursor: int, limit: int) -> tuple[list[ConversationInfo], int | None]:
        """See `ConversationLog.listed`."""
        self.view.require("read")
        return await asyncio.to_thread(lambda: self._log.listed(self._owner, query, first=cursor, most=limit))

    async def get(self, conversation_id: str) -> ConversationInfo:
        """A conversation, without its turns."""
        self.view.require("read")
        known = CONVERSATION_ID.fullmatch(conversation_id)
        found = await asyncio.to_thread(self._log.get, self._owner, conversation_id) if known else None
        if found is None:
            message = "There is no such conversation."
            raise AbsentError(message, cure="List your conversations.")
        return found

    async def told(self, conversation_id: str) -> list[EntryOut]:
        """The turns of a conversation, as far as the caller may see by now what they rest on."""
        await self.get(conversation_id)
        turns, replies = await self._read(conversation_id)
        pairs = list(zip(turns, replies, strict=True))
        return await asyncio.to_thread(lambda: [EntryOut.of(turn, reply) for turn, reply in pairs])

    async def entry(self, conversation_id: str, number: int) -> EntryOut:
        """One turn."""
        found = [entry for entry in await self.told(conversation_id) if entry.number == number]
        if not found:
            message = "There is no such turn in this conversation."
            raise AbsentError(message, cure="Read the conversation again.")
        return found[0]

    async def rename(self, conversation_id: str, title: str) -> ConversationInfo:
        """See `ConversationLog.rename`."""
        await self.get(conversation_id)
        await asyncio.to_thread(self._log.rename, conversation_id, " ".join(title.split()))
        return await self.get(conversation_id)

    async def forget(self, conversation_id: str) -> None:
        """Delete a conversation; its bytes leave the disk. Walks that were begun in it stay."""
        await self.get(conversation_id)
        await asyncio.to_thread(self._log.forget, conversation_id)

    async def judge(self, conversation_id: str, number: int, given: FeedbackIn) -> EntryOut:
        """Keep what the caller says of an answer.

        Raises:
            InputError: nothing was answered there.
        """
        entry = await self.entry(conversation_id, number)
        if entry.state != DONE and given.judgement:
            message = "This question has no answer to judge."
            raise InputError(message, cure="Ask it again.")
        comment = given.comment if given.judgement else ""
        await asyncio.to_thread(self._log.judge, conversation_id, number, given.judgement, comment)
        return entry.model_copy(update={"judgement": given.judgement, "comment": comment})

    async def check(self, conversation_id: str, wanted: ConversationTurnIn) -> None:
        """See that a question can be asked, before a reply begins.

        Raises:
            InputError: it is blank, or too long.
            ThrottledError: another one is being answered.
        """
        await self.get(conversation_id)
        check_question(wanted.question, self.server)
        check_asked(wanted.question)
        if conversation_id in self.server.talking:
            raise _busy()

    async def ask(self, conversation_id: str, wanted: ConversationTurnIn) -> AsyncGenerator[str | EntryOut]:
        """Yield an answer's sentences as they pass, then the turn. Ended early, the turn has stopped.

        Raises as `check` does, before anything is kept; what goes wrong later stands in the turn.
        """
        await self.check(conversation_id, wanted)
        async with self._held(conversation_id):
            earlier = await self._history(conversation_id, wanted.after)
            turn = await asyncio.to_thread(
                lambda: self._log.ask(
                    conversation_id,
                    wanted.way,
                    wanted.question,
                    where=wanted.where_text,
                    labels=self._labels,
                    after=wanted.after,
                )
            )
            state, reply = STOPPED, KeptReply()
            try:
                async with aclosing(self._replied(wanted, earlier)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, str):
                            yield piece
                        else:
                            state, reply = DONE, piece
            except RoveError as error:
                state, reply = FAILED, KeptReply(problem=problem_of(error).model_dump_json())
            finally:
                await self._finished(conversation_id, turn, state, wanted.as_asked(reply))
            yield await self.entry(conversation_id, turn.number)

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _log(self) -> ConversationLog:
        return ConversationLog(self.view.kb.store.catalog.database)

    @property
    def _holds(self) -> WalkHolds:
        return self.view.kb.store.team.holds

    @property
    def _owner(self) -> str:
        return self.view.caller.owner

    @property
    def _labels(self) -> str:
        labels = self.view.caller.labels
        return "" if labels is None else json.dumps(sorted(labels))

    @asynccontextmanager
    async def _held(self, conversation_id: str) -> AsyncGenerator[None]:
        """Have a conversation, which no other request and no other server of the base then has.

        Raises:
            ThrottledError: another one has it.
        """
        talking = self.server.talking
        if conversation_id in talking:
            raise _busy()
        talking.add(conversation_id)
        try:
            if not await self._holds.hold(conversation_id):
                raise _busy()
            try:
                yield
            finally:
                with suppress(asyncio.CancelledError):
                    await asyncio.shield(self._let_go(conversation_id))
        finally:
            talking.discard(conversation_id)

    async def _let_go(self, conversation_id: str) -> None:
        with suppress(ServiceError):  # who holds it so is no longer alive, before long
            await self._holds.let_go(conversation_id)

    async def _replied(self, wanted: ConversationTurnIn, history: History) -> AsyncGenerator[str | KeptReply]:
        match wanted.way:
            case "answer":
                telling = answering(self.server, self.view, wanted.question, history=history, where=wanted.condition)
                async with aclosing(telling) as pieces:
                    async for piece in pieces:
                        is_whole = isinstance(piece, AnswerAndUsage)
                        yield reply_of(piece.answer, piece.understood) if is_whole else piece
            case "search":
                hits = await self.view.search(
                    wanted.question, top_k=wanted.top_k, where=wanted.condition, mode=wanted.mode, rerank=None
                )
                yield KeptReply(hits=tuple(hits), loose=any(hit.theme for hit in hits))
            case "walk":
                yield await self._walked(wanted, history)
            case "database":
                rows = rows_of(self.view, wanted.question, wanted.database, wanted.condition)
                yield KeptReply(sql=await rows)

    async def _walked(self, wanted: ConversationTurnIn, history: History) -> KeptReply:
        """Set out on a walk, for a question that stands alone."""
        question = wanted.question
        if history.turns:
            where = self.view.where(wanted.condition)
            question = (await self.view.kb.understand(question, history=history, where=where)).standalone
        budget = wanted.budget.record if wanted.budget else None
        walk_id = await self._walks.set_out(question, wanted.condition, budget)
        return KeptReply(walk_id=walk_id, standalone=question if question != wanted.question else "")

    @property
    def _walks(self) -> CallerWalks:
        return CallerWalks(self.view, self.server.listened)

    async def _finished(self, conversation_id: str, turn: KeptTurn, state: str, reply: KeptReply) -> None:
        """Keep what came of a turn, whoever is cancelled meanwhile."""
        work = asyncio.ensure_future(
            asyncio.to_thread(keep_reply, self.view.kb.store, conversation_id, turn, state, reply)
        )
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await work
            raise

    async def _history(self, conversation_id: str, after: int | None) -> History:
        """The turns before a question, as far as they are remembered, and the caller may see them."""
        turns, replies = await self._read(conversation_id)
        said = [
            (turn, reply) for turn, reply in zip(turns, replies, strict=True) if after is None or turn.number <= after
        ]
        most = self.view.kb.settings.question.max_turns
        return History(tuple([await self._turn(turn, reply) for turn, reply in said[-most:]]) if most else ())

    async def _turn(self, turn: KeptTurn, reply: KeptReply) -> Turn:
        answer = reply.answer or (await self._walk_answer(reply.walk_id) if reply.walk_id else None)
        return remembered(turn, reply, answer)

    async def _walk_answer(self, walk_id: str) -> Answer | None:
        """What a walk has come to; None as long as it has not, or where the caller may not see it."""
        try:
            events = await self._walks.events(walk_id)
        except AbsentError:
            return None
        answers = [event.answer for event in events if isinstance(event, Answered)]
        if not answers:
            return None
        reply = KeptReply(answers[-1])
        return left_of([reply], await self._hidden(documents_of(reply)))[0].answer

    async def _read(self, conversation_id: str) -> tuple[list[KeptTurn], list[KeptReply]]:
        """The turns, and what is left of their replies by now."""
        turns = await asyncio.to_thread(self._log.turns, conversation_id)
        if any(turn.state == ASKED for turn in turns) and await self._is_left(conversation_id):
            await asyncio.to_thread(self._log.stop, conversation_id)
            turns = [replace(turn, state=STOPPED) if turn.state == ASKED else turn for turn in turns]
        replies = [self._kept(turn) for turn in turns]
        named = set[str]().union(*map(documents_of, replies))
        return turns, left_of(replies, await self._hidden(named))

    def _kept(self, turn: KeptTurn) -> KeptReply:
        """What came of a turn; titles that it may hold were for the eyes of whoever had these labels."""
        reply = from_text(turn.reply)
        same = turn.labels == self._labels or not self._labels
        return reply if same else without_loose(without_database(reply))

    async def _is_left(self, conversation_id: str) -> bool:
        """Say whether nobody has a conversation."""
        if conversation_id in self.server.talking or not await self._holds.hold(conversation_id):
            return False
        await self._let_go(conversation_id)
        return True

    async def _hidden(self, named: Collection[str]) -> set[str]:
        """Of these documents, those that are gone, or that the caller may not see."""
        if not named:
            return set()
        documents = self.view.kb.store.documents
        infos = await asyncio.to_thread(lambda: documents.documents(ids=list(named)))
        allowed = self.view.where()
        return set(named) - {info.document_id for info in infos if allowed is None or allowed.matches(info.metadata)}


def _busy() -> ThrottledError:
    message = "Another question of this conversation is being answered."
    return ThrottledError(message, cure="Wait until it is, or ask in another conversation.", retry_after_s=1)
