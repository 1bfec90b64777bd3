"""Signatures of texts, by which documents that say the same are found.

MinHash (Broder 1997) by rensa's R-MinHash over the runs of five characters of the text without white space, so that
languages that write none are treated alike.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import rensa
from numpy.typing import NDArray

from rove.records import Document
from rove.records.signature import HASH_BYTES, SLOTS, VERSION

RUN = 5
SHORT_BYTES = 200
"""A text of fewer bytes (without white space, in UTF-8) has only exact twins: one word more or less is another text."""
LONG_CHARS = 4_000_000
"""A text of more characters, too, has only exact twins: its runs would take too much memory."""
BATCH_CHARS = 1 << 15  # as many as stay in the processor's cache while they are hashed
SEED = 42
MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xBF58476D1CE4E5B9], np.uint64)

minhash: Any = getattr(rensa, "RMinHash")  # noqa: B009 - it brings no annotations


def compared_text(document: Document) -> str:
    """Return what a document is compared by: its text, and for a record its title too.

    Many records give the same short answer, "Yes.", to another question; a file and its copy have other titles.
    """
    return f"{document.title}\n{document.text}" if "record_id" in document.metadata else document.text


def signature(text: str) -> bytes:
    r"""Return the signature of one text; `signatures` is quicker for many.

    >>> signature("One  text.") == signature("One text.\n"), signature("One text.") == signature("Another.")
    (True, False)
    """
    return signatures([text])[0]


def signatures(texts: Sequence[str]) -> list[bytes]:
    """Return the signatures of texts, at most 242 bytes each: see `rove.store.duplicates`.

    Texts that differ only in white space, and in Unicode's ways to write a letter, are exactly the same. Near ones are
    compared without white space and case.
    """
    plain = [" ".join(unicodedata.normalize("NFC", text).split()) for text in texts]
    found = [VERSION + blake2b(_utf8_with_surrogates(text), digest_size=HASH_BYTES).digest() for text in plain]
    bare = [text.replace(" ", "").casefold() for text in plain]
    compared = [i for i, text in enumerate(bare) if _is_compared(text)]
    for batch in _batches(compared, bare):
        slots = _slots([bare[i] for i in batch])
        for i, row in zip(batch, slots, strict=True):
            found[i] += row.tobytes()
    return found


def _is_compared(text: str) -> bool:
    return len(text) <= LONG_CHARS and (len(text) >= SHORT_BYTES or len(_utf8_with_surrogates(text)) >= SHORT_BYTES)


def _utf8_with_surrogates(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _batches(numbers: Sequence[int], texts: Sequence[str]) -> Iterator[list[int]]:
    batch: list[int] = []
    chars = 0
    for number in numbers:
        if batch and chars + len(texts[number]) > BATCH_CHARS:
            yield batch
            batch, chars = [], 0
        batch.append(number)
        chars += len(texts[number])
    if batch:
        yield batch


def _slots(texts: Sequence[str]) -> NDArray[np.uint16]:
    """The MinHash values of texts of at least `RUN` characters, their lower halves: (n, SLOTS), little-endian."""
    hashes = _run_hashes("".join(texts))
    ends = np.cumsum([len(text) for text in texts])
    inside = np.ones(len(hashes), np.bool_)
    for back in range(1, RUN):
        inside[ends[:-1] - back] = False  # a run that begins in one text and ends in the next
    offsets = np.concatenate([[0], ends - (RUN - 1) * np.arange(1, len(texts) + 1)]).astype(np.uint64)
    matrix = minhash.digest_matrix_from_flat_token_hashes(hashes[inside], offsets, SLOTS, SEED)
    return np.array(matrix.to_rows(), np.uint32).astype("<u2")


def _run_hashes(text: str) -> NDArray[np.uint64]:
    """A hash of each run of five characters, built of pairs and pairs of pairs: (len(text) − 4,)."""
    chars = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    pairs = chars[:-1] * MIX[0] + chars[1:]
    fours = pairs[:-2] * MIX[1] + pairs[2:]
    runs = fours[:-1] * MIX[2] + chars[4:]
    runs ^= runs >> np.uint64(29)
    runs *= MIX[3]
    return runs ^ (runs >> np.uint64(32))
