"""The lab in a real browser: begun from a table and from the documents, watched, cancelled, read, kept, deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from serve.browser import EVIL, Visit, held, violations
from serve.conftest import hold

pytestmark = pytest.mark.asyncio(loop_scope="module")
HARD = f"Which zebra sleeps at noon? {EVIL} 斑马"
TABLE = (
    "question,source\n"
    "Who approves remote work within five days?,policy\n"
    "Who is the head of unit?,policy\n"
    f"{HARD},urlaub\n"
)
INTRUDERS = "main img, main script, [onerror], [onload], a[href^='javascript' i]"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("lab")) as opened:
        yield opened


async def begin(page: Page, folder: Path, name: str, text: str = TABLE) -> None:
    file = folder / name
    file.write_text(text, "utf-8")
    await page.set_input_files("input[type=file]", file)
    await page.click("form >> text=Run >> nth=-1")


async def test_a_table_is_measured_and_its_report_read(visit: Visit, tmp_path: Path) -> None:
    """What a table says stays text, also in pieces of three bytes; the report is kept as a file, never shown inside."""
    async with visit.page("lab", cut=True, accept_downloads=True) as page:
        await begin(page, tmp_path, "<img src=x onerror=hacked=1>.csv")
        card = page.locator(".list .card").first
        await card.locator(".badge.good:has-text('Done')").wait_for()
        assert await card.locator("h3").inner_text() == "<img src=x onerror=hacked=1>"
        assert await card.locator("svg.interval").count() == 4
        await card.locator("h3 a").focus()
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".metric")
        assert await page.locator(".metric h2").all_inner_texts() == ["ndcg@10", "recall@10", "rr", "hit@1"]
        rows = await page.locator(".metric:has(h2:text-is('hit@1')) tbody tr").all_inner_texts()
        assert any("Both" in row and "compared with" in row for row in rows)
        assert any("Keywords" in row and "p = " in row for row in rows)
        worst = page.locator("ol.list > .card").first
        assert await worst.locator("h3").inner_text() == HARD
        assert "Urlaub" in await worst.inner_text()
        await worst.locator(".found-list button").first.click()
        await page.locator("#source .source-text").wait_for()
        await page.keyboard.press("Escape")
        async with page.expect_download() as kept:
            await page.click("text=Download the whole report")
        download = await kept.value
        assert "<!doctype html>" in (await download.path()).read_text("utf-8")[:20]
        await worst.locator("text=Ask it").click()
        await page.wait_for_selector("main.view-ask")
        assert await page.input_value("textarea") == HARD
        assert await page.locator(".turn").count() == 0  # it is asked when its reader says so
        assert await page.locator(INTRUDERS).count() == 0
        assert await page.evaluate("window.hacked") is None


async def test_answers_are_measured_where_it_is_chosen(visit: Visit, tmp_path: Path) -> None:
    """What an answer is measured by stands under the searches, and a narrow screen has room for it."""
    async with visit.page("lab", locale="de", viewport={"width": 390, "height": 800}) as page:
        await page.get_by_label("Jede Frage auch beantworten lassen").check()
        file = tmp_path / "answered.csv"
        file.write_text("question,source,answer\nWho approves remote work within five days?,policy,the head\n", "utf-8")
        await page.set_input_files("input[type=file]", file)
        await page.locator("form button.main").click()
        card = page.locator(".list .card:has-text('answered')")
        await card.locator(".badge.good").wait_for()
        await card.locator("h3 a").click()
        section = page.locator(".answers")
        await section.wait_for()
        row = section.locator("tr", has_text="Wie oft eine bekannte Antwort in der Antwort steht")
        assert await row.locator(".number").inner_text() == "1,00"
        assert await section.locator("tr:has-text('refused')").count() == 0  # every question can be answered
        assert "Eine Antwort dauert" in await section.locator(".times").inner_text()
        assert "nearness" in await section.locator(".times [lang=en]").inner_text()
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert await violations(page) == []


async def test_questions_are_made_and_a_report_is_deleted(visit: Visit) -> None:
    async with visit.page("lab") as page:
        await page.click("text=Questions made from the documents >> nth=0")
        await page.fill("input[type=number]", "3")
        await page.uncheck("input[value=keyword]")
        await page.click("form >> text=Run >> nth=-1")
        card = page.locator(".list .card:has-text('Questions made')").first
        await card.locator(".badge:has-text('Done')").wait_for()
        await card.locator("text=Delete").click()
        await page.click("text=Delete for good")
        await card.wait_for(state="detached")


async def test_one_that_runs_is_seen_and_cancelled(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(monkeypatch, after=4)
    async with visit.page("lab") as page:
        await begin(page, tmp_path, "slow.csv")
        card = page.locator(".list .card:has-text('slow')")
        await card.locator(".stages .now:has-text('Searching')").wait_for()
        await begin(page, tmp_path, "other.csv")
        await page.wait_for_selector(".lab-form .error:has-text('Come again in')")
        await visit.go(page, "ask")
        await visit.go(page, "lab")
        await card.locator(".facts:has-text('of 6 searches')").wait_for()
        await card.locator("text=Cancel").click()
        await card.locator(".badge:has-text('Cancelled')").wait_for()


async def test_what_fails_says_why(visit: Visit, tmp_path: Path) -> None:
    async with visit.page("lab") as page:
        await page.click("form >> text=Run >> nth=-1")
        await page.wait_for_selector("text=Choose a file first.")
        await begin(page, tmp_path, "wrong.csv", "question,source\nWho?,nobody.md\n")
        card = page.locator(".list .card:has-text('wrong')")
        await card.locator(".badge.bad:has-text('Failed')").wait_for()
        assert "'nobody.md'" in await card.inner_text()


async def test_it_is_for_administrators(visit: Visit) -> None:
    async with visit.page("lab", holder="anna") as page:
        await page.wait_for_selector("main:has-text('cannot measure')")
        assert await page.locator("form").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(visit: Visit, scheme: str) -> None:
    phone = {"color_scheme": scheme, "viewport": {"width": 390, "height": 800}}
    async with visit.page("lab", locale="hu", **phone) as page:
        await page.wait_for_selector(".list h3 a")
        found = await violations(page)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        await page.locator(".list h3 a").first.click()
        await page.wait_for_selector(".metric svg")
        found += await violations(page)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert found == []


async def test_the_lab_is_loaded_for_who_opens_it(visit: Visit) -> None:
    before, script = len(visit.asked), f"{visit.address}/web/lab.js"
    async with visit.page("ask") as page:
        assert script not in visit.asked[before:]
        await visit.go(page, "lab")
        await page.locator(".lab-form").wait_for()
        assert script in visit.asked[before:]


async def test_nothing_was_asked_of_anyone_else(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    elsewhere = [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))]
    assert elsewhere == []
    assert visit.errors == []
