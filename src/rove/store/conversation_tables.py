"""The catalog's tables of conversations, in SQLAlchemy Core."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, Table

from rove.store.tables import metadata
from rove.store.text_values import String, Text

conversations = Table(
    "conversations",
    metadata,
    Column("seq", Integer, primary_key=True),
    Column("conversation_id", String, nullable=False, unique=True),
    Column("owner", String, nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("named", Boolean, nullable=False),
    Column("created_at", String, nullable=False),
    Column("updated_at", String, nullable=False),
)
"""Conversations, each its owner's own. `named`: the owner has given the title; else it is the first question."""

conversation_turns = Table(
    "conversation_turns",
    metadata,
    Column(
        "conversation_id", String, ForeignKey("conversations.conversation_id", ondelete="CASCADE"), primary_key=True
    ),
    Column("number", Integer, primary_key=True),
    Column("way", String, nullable=False),
    Column("question", Text, nullable=False),
    Column("where", Text, nullable=False),
    Column("asked_at", String, nullable=False),
    Column("run", String, nullable=False),
    Column("state", String, nullable=False),
    Column("reply", Text, nullable=False),
    Column("labels", Text, nullable=False),
    Column("judgement", String, nullable=False),
    Column("comment", Text, nullable=False),
)
"""The turns of conversations, `number` from 1. `where`: the filter as the client wrote it, in JSON, or "".

`run`: a word of whoever answers it, so that nobody else's answer comes under a question that was asked anew. `reply`:
see `rove.conversation.kept_turns`. `labels`: those of the asker's key, in JSON; "" where it has none."""
