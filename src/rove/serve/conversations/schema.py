"""Conversations: what is asked in them, and what is told of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal, cast

from pydantic import Field, JsonValue, TypeAdapter

from rove.conversation.kept_turns import KeptReply
from rove.serve.problems import Problem
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import QuestionIn
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire
from rove.serve.walks.schema import BudgetIn
from rove.store.conversation_log import ConversationInfo, KeptTurn

Way = Literal["answer", "search", "walk", "database"]
State = Literal["asked", "done", "failed", "stopped"]
Judgement = Literal["up", "down", ""]
Title = Annotated[str, Field(max_length=200)]
WITHHELD = "Parts of this are left out: they rest on documents that are gone, or that you may not see."
condition: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


class ConversationIn(Wire):
    """A conversation to begin; without a title, its first question is the title."""

    title: Title = ""


class TitleIn(Wire):
    """Another title; "" is the first question again."""

    title: Title


class ConversationTurnIn(QuestionIn):
    """What to do with a question: "answer" it in the light of the turns before, "search", "walk", or ask a "database".

    `mode` and `top_k` are those of a search, `budget` that of a walk. `database`: the name of the one that is asked for
    rows; "": the tables in the documents. `after`: the turns after this number are taken away first. `stream`: an
    answer comes as events: `delta`s (the text as it passes its check), then `entry`.
    """

    way: Way = "answer"
    mode: str = Field(default="hybrid", max_length=40)
    top_k: int | None = Field(default=None, ge=1, le=200)
    budget: BudgetIn | None = None
    database: str = Field(default="", max_length=200)
    after: int | None = Field(default=None, ge=0, le=10**9)
    stream: bool = False

    @property
    def where_text(self) -> str:
        """The filter in JSON, as the client wrote it; "" for none."""
        return self.where.model_dump_json(by_alias=True) if self.where else ""

    def as_asked(self, reply: KeptReply) -> KeptReply:
        """Return a reply that says how a search was asked for, so that it can be asked again."""
        return replace(reply, mode=self.mode, top_k=self.top_k) if self.way == "search" else reply


class FeedbackIn(Wire):
    """What the owner says of an answer; "" takes it back, with its comment."""

    judgement: Judgement
    comment: Annotated[str, Field(max_length=2_000)] = ""


class ConversationOut(Reply):
    """A conversation: times are ISO 8601 in UTC, `turns` their number."""

    conversation_id: str
    title: str
    created_at: str
    updated_at: str
    turns: int

    @classmethod
    def of(cls, info: ConversationInfo) -> ConversationOut:
        """Make it of a record."""
        return cls(
            conversation_id=info.conversation_id,
            title=info.title,
            created_at=info.created_at,
            updated_at=info.updated_at,
            turns=info.turns,
        )


class ConversationList(Reply):
    """A page of the caller's conversations, the latest first; `next_cursor` asks for what follows."""

    conversations: list[ConversationOut]
    next_cursor: int | None = None


class EntryOut(Reply):
    """A turn. `state`: "asked" while it is being answered; "stopped" where whoever asked, or the server, went away.

    `walk_id`: the walk that goes on by the routes of walks. `where`: the filter as it was sent. `note` says where parts
    are left out: what rests on documents that are gone, or that the caller may not see any more. `mode`, `top_k`: those
    of a search, as they were sent.
    """

    number: int
    way: Way
    question: str
    asked_at: str
    state: State
    answer: AnswerOut | None = None
    hits: list[HitOut] | None = None
    sql: SqlOut | None = None
    walk_id: str | None = None
    problem: Problem | None = None
    judgement: Judgement = ""
    comment: str = ""
    where: JsonValue = None
    mode: str = ""
    top_k: int | None = None
    note: Said = ""

    @classmethod
    def of(cls, turn: KeptTurn, reply: KeptReply) -> EntryOut:
        """Make it of records."""
        return cls(
            number=turn.number,
            way=cast("Way", turn.way),
            question=turn.question,
            asked_at=turn.asked_at,
            state=cast("State", turn.state),
            answer=AnswerOut.of(reply.answer) if reply.answer else None,
            hits=None if reply.hits is None else [HitOut.of(hit) for hit in reply.hits],
            sql=SqlOut.of(reply.sql) if reply.sql else None,
            walk_id=reply.walk_id or None,
            problem=Problem.model_validate_json(reply.problem) if reply.problem else None,
            judgement=cast("Judgement", turn.judgement),
            comment=turn.comment,
            where=condition.validate_json(turn.where) if turn.where else None,
            mode=reply.mode,
            top_k=reply.top_k,
            note=WITHHELD if reply.withheld else "",
        )


class ConversationTold(ConversationOut):
    """A conversation with its turns, in their order."""

    entries: list[EntryOut]
