"""A walk in the page reads top down, and its map leads to what it shows: by mouse, by keyboard, and as a list."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rove.records import Text
from serve.browser import EVIL, Visit, held, violations, walked

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = f"When does the canteen open, who approves the merger with Nordwind, and what says {EVIL}?"
GUIDE = Text("The canteen opens at noon. For guests see § 4 and the Form handbook, section 7.", id="g", title="Canteen")
TOP = "(selector) => document.querySelector(selector).getBoundingClientRect().top + scrollY"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("map")) as made:
        await made.town.spaces._spaces["hr"].kb.add(GUIDE)
        yield made


async def test_the_answer_stands_first_and_the_map_leads_to_the_rest(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        await walked(page, QUESTION)
        assert await page.evaluate(TOP, ".card.end") < await page.evaluate(TOP, ".walk-map")
        assert not await page.locator(".rounds").is_visible()  # the way is folded
        assert (
            await page.locator(".budget dt").count() == await page.locator(".budget progress:not([value='0'])").count()
        )
        assert "Model calls" not in await page.locator(".budget").inner_text()  # no model: no meter
        fact = page.locator(".map-fact[role=button]").first
        await fact.click()
        await page.locator("#source mark").first.wait_for()
        await page.keyboard.press("Escape")
        lead = page.locator(".map-lead.dropped").first
        assert "dropped" in (await lead.get_attribute("aria-label") or "")
        await lead.focus()
        await page.keyboard.press("Enter")
        line = page.locator(".lead:focus")
        await line.wait_for()
        assert "dropped: " in await line.inner_text()  # and why
        for press, there in (("Home", ".map-round"), ("ArrowRight", "g:focus"), ("End", ".map-answer:focus")):
            await page.locator(".walk-map [tabindex='0']").focus()
            await page.keyboard.press(press)
            assert await page.locator(f".walk-map {there}").count() >= 1
        await page.keyboard.press(" ")
        assert await page.evaluate("document.activeElement.dataset.spot") == "answer"
        await page.click("[data-key=fold-map-list]")
        nodes = await page.locator(".walk-map .node title").all_text_contents()
        assert await page.locator(".map ol li").all_inner_texts() == nodes
        assert await page.locator(".map img, .map script, .map [onerror], .map a").count() == 0
        assert await page.evaluate("window.hacked") is None
        assert visit.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_map_scrolls_by_itself_on_a_phone(visit: Visit, scheme: str) -> None:
    async with visit.page("walk/new", color_scheme=scheme, viewport={"width": 390, "height": 844}) as page:
        await walked(page, QUESTION)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert await page.evaluate(
            "(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)(document.querySelector('.map-room'))"
        )
        await page.click("[data-key=fold-way]")
        assert await violations(page) == []
