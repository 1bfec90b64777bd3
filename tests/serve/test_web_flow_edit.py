"""A flow put together in the page: from a template to a run, faults mended, steps put in, saved against others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from rove.flow import read_flow
from serve.browser import EVIL, Visit, violations, visiting
from serve.conftest import in_a_task

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
QUESTION = "Who approves remote work within five days?"
SELECTED = (
    "(() => { const one = document.querySelector('.flow-source');"
    " return one.value.slice(one.selectionStart, one.selectionEnd); })()"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder: Path = tmp_path_factory.mktemp("edited")
    (folder / "served").mkdir()
    (folder / "served" / "ask-again.toml").write_text(read_flow("ask-again").text)
    (folder / "served" / "ingest.toml").write_text(read_flow("ingest").text)
    async with in_a_task(visiting(folder, serve={"flows": str(folder / "served")})) as made:
        yield made


@pytest.fixture
def served(visit: Visit) -> Path:
    return Path(visit.town.spaces.settings.flows)


async def begin(visit: Visit, page: Page, name: str, start: str = "") -> None:
    await visit.go(page, "edit-flow")
    await page.get_by_label("Name of the file").fill(name)
    if start:
        await page.get_by_label("Begin with").select_option(start)
    await page.get_by_role("button", name="Begin").click()
    await page.locator(".flow-right").wait_for()


async def write(page: Page, old: str, new: str) -> None:
    field = page.locator(".flow-source")
    text = await field.input_value()
    assert old in text
    await field.fill(text.replace(old, new))


async def test_from_a_template_to_a_run_with_a_fault_on_the_way(visit: Visit, served: Path) -> None:
    async with visit.page("flows") as page:
        await page.get_by_role("link", name="New flow").click()
        await page.get_by_label("Name of the file").fill("mine")
        await page.get_by_label("Begin with").select_option("template parallel")
        await page.get_by_role("button", name="Begin").click()
        await page.locator(".flow-right").wait_for()
        assert await page.locator(".flow-map .node").count() == 7
        await write(page, 'use = "fuse"', f'use = "{EVIL.replace(chr(34), "")}"')
        fault = page.locator(".flow-faults.wrong li").first
        await fault.wait_for()
        assert "steps.fused" in await fault.inner_text()
        assert "!" in (await page.locator("[data-key=step-fused].faulty").text_content() or "")
        await page.get_by_role("button", name="Save", exact=True).click()
        await page.get_by_text("It is not saved while there are faults.").wait_for()
        assert not (served / "mine.toml").exists()  # noqa: ASYNC240 - a look at the disk
        await fault.get_by_role("button").click()
        assert (await page.evaluate(SELECTED)).startswith("[steps.fused]\nuse = ")
        await page.keyboard.type('[steps.fused]\nuse = "fuse"\nlists = ["$by_words", "$by_meaning", "$by_names"]')
        await page.locator(".flow-right").wait_for()
        await page.locator("[data-key=step-judged]").focus()
        await page.keyboard.press("Enter")
        assert (await page.evaluate(SELECTED)).startswith("[steps.judged]")
        await page.reload()  # a draft survives it
        await page.locator(".flow-right").wait_for()
        await page.locator(".flow-trial textarea").fill(QUESTION)
        await page.locator(".flow-trial form .main").click()
        await page.locator(".flow-trial .answer-text .cite").first.wait_for()
        assert await page.locator("[data-state=finished]").count() == 7
        await page.locator(".flow-source").press("Control+s")
        await page.get_by_role("link", name="Open it").click()
        shown = page.locator(".view-flows .flow")  # the view before it has such a form too
        await shown.locator("form").get_by_label("question *").fill(QUESTION)
        await shown.get_by_role("button", name="Run", exact=True).click()
        await page.locator(".flow-result .answer-text .cite").first.wait_for()
        text = (served / "mine.toml").read_text()
        wanted = read_flow("parallel").text.replace('name = "parallel"', 'name = "mine"', 1)
        assert text == wanted
        assert await page.evaluate("window.hacked") is None


async def test_a_step_is_put_in_where_the_cursor_stands_and_taken_back(visit: Visit) -> None:
    async with visit.page("flows") as page:
        await begin(visit, page, "second")
        field = page.locator(".flow-source")
        before = await field.input_value()
        await field.evaluate("(one) => one.setSelectionRange(one.value.indexOf('use ='), one.value.indexOf('use ='))")
        await page.locator("summary", has_text="Put in a step").click()
        await page.get_by_label("Find an operator").fill("enough")
        await page.get_by_label("Find an operator").fill("judge")
        await page.get_by_role("button", name="Put in judge", exact=True).click()
        await page.locator("[data-key=step-judge].faulty").wait_for()  # nothing uses it yet
        assert 'hits = "$found"\n\n[output]' in await field.input_value()
        assert (await page.evaluate(SELECTED)).startswith("[steps.judge]")
        await field.press("Control+z")
        await expect(field).to_have_value(before)
        await page.locator(".flow-right").wait_for()
        await page.get_by_role("button", name="Put in judge", exact=True).click()
        await page.locator("[data-key=step-judge].faulty").wait_for()
        await write(page, 'found = "$found"', 'found = "$judge.hits"')
        await page.locator(".flow-right").wait_for()
        assert await page.get_by_role("button", name="Put in add", exact=True).count() == 0  # it changes something


async def test_who_was_slower_chooses_and_what_was_deleted_comes_back(visit: Visit, served: Path) -> None:
    async with visit.page("flows") as page:
        await begin(visit, page, "third")
        save = page.get_by_role("button", name="Save", exact=True)
        await save.click()
        await page.get_by_role("link", name="Open it").wait_for()
        file = served / "third.toml"
        file.write_text(file.read_text() + "# by hand\n")
        await write(page, 'about = ""', 'about = "Ours."')
        await save.click()
        await page.get_by_role("button", name="Keep mine").click()
        await save.click()
        await page.get_by_role("link", name="Open it").wait_for()
        assert "Ours." in file.read_text()
        assert (served / "third.toml.before").read_text().endswith("# by hand\n")
        await page.locator("summary", has_text="Rename, delete").click()
        await page.get_by_label("Rename").fill("fourth")
        await page.get_by_role("button", name="Rename").click()
        await page.locator("h1", has_text="fourth").wait_for()
        await page.locator("summary", has_text="Rename, delete").click()
        await page.get_by_role("button", name="Delete fourth").click()
        await page.get_by_role("button", name="Delete; it can be brought back").click()
        await page.locator("summary", has_text="Not served").click()
        await page.get_by_role("link", name="Bring back fourth").click()
        await save.click()
        await page.get_by_role("link", name="Open it").wait_for()
        assert "Ours." in (served / "fourth.toml").read_text()
        await visit.go(page, "edit-flow/ingest")
        await page.locator(".flow-faults.wrong li").first.wait_for()
    async with visit.page("flows", holder="anna") as page:
        await page.locator("main .card").first.wait_for()
        assert await page.get_by_role("link", name="New flow").count() == 0
        await visit.go(page, "edit-flow/fourth")
        await page.locator("main [role=alert]").wait_for()


@pytest.mark.parametrize(("language", "scheme", "width"), [("de", "dark", 390), ("zh", "light", 1400)])
async def test_axe_finds_nothing(visit: Visit, language: str, scheme: str, width: int) -> None:
    size = {"width": width, "height": 844}
    async with visit.page("edit-flow/ask-again", color_scheme=scheme, locale=language, viewport=size) as page:
        await page.locator(".flow-right").wait_for()
        await write(page, 'use = "human"', 'use = "humans"')
        await page.locator(".flow-faults").wait_for()
        for part in await page.locator("main .flow-side > details > summary").all():
            await part.click()
        await page.locator(".flow-operators li").first.wait_for()
        await page.locator(".flow-side input[type=search]").fill("answer")
        assert await violations(page) == []
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert "edit." not in await page.locator("main").inner_text()
        await visit.go(page, "edit-flow")
        await page.locator("form input").wait_for()
        assert await violations(page) == []


@pytest.mark.parametrize("language", ["hu", "ja"])
async def test_a_phone_is_wide_enough(visit: Visit, language: str) -> None:
    async with visit.page("edit-flow/ask-again", locale=language, viewport={"width": 390, "height": 844}) as page:
        await page.locator(".flow-right").wait_for()
        for part in await page.locator("main .flow-side > details > summary").all():
            await part.click()
        await page.locator(".flow-operators li").first.wait_for()
        await write(page, 'use = "human"', f'use = "{"x" * 90}"')
        await page.locator(".flow-faults").wait_for()
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert "edit." not in await page.locator("main").inner_text()


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
