"""The table of documents in a real browser: sorted, filtered, tagged, erased, read again; spaces; on a phone too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from serve.browser import Visit, held, violations, visiting
from serve.test_web_drop import drag

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
ROW = "tbody tr:not(.details)"
TITLE = f"{ROW} .col-title button"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder = tmp_path_factory.mktemp("web")
    async with held(folder) as made:
        for number in range(120):
            file = folder / "rivers" / ("east" if number % 3 else "west") / f"river-{number:03}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# River {number:03}\n\n## Mouth\n\nIt ends at {number}.", "utf-8")
        await made.town.spaces._spaces["hr"].kb.add(folder / "rivers")
        yield made


async def titles(page: Page) -> list[str]:
    return await page.locator(TITLE).all_inner_texts()


async def test_it_is_sorted_filtered_and_paged_by_keyboard(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.wait_for_selector(ROW)
        assert len(await titles(page)) == 100
        await page.wait_for_selector("text=1–100 of 125")
        await page.focus("th button:has-text('Title')")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("th[aria-sort=ascending]:has-text('Title')")
        assert await page.evaluate("document.activeElement.textContent") == "Title ↑", "the focus comes back"
        shown = await titles(page)
        assert shown == sorted(shown, key=str.casefold)
        await page.keyboard.press("Enter")
        await page.wait_for_selector("th[aria-sort=descending]:has-text('Title')")
        await page.click("text=Next page")
        await page.wait_for_selector("text=101–125 of 125")
        await page.fill("main input[type=search]", "river 01")
        await page.wait_for_selector("text=1–10 of 10")
        west = page.locator(".tool-folder option[value$='west']")  # after more folders, where all lie under one
        await page.select_option(".tool-folder select", await west.get_attribute("value"))
        await page.wait_for_selector("text=1–3 of 3")
        assert await titles(page) == ["River 018", "River 015", "River 012"]
        await page.fill("main input[type=search]", "nothing of that name")
        await page.wait_for_selector("text=No document fits.")


async def test_tags_are_put_on_many_and_filter_them(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.fill("main input[type=search]", "river 02")
        await page.wait_for_selector("text=1–10 of 10")
        await page.check("thead input[type=checkbox]")
        bar = page.locator(".bulk")
        await bar.get_by_text("10 selected").wait_for()
        assert await violations(page) == []
        await bar.locator(".tags input").fill("wet, long")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(f"{ROW} .badge:has-text('wet')")
        await bar.wait_for(state="hidden")
        await page.fill("main input[type=search]", "")
        await page.wait_for_selector("text=1–100 of")
        await page.select_option(".tool-tag select", "wet")
        await page.wait_for_selector("text=1–10 of 10")
        await page.click(f"{ROW} >> nth=0 >> .col-open button")
        await page.click(".details .tag:has-text('long')")
        await page.wait_for_selector(f"{ROW}:not(:has(.badge:has-text('long')))")
        assert await page.locator(f"{ROW}:has(.badge:has-text('long'))").count() == 9


async def test_many_are_erased_after_a_second_press(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.fill("main input[type=search]", "river 10")
        await page.wait_for_selector("text=1–10 of 10")
        await page.check(f"{ROW} >> nth=0 >> input")
        await page.click("text=Select all 10")
        await page.locator(".bulk").get_by_text("10 selected").wait_for()
        await page.click(".bulk button:has-text('Delete')")
        await page.click("text=Delete for good")
        await page.wait_for_selector("text=No document fits.")
        await page.fill("main input[type=search]", "")
        await page.wait_for_selector("text=1–100 of 115")


async def test_a_row_opens_its_sections_passages_and_text(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.fill("main input[type=search]", "river 055")
        await page.wait_for_selector("text=1–1 of 1")
        opener = page.locator(f"{ROW} .col-open button")
        await opener.click()
        assert await opener.get_attribute("aria-expanded") == "true"
        await page.click("summary:has-text('Passages')")
        await page.wait_for_selector(".chunk:has-text('It ends at 55.')")
        await page.click("summary:has-text('Sections')")
        await page.wait_for_selector(".tree >> text=Mouth")
        assert await violations(page) == []
        async with page.expect_download() as saved:
            await page.click("text=Download the text")
        assert (await saved.value).suggested_filename == "river-055.md"
        await page.click("text=Download the file")
        await page.wait_for_selector(".details [role=status]:has-text('is not kept')")
        await page.click(".details .link:has-text('Passage 1')")
        await page.wait_for_selector("#source mark:has-text('River 055')")


async def test_words_of_a_passage_are_corrected_by_keyboard(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.fill("main input[type=search]", "river 056")
        await page.wait_for_selector("text=1–1 of 1")
        await page.click(f"{ROW} .col-open button")
        await page.click("summary:has-text('Passages')")
        await page.click("button:has-text('Correct')")
        field = page.locator(".editor textarea")
        assert await field.evaluate("one => one === document.activeElement")
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        assert await page.evaluate("document.activeElement.textContent") == "Correct", "the focus comes back"
        await page.keyboard.press("Enter")
        await field.fill((await field.input_value()).replace("at 56", "at the sea"))
        await page.click("text=Save the correction")
        await page.wait_for_selector("p.chunk:has-text('It ends at the sea.')")
        await visit.go(page, "documents")
        await page.fill("main input[type=search]", "river 056")
        await page.wait_for_selector("text=1–1 of 1")
        await page.wait_for_selector(f"{ROW} .badge:has-text('corrected by root')")
        await page.click(f"{ROW} .col-open button")
        await page.click("summary:has-text('Corrections')")
        await page.wait_for_selector("ins:has-text('It ends at the sea.')")
        assert await violations(page) == []
        await page.click("button:has-text('Take back')")
        await page.wait_for_selector(".facts:has-text('taken back')")
        await page.wait_for_selector("ins:has-text('It ends at 56')")
        assert await page.locator("button:has-text('Take back')").count() == 1, "only what stands can be taken back"
        assert await violations(page) == []


async def test_what_is_dropped_on_the_table_goes_in_and_what_failed_says_why(visit: Visit, tmp_path: Path) -> None:
    lake, broken = tmp_path / "lakes" / "lake.md", tmp_path / "lakes" / "broken.pdf"
    lake.parent.mkdir()
    lake.write_text("# A lake of its own\n\nIt is deep.", "utf-8")
    broken.write_bytes(b"no PDF")
    async with visit.page("documents") as page:
        await page.wait_for_selector(ROW)
        await drag(page, tmp_path / "lakes")
        await page.wait_for_selector(".stages .now:has-text('Done')")
        await page.fill("main input[type=search]", "A lake")
        await page.wait_for_selector(f"{ROW}:has-text('A lake of its own') .where:has-text('lakes / lake.md')")
        await visit.go(page, "documents")
        await page.click(".choice button:has-text('Did not go in')")
        await page.wait_for_selector(".card:has-text('broken.pdf'):has-text('not a complete PDF')")
        await page.wait_for_selector(ROW, state="hidden")
        assert await violations(page) == []
        assert page.url.endswith("#/documents")


async def test_documents_are_read_again_as_a_job(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.fill("main input[type=search]", "river 07")
        await page.wait_for_selector("text=1–10 of 10")
        await page.check("thead input[type=checkbox]")
        await page.click("text=Read again")
        await page.wait_for_selector("section[aria-label='Reading again: 10'] .stages .now:has-text('Done')")
        await page.wait_for_selector(".facts:has-text('10 of 10 sources')")


async def test_spaces_are_made_and_taken_away(visit: Visit) -> None:
    async with visit.page("spaces") as page:
        await page.wait_for_selector(".card:has-text('hr')")
        await page.fill("main form input", "..")
        await page.click("text=Make a space")
        await page.wait_for_selector("[role=status]:has-text('Begin with a letter')")
        await page.fill("main form input", "legal")
        await page.click("text=Make a space")
        await page.wait_for_selector(".card:has-text('legal'):has-text('open now')")
        assert await violations(page) == []
        await visit.go(page, "documents")
        await page.wait_for_selector(".drop")
        assert await violations(page) == []
        await page.set_input_files(
            ".drop input >> nth=0", {"name": "a.md", "mimeType": "text/plain", "buffer": b"# Lease"}
        )
        await page.wait_for_selector(f"{ROW}:has-text('Lease')")
        await visit.go(page, "spaces")
        await page.click(".card:has-text('legal') >> text=Delete the space")
        await page.click(".confirm button")
        await page.click("text=Delete for good")
        await page.wait_for_selector(".card:has-text('legal') .notice:has-text('There are documents')")
        await visit.go(page, "spaces")
        await page.click(".card:has-text('legal') >> text=Delete the space")
        await page.fill(".confirm input", "legal")
        await page.click(".confirm button")
        await page.click("text=Delete for good")
        await page.wait_for_selector(".card:has-text('legal')", state="detached")
        assert visit.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone_is_wide_enough(visit: Visit, scheme: str) -> None:
    async with visit.page("documents", color_scheme=scheme, viewport={"width": 390, "height": 844}) as page:
        await page.wait_for_selector(ROW)
        await page.select_option(".tool-sorted select", "title")
        await page.check(f"{ROW} >> nth=1 >> input")
        await page.click(f"{ROW} >> nth=0 >> .col-open button")
        await page.click("summary:has-text('Passages')")
        await page.wait_for_selector(".chunk")
        assert await violations(page) == []
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        for view, there in {"spaces": ".card", "lab": "form", "settings": "form", "add": ".drop"}.items():
            await visit.go(page, view)
            await page.wait_for_selector(f"main.view-{view} {there}")
            assert await violations(page) == [], view
            assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390, view


async def test_who_may_only_read_is_offered_nothing_else(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit, visit.page("documents", holder="otto") as page:
        await page.wait_for_selector(ROW)
        await page.check(f"{ROW} >> nth=0 >> input")
        await page.click(f"{ROW} >> nth=0 >> .col-open button")
        buttons = " ".join(await page.locator("main button").all_inner_texts())
        for word in ("Delete", "Read again", "Add tag"):
            assert word not in buttons
        assert await page.locator("main input[type=file]").count() == 0
        assert visit.errors == []
