"""The page's frame: the rail, and a drawer on phones; an empty base; each state for everyone, in each language."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from serve.browser import LOOKS, Visit, ask, asked, held, violations

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
FIRST = "Who approves remote work within five days?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("frame")) as opened:
        yield opened


async def test_an_empty_base_invites_to_add(visit: Visit) -> None:
    empty = "localStorage.setItem('rove.space', 'it')"
    async with visit.town.client("root") as client:
        for one in (await client.get("/v1/spaces/it/documents")).json()["documents"]:
            await client.delete("/v1/spaces/it/document", params={"document_id": one["document_id"]})
    async with visit.page("settings") as page:
        await page.evaluate(empty)
        await visit.go(page, "ask")
        invitation = page.locator(".first .drop")
        assert "Drop files or a folder" in await invitation.inner_text()
        assert await violations(page) == []
        await invitation.get_by_role("link", name="Add documents").click()
        await page.wait_for_selector("main.view-add .drop")
    async with visit.page("ask", holder="otto") as page:
        await page.wait_for_selector(".first:has-text('There is nothing here yet')")
        assert await page.locator(".first a").count() == 0


async def test_on_a_phone_the_rail_is_a_drawer(visit: Visit) -> None:
    async with visit.page("ask", viewport={"width": 390, "height": 800}) as page:
        await asked(page, FIRST)
        menu = page.get_by_role("button", name="Menu", exact=True)
        await menu.click()
        await expect(page.locator("dialog .talk a").first).to_be_visible()
        assert await page.evaluate("document.activeElement.closest('dialog') !== null")
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog")).to_be_hidden()
        await expect(menu).to_be_focused()
        await menu.click()
        await page.locator("dialog").get_by_role("link", name="Documents").click()
        await page.wait_for_selector("main.view-documents tbody tr")
        await expect(page.locator("dialog")).to_be_hidden()


@pytest.mark.parametrize(("language", "scheme"), [(language, scheme) for language, scheme, _ in LOOKS])
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(visit: Visit, language: str, scheme: str) -> None:
    found: dict[str, list[str]] = {}
    phone = {"color_scheme": scheme, "viewport": {"width": 390, "height": 800}, "locale": language}

    async def look(name: str) -> None:
        found[name] = await violations(page)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390, name

    async with visit.page("search", **phone) as page:
        await page.locator(".more-button").click()
        await look("options")
        await ask(page, "Who approves?")
        await page.wait_for_selector("#turn-1 .turn-tools")
        await look("search")
        await page.locator(".ways input[value=answer]").check(force=True)
        await ask(page, FIRST)
        await page.wait_for_selector("#turn-2 .turn-tools")
        await page.locator("#turn-2 [aria-pressed]").last.click()
        await page.wait_for_selector(".comment")
        await look("answer")
        await page.locator("#turn-1 .turn-tools button").nth(2).click()
        await look("edit")
        await page.locator(".menu summary").click()
        await look("export")
        await page.locator("#top button").click()
        await look("drawer")
        await page.locator("dialog .talk .small-button").nth(1).click()
        await look("sure")
    async with visit.page("ask", locale=language, color_scheme=scheme, viewport={"width": 1400, "height": 900}) as page:
        await page.wait_for_selector(".suggestion")
        found["new"] = await violations(page)
        await ask(page, FIRST)
        await page.wait_for_selector("#turn-1 .turn-tools")
        await page.locator(".answer-text .cite").first.click()
        await page.wait_for_selector("#source mark")
        found["beside a source"] = await violations(page)
    assert found == dict.fromkeys(found, [])


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
    assert [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))] == []
