"""Duplicates: which document that is already there says the same as a new one, word for word or nearly.

A signature (made by `rove.enrich.signature`) is `VERSION`, the hash of the text, and, where the text is long enough to
be compared, `SLOTS` MinHash values of 16 bits. Documents that share the hash are the same. For the others the slots are
cut into bands (locality-sensitive hashing, Indyk & Motwani, STOC 1998): texts of Jaccard similarity j share at least
one of b bands of r slots with probability 1 − (1 − j^r)^b, which for 14 bands of 8 is .99 at .85 and .06 at .5; what
shares one is compared slot by slot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from rove.records.signature import HASH_BYTES, SLOTS, VERSION
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database
from rove.store.dialect import within

BANDS = 14
VERSION_BYTES = len(VERSION)
HEAD_BYTES = VERSION_BYTES + HASH_BYTES
SIGNATURE_BYTES = HEAD_BYTES + 2 * SLOTS
NEAR = 0.82
"""From this estimate on, two texts are near duplicates: of edited texts at .85 and above, 99 in 100 reach it."""
COMPARED = 4  # documents under one key that are looked at, the oldest first: a thousand copies cost no more than four
RUN_KEYS, RUN_SHARE = 1 << 22, 8
"""The most keys that are sorted as one run, or a part of so many of them all, if that is more."""
ROWS = 10_000
MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

Keys = NDArray[np.uint64]
"""Entries of the index, sorted: 32 bits of what is shared, then the 32 bits of the document's row number."""
NO_KEY = np.uint64(0)


