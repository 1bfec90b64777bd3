"""Collects what the reader is trained and tested on: `python -m train.reader_data`.

Each set's documents are put into a knowledge base and asked every question; kept are Rove's own best for it, with their
tokens as Rove keeps them. A set that is in --cache already is left alone, and what was embedded before, even in a run
that broke off, is not embedded again (`bench.vectors`).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from bench.quality import add
from bench.remembered import PASSAGE, QUERY, TOKENS
from bench.sets import Cap, RetrievalSet, by_hash, language, load, read_gold, read_queries
from bench.vectors import memory, use_remembered

from bench import CACHE, DATA
from rove import Rove
from rove.models.e5.interaction import MARK_BYTES, Interaction
from rove.models.e5.runtime import E5Runtime
from train.cloze import clozes
from train.reader_sets import ANSWERED, Passage, Question, group, split

DEPTH = 40
"""Candidates kept of every question: enough that 20 are left without the passages of the other side."""
SECONDS_PER_KB, SECONDS_PER_QUESTION = 0.05, 0.025
"""On one thread of an EPYC with AVX-512, other work beside; for the estimate only."""
XQUAD = ("xquad_de", "xquad_en", "xquad_es", "xquad_zh")
WHOLE = Cap(docs=10_000, queries=10_000, kilobytes=100_000)
HELD_OUT = Cap(docs=1500, queries=300, kilobytes=600)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of a set is taken: its cap; which sets' questions it is asked; how many are made of each document."""

    name: str
    cap: Cap = WHOLE
    asked: tuple[str, ...] = ()
    made: int = 0

    def data(self) -> RetrievalSet:
        """Read the documents and the set's own questions."""
        return load(self.name, self.cap)

    @property
    def askers(self) -> tuple[str, ...]:
        """The sets whose questions it is asked."""
        return self.asked or (self.name,)


PLANS = (
    *(Plan(name, asked=XQUAD, made=2) for name in XQUAD),
    Plan("jsquad", made=1),
    Plan("cmrc2018_dev", made=1),
    Plan("mh_hotpot100", made=1),
    Plan("scifact_train", Cap(docs=1000, queries=800, kilobytes=1500), made=1),
    Plan("schema_spider_dev"),
    Plan("tools_metatool", Cap(docs=1000, queries=1500, kilobytes=10_000)),
    Plan("tools_sealtools"),
    Plan("tools_stabletoolbench"),
    Plan("lohelp_de", HELD_OUT),
    Plan("lohelp_en", HELD_OUT, asked=("lohelp_en", "lohelp_de")),
    Plan("pgdocs", HELD_OUT),
)


def main() -> None:
    """Collect every set that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=CACHE / "reader")
    parser.add_argument("--processes", type=int, default=2, help="sets collected side by side, one thread each")
    parser.add_argument("--sets", nargs="*", choices=[plan.name for plan in PLANS], help="only these")
    parser.add_argument("--questions", type=int, help="at most so many of each set: for a trial")
    parser.add_argument("--documents", type=int, help="at most so many of each set: for a trial")
    chosen = parser.parse_args()
    chosen.cache.mkdir(parents=True, exist_ok=True)
    plans = [plan for plan in PLANS if not chosen.sets or plan.name in chosen.sets]
    plans = [smaller(plan, chosen) for plan in plans if not (chosen.cache / plan.name).is_dir()]
    costs = {plan.name: cost(plan) for plan in plans}
    minutes = sum(costs.values()) / 60
    print(f"{len(plans)} sets, about {minutes:.0f} minutes of CPU, {minutes / chosen.processes:.0f} by the clock")
    plans.sort(key=lambda plan: -costs[plan.name])
    started = time.perf_counter()
    with ProcessPoolExecutor(chosen.processes, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(collect, plan, chosen.cache): plan.name for plan in plans}
        for done in as_completed(waiting):
            name = waiting[done]
            took = time.perf_counter() - started
            print(f"{name}: {done.result()} (estimate {costs[name]:.0f} s); {took:.0f} s so far", flush=True)


def smaller(plan: Plan, chosen: argparse.Namespace) -> Plan:
    """Cut a plan for a trial."""
    docs, queries = chosen.documents or plan.cap.docs, chosen.questions or plan.cap.queries
    return replace(plan, cap=replace(plan.cap, docs=min(docs, plan.cap.docs), queries=min(queries, plan.cap.queries)))


def cost(plan: Plan) -> float:
    """Estimate seconds of CPU."""
    data = plan.data()
    questions = len(data.queries) * len(plan.askers) + plan.made * len(data.docs)
    return data.kilobytes * SECONDS_PER_KB + questions * SECONDS_PER_QUESTION


def collect(plan: Plan, cache: Path) -> str:
    """Collect one set; say what it cost."""
    started, cpu = time.perf_counter(), time.process_time()
    data = plan.data()
    questions = list(all_questions(plan, data))
    folder = Path(tempfile.mkdtemp(prefix=f".{plan.name}-", dir=cache))
    try:
        passages = ask_all(data, questions, folder)
    except BaseException:
        shutil.rmtree(folder)
        raise
    folder.rename(cache / plan.name)
    took = f"{time.process_time() - cpu:.0f} s of CPU, {time.perf_counter() - started:.0f} s"
    return f"{len(data.docs)} documents, {len(questions)} questions, {passages} passages, {took}"


def all_questions(plan: Plan, data: RetrievalSet) -> Iterator[Question]:
    """Yield every set's questions all of whose documents were kept, then those made of documents for training."""
    kept = {doc.id for doc in data.docs}
    groups = {doc.id: group(data.name, doc) for doc in data.docs}
    answers = answers_of(data.name) if data.name in ANSWERED else {}
    for asker in plan.askers:
        texts, gold = read_queries(DATA / asker), read_gold(DATA / asker)
        own = data.queries if asker == data.name else by_hash(q for q in gold if q in texts and gold[q].keys() <= kept)
        for query in list(own)[: plan.cap.queries]:
            documents = tuple(gold[query])
            side = split(data.name, [groups[d] for d in documents])
            spoken = language(DATA / asker)
            yield Question(query, texts[query], asker, spoken, documents, tuple(answers.get(query, ())), side)
    for doc in data.docs:
        if plan.made and split(data.name, [groups[doc.id]]) == "train":
            drawn = random.Random(f"{data.name} {doc.id}")
            for n, made in enumerate(clozes(doc.text, data.language, plan.made, drawn)):
                asker, answer = f"made_{data.name}", (made.answer,)
                yield Question(f"{doc.id}-{n}", made.text, asker, data.language, (doc.id,), answer, "train")


