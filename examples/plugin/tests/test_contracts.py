"""Every plug-in of this package, held against the contract of its kind: the suites come with Rove."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rove.settings import GraphSettings, ToolSettings
from rove.testing import (
    ChatModelContract,
    ChunkerContract,
    EmbedderContract,
    EnricherContract,
    FallbackContract,
    GraphStoreContract,
    IndexContract,
    JudgeContract,
    LayoutContract,
    LoaderContract,
    MetricContract,
    ModelChunkerContract,
    OcrEngineContract,
    OperatorContract,
    ReaderContract,
    RerankerContract,
    RetrieverContract,
    RuleContract,
    SentimentContract,
    ToolSourceContract,
    TranscriberContract,
    WorkerPoolContract,
)
from rove.testing.samples import TEXTS
from rove_example.index import CountingIndex


class TestLyrics(LoaderContract):
    name = "lyrics"
    sample = "\n".join(f"[00:0{n}.00]{text}" for n, text in enumerate(TEXTS.values(), 1)).encode()


class TestBlots(OcrEngineContract):
    name = "blots"
    words = "blot"


class TestLines(ChunkerContract):
    name = "lines"
    sized = False


class TestMerging(ModelChunkerContract):
    name = "merging"


class TestLetters(EmbedderContract):
    name = "letters"


class TestShort(RerankerContract):
    name = "short"


class TestSharedWords(JudgeContract):
    name = "shared-words"


class TestParrot(ChatModelContract):
    name = "parrot"


class TestCounting(IndexContract):
    """By `make`: a class need not be registered to be tested."""

    def make(self, folder: Path) -> Any:
        return CountingIndex(folder=folder, dimension=self.dimension)


class TestExact(RetrieverContract):
    name = "exact"
    questions = {language: text.rstrip(".。") for language, text in TEXTS.items()}


class TestShorter(RuleContract):
    name = "shorter"


class TestLength(EnricherContract):
    name = "length"


class TestKnocks(TranscriberContract):
    name = "knocks"


class TestFaces(SentimentContract):
    name = "faces"


class TestHotline(FallbackContract):
    name = "hotline"


class TestFirstLines(ReaderContract):
    name = "first-lines"


class TestLucky(MetricContract):
    name = "lucky"


class TestFaq(LayoutContract):
    name = "faq"

    def write(self, folder: Path) -> Path:
        file = folder / "office.faq"
        file.write_text("When does it open?\tAt eight.\n何時に開きますか\t八時です。\n", "utf-8")
        return file


class TestFile(GraphStoreContract):
    name = "file"

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def make(self, base: str) -> Any:
        return self.registered()(database=None, settings=GraphSettings(url=str(self.folder / "graph")), base=base)


class TestBatch(WorkerPoolContract):
    name = "batch"

    def pids(self, pool: Any) -> list[int]:
        return pool.pids()


class TestWordCount(OperatorContract):
    name = "word-count"

    async def given(self, context: Any, folder: Path) -> dict[str, object]:
        del context, folder
        return {"text": " ".join(TEXTS.values())}


class TestPhones(ToolSourceContract):
    name = "phones"
    called = "telephone_number"
    arguments = {"person": "Nagy Éva"}

    def settings(self, folder: Path) -> ToolSettings:
        file = folder / "phones.tsv"
        file.write_text("Nagy Éva\t+36 1 555 0100\n山田太郎\t+81 3 5555 0100\n", "utf-8")
        return ToolSettings(kind="phones", document=str(file))
