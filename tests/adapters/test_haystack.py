"""The Haystack adapter, with Haystack itself: its filters mean in Rove what they mean there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.utils.filters import document_matches_filter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.sample_base import QUESTIONS, check_span, open_sample
from rove import AsyncRove, ConfigError, InputError, Rove
from rove.adapters.haystack import HaystackRetriever, texts_of
from rove.adapters.haystack_filters import filter_of
from rove.records.metadata import stored_fields

VALUES: st.SearchStrategy[Any] = st.integers(-3, 3) | st.floats(-2, 2).map(lambda x: round(x, 1))
TEXTS = st.sampled_from(["", "a", "b", "harbour", "港"])


@pytest.fixture(autouse=True)
def _no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("haystack.telemetry._telemetry.telemetry", None)


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with open_sample(tmp_path / "kb") as made:
        yield made


@pytest.mark.parametrize(("question", "document_id"), QUESTIONS)
def test_each_document_cites_its_words(question: str, document_id: str, kb: Rove) -> None:
    found = HaystackRetriever(kb, top_k=2).run(query=question)["documents"]
    assert len(found) == 2
    assert found[0].meta["document_id"] == document_id
    for one in found:
        check_span(kb, one.content or "", one.meta)
        assert one.score == one.meta["score"]
        json.dumps(one.to_dict())


def test_filters_of_a_run_only_narrow(kb: Rove) -> None:
    retriever = HaystackRetriever(kb, filters={"field": "meta.topic", "operator": "==", "value": "port"})
    late = {"field": "meta.year", "operator": ">=", "value": 2024}
    found = retriever.run("Who signs the permit?", filters=late, top_k=5)["documents"]
    assert {one.meta["document_id"] for one in found} == {"en"}
    office = {"field": "meta.topic", "operator": "==", "value": "office"}
    assert retriever.run("Who signs the permit?", filters=office) == {"documents": []}


def test_it_stands_in_a_pipeline_that_is_saved_and_loaded(kb: Rove, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_EMBEDDER__NAME", "fake")
    pipeline = Pipeline()
    late = {"field": "meta.year", "operator": ">", "value": 2000}
    pipeline.add_component("retriever", HaystackRetriever(kb, top_k=1, filters=late, mode="keyword"))
    pipeline.add_component("prompt", PromptBuilder("{% for one in documents %}{{ one.content }}{% endfor %}"))
    pipeline.connect("retriever.documents", "prompt.documents")
    asked = {"retriever": {"query": "harbour master permit"}}
    said = pipeline.run(asked)["prompt"]["prompt"]
    assert "harbour master" in said
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["rove.adapters.*"])
    again: HaystackRetriever = loaded.get_component("retriever")
    assert (again.top_k, again.filters, again.mode) == (1, late, "keyword")
    assert loaded.run(asked)["prompt"]["prompt"] == said
    again.close()


def test_no_base_is_made_by_asking(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        HaystackRetriever(tmp_path / "none").run("Who signs?")
    assert not (tmp_path / "none").exists()


def test_it_is_awaited_with_either_face(kb: Rove, tmp_path: Path) -> None:
    async def both() -> None:
        found = (await HaystackRetriever(kb, top_k=1).run_async("Who signs the permit?"))["documents"]
        async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as own:
            retriever = HaystackRetriever(own, top_k=1)
            assert (await retriever.run_async("Who signs the permit?"))["documents"][0].id == found[0].id
            with pytest.raises(InputError, match="AsyncRove"):
                retriever.run("Who signs the permit?")

    asyncio.run(both())


def test_documents_of_its_converters_go_in(kb: Rove) -> None:
    documents = [Document(content="The quay is wet.", id="quay", meta={"title": "Quay"}), Document(content=None)]
    assert kb.add(texts_of(documents)).documents == 1
    found = HaystackRetriever(kb, top_k=1, mode="keyword").run("quay wet")["documents"][0]
    assert (found.content, found.meta["title"]) == ("The quay is wet.", "Quay")


def conditions() -> st.SearchStrategy[dict[str, Any]]:
    """Filters as Haystack takes them: numbers over `n`, which can be missing, and texts over `t`."""
    names = st.sampled_from(["meta.n", "meta.m"])
    one = st.builds(
        lambda name, operator, value: {"field": name, "operator": operator, "value": value},
        names,
        st.sampled_from(["==", "!=", ">", ">=", "<", "<="]),
        VALUES,
    )
    listed = st.builds(
        lambda operator, values: {"field": "meta.n", "operator": operator, "value": values},
        st.sampled_from(["in", "not in"]),
        st.lists(VALUES, min_size=1, max_size=3),
    )
    text = st.builds(
        lambda operator, value: {"field": "meta.t", "operator": operator, "value": value},
        st.sampled_from(["==", "!="]),
        TEXTS,
    )
    return st.recursive(
        one | listed | text,
        lambda inner: st.builds(
            lambda operator, parts: {"operator": operator, "conditions": parts},
            st.sampled_from(["AND", "OR", "NOT"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        max_leaves=6,
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conditions(), st.fixed_dictionaries({}, optional={"n": VALUES, "m": VALUES, "t": TEXTS}))
def test_filters_mean_what_they_mean_in_haystack(filters: dict[str, Any], meta: dict[str, Any]) -> None:
    where = filter_of(filters)
    assert where is not None
    assert where.matches(stored_fields(meta)) == document_matches_filter(filters, Document(content="x", meta=meta))


@pytest.mark.parametrize(
    "filters",
    [
        {"field": "meta.year", "operator": "~", "value": 1},
        {"field": "meta.year", "operator": "=="},
        {"field": "meta.year", "operator": "in", "value": "abc"},
        {"field": "meta.year", "operator": ">", "value": [1]},
        {"field": "meta.year", "operator": "==", "value": {"a": 1}},
        {"field": "content", "operator": "==", "value": "x"},
        {"operator": "AND", "conditions": []},
        {"operator": "XOR", "conditions": [{"field": "meta.a", "operator": "==", "value": 1}]},
        {"operator": "AND", "conditions": ["x"]},
        {"year": 2020},
    ],
)
def test_a_filter_that_rove_does_not_have_is_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cannot be used") as caught:
        filter_of(filters)
    assert "meta.year" in caught.value.cure


def test_nothing_is_no_filter() -> None:
    assert filter_of(None) is None
    assert filter_of({}) is None
