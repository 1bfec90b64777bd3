"""How a turn of a conversation is kept, and remembered when the next one is asked."""

from __future__ import annotations

from rove.conversation.erasure import erase_from_conversations
from rove.conversation.kept_turns import KeptReply, documents_of, to_text
from rove.conversation.respond import CLARIFYING
from rove.records import Answer, Turn
from rove.store.conversation_log import ConversationLog, KeptTurn
from rove.store.store import Store


def keep_reply(store: Store, conversation_id: str, turn: KeptTurn, state: str, reply: KeptReply) -> None:
    """Keep what came of a question, and take out again at once what was erased while it was made. Blocks."""
    database = store.catalog.database
    ConversationLog(database).finish(conversation_id, turn, state, to_text(reply))
    named = documents_of(reply)
    if named and (gone := named - {info.document_id for info in store.documents.documents(ids=list(named))}):
        erase_from_conversations(database, gone)
        database.shrink()


def remembered(turn: KeptTurn, reply: KeptReply, answer: Answer | None) -> Turn:
    """Return a turn as the next question is understood by it. `answer`: the reply's, or that of its walk."""
    asked_back = answer is not None and answer.mode == CLARIFYING
    said = answer.text if answer else (reply.sql and reply.sql.answer) or ""
    return Turn(turn.question, said, reply.standalone, asked_back=asked_back)
