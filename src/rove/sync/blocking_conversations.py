"""The blocking face of `rove.conversation_operations`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable
from typing import TypeVar

from rove.argument_checks import Positive
from rove.conversation_operations import LOCAL, SaidTurn
from rove.engine import AsyncRove
from rove.events import Listener, ignore
from rove.records import Response
from rove.records.filter import Where
from rove.store.conversation_log import ConversationInfo
from rove.sync.docstrings import explained_by

T = TypeVar("T")


@explained_by(AsyncRove)
class BlockingConversations(ABC):
    """The calls of `Rove` that concern conversations. How they are run is said by `Rove`."""

    _kb: AsyncRove

    @abstractmethod
    def _run(self, work: Awaitable[T]) -> T: ...

    def begin_conversation(self, *, owner: str = LOCAL) -> str:
        """See `AsyncRove.begin_conversation`."""
        return self._run(self._kb.begin_conversation(owner=owner))

    def conversations(self, query: str = "", *, most: Positive = 50, owner: str = LOCAL) -> list[ConversationInfo]:
        """See `AsyncRove.conversations`."""
        return self._run(self._kb.conversations(query, most=most, owner=owner))

    def conversation(self, conversation_id: str, *, owner: str = LOCAL) -> list[SaidTurn]:
        """See `AsyncRove.conversation`."""
        return self._run(self._kb.conversation(conversation_id, owner=owner))

    def converse(
        self,
        conversation_id: str,
        question: str,
        *,
        where: Where | None = None,
        listener: Listener = ignore,
        owner: str = LOCAL,
    ) -> Response:
        """See `AsyncRove.converse`."""
        return self._run(self._kb.converse(conversation_id, question, where=where, listener=listener, owner=owner))
