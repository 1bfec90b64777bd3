"""The LlamaIndex adapter, with LlamaIndex itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_index.core import get_response_synthesizer
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import Document, MetadataMode

from adapters.sample_base import QUESTIONS, check_span, open_sample
from rove import AsyncRove, InputError, Rove, field
from rove.adapters.llama_index import LlamaIndexRetriever, texts_of


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with open_sample(tmp_path / "kb") as made:
        yield made


@pytest.mark.parametrize(("question", "document_id"), QUESTIONS)
def test_each_node_knows_its_span_and_its_source(question: str, document_id: str, kb: Rove) -> None:
    retriever = LlamaIndexRetriever(kb, top_k=2)
    assert isinstance(retriever, BaseRetriever)
    found = retriever.retrieve(question)
    assert len(found) == 2
    assert found[0].node.ref_doc_id == document_id
    for one in found:
        check_span(kb, one.text, one.metadata)
        assert (one.node.start_char_idx, one.node.end_char_idx) == (one.metadata["start"], one.metadata["end"])
    assert found[0].score == kb.search(question, top_k=1)[0].score


def test_a_model_reads_the_title_and_no_ids(kb: Rove) -> None:
    node = LlamaIndexRetriever(kb, top_k=1).retrieve("Who signs the permit?")[0].node
    shown = node.get_content(MetadataMode.LLM)
    assert "title: EN" in shown
    assert "chunk_id" not in shown
    assert "score" not in shown


def test_a_filter_holds(kb: Rove) -> None:
    found = LlamaIndexRetriever(kb, where=field("year") > 2020).retrieve("Who signs the permit?")
    assert {one.node.ref_doc_id for one in found} == {"en"}


def test_it_is_awaited_with_either_face(kb: Rove, tmp_path: Path) -> None:
    async def both() -> None:
        found = await LlamaIndexRetriever(kb, top_k=1).aretrieve("Who signs the permit?")
        async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as own:
            retriever = LlamaIndexRetriever(own, top_k=1)
            assert [one.node_id for one in await retriever.aretrieve("Who signs the permit?")] == [found[0].node_id]
            with pytest.raises(InputError, match="AsyncRove"):
                retriever.retrieve("Who signs the permit?")

    asyncio.run(both())


def test_it_stands_in_a_query_engine(kb: Rove) -> None:
    """Its mock of a model gives back what it was asked, passages included."""
    engine = RetrieverQueryEngine(LlamaIndexRetriever(kb, top_k=1), get_response_synthesizer(llm=MockLLM()))
    reply = engine.query("Who signs the permit?")
    assert "harbour master" in str(reply)
    assert reply.source_nodes[0].node.ref_doc_id == "en"


def test_documents_of_its_readers_go_in(kb: Rove) -> None:
    report = kb.add(texts_of([Document(text="The quay is wet.", doc_id="quay", metadata={"title": "Quay", "n": 3})]))
    assert report.ok
    found = LlamaIndexRetriever(kb, top_k=1, mode="keyword").retrieve("quay wet")[0]
    assert (found.text, found.metadata["n"], found.metadata["title"]) == ("The quay is wet.", 3, "Quay")
