"""What is handed in, and how far it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, model_validator

from rove.events import PageReached, Stage
from rove.records import LedgerEntry
from rove.serve.documents.job import Job, State
from rove.serve.redaction import Cure, Said, public_source
from rove.serve.schema import Reply, Wire
from rove.settings.serving import Label

Word = Annotated[str, Field(max_length=10_000)]
Int64 = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
MetaIn = str | bool | Int64 | FiniteFloat | tuple[Word, ...]
MetadataIn = Annotated[dict[Annotated[str, Field(min_length=1, max_length=100)], MetaIn], Field(max_length=100)]
Access = Annotated[list[Label], Field(max_length=50, description="Access labels of the document.")]

MOST_UNDER_WAY = 100
MOST_TOLD = 100


class DocumentIn(Wire):
    """A document to add: either a `text`, or the address (`url`) of a page.

    A text that is sent again under the same `name` and with the same labels takes the place of the one before.
    """

    text: str | None = Field(default=None, max_length=10_000_000, examples=["Remote work is approved by the head."])
    url: str | None = Field(default=None, max_length=2_000, pattern=r"^https?://")
    name: str = Field(default="", max_length=200, examples=["policy"])
    title: str = Field(default="", max_length=500)
    type: Literal["text", "markdown", "html"] = "text"
    metadata: MetadataIn = {}
    access: Access = []

    @model_validator(mode="after")
    def _one_of_them(self) -> DocumentIn:
        if (self.text is None) == (self.url is None):
            message = "give either text or url"
            raise ValueError(message)
        return self


class SourceOut(Reply):
    """What became of one source; `outcome` "" where it went in whole, else why not, and what to do about it."""

    source: str
    state: str
    unchanged: bool
    outcome: str
    reason: Said
    cure: Cure
    documents: int
    chunks: int

    @classmethod
    def of(cls, entry: LedgerEntry, *, unchanged: bool = False) -> SourceOut:
        """Make it of a line of the ledger."""
        name = public_source(entry.source)
        return cls(
            source=name,
            state=entry.state,
            unchanged=unchanged,
            outcome=entry.outcome,
            reason=entry.reason.replace(entry.source, name),
            cure=entry.cure.replace(entry.source, name),
            documents=entry.documents,
            chunks=entry.chunks,
        )


class DepthOut(Reply):
    """How far the embedder is: of `chunks` that the key lets see, it has yet to reach `shallow`, which can be found.

    `share`: of what it has reached, 0 to 1.
    """

    chunks: int
    shallow: int
    share: float


class SourceAt(Reply):
    """How far a source has come that has not ended: it is being read, or is cut, or embedded, or in the index.

    While OCR reads it, which takes seconds a page: the `page` that it has read last, of so many `pages`; else 0.
    """

    source: str
    stage: Stage
    page: int = 0
    pages: int = 0

    @classmethod
    def of(cls, source: str, stage: Stage, at: PageReached | None) -> SourceAt:
        """Make it of what a job knows."""
        name = public_source(source)
        scan = at if stage == "reading" else None
        return (
            cls(source=name, stage=stage, page=scan.page, pages=scan.pages) if scan else cls(source=name, stage=stage)
        )


class JobOut(Reply):
    """A job: what was handed in together. `ended` of `expected` sources are done, `chunks` of `cut` chunks embedded.

    More chunks can become known, as long as sources are read.

    `state`: queued, running, waiting (for a service that failed: see `trouble`), searchable (everything can be found,
    and the embedder has yet to reach `shallow` chunks of it) or done. `sources`: those that have
    ended; as an event, at most 100 of them, of which the first comes after `first` others: put together so, the events
    tell of each once, and when a job is begun again, `first` is 0 again. The last event alone says done.
    `left_s`: how long it will take at the rate that was measured, in seconds; None before there is one.
    `stages`: how many sources have come to each stage and no further; `under_way`: which, at most 100 of them.
    """

    job_id: str
    state: State
    expected: int
    ended: int
    cut: int = 0
    chunks: int
    left_s: float | None = None
    first: int
    sources: list[SourceOut]
    stages: dict[Stage, int]
    under_way: list[SourceAt]
    trouble: Said
    shallow: int = 0

    @classmethod
    def of(cls, job: Job, first: int = 0, most: int | None = None) -> JobOut:
        """Make it of a job as it stands, with at most so many sources after the first ones."""
        ended = islice(job.events, first, None if most is None else first + most)
        sources = [SourceOut.of(done.entry, unchanged=done.unchanged) for done in ended]
        return cls(
            job_id=job.job_id,
            state=job.state if first + len(sources) == len(job.events) else "running",
            expected=job.expected,
            ended=len(job.events),
            cut=max(job.cut, job.chunks),
            chunks=job.chunks,
            left_s=job.left_s,
            first=first,
            sources=sources,
            stages=dict(Counter(job.under_way.values())),
            under_way=[
                SourceAt.of(source, stage, job.pages.get(source))
                for source, stage in islice(job.under_way.items(), MOST_UNDER_WAY)
            ],
            trouble=job.trouble,
            shallow=job.shallow,
        )


async def progress(job: Job) -> AsyncGenerator[JobOut]:
    """Tell how far a job is until it is done, each source that has ended once."""
    attempt = told = 0
    async for now in job.watch():
        if now.attempt != attempt:
            attempt, told = now.attempt, 0
        while True:
            event = JobOut.of(now, told, MOST_TOLD)
            told += len(event.sources)
            yield event
            if told >= event.ended or now.attempt != attempt:
                break
