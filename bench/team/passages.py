"""What is in the base: real documents that have questions, then as many passages of posts as were asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from bench import ROOT
from bench.posts.make import posts
from bench.sets import RetrievalSet, load
from bench.stores import CAP, SETS
from bench.walk import as_text
from bench.workload import pieces
from rove import Text

LEAST_CHARS = 24
REAL_POSTS = 39_441
SLOTS = 100
LABELS = ("staff", "board")


def golden_documents() -> Iterator[Text]:
    """The documents of the golden questions of `tests/retrieve`, and of the sets of the stores' page, with labels."""
    of_sets = (replace(as_text(doc), id=f"{one.name}/{doc.id}") for one in _sets() for doc in one.docs)
    for number, text in enumerate(chain(_golden().texts(), of_sets)):
        yield _labelled(text, number)


def questions() -> list[str]:
    """The golden questions, then those of the sets."""
    asked = chain.from_iterable(_golden().QUESTIONS.values())
    return [*asked, *chain.from_iterable(islice(one.queries.values(), CAP.queries) for one in _sets())]


def post_passages(count: int) -> Iterator[Text]:
    """So many passages of posts, each a text of its own that is cut no further."""
    number = 0
    for table in posts(REAL_POSTS * (2 * count // REAL_POSTS + 1)):
        named = zip(*(table[f"reddit_{name}"].to_pylist() for name in ("name", "title", "text")), strict=True)
        for name, title, text in named:
            for place, piece in enumerate(pieces(text or "")):
                if len(piece) < LEAST_CHARS:
                    continue
                if number == count:
                    return
                yield _labelled(Text(piece, id=f"{name}-{place}", title=title or ""), number)
                number += 1


def _labelled(text: Text, number: int) -> Text:
    """With a field that one in a hundred has alike, and with a label."""
    fields = {**text.metadata, "slot": number % SLOTS, "access": (LABELS[number % 3 == 0],)}
    return replace(text, metadata=fields)


def _sets() -> list[RetrievalSet]:
    return [load(name, CAP) for name in SETS]


def _golden():
    if str(ROOT / "tests") not in sys.path:
        sys.path.insert(0, str(ROOT / "tests"))
    from retrieve import golden

    return golden