def answers_of(name: str) -> Mapping[str, Sequence[str]]:
    """Answers by the query's id; those of the parallel sets share ids, so these serve questions of any language."""
    with (DATA / name / "queries.jsonl").open(encoding="utf-8") as file:
        return {str(row["id"]): row.get("answers", ()) for row in map(json.loads, file)}


def ask_all(data: RetrievalSet, questions: Sequence[Question], folder: Path) -> int:
    """Put the documents into a base, ask, and write all that `train.reader_sets.Base` reads; returns the passages."""
    kept, interaction, runtime = memory(), Interaction(), E5Runtime(1)
    found: dict[str, int] = {}
    passages: list[Passage] = []
    sides = {doc.id: split(data.name, [group(data.name, doc)]) for doc in data.docs}
    shape = (len(questions), DEPTH)
    candidates, first = np.full(shape, -1, np.int32), np.zeros(shape, np.float32)
    vectors, asked = [], []
    with tempfile.TemporaryDirectory(prefix="rove-train-") as place:
        base = Rove.open(Path(place) / "kb", embedder={"name": use_remembered(), "threads": 1})
        add(base, data)
        for row, question in enumerate(questions):
            (vector,), (tokens,) = runtime.embed_with_tokens([question.text], is_query=True)
            kept.keep_vectors(QUERY, [question.text], [vector])
            vectors.append(vector)
            asked.append(tokens)
            for n, hit in enumerate(base.search(question.text, top_k=DEPTH, mode="hybrid", rerank=False)):
                chunk = hit.chunk
                if chunk.chunk_id not in found:
                    found[chunk.chunk_id] = len(found)
                    text = chunk.indexed_text
                    side = sides[chunk.document_id]
                    passages.append(Passage(chunk.document_id, text, len(text) - len(chunk.text), side))
                candidates[row, n], first[row, n] = found[chunk.chunk_id], hit.score
        base.close()
    texts = [passage.text for passage in passages]
    packed = [unmarked(blob, interaction) for blob in kept.get(TOKENS, texts)]
    spans = [runtime.tokenizer.spans(text, is_query=False) for text in texts]
    if [len(p) for p in packed] != [len(s) for s in spans]:
        message = f"{data.name}: the tokens of some passages are not those of their texts"
        raise RuntimeError(message)
    near = scores(candidates, vectors, kept.vectors(PASSAGE, texts), lambda q, ps: ps @ q)
    late = scores(candidates, asked, packed, interaction.maxsim)
    write(folder, {"tokens": packed, "spans": spans, "asked": [interaction.project_query(t) for t in asked]})
    for name, table in (("candidates", candidates), ("first", first), ("cosine", near), ("maxsim", late)):
        np.save(folder / f"{name}.npy", table)
    rows = {"questions": questions, "passages": passages}
    lists = {name: [asdict(row) for row in each] for name, each in rows.items()}
    (folder / "texts.json").write_text(json.dumps({"language": data.language, **lists}), "utf-8")
    return len(passages)


def unmarked(blob: bytes, interaction: Interaction) -> np.ndarray:
    """Return the packed tokens in a blob as Rove keeps it."""
    return np.frombuffer(blob, np.int8, offset=MARK_BYTES).reshape(-1, interaction.dimension // 2)


def scores(candidates: np.ndarray, asked: Sequence, passages: Sequence | np.ndarray, score: Callable) -> np.ndarray:
    """Score each question's candidates, (questions, DEPTH) float32."""
    table = np.zeros(candidates.shape, np.float32)
    for row, chosen in enumerate(candidates):
        rows = chosen[chosen >= 0]
        own = passages[rows] if isinstance(passages, np.ndarray) else [passages[i] for i in rows]
        table[row, : len(rows)] = score(asked[row], own)
    return table


def write(folder: Path, ragged: Mapping[str, Sequence[np.ndarray]]) -> None:
    """Write arrays one after another, and where each begins; the last offset is the end. Questions' are float16."""
    for name, arrays in ragged.items():
        whole = np.concatenate(arrays)
        np.save(folder / f"{name}.npy", whole.astype(np.float16) if whole.dtype == np.float32 else whole)
        np.save(folder / f"{name}_offsets.npy", np.cumsum([0, *map(len, arrays)]))


if __name__ == "__main__":
    main()
