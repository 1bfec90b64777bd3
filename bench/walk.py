"""Does walking without a model find both ends of a chain, what is each idea worth, and what does it cost?"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.chains import chained, entitled
from bench.metrics import CUT, Quality, measure
from bench.quality import first_of_each, kind
from bench.report import Table, say
from bench.sets import Cap, Doc, RetrievalSet, load
from bench.vectors import use_remembered
from rove import Rove, Text
from rove.records import Document, Prepared
from rove.records.chunk import Chunk, chunk_id
from rove.retrieve import RETRIEVERS
from rove.retrieve.same import apart
from rove.retrieve.walk_search import WalkRetriever, WalkTuning

MULTI, OTHER = "mh_hotpot100", "mh_2wiki50"
SINGLE = ("xquad_en", "xquad_de", "xquad_zh", "jsquad", "lohelp_en", "pgdocs")
WHOLE = Cap(2_000, 300, 700)
CUT_DOWN = Cap(600, 200, 250)
NAMES_A_CHUNK, CHUNKS = 10, 100_000
COLUMNS = ("all@10", "recall@5", "nDCG@10", "CPU ms")
CHAINS = ((True, 2), (True, 3), (False, 2), (False, 3), (False, 4))
"""Chains by titles or by other names, and of how many documents; by titles there are hardly any of 4."""
ENTITLED = ("xquad_en", "jsquad", "cmrc2018_dev")
GAITS = {
    "walk": WalkTuning(),
    "no titles in the question": replace(WalkTuning(), asked=False),
    "no titles in passages": replace(WalkTuning(), titles=False),
    "no names in common": replace(WalkTuning(), shared=False),
    "one hop": replace(WalkTuning(), hops=1),
    "two hops": replace(WalkTuning(), hops=2),
    "only titles in passages": replace(WalkTuning(), asked=False, shared=False),
    "only names in common": replace(WalkTuning(), asked=False, titles=False),
    "nothing: the ranking alone": replace(WalkTuning(), hops=0),
}


@dataclass(frozen=True, slots=True)
class Walked:
    """What a mode reached on one set; `ms` is the processor time of a question, the embedding included."""

    quality: Quality
    recall_5: float
    ms: float


def run() -> list[Table]:
    """Measure, each part on bases of its own."""
    return [*found(), further(), graph()]


def found() -> list[Table]:
    """Multi-hop with each idea left out, then the sets whose questions one passage answers."""
    remembered = use_remembered()
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        data = load(MULTI, WHOLE)
        kb = opened(Path(folder) / "titled", data, remembered)
        bare = replace(data, docs=tuple(replace(doc, title="") for doc in data.docs))
        untitled = opened(Path(folder) / "untitled", bare, remembered)
        rows = []
        for name, tuning in {"hybrid + rerank": None, **GAITS}.items():
            say(f"walk {MULTI}: {name}")
            one, two = asked(kb, data, tuning), asked(untitled, bare, tuning)
            rows.append([name, *numbers(one), f"{two.quality.all_found:.2f}", f"{two.quality.ndcg:.3f}"])
        kb.close()
        untitled.close()
        single = [row for name in SINGLE for row in one_hop(load(name, CUT_DOWN), Path(folder) / name, remembered)]
    columns = ["", *COLUMNS, "all@10 untitled", "nDCG@10 untitled"]
    note = (
        f"{len(data.docs)} documents, {len(data.queries)} questions of two hops. top_k = {CUT}; a document counts by "
        "its first chunk. ms: processor time of a question, its embedding by the packaged model included. "
        "Untitled: the same texts without their titles."
    )
    return [
        Table("Walking: two hops, and what each idea is worth", columns, rows, note),
        Table(
            "Walking: one hop",
            ["set", "mode", *COLUMNS],
            single,
            f"Sets cut to {CUT_DOWN}. Loss is to be ≤ 0.005.",
        ),
    ]


def further() -> Table:
    """Longer chains, and pages that name each other though no question needs two of them: see `bench.chains`."""
    remembered = use_remembered()
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        for name in (MULTI, OTHER):
            rows += longer(load(name, WHOLE), Path(folder) / name, remembered)
        for name in ENTITLED:
            rows += one_hop(entitled(load(name, CUT_DOWN)), Path(folder) / f"entitled-{name}", remembered)
    note = (
        f"{OTHER} itself has two to four hops. The rest is made by `bench.chains` of {MULTI}, of {OTHER} and of sets "
        "of one hop; in parentheses the number of questions. Chains: all@10 counts every document of the chain. "
        "Entitled: each page has a word as its title that others say, and each question lacks its rarest word; there "
        "a walk is to be hybrid search."
    )
    return Table("Walking: further, and where nothing leads", ["set", "mode", *COLUMNS], rows, note)


def longer(data: RetrievalSet, path: Path, remembered: str) -> list[list[object]]:
    """The questions of a set of several hops, and chains that are made of its documents."""
    chains = [(f"{data.name}, its own questions", data)] if data.name == OTHER else []
    for titled, hops in CHAINS:
        chain = chained(data, hops, titled=titled)
        chains.append((f"{data.name}, {hops} hops, {'by title' if titled else 'by other names'}", chain))
    kb = opened(path, data, remembered)
    rows: list[list[object]] = []
    for name, chain in chains:
        if not chain.queries:
            continue
        say(f"walk {name}")
        for mode, tuning in {"hybrid + rerank": None, "walk": WalkTuning()}.items():
            rows.append([f"{name} ({len(chain.queries)})", mode, *numbers(asked(kb, chain, tuning))])
    kb.close()
    return rows


def one_hop(data: RetrievalSet, path: Path, remembered: str) -> list[list[object]]:
    """A set whose questions one passage answers: nothing is to be lost there."""
    say(f"walk {data.name}")
    kb = opened(path, data, remembered)
    modes = {"hybrid + rerank": None, "walk": WalkTuning()}
    rows: list[list[object]] = [
        [data.name, mode, *numbers(asked(kb, data, tuning, top_k=50))] for mode, tuning in modes.items()
    ]
    kb.close()
    return rows


def opened(path: Path, data: RetrievalSet, remembered: str, **settings: object) -> Rove:
    """Make a base with remembered vectors, and open it with the packaged embedder itself."""
    with Rove.open(path, embedder={"name": remembered}) as kb:
        kb.add([as_text(doc) for doc in data.docs])
    return Rove.open(path, embedder={"threads": 1}, **settings)


def as_text(doc: Doc) -> Text:
    """A document as it is added, with a title or none."""
    return Text(doc.text, id=doc.id, title=doc.title, kind=kind(doc))


def asked(kb: Rove, data: RetrievalSet, tuning: WalkTuning | None, top_k: int = CUT) -> Walked:
    """Ask every question by that gait; None is hybrid search with reranking."""
    RETRIEVERS.table["walk-bench"] = "bench.walk:walker"
    walker.tuning = tuning or WalkTuning()
    mode = "walk-bench" if tuning else "hybrid"
    kb.search("warm", mode=mode)
    lists, started = {}, time.process_time()
    for query, text in data.queries.items():
        hits = kb.search(text, top_k=top_k, mode=mode)
        lists[query] = first_of_each(hit.chunk.document_id for hit in apart(hits))
    spent = time.process_time() - started
    recall_5 = sum(len({*lists[q][:5]} & {*gold}) / len(gold) for q, gold in data.gold.items()) / len(data.gold)
    return Walked(measure(lists, data.gold), recall_5, spent / len(lists) * 1000)


class walker(WalkRetriever):  # noqa: N801 - a plug-in that is named like a function
    """`WalkRetriever` by the gait that is being measured."""

    tuning = WalkTuning()

    def __init__(self, search_context) -> None:  # noqa: ANN001
        super().__init__(search_context, type(self).tuning)


def numbers(walked: Walked) -> list[str]:
    """The four columns of a row."""
    q = walked.quality
    return [f"{q.all_found:.2f}", f"{walked.recall_5:.3f}", f"{q.ndcg:.4f}", f"{walked.ms:.0f}"]


def graph(chunks: int = CHUNKS) -> Table:
    """Look names up among many made-up chunks for the first time: its time and its memory."""
    from rove.store.name_graph import NamingText
    from rove.store.store import Store

    say(f"walk graph: {chunks} chunks")
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(folder, embedder={"name": "fake"}) as kb,
    ):
        store: Store = kb._kb.store
        for start in range(0, chunks, 5_000):
            batch = [made_up(n) for n in range(start, min(start + 5_000, chunks))]
            keys = {key for item in batch for key in item.vector_keys}
            vector = dict.fromkeys(keys, np.zeros(store.dimension, np.float32))
            store.catalog.publish(store.catalog.stage(batch, vector, {}))
        store.resident.keep()
        store.resident.close()
        text = NamingText("Title 7 of 7 names Name 77.", "en", ["name_77"])
        before, started = resident_mb(), time.process_time()
        store.names.titled([text])
        store.names.sharing([text.names], 8)
        seconds, megabytes = time.process_time() - started, resident_mb() - before
    rows = [[chunks, NAMES_A_CHUNK, f"{seconds:.1f}", f"{megabytes:.0f}"]]
    return Table("Walking: the graph of names", ["chunks", "names a chunk", "first look, CPU s", "memory, MB"], rows)


def resident_mb() -> float:
    """What this process holds in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def made_up(number: int) -> Prepared:
    """A chunk of a document of its own, with names of which some are common and most are rare."""
    names = " ".join(f"name_{(number * 7919 + n * n * 104_729) % (10 ** (2 + n % 5))}" for n in range(NAMES_A_CHUNK))
    document = Document(
        f"d{number}", f"d{number}", "text", "x", title=f"Title {number} of {number % 97}", language="en"
    )
    chunk = Chunk(
        chunk_id(document.document_id, "1", (0, 1), "text"), document.document_id, "x", (0, 1), 0, language="en"
    )
    return Prepared(document.document_id, "1", document, [chunk], ["x"], ["x"], names=[names])
