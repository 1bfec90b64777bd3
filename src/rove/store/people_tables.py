"""The catalog's tables of people, their sessions and invitations, and keys made on the page, in SQLAlchemy Core."""

from __future__ import annotations

import json
from typing import cast

from sqlalchemy import Boolean, Column, ForeignKey, Table

from rove.store.tables import metadata
from rove.store.text_values import String, Text

people = Table(
    "people",
    metadata,
    Column("person_id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("folded", String, nullable=False, unique=True),
    Column("full_name", Text, nullable=False),
    Column("role", String, nullable=False),
    Column("spaces", Text, nullable=False),
    Column("labels", Text, nullable=False),
    Column("password", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created_at", String, nullable=False),
    Column("last_seen", String, nullable=False),
)
"""Whoever may sign in. `folded`: the name without case, so that no two differ by that alone. `spaces` and `labels` in
JSON, `labels` "" where all documents are seen. `password`: its argon2 hash, "" where there is none. `issuer` and
`subject`: who it is at an OpenID provider, "" where it is nobody there. `last_seen`: "" before the first sign-in."""

person_sessions = Table(
    "person_sessions",
    metadata,
    Column("token_hash", String, primary_key=True),
    Column("person_id", String, ForeignKey("people.person_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("way", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("seen_at", String, nullable=False),
)
"""Sessions, by the SHA-256 of what their cookie holds. `way`: "password" or "oidc"."""

person_invitations = Table(
    "person_invitations",
    metadata,
    Column("token_hash", String, primary_key=True),
    Column("person_id", String, ForeignKey("people.person_id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("expires_at", String, nullable=False),
)
"""Invitations to set a password, one a person, by the SHA-256 of what their link holds."""

made_keys = Table(
    "made_keys",
    metadata,
    Column("name", String, primary_key=True),
    Column("hash", String, nullable=False),
    Column("spaces", Text, nullable=False),
    Column("rights", Text, nullable=False),
    Column("labels", Text, nullable=False),
    Column("created_at", String, nullable=False),
)
"""Keys that were made on the page; those of the settings file stand there. Columns as in `people`."""

UNREADABLE = (ValueError, TypeError, RecursionError)
"""What `read_texts` raises."""


def read_texts(written: str) -> tuple[str, ...]:
    """Read what a person or a key may do, or see: texts in JSON.

    Raises:
        ValueError, TypeError, RecursionError: it is no such list.
    """
    texts: object = json.loads(written)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in cast("list[object]", texts)):
        raise TypeError(written)
    return tuple(cast("list[str]", texts))
