"""How long a sweep will take, before it starts: from a sample of the documents, cut in every way, and timed briefly."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic

from rove.chunk import SUPPORTED
from rove.errors import ServiceError
from rove.evaluate.ask_all import question_key
from rove.evaluate.dataset import Dataset
from rove.evaluate.plan import Base, Plan
from rove.evaluate.results import Results
from rove.ingest.recipe import pool_of, recipe_of
from rove.language.token_count import count_tokens
from rove.load.discover import Location, locate
from rove.models import EMBEDDERS, free_cores, passages_with_tokens
from rove.models.cache import remembering
from rove.prepare import Preparer
from rove.records import Document, Prepared, SourceEnd, content_hash
from rove.sandbox.pool import Pool
from rove.settings import Settings

LOOK_S = 20.0
"""Seconds for which sources are read for the sample; the rest is extrapolated from the share that was read."""
LATER = "later"
SAMPLE = 1_000
TIMED_S, TIMED_BATCH = 3.0, 8
CHUNK_S, SEARCH_S = 0.0012, 0.003
"""Seconds that a chunk costs beside its embedding, and a search that shares what it can; measured on two cores."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep has to do. `chunks` are those of all bases that are still to be made; `embedded` those of them that
    no earlier base has, of `tokens` in all. `sampled`: the numbers come of a sample, not of all documents.
    """  # noqa: D205 - the fields do not fit on one line

    bases: int
    chunks: int
    embedded: int
    tokens: int
    tokens_per_s: float
    searches: int
    embedding_s: float
    other_s: float
    search_s: float
    sampled: bool

    @property
    def seconds(self) -> float:
        """All together."""
        return self.embedding_s + self.other_s + self.search_s


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of the documents, and the factor from their numbers to those of all documents."""

    documents: Sequence[Document]
    factor: float


async def estimate(plan: Plan, dataset: Dataset, results: Results) -> Estimate:
    """Estimate what is left to do of a sweep.

    A few seconds of work: documents are read for up to `LOOK_S`, and some of their chunks embedded for `TIMED_S`.

    Raises:
        ConfigError: documents cannot be cut as a configuration says, or an embedder's settings are wrong.
        ServiceError: an embedder cannot be reached.
    """
    todo = [base for base in plan.bases if not results.ingest(base.key)]
    searches = _searches(plan, dataset, results)
    if not todo:
        return Estimate(0, 0, 0, 0, 0.0, searches, 0.0, 0.0, searches * SEARCH_S, sampled=False)
    locations = locate(dataset.documents, todo[0].settings.load.ignore)
    sample = await asyncio.to_thread(_sample_documents, locations, todo[0].settings)
    chunks = embedded = tokens = 0
    embedding_s = rate = 0.0
    known: set[str] = set()
    rates: dict[str, float] = {}
    for base in todo:
        texts, count = _chunk_sample(base, sample, known)
        name = base.settings.embedder.model_dump_json()
        if name not in rates:
            rates[name] = await _measure_token_rate(base.settings, texts)
        rate = rates[name]
        fresh = sum(map(count_tokens, texts)) * sample.factor
        chunks += round(count * sample.factor)
        embedded += round(len(texts) * sample.factor)
        tokens += round(fresh)
        embedding_s += fresh / rate if rate else 0.0
    return Estimate(
        len(todo), chunks, embedded, tokens, rate, searches, embedding_s, chunks * CHUNK_S, searches * SEARCH_S,
        sampled=sample.factor != 1.0,
    )  # fmt: skip


def _searches(plan: Plan, dataset: Dataset, results: Results) -> int:
    asked = {question_key(question) for question in dataset.questions}
    known = sum(question in asked for _, question in results.known(plan.keys.values()))
    return len(set(plan.keys.values())) * len(asked) - known


def _sample_documents(locations: Sequence[Location], settings: Settings) -> Sample:
    """Read documents for a while, and keep those whose ids hash lowest: the same ones every time."""
    until = monotonic() + LOOK_S
    kept: list[tuple[int, int, Document]] = []
    chars = seen = read = 0
    for item in _read_uncut_documents(locations, settings):
        if isinstance(item, Document):
            seen += 1
            chars += len(item.text)
            entry = (-int(content_hash(item.document_id)[:12], 16), seen, item)
            (heapq.heappush if len(kept) < SAMPLE else heapq.heappushpop)(kept, entry)
        else:
            read += 1
        if read and monotonic() > until:
            break
    documents = [document for _, _, document in kept]
    share = read / len(locations) if read and read < len(locations) else 1.0
    own = sum(len(document.text) for document in documents)
    return Sample(documents, chars / own / share if own else 0.0)


def _read_uncut_documents(locations: Sequence[Location], settings: Settings) -> Iterator[Document | None]:
    """Read documents as they come, uncut; a None after each source. Texts are read here, all else by the pool."""
    recipe = replace(
        recipe_of(settings, "", with_chat=False),
        strategy=dict.fromkeys(SUPPORTED, LATER),
        deferred=(LATER,),
        sign=False,
    )
    whole = [(location, "") for location in locations]
    if all(location.text is not None for location in locations):
        preparer = Preparer(recipe)
        items = (item for job in whole for item in preparer.read(*job))
        yield from (item.document if isinstance(item, Prepared) else None for item in items)
        return
    pool = Pool(recipe, pool_of(settings, "").limits, free_cores())
    try:
        for item in pool.read(whole):
            if isinstance(item, (Prepared, SourceEnd)):
                yield item.document if isinstance(item, Prepared) else None
    finally:
        pool.close()


def _chunk_sample(base: Base, sample: Sample, known: set[str]) -> tuple[list[str], int]:
    """Cut the sample as a base does: the texts that no base before has, and the number of all chunks."""
    model = base.settings.embedder.model_dump_json()
    preparer = Preparer(recipe_of(base.settings, model, with_chat=bool(base.settings.chat.model)))
    texts: list[str] = []
    count = 0
    for document in sample.documents:
        prepared = preparer.prepare(document, document.source)
        count += len(prepared.chunks)
        for key, chunk in zip(prepared.vector_keys, prepared.chunks, strict=True):
            if key not in known:
                known.add(key)
                texts.append(chunk.indexed_text)
    return texts, count


async def _measure_token_rate(settings: Settings, texts: Sequence[str]) -> float:
    """Embed for a few seconds; returns tokens a second."""
    if not texts:
        return 0.0
    embedder = remembering(EMBEDDERS.get(settings.embedder.name)(settings.embedder))
    some = sorted(texts, key=content_hash)
    try:
        await passages_with_tokens(embedder, some[:1])  # the model is loaded
        began, done = monotonic(), 0
        for start in range(0, len(some), TIMED_BATCH):
            batch = some[start : start + TIMED_BATCH]
            await passages_with_tokens(embedder, batch)
            done += sum(map(count_tokens, batch))
            if monotonic() - began > TIMED_S:
                break
    except ServiceError as error:
        message = f"The embedder {settings.embedder.name!r} does not answer: {error.reason}"
        raise ServiceError(message, cure=error.cure, retryable=error.retryable) from error
    return done / max(monotonic() - began, 1e-6)
