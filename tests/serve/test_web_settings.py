"""Settings and status in a real browser: found, changed, reviewed, saved, refused; on a phone, in each language."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serve.browser import LOOKS, Visit, violations, visiting
from serve.conftest import in_a_task

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
WRITTEN = "# ours\n[search]\ntop_k = 7  # seven\n"
TOP_K = "[data-name='search.top_k']"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("settings")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(folder: Path) -> AsyncIterator[Visit]:
    (folder / "rove.toml").write_text(WRITTEN, "utf-8")
    async with in_a_task(visiting(folder, chat={"model": "fake"})) as opened:
        yield opened


async def find(page: Page, words: str) -> None:
    await page.wait_for_selector(".config-section")
    await page.get_by_label("Find a setting").fill(words)


async def save(page: Page) -> None:
    await page.get_by_role("button", name="Save …").click()
    await page.get_by_role("button", name="Save now").click()


async def test_a_setting_is_found_changed_reviewed_and_saved(visit: Visit, folder: Path) -> None:
    async with visit.page("settings") as page:
        await find(page, "how many hits")
        row = page.locator(TOP_K)
        await expect(row).to_be_visible()
        await expect(page.locator("[data-name='walk.rounds']")).to_be_hidden()
        await row.get_by_label("Top k").fill("0")
        await page.keyboard.press("Tab")
        assert await row.locator("[role=alert]").inner_text() == "At least 1, please."
        await expect(page.locator(".save-bar")).to_be_hidden()
        await row.get_by_label("Top k").fill("2")
        await page.keyboard.press("Tab")
        assert await row.locator("[role=alert]").inner_text() == ""
        await page.get_by_role("button", name="Save …").click()
        assert "search.top_k: 7 → 2 counts at once" in await page.locator(".drafts li").inner_text()
        await page.get_by_role("button", name="Save now").click()
        await expect(page.locator(".admin-said")).to_have_text("Saved. It counts at once.")
        assert (folder / "rove.toml").read_text("utf-8") == WRITTEN.replace("7 ", "2 ")
        assert visit.town.spaces.bases["hr"].settings.search.top_k == 2
        await find(page, "top_k")
        await page.locator(TOP_K).get_by_role("button", name="search.top_k: back to default").click()
        await save(page)
        await expect(page.locator(".admin-said")).to_have_text("Saved. It counts at once.")
        assert "top_k" not in (folder / "rove.toml").read_text("utf-8")


async def test_who_comes_later_keeps_what_was_written(visit: Visit, folder: Path) -> None:
    async with visit.page("settings") as page:
        await find(page, "chunk.size_chars")
        await page.get_by_label("Size chars").fill("700")
        await page.keyboard.press("Tab")
        file = folder / "rove.toml"
        file.write_text(file.read_text("utf-8") + "\n# by hand\n[walk]\nrounds = 9\n", "utf-8")
        await save(page)
        notice = page.locator(".save-bar .notice")
        assert "Somebody else has changed it" in await notice.inner_text()
        await notice.get_by_role("button").click()
        await expect(page.locator(".save-bar .notice")).to_have_count(0)
        await save(page)
        await expect(page.locator(".admin-said")).to_contain_text("1 of it count from the server’s next start")
        assert "# by hand\n[walk]\nrounds = 9" in file.read_text("utf-8")
        assert "size_chars = 700" in file.read_text("utf-8")
        await find(page, "chunk.size_chars")
        assert "until the next start: 512" in await page.locator("[data-name='chunk.size_chars']").inner_text()


async def test_a_model_is_tried_and_what_is_held_says_why(visit: Visit) -> None:
    async with visit.page("settings") as page:
        await find(page, "chat")
        await page.get_by_role("button", name="Try it: Chat model").click()
        await page.locator(".tried .badge.good").wait_for()
        held = page.locator("[data-name='chat.api_key']")
        assert "never shown" in await held.inner_text()
        assert await held.locator("input, textarea, select, button").count() == 0


async def test_others_see_neither(visit: Visit) -> None:
    async with visit.page("settings", holder="anna") as page:
        await page.get_by_label("Colours").wait_for()
        assert await page.locator(".config-section").count() == 0
        await visit.go(page, "status")
        await page.wait_for_selector("text=Only administrators of every space see what runs.")


async def test_the_status_looks_again_until_it_is_left(visit: Visit) -> None:
    async with visit.page("status") as page:
        await page.wait_for_selector("h2:has-text('Space hr')")
        async with page.expect_request("**/v1/status"):
            pass
        await page.goto(f"{visit.address}/#/settings")
        await page.wait_for_selector(".config-section")
        before = sum(address.endswith("/v1/status") for address in visit.asked)
        await page.wait_for_timeout(4_000)
        assert sum(address.endswith("/v1/status") for address in visit.asked) == before


@pytest.mark.parametrize(("language", "scheme"), [(language, scheme) for language, scheme, _ in LOOKS])
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(visit: Visit, language: str, scheme: str) -> None:
    phone = {"color_scheme": scheme, "viewport": {"width": 390, "height": 844}, "locale": language}
    async with visit.page("settings", **phone) as page:
        await page.wait_for_selector(".config-section")
        await page.evaluate("document.querySelectorAll('.config-section').forEach((one) => (one.open = true))")
        await page.locator(f"{TOP_K} input").fill("5")
        await page.keyboard.press("Tab")
        await page.locator(".save-bar button.main").click()
        assert await violations(page) == []
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        await visit.go(page, "status")
        await page.wait_for_selector(".status .card")
        assert await violations(page) == []
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
