"""The page in a real browser: passages with their tables, links that lead nowhere, equal texts on one card."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rove import Text
from serve.browser import Visit, ask, held, violations
from serve.marked import DOCUMENTS, MARKS, NOTICE, QUESTIONS, SAID

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("shown")) as opened:
        await opened.town.spaces._spaces["hr"].kb.add(*DOCUMENTS)
        yield opened


async def test_a_passage_has_its_table_and_its_links_lead_nowhere(visit: Visit) -> None:
    async with visit.page("search") as page:
        await ask(page, "When does the gate open?")
        hit = page.locator(".hit", has=page.locator("h3", has_text="Gates"))
        await hit.wait_for()
        cells = await hit.locator("table").locator("th, td").all_inner_texts()
        assert cells == ["Gate", "Opens", "North", "at 7:30", "South", "at 8"]
        await hit.locator("summary").click()
        assert await hit.locator(".links li").inner_text() == "North /north"
        assert await page.locator("main .hit a").count() == 0
        assert not [mark for mark in MARKS if mark in await page.locator("main").inner_text()]
        assert await violations(page) == []


async def test_equal_texts_are_one_card_that_opens_each_of_them(visit: Visit) -> None:
    async with visit.page("search") as page:
        await ask(page, "When does the sauna of the harbour close?")
        card = page.locator(".hit", has_text=NOTICE)
        await card.first.wait_for()
        assert await card.count() == 1
        await card.locator("summary").click()
        others = card.locator(".links button")
        assert await others.count() == 4
        name = await others.last.inner_text()
        await others.last.click()
        await page.locator("#source mark").wait_for()
        assert await page.locator("#source h2").inner_text() == name
        assert (await page.locator("#source mark").inner_text()).strip() == NOTICE


async def test_an_answer_is_read_without_marks_and_opens_the_exact_words(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await ask(page, QUESTIONS["ja"][0])
        shown = page.locator(".answer-text .quote", has_text=SAID["ja"])
        await shown.wait_for()
        assert await page.locator(".links .address").text_content() == "/wiki/山田"
        await page.locator(".answer-text .cite").first.click()
        await page.locator("#source mark").first.wait_for()
        assert "".join(await page.locator("#source mark").all_inner_texts()) == SAID["ja"]
    assert visit.errors == []


async def test_beneath_a_refusal_stand_the_nearest_passages_and_a_greeting_is_greeted(visit: Visit) -> None:
    kb = visit.town.spaces._spaces["hr"].kb
    usual = kb.settings
    kb.settings = usual.model_copy(update={"answer": usual.answer.model_copy(update={"max_distance": 0.0001})})
    try:
        async with visit.page("ask") as page:
            await ask(page, "Who sails the boat?")
            passages = page.locator(".nearest > ol > li")
            await passages.first.wait_for()
            assert await passages.count() == 3
            assert not [mark for mark in MARKS if mark in await page.locator("main").inner_text()]
            assert await page.locator("details.references").count() == 0
            assert await violations(page) == []
            await ask(page, "Hello there")
            await page.locator(".mode-chitchat", has_text="Hello!").wait_for()
    finally:
        kb.settings = usual


async def test_a_question_of_a_document_is_shown_above_its_answer(visit: Visit) -> None:
    await visit.town.spaces._spaces["hr"].kb.add(Text("Q: Who feeds the owls?\nA: The night warden.\n", id="owls"))
    async with visit.page("search") as page:
        await page.get_by_role("button", name="More options").click()
        await page.get_by_label("How to search").select_option("questions")
        await ask(page, "who feeds the owls")
        hit = page.locator(".hit", has=page.locator(".asked", has_text="Who feeds the owls?"))
        await hit.wait_for()
        assert await page.locator(".hit").count() == 1
        assert (await hit.locator(".snippet").inner_text()).strip() == "The night warden."
        assert await violations(page) == []
