"""Replies made of records: documents, hits, answers. Where a file lay on the server stays there."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.passages import rendered
from rove.language.rendering import BlockKind, Rendered, render
from rove.off_loop import chars_of, off_loop
from rove.records import Answer, Chunk, Citation, DocumentInfo, Hit, Note, RelatedQuestion, Verdict
from rove.records.document import Span
from rove.records.moment import TimeSpan
from rove.records.source import Metadata, MetaValue
from rove.records.theme import Theme
from rove.serve.redaction import Said, public_source
from rove.serve.schema import Reply


class DocumentOut(Reply):
    """A document of a base. `chunks` is their number, `added_at` an ISO 8601 time in UTC."""

    document_id: str
    title: str
    source: str
    type: str
    language: str
    chunks: int
    added_at: str
    metadata: dict[str, MetaValue]

    @classmethod
    def of(cls, info: DocumentInfo) -> DocumentOut:
        """Make it of a record."""
        return cls(
            document_id=info.document_id,
            title=info.title,
            source=public_source(info.source),
            type=info.kind,
            language=info.language,
            chunks=info.chunks,
            added_at=info.added_at,
            metadata=_to_public_metadata(info.metadata),
        )


class PlaceOut(Reply):
    """Where one list had a hit: rank from 1, and that list's score."""

    rank: int
    score: float


class LinkOut(Reply):
    """A link of a rendered text: its words, and where it leads as the source has it. Nobody has checked that."""

    label: str
    target: str


class BlockOut(Reply):
    """A block of a rendered text, by its span there. `headed`: the first row of a table names its columns."""

    kind: BlockKind
    span: Span
    headed: bool


class RenderedOut(Reply):
    """A text as it is shown to people: plain, without marks of markdown and of references, its links apart.

    A line of a table is a row, its cells parted by tabs. What is cited and opened is the exact text beside it.
    """

    text: str
    blocks: list[BlockOut]
    links: list[LinkOut]

    @classmethod
    def of(cls, shown: Rendered) -> RenderedOut:
        """Make it of a record."""
        return cls(
            text=shown.text,
            blocks=[BlockOut(kind=block.kind, span=block.span, headed=block.headed) for block in shown.blocks],
            links=[LinkOut(label=link.label, target=link.target) for link in shown.links],
        )


class TimeOut(Reply):
    """When words of a recording are said, in seconds from its beginning, and as a clock shows that: "1:23–1:31"."""

    start_s: float
    end_s: float
    clock: str

    @classmethod
    def of(cls, time: TimeSpan | None) -> TimeOut | None:
        """Make it of a record; None of none."""
        return cls(start_s=time.start_s, end_s=time.end_s, clock=time.clock) if time else None


class SameOut(Reply):
    """Another place where the text of a hit stands."""

    chunk_id: str
    document_id: str
    title: str
    source: str
    span: Span
    page: int | None
    time: TimeOut | None = None

    @classmethod
    def of(cls, hit: Hit) -> SameOut:
        """Make it of a record."""
        chunk = hit.chunk
        return cls(
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            title=hit.title,
            source=public_source(hit.uri),
            span=chunk.span,
            page=chunk.page,
            time=TimeOut.of(hit.time),
        )


class HitOut(Reply):
    """A passage that was found: `text` is the document's text at `span`, `rendered` what is shown of it.

    `score` compares within one reply only. `count`: how many hits with this text were found, of which this one is the
    best; `same` has the others (the setting `search.deduplicate`). `question`: of mode "questions", the one that `text`
    answers in its document; else "". `theme`: of mode "themes", the name of the one that it stands for; else "".
    `summary`: of mode "summaries", what the section says that `text` is a part of; else "".
    `as_of`: the day that the document's text is of, where its file is gone or can no longer be read; else "".
    `time`: of a recording, when these words are said.
    """

    chunk_id: str
    document_id: str
    title: str
    source: str
    text: str
    rendered: RenderedOut
    span: Span
    page: int | None
    headings: list[str]
    kind: str
    language: str
    score: float
    lists: dict[str, PlaceOut]
    metadata: dict[str, MetaValue]
    count: int
    same: list[SameOut]
    question: str
    theme: str
    summary: str
    as_of: str = ""
    time: TimeOut | None = None

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        """Make it of a record."""
        chunk: Chunk = hit.chunk
        return cls(
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            title=hit.title,
            source=public_source(hit.uri),
            text=chunk.text,
            rendered=RenderedOut.of(rendered(chunk)),
            span=chunk.span,
            page=chunk.page,
            headings=list(chunk.headings),
            kind=chunk.kind,
            language=chunk.language,
            score=hit.score,
            lists={name: PlaceOut(rank=place.rank, score=place.score) for name, place in hit.sources.items()},
            metadata=_to_public_metadata(chunk.metadata),
            count=1 + len(hit.same),
            same=[SameOut.of(one) for one in hit.same],
            question=hit.question,
            theme=hit.theme,
            summary=hit.summary,
            as_of=hit.as_of,
            time=TimeOut.of(hit.time),
        )


class ThemeOut(Reply):
    """A theme: the titles and headings that are most its own, its share of the passages, and those in its midst."""

    label: list[str]
    share: float
    hits: list[HitOut]

    @classmethod
    def of(cls, theme: Theme) -> ThemeOut:
        """Make it of a record."""
        return cls(label=list(theme.label), share=theme.share, hits=[HitOut.of(hit) for hit in theme.hits])


