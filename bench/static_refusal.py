"""What is answered from with static vectors: by words, or by one distance. `python -m bench static-refusal`."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.report import Table, say
from bench.sets import Cap, Doc, RetrievalSet, by_hash, load
from bench.walk import as_text
from rove import Rove
from rove.answer.gate import by_distance, by_words
from rove.language.detect import detect
from rove.models.static.embedder import StaticEmbedder
from rove.settings import AnswerSettings, EmbedderSettings

OPEN = ("xquad_en", "xquad_de", "jsquad", "cmrc2018_dev", "xquad_de>en")
HELD = ("xquad_es", "xquad_zh", "lohelp_de", "lohelp_en", "xquad_zh>en")
CAP = Cap(docs=400, queries=2000, kilobytes=250)
QUESTIONS, REFERENCES = 80, 5
SMALL_DOCS, SMALL_BASES, SMALL_QUESTIONS = 16, 3, 20


def run() -> list[Table]:
    """One row a kind of base, for the sets that the rule was read off, and for the others."""
    counts: Counter[tuple[str, str, bool, str]] = Counter()
    for half, names in (("open", OPEN), ("held", HELD)):
        for name in names:
            say(f"static-refusal {name}")
            data = load(name, CAP)
            across = "two languages" if ">" in name else "one language"
            for size, docs, queries in _bases(data):
                for there, words, distance in _judged(data, docs, queries):
                    key = f"{across}, {size}"
                    counts[half, key, there, "asked"] += 1
                    counts[half, key, there, "words"] += words
                    counts[half, key, there, "distance"] += distance
    rows = [
        [
            half,
            key,
            *(_cell(counts, half, key, there, rule) for there in (True, False) for rule in ("distance", "words")),
        ]
        for half in ("open", "held")
        for key in sorted({key for own, key, *_ in counts if own == half})
    ]
    columns = ["half", "base", "kept by distance", "kept by words", "passed by distance", "passed by words"]
    note = (
        f"Half of the documents (by the SHA-1 of their ids) are taken out. Kept: questions whose document is there and "
        f"which are answered; passed: those whose document is not there and which are answered all the same. Large: "
        f"{QUESTIONS} questions a set; small: {SMALL_BASES} bases of {SMALL_DOCS} documents before half is taken out."
    )
    return [Table("Static vectors: what is answered from", columns, rows, note)]


def _bases(data: RetrievalSet) -> Iterator[tuple[str, Sequence[Doc], Sequence[str]]]:
    queries = by_hash(data.queries)
    yield "large", data.docs, queries[:QUESTIONS]
    for number in range(SMALL_BASES):
        part = data.docs[number * SMALL_DOCS : (number + 1) * SMALL_DOCS]
        ids = {doc.id for doc in part}
        yield "small", part, [query for query in queries if ids.intersection(data.gold[query])][:SMALL_QUESTIONS]


def _judged(data: RetrievalSet, docs: Sequence[Doc], queries: Sequence[str]) -> Iterator[tuple[bool, bool, bool]]:
    """Yield of each question whether its document is there, and whether either rule answers it."""
    left = {doc.id: doc for doc in docs if hashlib.sha1(doc.id.encode(), usedforsecurity=False).digest()[0] % 2 == 0}
    embedder, settings = StaticEmbedder(EmbedderSettings()), AnswerSettings()
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(Path(folder) / "kb", embedder={"name": "static"}) as kb,
    ):
        kb.add([as_text(doc) for doc in left.values()])
        for query in queries:
            text = data.queries[query]
            hits = kb.search(text, top_k=REFERENCES)
            words = by_words(text, detect(text), hits, embedder.word_rule, embedder.min_lead)
            distance = by_distance(hits, embedder, settings)
            yield not left.keys().isdisjoint(data.gold[query]), words.passes, distance.passes


def _cell(counts: Counter[tuple[str, str, bool, str]], half: str, key: str, there: bool, rule: str) -> str:
    asked = counts[half, key, there, "asked"]
    return f"{counts[half, key, there, rule] / max(asked, 1):.2f} of {asked}"
