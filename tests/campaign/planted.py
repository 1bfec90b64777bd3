"""A few trials of each kind as Rove is, then with a fault planted into it: a process of its own, which forks.

Run as a script it prints a line of JSON for each: kind, fault ("" for none), what diverged.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import campaign.callers
import campaign.files
import campaign.filters
import campaign.patterns
import numpy as np
from campaign.worker import ready, tried

import rove.ingest.folders
import rove.ingest.outdated
from rove.engine import AsyncRove
from rove.errors import InputError, RoveError
from rove.ingest.folders import FolderChanges
from rove.models.unit_vectors import UnitVectors
from rove.records import Report, SourceEnd
from rove.sandbox.checked import CheckedSources
from rove.sandbox.pool import Pool
from rove.serve.caller_view import CallerView
from rove.store.array_file import ArrayFile
from rove.store.catalog_rows import vectors_of
from rove.store.lance import LanceIndex
from rove.store.memory_index import MemoryIndex
from rove.store.sqlite_file import CatalogFile
from rove.sync import Rove

CLEAN = {
    "kills": (1, 3, 5), "torn": (3, 4, 1_000_040), "lost": (1, 2, 3, 4), "disks": (1, 2), "swaps": (1, 5, 7),
    "writers": (1,),
    "filters": (1,), "callers": (6,), "chat": (4, 7), "files": (1,), "jail": (1, 7), "folders": (2, 5),
    "addresses": (1,), "patterns": (1,), "trips": (1,), "vectors": (1, 2, 3, 4, 5, 6),
}  # fmt: skip
"""Seeds of trials that must hold; those that fork come first."""
SEEDS = 17
"""Seeds of trials of which one must find a planted fault begin at 1, and end before this."""
FIRST = {
    "labels are not looked at": 10,
    "rows that are not missed": 5,
    "a snapshot that is not checked": 7,
    "nobody holds the folder": 5,
}
"""Where the first trials cannot meet the fault, the seed that is tried before them."""
QUICK = {campaign.filters: 60, campaign.callers: 25, campaign.files: 12, campaign.patterns: 4}
"""Tries of one trial, fewer than in a campaign."""


def losing(add: Callable[..., Report]) -> Callable[..., Report]:
    """Acknowledge, and keep nothing but what the trial adds in the end."""

    def acknowledged(kb: Rove, source: Any, **more: object) -> Report:  # noqa: ANN401 - as an add's
        return add(kb, source, **more) if getattr(source, "id", "") == "last" else Report(added=1, documents=1)

    return acknowledged


def swallowed(add: Callable[..., Report]) -> Callable[..., Report]:
    """Acknowledge what the disk has refused."""

    def acknowledged(kb: Rove, *sources: object, **more: object) -> Report:
        try:
            return add(kb, *sources, **more)
        except RoveError:
            return Report(added=1)

    return acknowledged


def blind(search: Callable[..., Any], every: int) -> Callable[..., Any]:
    """Find nothing, each so many searches."""
    asked = iter(range(10**9))

    def found(kb: Rove, *given: object, **more: object) -> list[object]:
        hits = search(kb, *given, **more)
        return [] if next(asked) % every == every - 1 else hits

    return found


def careless(index: type[Any]) -> Callable[..., Any]:
    """Search without the filter."""
    semantic = index.semantic

    async def found(self: object, vector: object, *, top_k: int, where: object = None) -> object:
        del where
        return await semantic(self, vector, top_k=top_k, where=None)

    return found


def forgetful(read: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Say nothing of how the first source ended."""

    def items(self: Pool, jobs: Any) -> Iterator[Any]:  # noqa: ANN401 - as the pool's
        ends = 0
        for item in read(self, jobs):
            ends += isinstance(item, SourceEnd)
            if ends != 1 or not isinstance(item, SourceEnd):
                yield item

    return items


def counting(sources: CheckedSources, item: object) -> None:
    """Count the ends of sources, and look at nothing."""
    sources.ended += isinstance(item, SourceEnd)


def cureless(*_: object, **__: object) -> None:
    message = "It did not work."
    raise InputError(message)


def raising(error: Callable[[], Exception]) -> Callable[..., Any]:
    def raised(*_: object, **__: object) -> None:
        raise error()

    return raised


async def leaving_out(kb: AsyncRove, lines: Any, *_: object) -> Report:  # noqa: ANN401 - as the engine's
    """Take in all lines but the last."""
    return await IMPORT(kb, list(lines)[:-1])


def everything(view: CallerView, wanted: Any = None) -> Any:  # noqa: ANN401 - a filter
    del view
    return wanted


def believed(given: Any, texts: Any, fingerprint: Any) -> UnitVectors:  # noqa: ANN401 - as the check's
    """Take what an embedder gives as it is."""
    del texts, fingerprint
    return UnitVectors(np.asarray(given, np.float32))


def unread(blobs: Any, dimension: int) -> list[Any]:  # noqa: ANN401 - as the reader's
    """Read vectors without a look at them."""
    del dimension
    return vectors_of(blobs)


async def nothing_anew(*_: object) -> list[str]:
    return []