@dataclass(frozen=True, slots=True)
class Signed:
    """A document, its signature, and where it came from."""

    document_id: str
    signature: bytes
    source: str = ""


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The earlier document that says the same; `similarity` is 1 where `exact`, else the estimated Jaccard, 0..1."""

    document_id: str
    similarity: float
    exact: bool
    source: str = field(default="", compare=False)


class Duplicates:
    """Finds duplicates among the live documents of a base, and among those of one call.

    The keys are held in memory, 8 bytes each, 15 for a document (1 for a short one): 12 MB for 100,000 documents. They
    are made from the catalog when first asked for, and follow what this and other processes publish.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self._runs: list[Keys] = []
        self._revision = 0

    def find(self, items: Sequence[Signed], *, similarity: float = NEAR) -> list[NearDuplicate | None]:
        """Return for each item the earlier document that says the same, the most similar one; None where there is none.

        A document is no duplicate of its own earlier version. Within `items` only such are earlier that have no
        duplicate themselves, so that all copies name the one document that is kept when copies are left out.
        """
        self._catch_up()
        keys = signature_keys([item.signature for item in items])
        values, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
        holders = self._holders(values)
        met = (counts > 1) | np.isin(values, np.fromiter(holders, np.uint64))
        met = (met & (values != NO_KEY))[places].reshape(keys.shape)
        duplicates: list[NearDuplicate | None] = [None] * len(items)
        for number in np.flatnonzero(met.any(axis=1)).tolist():
            item, own = items[number], keys[number, met[number]].tolist()
            earlier = {other.document_id: other for key in own for other in holders.get(key, ())}
            duplicates[number] = most_similar(item, earlier.values(), similarity)
            for key in own if duplicates[number] is None else ():
                if len(known := holders.setdefault(key, [])) < COMPARED:
                    known.append(item)
        return duplicates

    def _holders(self, keys: Keys) -> dict[int, list[Signed]]:
        """The oldest `COMPARED` live documents that have each of these keys, which are sorted; no key without any."""
        found = self._seqs(keys)
        live = self._signed(set(chain.from_iterable(found.values())))
        if any(seq not in live for seqs in found.values() for seq in seqs):
            self._forget_deleted()
            found = self._seqs(keys)
            live = self._signed(set(chain.from_iterable(found.values())))
        return {key: [live[seq] for seq in seqs if seq in live] for key, seqs in found.items()}

    def _seqs(self, keys: Keys) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for held in self._runs:
            first = np.searchsorted(held, keys << HALF)
            for step in range(COMPARED):
                entries = held[np.minimum(first + step, len(held) - 1)]
                hits = entries[(entries >> HALF == keys) & (first + step < len(held))]
                for key, seq in zip((hits >> HALF).tolist(), (hits & LOW).tolist(), strict=True):
                    found.setdefault(key, []).append(seq)
        return {key: sorted(seqs)[:COMPARED] for key, seqs in found.items()}

    def _signed(self, seqs: Collection[int]) -> dict[int, Signed]:
        """The live documents among these rows."""
        d = tables.documents.c
        query = select(d.seq, d.document_id, d.signature, d.source).where(d.revision > 0, d.signature.is_not(None))
        with self.database.read() as connection:
            return {
                row.seq: Signed(row.document_id, row.signature, row.source)
                for part in slices(sorted(seqs))
                for row in connection.execute(query.where(within(d.seq, part)))
            }

    def _catch_up(self) -> None:
        """Take in what was published since the last call."""
        d = tables.documents.c
        query = select(d.seq, d.revision, d.signature).where(d.revision > self._revision, d.signature.is_not(None))
        fresh: list[Keys] = []
        with self.database.snapshot() as connection:
            for rows in connection.execution_options(yield_per=ROWS).execute(query).partitions():
                self._revision = max(self._revision, *(row.revision for row in rows))
                keys = signature_keys([row.signature for row in rows])
                entries = keys << HALF | np.array([row.seq for row in rows], np.uint64)[:, None]
                fresh.append(entries[keys != NO_KEY])
                if sum(map(len, fresh)) >= RUN_KEYS:
                    self._take(fresh)
                    fresh = []
        self._take(fresh)

    def _take(self, fresh: Sequence[Keys]) -> None:
        """Take in keys as a run. Runs of about the same size become one, so that a key is moved a few times in all."""
        if not sum(map(len, fresh)):
            return
        self._runs.append(np.sort(np.concatenate(fresh)))
        most = max(RUN_KEYS, sum(map(len, self._runs)) // RUN_SHARE)
        while len(self._runs) > 1:
            before, last = map(len, self._runs[-2:])
            if before > 2 * last or before + last > most:
                break
            self._runs[-2:] = [np.sort(np.concatenate(self._runs[-2:]), kind="stable")]  # of two runs it makes one

    def _forget_deleted(self) -> None:
        """Drop the keys of documents that are there no more."""
        with self.database.read() as connection:
            held = np.fromiter(connection.execute(select(tables.documents.c.seq)).scalars(), np.uint64)
        kept = (run[np.isin(run & LOW, held)] for run in self._runs)
        self._runs = [run for run in kept if len(run)]


def signature_keys(signatures: Sequence[bytes]) -> Keys:
    """Return what is looked up for each signature: of its hash, and of each band. Shape (n, 1 + BANDS), 32 bits used.

    One without slots, or of another version of MinHash, has `NO_KEY` for its bands.
    """
    hashes = np.frombuffer(b"".join(s[VERSION_BYTES:HEAD_BYTES] for s in signatures), "<u8").reshape(
        -1, HASH_BYTES // 8
    )
    keys = np.full((len(signatures), 1 + BANDS), NO_KEY)
    keys[:, 0] = _hash_word_pairs(hashes)
    whole = [number for number, s in enumerate(signatures) if s.startswith(VERSION) and len(s) == SIGNATURE_BYTES]
    if whole:
        slots = np.frombuffer(b"".join(signatures[number][HEAD_BYTES:] for number in whole), "<u8")
        bands = slots.reshape(len(whole), BANDS, -1)
        keys[whole, 1:] = _hash_word_pairs(bands + np.arange(1, BANDS + 1, dtype=np.uint64)[:, None])
    return keys


def _hash_word_pairs(words: NDArray[np.uint64]) -> Keys:
    """Hash the last axis, two words, to 32 bits."""
    mixed = (words[..., 0] * MIX[0]) ^ (words[..., 1] * MIX[1])
    mixed = (mixed ^ (mixed >> np.uint64(29))) * MIX[2]
    return mixed >> HALF


def most_similar(item: Signed, earlier: Iterable[Signed], similarity: float) -> NearDuplicate | None:
    """Return the most similar of these documents that is at least that similar, the first of equal ones."""
    best: NearDuplicate | None = None
    for other in earlier:
        if other.document_id == item.document_id:
            continue
        exact = other.signature[VERSION_BYTES:HEAD_BYTES] == item.signature[VERSION_BYTES:HEAD_BYTES]
        estimate = 1.0 if exact else estimated(item.signature, other.signature)
        rank = (exact, estimate)
        if estimate >= similarity and (best is None or rank > (best.exact, best.similarity)):
            best = NearDuplicate(other.document_id, estimate, exact, other.source)
    return best


def estimated(one: bytes, other: bytes) -> float:
    """Estimate the Jaccard similarity of two texts by the share of equal slots; 0 where they cannot be compared."""
    if not (one.startswith(VERSION) and other.startswith(VERSION) and len(one) == len(other) == SIGNATURE_BYTES):
        return 0.0
    equal = np.frombuffer(one, "<u2", SLOTS, HEAD_BYTES) == np.frombuffer(other, "<u2", SLOTS, HEAD_BYTES)
    return float(equal.mean())
