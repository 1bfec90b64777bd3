"""Erasing a document erases it from conversations too: what quotes it, and what models wrote after they had seen it."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from rove.conversation.kept_turns import from_text, left_of, to_text, without_loose
from rove.store.conversation_log import ConversationLog
from rove.store.database import Database
from rove.store.walk_log import WalkLog

LOOSE = '"loose":true'


def erase_from_conversations(database: Database, document_ids: Collection[str]) -> int:
    """Take out of all conversations what rests on these documents; returns of how many. Blocks.

    It stands before the erasure from walks, which would no longer say which of them rested on the documents. What users
    wrote themselves stays.
    """
    log, needles = ConversationLog(database), [_json_needle(one) for one in document_ids]
    walks = WalkLog(database).resting_on(needles)
    changed = 0
    for conversation_id in log.resting_on([*needles, *map(_json_needle, walks), LOOSE]):
        turns = log.turns(conversation_id)
        left = left_of([without_loose(from_text(turn.reply)) for turn in turns], document_ids, walks)
        texts = {
            turn.run: text
            for turn, reply in zip(turns, left, strict=True)
            if turn.reply and (text := to_text(reply)) != turn.reply
        }
        log.rewrite(conversation_id, texts)
        changed += bool(texts)
    return changed


def _json_needle(word: str) -> str:
    return msgspec.json.encode(word).decode()
