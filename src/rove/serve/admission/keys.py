"""Keys: random, shown once to whom they are for; what is kept of one is its hash."""

from __future__ import annotations

import secrets
from hashlib import sha256

PREFIX = "rove_"


def make_key() -> str:
    """Make a key of 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def hash_key(key: str) -> str:
    """Return what is kept of a key. Since a key is 256 random bits, one round of SHA-256 is as good as a slow hash.

    >>> hash_key("rove_x")[:14]
    'sha256:1163d08'
    """
    return f"sha256:{sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()}"
