"""The templates: what `ask` does is a flow too, and gives the same to the last digit; each runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from flow.flow_samples import QUESTIONS, opened
from rove import AsyncRove
from rove.engine import varied
from rove.flow import read_flow, resume, run, templates
from rove.records import Answer

ASKED = [*QUESTIONS.items(), ("en", "Hello!"), ("en", "What is the price of gold on Mars?"), ("de", "Wer bist du?")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kb(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AsyncRove]:
    async with await opened(tmp_path_factory.mktemp("templates")) as base:
        yield base


def with_answer(kb: AsyncRove, **answer: object) -> AsyncRove:
    """The same base with other settings of answers."""
    return varied(kb, kb.settings.model_copy(update={"answer": kb.settings.answer.model_copy(update=answer)}))


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("language", "question"), ASKED)
@pytest.mark.parametrize(("template", "pipeline"), [("simple", "search"), ("gather", "gather")])
async def test_a_template_answers_as_ask_does(
    kb: AsyncRove, template: str, pipeline: str, language: str, question: str
) -> None:
    base = with_answer(kb, pipeline=pipeline)
    asked = await base.ask(question)
    done = await run(base, read_flow(template), {"question": question})
    assert done.output["answer"] == asked
    if question in QUESTIONS.values():
        assert asked.language == language
        assert asked.hits


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("question", ["When does the canteen open?", *QUESTIONS.values()])
@pytest.mark.parametrize("mode", ["keyword", "questions", "themes", "summaries"])
async def test_it_does_in_other_modes_too_and_with_a_threshold(kb: AsyncRove, mode: str, question: str) -> None:
    base = with_answer(kb, mode=mode, max_distance=1.5)
    assert (await run(base, read_flow("simple"), {"question": question})).output["answer"] == await base.ask(question)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_walk_as_a_step_answers_as_the_walk_does(kb: AsyncRove) -> None:
    walked = await kb.walk(QUESTIONS["en"]).answered()
    done = await run(kb, read_flow("walk"), {"question": QUESTIONS["en"]})
    answer = done.output["answer"]
    assert isinstance(answer, Answer)
    assert (answer.text, answer.sentences) == (walked.text, walked.sentences)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_kept_answer_comes_first_and_else_the_documents_are_searched(kb: AsyncRove) -> None:
    text = (await kb.document("river"))[0].text
    await kb.keep_question("Where does the Elbe end?", "river", (text.index("It flows"), len(text)))
    kept = (await run(kb, read_flow("qa-first"), {"question": "Where does the Elbe end?"})).output["answer"]
    assert isinstance(kept, Answer)
    assert "Cuxhaven" in kept.text
    assert {hit.question for hit in kept.hits} == {"Where does the Elbe end?"}
    await kb.forget_kept()
    searched = await run(kb, read_flow("qa-first"), {"question": QUESTIONS["en"]})
    assert searched.output["answer"] == await kb.ask(QUESTIONS["en"])


@pytest.mark.asyncio(loop_scope="module")
async def test_three_searches_are_one_list_and_one_that_fails_is_left_out(kb: AsyncRove) -> None:
    done = await run(kb, read_flow("parallel"), {"question": QUESTIONS["en"], "top_k": "5"})
    answer = done.output["answer"]
    assert isinstance(answer, Answer)
    assert answer.hits[0].chunk.document_id == "policy"
    assert {"keyword", "semantic"} <= set(answer.hits[0].sources)


@pytest.mark.asyncio(loop_scope="module")
async def test_while_nothing_answers_a_person_puts_the_question_in_other_words(kb: AsyncRove) -> None:
    base = with_answer(kb, max_distance=0.7)
    flow = read_flow("ask-again")
    waiting = await run(base, flow, {"question": "Xyzzy plugh?"})
    assert [one.key for one in waiting.waiting] == ["wording@1"]
    done = await resume(base, waiting.run_id, {"wording@1": "The river Elbe rises in the Giant Mountains."})
    answer = done.output["answer"]
    assert isinstance(answer, Answer)
    assert not answer.refused
    assert max(answer.hits, key=lambda hit: hit.score).chunk.document_id == "river"


async def test_documents_are_added_and_then_enriched(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada Byron founded Acme in 1921. Acme sells shoes in Vienna.")
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        done = await run(base, read_flow("ingest"), {"sources": [str(tmp_path / "a.txt")]})
        assert done.output["documents"] == 1
        assert [info.source for info in await base.documents()] == [str(tmp_path / "a.txt")]
        assert done.output["triplets_of"] == 1
        again = await run(base, read_flow("ingest"), {"sources": str(tmp_path / "a.txt")})
        assert again.output["documents"] == 0


def test_every_template_is_tried_here() -> None:
    here = {"ask-again", "gather", "ingest", "parallel", "qa-first", "simple", "walk"}
    assert set(templates()) == here | {"database-first", "tool-first"}  # of these, in test_outside.py
