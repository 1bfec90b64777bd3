"""Files dragged onto the page, as a browser hands them over: several, a bad one, folders; on any view."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page

from serve.browser import Visit, held

pytestmark = pytest.mark.asyncio(loop_scope="module")
CARD = "section.card"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("web")) as made:
        yield made


async def drag(page: Page, *paths: Path, drop: bool = True) -> None:
    """Drag files over the page and let them go, as a desktop does: by the browser's own way in."""
    devtools = await page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", *(["drop"] if drop else [])):
        await devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


async def test_several_files_go_in_and_the_bad_one_says_why(visit: Visit, tmp_path: Path) -> None:
    note, broken = tmp_path / "heron.md", tmp_path / "broken.pdf"
    note.write_text("# Herons\n\nHerons stand still.", "utf-8")
    broken.write_bytes(b"no PDF")
    async with visit.page("add") as page:
        await drag(page, note, broken, drop=False)
        await page.wait_for_selector("body.dragging")
        await drag(page, note, broken)
        await page.wait_for_selector(".stages .now:has-text('Done')")
        assert await page.locator("body.dragging").count() == 0
        assert await page.locator(CARD).get_attribute("aria-label") == "2 files"
        cards = await page.locator(".list .list .card").all_inner_texts()
        assert any("heron.md" in card and "Can be found" in card for card in cards)
        assert any("broken.pdf" in card and "Damaged" in card for card in cards)
        assert page.url.endswith("#/add")


async def test_a_folder_goes_in_with_what_lies_in_it(visit: Visit, tmp_path: Path) -> None:
    """Two files of one name in two folders are two documents."""
    for name in ("east", "west"):
        folder = tmp_path / "rivers" / name
        folder.mkdir(parents=True)
        (folder / "readme.md").write_text(f"# The {name} river\n\nIt flows {name}.", "utf-8")
    (tmp_path / "rivers" / "empty").mkdir()
    async with visit.page("add") as page:
        await drag(page, tmp_path / "rivers")
        await page.wait_for_selector(".stages .now:has-text('Done')")
        shown = " ".join(await page.locator(".list .list .card").all_inner_texts())
        assert "rivers › east › readme.md" in shown
        assert "rivers › west › readme.md" in shown
    async with visit.town.client("root") as client:
        listed = (await client.get("/v1/spaces/hr/documents")).json()["documents"]
    assert {"The east river", "The west river"} <= {document["title"] for document in listed}


async def test_many_files_go_in_by_parts(visit: Visit, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(103):
        (folder / f"n{number}.txt").write_text(f"Number {number}.", "utf-8")
    async with visit.page("add") as page:
        await drag(page, folder)
        await page.locator(CARD).nth(2).locator(".stages .now", has_text="Done").wait_for(timeout=60_000)
        await page.locator(CARD).nth(0).locator(".stages .now", has_text="Done").wait_for(timeout=60_000)
        names = [await page.locator(CARD).nth(place).get_attribute("aria-label") for place in range(3)]
    assert names == ["3 files, 3 of 3", "50 files, 2 of 3", "50 files, 1 of 3"]


async def test_what_is_dropped_on_another_view_leads_to_adding(visit: Visit, tmp_path: Path) -> None:
    note = tmp_path / "stork.md"
    note.write_text("# Storks\n\nStorks clatter.", "utf-8")
    async with visit.page("ask") as page:
        await drag(page, note)
        await page.wait_for_selector("main.view-add .stages .now:has-text('Done')")
        assert await page.locator(CARD).get_attribute("aria-label") == "stork.md"
        assert visit.errors == []


async def test_a_folder_without_files_is_said(visit: Visit, tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    async with visit.page("add") as page:
        await drag(page, tmp_path / "void")
        await page.locator("[role=status] .notice", has_text="There was no file").wait_for()


async def test_who_may_not_add_is_told_so_and_nothing_is_sent(visit: Visit, tmp_path: Path) -> None:
    note = tmp_path / "crane.md"
    note.write_text("# Cranes", "utf-8")
    async with visit.page("ask", holder="otto") as page:
        await drag(page, note)
        await page.wait_for_selector("main.view-add:has-text('You cannot add')")
        assert not [url for url in visit.asked if url.startswith(f"{visit.address}/v1/spaces/it/uploads")]