class CitationOut(Reply):
    """The words that a sentence rests on: the document's text at `span` is `quote`, `rendered` what is shown of it.

    `number` stands in the answer. `as_of`: see `HitOut`. `subject`: of the short answer, what it is of. `time`: of a
    recording, when they are said.
    """

    number: int
    chunk_id: str
    document_id: str
    title: str
    source: str
    quote: str
    rendered: RenderedOut
    span: Span
    page: int | None = None
    as_of: str = ""
    subject: str = ""
    time: TimeOut | None = None

    @classmethod
    def of(cls, citation: Citation) -> CitationOut:
        """Make it of a record."""
        return cls(
            number=citation.number,
            chunk_id=citation.chunk_id,
            document_id=citation.document_id,
            title=citation.title,
            source=public_source(citation.uri),
            quote=citation.quote,
            rendered=RenderedOut.of(render(citation.quote)),
            span=citation.span,
            page=citation.page,
            as_of=citation.as_of,
            subject=citation.subject,
            time=TimeOut.of(citation.time),
        )


class SentenceOut(Reply):
    """A sentence of the answer, and the words that hold it, or, where it differs from its source, those of the source.

    `deleted`: it does not stand in the answer's text.
    """

    text: str
    verdict: Verdict
    deleted: bool
    citations: list[CitationOut]


class RelatedOut(Reply):
    """A question that the base answers, beside what was asked; it is made from the document's words at `span`."""

    question: str
    document_id: str
    title: str
    source: str
    span: Span

    @classmethod
    def of(cls, one: RelatedQuestion) -> RelatedOut:
        """Make it of a record."""
        return cls(
            question=one.question,
            document_id=one.document_id,
            title=one.title,
            source=public_source(one.uri),
            span=one.span,
        )


class NoteOut(Reply):
    """What is to be known of a result, for programs: a code, which stays the same, and what it is of."""

    code: str
    parameters: dict[str, Said | int | float]

    @classmethod
    def all(cls, notes: Sequence[Note]) -> list[NoteOut]:
        """Make them of records."""
        return [cls(code=note.code, parameters=dict(note.parameters)) for note in notes]


class AnswerOut(Reply):
    """An answer. `mode` is "extractive", "refused" or the chat model's name; `notes` say how it was made.

    `note` says so in the question's language. `cut`: the chat model's reply was cut off, so that the answer may lack
    its end. `short`: the few words of a quoted sentence that answer the question, where a reader found them.
    `nearest`: where it was refused, the passages that come nearest to the question. `thoughts`: what a reasoning model
    thought, where `answer.thoughts` keeps it; unchecked. `related`: what else the documents say beside it, where
    `answer.related` asks for that.
    """

    question: str
    text: str
    mode: str
    language: str
    refused: bool
    cut: bool
    short: CitationOut | None
    note: Said
    notes: list[NoteOut]
    sentences: list[SentenceOut]
    citations: list[CitationOut]
    references: list[HitOut]
    nearest: list[HitOut]
    thoughts: str = ""
    related: list[RelatedOut] = []

    @classmethod
    def of(cls, answer: Answer) -> AnswerOut:
        """Make it of a record."""
        sentences = [
            SentenceOut(
                text=s.text,
                verdict=s.verdict,
                deleted=s.deleted,
                citations=[CitationOut.of(c) for c in s.citations],
            )
            for s in answer.sentences
        ]
        return cls(
            question=answer.question,
            text=answer.text,
            mode=answer.mode,
            language=answer.language,
            refused=answer.refused,
            cut=answer.cut,
            short=CitationOut.of(answer.short) if answer.short else None,
            note=answer.note,
            notes=NoteOut.all(answer.notes),
            sentences=sentences,
            citations=[CitationOut.of(citation) for citation in answer.citations],
            references=[] if answer.refused else [HitOut.of(hit) for hit in answer.hits],
            nearest=[HitOut.of(hit) for hit in answer.nearest],
            thoughts=answer.thoughts,
            related=[RelatedOut.of(one) for one in answer.related],
        )


async def hits_out(hits: Sequence[Hit]) -> list[HitOut]:
    """Make hits of records; long ones are rendered beside the event loop."""
    return await off_loop(_count_result_chars(hits), lambda: [HitOut.of(hit) for hit in hits])


async def answer_out(answer: Answer) -> AnswerOut:
    """Make an answer of a record; what is long is rendered beside the event loop."""
    return await off_loop(_count_result_chars((*answer.hits, *answer.nearest), answer), AnswerOut.of, answer)


def _count_result_chars(hits: Sequence[Hit], answer: Answer | None = None) -> int:
    cited = [citation.quote for sentence in answer.sentences for citation in sentence.citations] if answer else []
    return chars_of((*(hit.chunk.text for hit in hits), *cited))


def _to_public_metadata(metadata: Metadata) -> dict[str, MetaValue]:
    """Metadata as it is, save for where a member's archive lies."""
    fields = dict(metadata)
    parent = fields.get("parent")
    return {**fields, "parent": public_source(parent)} if isinstance(parent, str) else fields
