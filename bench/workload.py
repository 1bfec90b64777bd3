"""What every contestant gets: real texts in many languages, cut to one chunk each, with queries and vectors."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench import CACHE, DATA
from bench.sets import LEFT_OUT, by_hash, read_docs, read_queries
from rove.models.fake import FakeEmbedder

SIZE_CHARS = 480
LEAST_CHARS = 200
QUERIES = 105


def pieces(text: str, size: int = SIZE_CHARS) -> Iterator[str]:
    """Cut a text at spaces into pieces of at most `size` characters (anywhere in a text without spaces).

    >>> list(pieces("aa bb cc", 5))
    ['aa bb', 'cc']
    """
    text = " ".join(text.split())
    while text:
        end = len(text) if len(text) <= size else text.rfind(" ", size // 2, size + 1)
        end = size if end < 0 else end
        yield text[:end].strip()
        text = text[end:].strip()


def chunks(count: int) -> list[str]:
    """Take `count` different pieces, from all sets in turn."""
    folders = [p for p in sorted(DATA.iterdir()) if (p / "META.json").is_file() and p.name not in LEFT_OUT]
    streams = [_pieces_of(folder) for folder in folders]
    seen: dict[str, None] = {}
    for row in itertools.zip_longest(*streams):
        for piece in row:
            if piece:
                seen.setdefault(piece)
        if len(seen) >= count:
            return list(seen)[:count]
    message = f"The sets hold {len(seen)} different pieces, {count} were wanted."
    raise ValueError(message)


def _pieces_of(folder: Path) -> Iterator[str]:
    for doc in read_docs(folder):
        for piece in pieces(doc.text):
            if len(piece) >= LEAST_CHARS:
                yield piece


def queries(count: int) -> list[str]:
    """Take queries from all sets in turn."""
    found: dict[str, None] = {}
    folders = [p for p in sorted(DATA.iterdir()) if (p / "META.json").is_file()]
    by_set = [[texts[q] for q in by_hash(texts)[:count]] for texts in map(read_queries, folders)]
    for row in itertools.zip_longest(*by_set):
        found.update(dict.fromkeys(q for q in row if q))
    return list(found)[:count]


def write(count: int) -> Path:
    """Write the files that `contestants/protocol.py` reads; return their folder."""
    folder = CACHE / f"workload-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    texts, asked = chunks(count), queries(QUERIES)
    embedder = FakeEmbedder()
    lines = [json.dumps({"id": f"doc-{n}", "text": t}, ensure_ascii=False) for n, t in enumerate(texts)]
    (folder / "documents.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(q, ensure_ascii=False) + "\n" for q in asked), "utf-8")
    np.save(folder / "vectors.npy", asyncio.run(embedder.passages(texts)))
    np.save(folder / "query_vectors.npy", asyncio.run(embedder.queries(asked)))
    return folder
