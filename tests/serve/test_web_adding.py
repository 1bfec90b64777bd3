"""Adding in a real browser: a PDF that is handed in is seen going through the stages, and then opens as its pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from load.samples_pages import pdf_pages, picture, picture_file, printed
from rove.load.image import ocr
from rove.models import Vectors
from rove.models.fake import FakeEmbedder
from serve.browser import BOX, violations, visiting

PLAN = pdf_pages([[printed(70, 300, "The budget for wolves is in June.")]])


async def test_a_pdf_goes_through_the_stages_and_opens_as_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.pdf").write_bytes(PLAN)
    async with visiting(tmp_path) as visit:
        embedder = visit.town.spaces._spaces["hr"].kb.embedder
        passages, go = type(embedder).passages, asyncio.Event()

        async def slow(self: object, texts: Sequence[str]) -> Vectors:
            await go.wait()
            return await passages(embedder, texts)

        monkeypatch.setattr(type(embedder), "passages", slow)
        async with visit.page("add", holder="anna", viewport={"width": 390, "height": 800}) as page:
            await page.set_input_files("input[type=file]", [tmp_path / "plan.pdf"])
            await page.wait_for_selector(".card .card:has-text('plan.pdf'):has-text('Cut')")
            now = page.locator(".stages [aria-current=step]")
            assert await now.inner_text() == "Embedded"
            assert await page.locator(".stages .past").all_inner_texts() == ["Queued", "Read", "Cut"]
            assert await violations(page) == []
            go.set()
            await page.wait_for_selector(".stages .now:has-text('Done')")
            await page.wait_for_selector(".card .card:has-text('plan.pdf'):has-text('Can be found')")
            await visit.go(page, "search")
            await page.fill(BOX, "budget for wolves")
            await page.keyboard.press("Enter")
            await page.click(".hit:has-text('budget for wolves') button")
            await page.wait_for_selector(".sheet img")
            sheet, box = await page.locator(".sheet").bounding_box(), await page.locator(".box").first.bounding_box()
            assert sheet is not None
            assert box is not None
            assert 0.55 < (box["y"] - sheet["y"]) / sheet["height"] < 0.7  # 300 of 842 points from below
            assert await violations(page) == []
        assert visit.errors == []


@pytest.mark.skipif(not ocr.can_read(), reason="neither the extra `scan` nor tesseract is installed")
async def test_a_scan_tells_the_page_it_is_at(tmp_path: Path) -> None:
    pages = (picture(f"The minutes of meeting number {number}\nare kept by the clerk") for number in range(1, 13))
    (tmp_path / "minutes.pdf").write_bytes(picture_file(*pages, kind="PDF"))
    async with visiting(tmp_path) as visit, visit.page("add", holder="anna") as page:
        await page.set_input_files("input[type=file]", [tmp_path / "minutes.pdf"])
        await page.wait_for_selector(".card .card:has-text('minutes.pdf') >> text=/page \\d+\\/12/", timeout=60_000)
        assert await violations(page) == []
        await page.wait_for_selector(".card .card:has-text('minutes.pdf'):has-text('Can be found')", timeout=90_000)
        assert visit.errors == []


async def test_what_can_be_found_and_is_not_embedded_yet_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.md").write_text("# Plan\n\nThe budget for wolves is in June.")
    async with visiting(tmp_path, embedder={"name": "fake", "first": "static"}) as visit:
        passages, go = FakeEmbedder.passages, asyncio.Event()

        async def slow(self: FakeEmbedder, texts: Sequence[str]) -> Vectors:
            await go.wait()
            return await passages(self, texts)

        monkeypatch.setattr(FakeEmbedder, "passages", slow)
        async with visit.page("add", holder="anna") as page:
            await page.set_input_files("input[type=file]", [tmp_path / "plan.md"])
            await page.wait_for_selector(".stages .now:has-text('Can be found')")
            assert "has yet to read: 1" in await page.locator(".card").first.inner_text()
            assert await violations(page) == []
            async with visit.page("documents", holder="anna", locale="de-DE") as other:
                await other.wait_for_selector(".notice:has-text('Einbettungsmodell')")
                assert await violations(other) == []
            go.set()
            await page.wait_for_selector(".stages .now:has-text('Done')")
            assert await page.locator(".stages li:has-text('Can be found')").count() == 0
            await visit.go(page, "documents")
            await page.wait_for_selector("tr:has-text('Plan')")
            assert await page.locator(".notice").count() == 0
        assert visit.errors == []
