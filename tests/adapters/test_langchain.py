"""The LangChain adapter, with LangChain itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from adapters.sample_base import QUESTIONS, check_span, open_sample
from rove import AsyncRove, InputError, Rove, field
from rove.adapters.langchain import LangChainRetriever, texts_of


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with open_sample(tmp_path / "kb") as made:
        yield made


@pytest.mark.parametrize(("question", "document_id"), QUESTIONS)
def test_each_document_cites_its_words(question: str, document_id: str, kb: Rove) -> None:
    retriever = LangChainRetriever(kb=kb, top_k=2)
    assert isinstance(retriever, BaseRetriever)
    found = retriever.invoke(question)
    assert found[0].metadata["document_id"] == document_id
    assert found[0].metadata["title"] == document_id.upper()
    assert len(found) == 2
    for one in found:
        check_span(kb, one.page_content, one.metadata)
    assert found[0].id == kb.search(question, top_k=1)[0].chunk.chunk_id


def test_a_filter_at_the_call_only_narrows(kb: Rove) -> None:
    retriever = LangChainRetriever(kb=kb, where=field("topic") == "port")
    assert {one.metadata["topic"] for one in retriever.invoke("Who signs the permit?")} == {"port"}
    both = retriever.invoke("Who signs the permit?", where=field("year") >= 2024, top_k=5)
    assert {one.metadata["document_id"] for one in both} == {"en"}
    assert retriever.invoke("Who signs the permit?", where=field("topic") == "office") == []


def test_it_is_awaited_with_either_face(kb: Rove, tmp_path: Path) -> None:
    async def both() -> None:
        found = await LangChainRetriever(kb=kb, top_k=1).ainvoke("Who signs the permit?")
        async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as own:
            retriever = LangChainRetriever(kb=own, top_k=1)
            assert await retriever.ainvoke("Who signs the permit?") == found
            with pytest.raises(InputError, match="AsyncRove"):
                retriever.invoke("Who signs the permit?")

    asyncio.run(both())


def test_it_stands_in_a_chain(kb: Rove) -> None:
    """The prompt's context are the passages; the "model" gives back what it was asked."""
    prompt = ChatPromptTemplate.from_template("Context: {context}\nQuestion: {question}")
    said = RunnableLambda(lambda asked: asked.to_string())
    context = LangChainRetriever(kb=kb, top_k=1) | (lambda found: "\n".join(one.page_content for one in found))
    chain = {"context": context, "question": RunnablePassthrough()} | prompt | said | StrOutputParser()
    assert "harbour master" in chain.invoke("Who signs the permit?")


def test_batches_run_side_by_side(kb: Rove) -> None:
    found = LangChainRetriever(kb=kb, top_k=1).batch([question for question, _ in QUESTIONS])
    assert [one[0].metadata["document_id"] for one in found] == [name for _, name in QUESTIONS]


def test_documents_of_its_loaders_go_in(kb: Rove) -> None:
    documents = [
        Document("The quay is wet.", id="quay", metadata={"title": "Quay", "loc": {"lines": {"from": 1}}, "n": [1]}),
        Document("A buoy without an id.", metadata={"source": "buoys.txt"}),
    ]
    report = kb.add(texts_of(documents))
    assert (report.ok, report.documents) == (True, 2)
    found = LangChainRetriever(kb=kb, top_k=1, mode="keyword").invoke("quay wet")[0]
    assert found.page_content == "The quay is wet."
    assert (found.metadata["title"], found.metadata["loc.lines.from"], found.metadata["n"]) == ("Quay", 1, ["1"])


def test_what_is_wrong_is_said_as_rove_says_it(kb: Rove) -> None:
    with pytest.raises(InputError, match="blank"):
        LangChainRetriever(kb=kb).invoke(" ")
    with pytest.raises(InputError, match="top_k"):
        LangChainRetriever(kb=kb).invoke("x", top_k=0)
