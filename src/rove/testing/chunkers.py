"""What every chunker promises: exact spans in order, none blank, no character left out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

import pytest

from rove.chunk import CHUNKERS, MODEL_CHUNKERS, Chunker, ChunkModels, CutSettings, ModelChunker, Pieces
from rove.chunk.boundary import continues
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Document, Page, Section
from rove.records.document import Span
from rove.testing.contract import Contract, waited

SEEDS = range(60)
PIECES = (
    "The dog ran. ", "z. B. am 3. Mai", "Straße; Äpfel, ", "Az árvíztűrő tükörfúrógép… ", "2024. január 5-én? ",
    "梅雨（つゆ）は、雨季の一種である。", "「行く」と言った。", "《战国无双3》是游戏，", "由两个公司开发的！",
    "، كيف حالك؟ ", "هذا كتاب۔ ", "👩‍👩‍👧‍👦", "🇭🇺🇩🇪", "👍🏽", "e\u0301", "a\u0308\u0323", "한국어",
    "\u1112\u1161\u11ab", "x" * 90, " ",
    "   ", "\n", "\n\n", "\t", "\n# Head\n", "\n## Sub\n\n", "\n### Straße\n", "\n```py\n# no heading\n\nx = 1\n```\n",
    "\n|a|b|\n|-|-|\n|1|2|\n|3|4|\n", "word", "|", "```", "\u00a0", "\u3000", "\f", "\n---\n", ".",
)  # fmt: skip
"""What random documents are put together from: five languages and more, and all that cuts can go wrong at."""
ODD = (
    (Document("d", "s", "text", " \n\t "), CutSettings()),
    (Document("d", "s", "text", ""), CutSettings()),
    (Document("d", "s", "text", "a" + " " * 900 + "b"), CutSettings(40, 20)),
)


def random_document(seed: int) -> Document:
    """Return a document with sections and pages; the same for the same seed."""
    chance = random.Random(seed)
    parts = chance.choices(PIECES, k=chance.randint(1, 120))
    starts: list[tuple[int, int, str]] = []
    at = 0
    for part in parts:
        if part.startswith("\n#"):
            starts.append((at + 1, part.strip().count("#"), part.strip(" \n#")))
        at += len(part)
    text = "".join(parts)
    sections = [
        Section(title, level, (start, next((s for s, other, _ in starts[n:] if other <= level), len(text))))
        for n, (start, level, title) in enumerate(starts, 1)
    ]
    cuts = sorted({0, *(chance.randint(0, len(text)) for _ in range(chance.randint(0, 4))), len(text)})
    pages = tuple(Page(n, span) for n, span in enumerate(zip(cuts, cuts[1:], strict=False), 1))
    return Document("d", "s", "other", text, title="T", sections=tuple(sections), pages=pages)


def random_settings(seed: int) -> CutSettings:
    """Return settings; the same for the same seed."""
    chance = random.Random(seed)
    size = chance.randint(40, 300)
    separator = chance.choice(["\n", "\n\n", "。", "---", " ", "word"])
    return CutSettings(size, chance.randint(0, size // 2), separator, chance.random() < 0.5)


def check_spans(document: Document, spans: Sequence[Span]) -> None:
    """Hold spans against what `Chunker.spans` promises."""
    text = document.text
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))
    covered = 0
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip() != ""
        assert start <= covered or not text[covered:start].strip(), "characters were left out"
        covered = end
    assert not text[covered:].strip()


def check_sizes(document: Document, spans: Sequence[Span], how: CutSettings, *, overlaps: bool) -> None:
    """See that no piece is longer than the settings say, or cut within a character that is written as several."""
    assert all(end - start <= how.size_chars for start, end in spans)
    assert not any(continues(document.text, edge) for span in spans for edge in span)
    for (_, end), (start, _) in zip(spans, spans[1:], strict=False):
        assert not overlaps or end - start <= how.overlap_chars


class ChunkerContract(Contract):
    """Inherit it, and give `name`, or `make`.

    `sized`: no piece is longer than `CutSettings.size_chars`. `overlaps`: none reaches further into the next one than
    `CutSettings.overlap_chars`. Set them to False where the strategy means it otherwise, as one piece a page.
    """

    registry = CHUNKERS
    sized: ClassVar[bool] = True
    overlaps: ClassVar[bool] = True

    def make(self, settings: CutSettings) -> Chunker:
        """Return the chunker."""
        return self.registered()(settings)

    @pytest.mark.parametrize("seed", SEEDS)
    def test_spans_cover_every_character_in_order(self, seed: int) -> None:
        """Random documents in many scripts, with headings, tables, code and pages."""
        document, how = random_document(seed), random_settings(seed)
        spans = self.make(how).spans(document)
        check_spans(document, spans)
        if self.sized:
            check_sizes(document, spans, how, overlaps=self.overlaps)
        assert spans == self.make(how).spans(document), "the same document was cut in two ways"

    @pytest.mark.parametrize(("document", "how"), ODD, ids=["blank", "empty", "gap"])
    def test_odd_documents_are_cut_too(self, document: Document, how: CutSettings) -> None:
        """A document without text has no pieces; one with a long gap loses nothing."""
        check_spans(document, self.make(how).spans(document))


class ModelChunkerContract(Contract):
    """Inherit it, and give `name`, or `make`. The models are an embedder and a chat model without weights."""

    registry = MODEL_CHUNKERS

    def make(self, settings: CutSettings, models: ChunkModels) -> ModelChunker:
        """Return the chunker."""
        return self.registered()(settings, models)

    async def cut(self, document: Document, how: CutSettings, *, chat: bool = True) -> Pieces:
        """Cut a document with these settings, with or without a chat model."""
        models = ChunkModels(FakeEmbedder(), FakeChatModel() if chat else None)
        return await self.make(how, models).pieces(document)

    @pytest.mark.parametrize("seed", SEEDS)
    @waited
    async def test_spans_cover_every_character_in_order(self, seed: int) -> None:
        """As for chunkers without a model; and there may be no chat model."""
        document, how = random_document(seed), random_settings(seed)
        pieces = await self.cut(document, how, chat=seed % 2 == 0)
        check_spans(document, pieces.spans)
        assert all(end - start <= how.size_chars for start, end in pieces.spans)
        for start, end in pieces.parents:
            assert 0 <= start < end <= len(document.text)
        for section in pieces.sections or ():
            assert 0 <= section.span[0] < section.span[1] <= len(document.text)

    @pytest.mark.parametrize(("document", "how"), ODD, ids=["blank", "empty", "gap"])
    @waited
    async def test_odd_documents_are_cut_too(self, document: Document, how: CutSettings) -> None:
        """A document without text has no pieces; one with a long gap loses nothing."""
        check_spans(document, (await self.cut(document, how)).spans)
