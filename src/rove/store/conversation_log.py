"""Conversations in the catalog: what was asked is kept before it is answered, and the answer under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from rove.errors import InputError
from rove.store.conversation_tables import conversation_turns, conversations
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.failpoints import failpoint
from rove.store.question_log import key_of
from rove.store.word_scan import rows_holding

ASKED, DONE, FAILED, STOPPED = "asked", "done", "failed", "stopped"
MOST_TURNS, MOST_CONVERSATIONS = 200, 10_000
TITLE_CHARS = 120
"""Of a question that is a title."""
_C, _T = conversations.c, conversation_turns.c


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """What a list shows of a conversation; times are ISO 8601 in UTC, `turns` their number."""

    conversation_id: str
    title: str
    created_at: str
    updated_at: str
    turns: int


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn as it is kept: see `conversation_tables`."""

    number: int
    way: str
    question: str
    where: str
    asked_at: str
    run: str
    state: str
    reply: str
    labels: str
    judgement: str
    comment: str


_COLUMNS = tuple(_T[field.name] for field in fields(KeptTurn))


class ConversationLog:
    """The tables of conversations. Calls block for as long as the disk takes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, owner: str, title: str = "") -> ConversationInfo:
        """Begin a conversation; without a title, its first question will be it.

        Raises:
            InputError: the owner has too many.
        """
        now, title = _log_time(), _replace_nuls(title)
        made = ConversationInfo(token_hex(8), title, now, now, 0)
        row = {"conversation_id": made.conversation_id, "owner": owner, "title": title, "named": bool(title)}
        with self._database.write() as connection:
            count = connection.execute(select(func.count()).where(_C.owner == owner)).scalar_one()
            if count >= MOST_CONVERSATIONS:
                message = f"You have {count:,} conversations; more are not kept."
                raise InputError(message, cure="Delete some of them.")
            connection.execute(insert(conversations).values(**row, created_at=now, updated_at=now))
        return made

    def listed(
        self, owner: str, query: str = "", *, first: int = 0, most: int = 50
    ) -> tuple[list[ConversationInfo], int | None]:
        """The owner's conversations, the latest first: those from place `first` on, and where the next ones begin.

        `query`: only those in whose title or questions all its words stand, whatever their case and marks.
        """
        found = _select_conversation_infos().where(_C.owner == owner).order_by(_C.updated_at.desc(), _C.seq.desc())
        with self._database.read() as connection:
            if words := key_of(query).split():
                ids = [str(row[0]) for row in connection.execute(found) if self._says(connection, row, words)]
                found = found.where(within(_C.conversation_id, ids[first : first + most + 1]))
            else:
                found = found.offset(first).limit(most + 1)
            infos = [ConversationInfo(*row) for row in connection.execute(found)]
        return infos[:most], first + most if len(infos) > most else None

    def get(self, owner: str, conversation_id: str) -> ConversationInfo | None:
        """A conversation of the owner's; None where there is none of this id."""
        query = _select_conversation_infos().where(_C.owner == owner, _C.conversation_id == conversation_id)
        with self._database.read() as connection:
            row = connection.execute(query).first()
        return ConversationInfo(*row) if row else None

    def turns(self, conversation_id: str) -> list[KeptTurn]:
        """The turns of a conversation, in their order."""
        query = select(*_COLUMNS).where(_T.conversation_id == conversation_id).order_by(_T.number)
        with self._database.read() as connection:
            return [KeptTurn(*row) for row in connection.execute(query)]

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation a title; with "" it is the first question again."""
        with self._database.write() as connection:
            values = {
                "title": _replace_nuls(title) or _first_question(connection, conversation_id),
                "named": bool(title),
            }
            one = _C.conversation_id == conversation_id
            connection.execute(update(conversations).where(one).values(**values))

    def forget(self, *conversation_ids: str) -> None:
        """Delete conversations; their bytes leave the disk."""
        with self._database.write() as connection:
            connection.execute(delete(conversations).where(within(_C.conversation_id, conversation_ids)))
        self._database.shrink()

    def forget_all(self, owner: str) -> None:
        """Delete all conversations of an owner; their bytes leave the disk."""
        with self._database.write() as connection:
            connection.execute(delete(conversations).where(_C.owner == owner))
        self._database.shrink()

    def ask(
        self, conversation_id: str, way: str, question: str, *, where: str, labels: str, after: int | None = None
    ) -> KeptTurn:
        """Keep a question, to be answered under its `run`; the turns after number `after` are taken away first.

        Whoever calls this has the conversation: an earlier question that has no answer yet gets none any more.

        Raises:
            InputError: the conversation is full, or is no more.
        """
        turn = _T.conversation_id == conversation_id
        try:
            with self._database.write() as connection:
                if after is not None:
                    connection.execute(delete(conversation_turns).where(turn, _T.number > after))
                connection.execute(update(conversation_turns).where(turn, _T.state == ASKED).values(state=STOPPED))
                last = connection.execute(select(func.max(_T.number)).where(turn)).scalar_one() or 0
                count = connection.execute(select(func.count()).where(turn)).scalar_one()
                if count >= MOST_TURNS:
                    message = f"This conversation has {count} turns; more are not kept."
                    raise InputError(message, cure="Begin another one.")
                asked = KeptTurn(
                    last + 1, way, _replace_nuls(question), where, _log_time(), token_hex(8), ASKED, "", labels, "", ""
                )  # fmt: skip
                row = {name: getattr(asked, name) for name in KeptTurn.__slots__}
                connection.execute(insert(conversation_turns).values(conversation_id=conversation_id, **row))
                self._touch(connection, conversation_id, asked.asked_at)
        except IntegrityError as error:
            message = "There is no such conversation."
            raise InputError(message, cure="Begin another one.") from error
        failpoint("asked")
        return asked

    def finish(self, conversation_id: str, asked: KeptTurn, state: str, reply: str) -> bool:
        """Keep what came of a question; False where it was taken away, or asked anew, meanwhile."""
        one = (_T.conversation_id == conversation_id) & (_T.number == asked.number) & (_T.run == asked.run)
        with self._database.write() as connection:
            done = update(conversation_turns).where(one).values(state=state, reply=reply)
            kept = bool(connection.execute(done).rowcount)
            if kept:
                self._touch(connection, conversation_id, _log_time())
        failpoint("answered")
        return kept

    def stop(self, conversation_id: str) -> None:
        """Say of what was asked, and is answered by nobody any more, that it stopped."""
        lost = (_T.conversation_id == conversation_id) & (_T.state == ASKED)
        with self._database.write() as connection:
            connection.execute(update(conversation_turns).where(lost).values(state=STOPPED))

    def judge(self, conversation_id: str, number: int, judgement: str, comment: str) -> None:
        """Keep what the owner says of an answer: "up", "down", or "" to take it back."""
        one = (_T.conversation_id == conversation_id) & (_T.number == number)
        with self._database.write() as connection:
            judged = update(conversation_turns).where(one).values(judgement=judgement, comment=_replace_nuls(comment))
            connection.execute(judged)

    def judged(self) -> list[tuple[str, KeptTurn]]:
        """All turns of which somebody has said something, each with who that was.

        Not of those who see some documents only: their questions can name what others may not know of.
        """
        query = select(_C.owner, *_COLUMNS).join_from(conversations, conversation_turns)
        query = query.where(_T.judgement != "", _T.labels == "").order_by(_C.seq, _T.number)
        with self._database.read() as connection:
            return [(str(row[0]), KeptTurn(*tuple(row)[1:])) for row in connection.execute(query)]

    def resting_on(self, words: Sequence[str]) -> list[str]:
        """The ids of conversations in whose replies one of these words stands, as replies write it."""
        with self._database.snapshot() as connection:
            return sorted({str(found) for (found,) in rows_holding(connection, _T.reply, words, _T.conversation_id)})

    def rewrite(self, conversation_id: str, replies: Mapping[str, str]) -> None:
        """Put other replies in the place of those of these runs."""
        with self._database.write() as connection:
            for run, reply in replies.items():
                one = (_T.conversation_id == conversation_id) & (_T.run == run)
                connection.execute(update(conversation_turns).where(one).values(reply=reply))

    def own_words(self) -> list[tuple[str, str]]:
        """What users have written, each with its conversation's id: titles, questions, filters and comments."""
        said = (_T.question, _T.where, _T.comment)
        with self._database.read() as connection:
            found = [tuple(row) for row in connection.execute(select(_C.conversation_id, _C.title))]
            for row in connection.execute(select(_T.conversation_id, *said)):
                found += [(row[0], text) for text in row[1:] if text]
        return [(str(conversation_id), str(text)) for conversation_id, text in found]

    def _says(self, connection: Connection, row: Sequence[object], words: Sequence[str]) -> bool:
        query = select(_T.question).where(_T.conversation_id == row[0])
        said = key_of(" ".join([str(row[1]), *connection.execute(query).scalars()]))
        return all(word in said for word in words)

    def _touch(self, connection: Connection, conversation_id: str, now: str) -> None:
        one = _C.conversation_id == conversation_id
        title = _first_question(connection, conversation_id)
        connection.execute(update(conversations).where(one, ~_C.named).values(title=title))
        connection.execute(update(conversations).where(one).values(updated_at=now))


def _select_conversation_infos() -> Select[Any, Any, Any, Any, int]:
    turns = select(func.count()).where(_T.conversation_id == _C.conversation_id).scalar_subquery()
    return select(_C.conversation_id, _C.title, _C.created_at, _C.updated_at, turns)


def _first_question(connection: Connection, conversation_id: str) -> str:
    query = select(_T.question).where(_T.conversation_id == conversation_id).order_by(_T.number).limit(1)
    text = " ".join(str(connection.execute(query).scalar_one_or_none() or "").split())
    return text if len(text) <= TITLE_CHARS else f"{text[: TITLE_CHARS - 1].rstrip()}…"


def _log_time() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _replace_nuls(written: str) -> str:
    """Return what users wrote as every database can keep it."""
    return written.replace("\0", "\N{REPLACEMENT CHARACTER}")