IMPORT = AsyncRove.import_
PLANTED: dict[tuple[str, str], Callable[[], list[Any]]] = {
    ("kills", "an add that keeps nothing"): lambda: [patch.object(Rove, "add", losing(Rove.add))],
    ("torn", "an error of another library"): lambda: [patch.object(Rove, "search", raising(KeyError))],
    ("torn", "a refusal without a cure"): lambda: [patch.object(Rove, "doctor", cureless)],
    ("torn", "a base that opens empty"): lambda: [patch.object(Rove, "documents", lambda _: [])],
    ("lost", "rows that are not missed"): lambda: [
        patch("rove.store.database.lost_rows", lambda *_, **__: []),
        patch("rove.store.catalog_check.check_agree", lambda *_: None),
    ],
    ("lost", "a snapshot that is not checked"): lambda: [patch.object(ArrayFile, "is_sound", lambda *_, **__: True)],
    ("disks", "a full disk is acknowledged"): lambda: [patch.object(Rove, "add", swallowed(Rove.add))],
    ("writers", "a search that misses"): lambda: [patch.object(Rove, "search", blind(Rove.search, 9))],
    ("filters", "memory passes all"): lambda: [
        patch.object(MemoryIndex, "best_keyword", no_where(MemoryIndex.best_keyword))
    ],
    ("filters", "LanceDB passes all"): lambda: [patch.object(LanceIndex, "semantic", careless(LanceIndex))],
    ("callers", "labels are not looked at"): lambda: [
        patch.object(CallerView, "where", everything), patch.object(CallerView, "_sees", lambda *_: True),
        patch.object(CallerView, "_seen", lambda _, hits: list(hits)),
    ],
    ("callers", "rights are not looked at"): lambda: [patch.object(CallerView, "require", lambda *_: None)],
    ("callers", "a route that nobody has thought of"): lambda: [
        patch.dict(campaign.callers.RIGHTS, clear=True)
    ],
    ("folders", "nothing that has moved is found again"): lambda: [
        patch.object(rove.ingest.folders, "_moves", lambda *_: {})
    ],
    ("folders", "what is gone is not told"): lambda: [
        patch.object(rove.ingest.outdated, "folder_changes", lambda *_: FolderChanges())
    ],
    ("folders", "what is not mounted is pruned"): lambda: [
        patch.object(rove.ingest.folders, "mounted", lambda roots, _: list(roots))
    ],
    ("chat", "an error of another library"): lambda: [
        patch.object(AsyncRove, name, raising(RecursionError)) for name in ("respond", "gather", "walk")
    ],
    ("files", "a source without an end"): lambda: [patch.object(Pool, "read", forgetful(Pool.read))],
    ("jail", "what a reading process says is believed"): lambda: [patch.object(CheckedSources, "check", counting)],
    ("addresses", "every address is public"): lambda: [patch("rove.load.web.address.is_public", lambda _: True)],
    ("patterns", "patterns that go back and forth"): lambda: [
        patch.object(module, name, re.compile(r"(?:\s*/?[^\s()]*)*\)"))
        for place, module in sorted(sys.modules.items()) if place.startswith(("rove.answer.", "rove.walk."))
        for name, value in list(vars(module).items()) if isinstance(value, re.Pattern)
    ],
    ("swaps", "nobody looks where the catalog is"): lambda: [
        patch.object(CatalogFile, "check", lambda *_, **__: None), patch.object(CatalogFile, "look", lambda _: None)
    ],
    ("swaps", "nobody holds the folder"): lambda: [
        patch("rove.store.folder_hold._lock_folder_handle", lambda *_, **__: True)
    ],
    ("vectors", "an embedder is believed"): lambda: [patch("rove.models.cache.unit_vectors", believed)],
    ("vectors", "an export is believed"): lambda: [patch("rove.exchange.read_vectors", unread)],
    ("vectors", "a row of the catalog is believed"): lambda: [patch("rove.store.documents.read_vectors", unread)],
    ("vectors", "nothing is made anew"): lambda: [patch("rove.document_operations.embed_anew", nothing_anew)],
    ("trips", "an import that leaves one out"): lambda: [patch.object(AsyncRove, "import_", leaving_out)],
}  # fmt: skip


def no_where(search: Callable[..., Any]) -> Callable[..., Any]:
    """Search without the filter."""

    def found(self: object, *given: object, **more: Any) -> Any:  # noqa: ANN401 - as the index's
        return search(self, *given, **{**more, "where": None})

    return found


def tell(kind: str, fault: str, faults: list[str]) -> None:
    sys.stdout.write(json.dumps({"kind": kind, "fault": fault, "faults": faults[:4]}) + "\n")
    sys.stdout.flush()


def main(kinds: list[str]) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for module, count in QUICK.items():
        module.EACH = count
    for kind in kinds:
        with ready(kind) as made:
            tell(kind, "", [fault for seed in CLEAN[kind] for fault in tried(made, seed).faults])
            for (of, fault), patches in PLANTED.items():
                if of == kind:
                    with ExitStack() as stack:
                        for one in patches():
                            stack.enter_context(one)
                        seeds = sorted(range(1, SEEDS), key=lambda seed: seed != FIRST.get(fault, 1))
                        found = (tried(made, seed).faults for seed in seeds)
                        tell(kind, fault, list(next(filter(None, found), ())))


if __name__ == "__main__":
    main(sys.argv[1:] or list(CLEAN))
