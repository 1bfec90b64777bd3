"""Names made from what a thing holds: the same input gives the same id everywhere, always."""

from __future__ import annotations

from hashlib import blake2b
from mmap import mmap

ID_BYTES = 16


def content_hash(*parts: str | bytes | mmap) -> str:
    """Return 32 hex digits of BLAKE2b over the parts, each preceded by its length in bytes.

    The lengths keep ("ab", "c") apart from ("a", "bc").

    >>> content_hash("ab", "c") == content_hash("a", "bc")
    False
    >>> len(content_hash(b""))
    32
    """
    digest = blake2b(digest_size=ID_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
