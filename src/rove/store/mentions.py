"""The user's own words that name a document: in kept questions, conversations, walks and what these have learned.

Erasing a document leaves them alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from sqlalchemy import or_, select

from rove.records import DocumentInfo
from rove.store import tables
from rove.store.conversation_log import ConversationLog
from rove.store.database import Database
from rove.store.kept_questions import KeptQuestions
from rove.store.memories import Memories
from rove.store.question_log import QuestionLog, key_of
from rove.store.review_log import read_decisions
from rove.store.walk_log import WalkLog

SHORTEST, SHORTEST_HAN = 4, 2
"""Letters that a word must have to name something: of scripts that are written without spaces, fewer do."""
OWN_EVENTS = ('{"event":"WalkStarted"', '{"event":"Edited"')
"""How the events of a walk begin that hold what its user wrote."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Questions that are kept (their texts), walks and conversations (their ids) in which one of `words` stands."""

    words: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    walks: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.questions or self.walks or self.conversations)


def names_of(document: DocumentInfo) -> list[str]:
    """What a user may call a document by: its title, its id, the name of its file."""
    file = PurePath(document.source.rpartition("#")[0] or document.source)
    return [document.title, document.document_id, file.name, file.stem]


def find_mentions(database: Database, names: Iterable[str]) -> Mentions:
    """Find in what the user wrote what is called by one of these names, whatever its case and marks. Blocks."""
    wanted = {key: name for name in names if _is_distinctive_key(key := key_of(name))}
    if not wanted:
        return Mentions()
    a, w, e, m = tables.asked.c, tables.walks.c, tables.walk_events.c, tables.memory_facts.c
    own_questions = select(a.text).union(select(tables.kept_questions.c.text))
    own = or_(*(e.event.startswith(begun) for begun in OWN_EVENTS))
    with database.read() as connection:
        asked = [(str(text), key_of(text)) for text in connection.execute(own_questions).scalars()]
        edited = {text for one in read_decisions(connection, kind="question") for text in (*one.words, *one.edit)}
        asked += [(text, key_of(text)) for text in sorted(edited.difference(text for text, _ in asked))]
        gone = [(row.walk_id, key_of(row.question)) for row in connection.execute(select(w.walk_id, w.question))]
        gone += [(row.walk_id, key_of(row.event)) for row in connection.execute(select(e.walk_id, e.event).where(own))]
        learned = select(m.walk_id, m.question).distinct()
        gone += [(row.walk_id, key_of(row.question)) for row in connection.execute(learned)]
    talked = [(conversation_id, key_of(text)) for conversation_id, text in ConversationLog(database).own_words()]
    texts = [key for _, key in (*asked, *gone, *talked)]
    words = tuple(name for key, name in wanted.items() if any(_is_key_in_text(key, text) for text in texts))
    keys = [key_of(word) for word in words]
    questions = tuple(text for text, key in asked if any(_is_key_in_text(word, key) for word in keys))
    walks, conversations = (
        tuple(dict.fromkeys(str(name) for name, key in said if any(_is_key_in_text(word, key) for word in keys)))
        for said in (gone, talked)
    )
    return Mentions(words, questions, walks, conversations)


def forget_mentions(database: Database, found: Mentions) -> None:
    """Erase what was found; its bytes leave the disk. Blocks."""
    if found.questions:
        QuestionLog(database).forget(found.questions)
        KeptQuestions(database).forget(found.questions)
    for walk_id in found.walks:
        WalkLog(database).forget(walk_id)
    if found.conversations:
        ConversationLog(database).forget(*found.conversations)
    if found.walks:
        Memories(database).forget_walks(found.walks)


def _is_distinctive_key(key: str) -> bool:
    return len(key) >= (SHORTEST if key.isascii() else SHORTEST_HAN)


def _is_key_in_text(word: str, text: str) -> bool:
    """Say whether a word stands in a text, both as `key_of` writes them: whole, where its script has spaces."""
    return f" {word} " in f" {text} " if word.isascii() else word in text
