"""Flows in the page: listed, run from a form, drawn while they run, asking a person, kept, opened again, deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from rove.flow import read_flow
from serve.browser import EVIL, LOOKS, Visit, violations, visiting
from serve.conftest import in_a_task

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
QUESTION = "Who approves remote work within five days?"
TYPED = f"""
name = "typed"
about = "{EVIL}"
[input]
question = {{ type = "string", about = "What to look for" }}
top_k = {{ type = "integer", default = 2 }}
words = {{ type = "strings", default = [] }}
sure = {{ type = "boolean", default = false }}
[steps.found]
use = "search"
question = "$input.question"
mode = "keyword"
top_k = "$input.top_k"
[steps.each]
use = "search"
question = "$item"
each = "$input.words"
mode = "keyword"
top_k = 1
[steps.said]
use = "human"
question = "Is that it?"
options = ["yes", "no"]
[steps.rest]
use = "search"
question = "$input.question"
when = "said == 'no'"
[output]
hits = "$found"
said = "$said | $rest.0.title"
each = "$each"
given = "$input.question"
"""
BROKEN = """
[steps.found]
use = "search"
question = "$input.question"
[steps.bad]
use = "search"
question = "$found.0.chunk.text"
mode = "no-such-mode"
[output]
hits = "$bad"
"""
SETTLED = "() => ![...document.querySelectorAll('[data-state]')].some((one) => one.dataset.state === 'running')"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder: Path = tmp_path_factory.mktemp("flows")
    served = folder / "served"
    served.mkdir()
    for name in ("parallel", "ask-again", "simple"):
        (served / f"{name}.toml").write_text(read_flow(name).text)
    (served / "typed.toml").write_text(TYPED)
    (served / "broken.toml").write_text(BROKEN)
    async with in_a_task(visiting(folder, serve={"flows": str(served)})) as made:
        yield made


async def run(page: Page, question: str) -> None:
    await page.locator(".flow form").get_by_label("question *").fill(question)
    await page.get_by_role("button", name="Run", exact=True).click()


async def states(page: Page) -> dict[str, str]:
    return await page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-state]')].map(({ dataset }) => "
        "[dataset.key.replace('step-', ''), dataset.state]))"
    )


async def test_a_flow_is_chosen_run_and_each_step_says_what_it_gave(visit: Visit) -> None:
    async with visit.page("flows") as page:
        await page.get_by_role("link", name="parallel", exact=True).click()
        await page.wait_for_selector(".flow-map")
        assert set((await states(page)).values()) == {"idle"}
        rows = await page.evaluate("[...document.querySelectorAll('.node rect')].map((one) => one.getAttribute('y'))")
        assert rows.count(rows[0]) == 3  # three searches at the same time stand beside each other
        assert await page.get_by_label("top_k").input_value() == "20"
        await run(page, QUESTION)
        await page.locator(".flow-result .answer-text .cite").first.wait_for()
        assert set((await states(page)).values()) == {"finished"}
        assert await page.locator(".node .flow-use[text-anchor=end]:has-text(' s')").count() == 7
        await page.locator(".flow-result .answer-text .cite").first.click()
        await page.wait_for_selector("#source mark")
        await page.keyboard.press("Escape")
        await page.locator("[data-key=step-fused]").focus()
        await page.keyboard.press("Enter")
        step = page.locator(".flow-step")
        await step.locator(".hit").first.wait_for()
        assert "by_words" in await step.inner_text()
        assert "done" in await step.locator(".badge").inner_text()
        run_id = page.url.rpartition("/")[2]
        assert len(run_id) == 10
        await page.reload()
        await page.locator(".flow-result .answer-text .cite").first.wait_for()
        assert set((await states(page)).values()) == {"finished"}
        assert await page.locator(".flow form").get_by_label("question *").input_value() == QUESTION


async def test_a_flow_asks_in_place_and_goes_on_in_the_next_round(visit: Visit) -> None:
    async with visit.page("flows/ask-again") as page:
        await run(page, "Zzyzx qwert?")
        asked = page.locator(".flow-asked")
        await asked.get_by_label("Nothing answers this").wait_for()
        assert (await states(page))["wording"] == "waits"
        await expect(page.locator(".flow-asked textarea")).to_be_focused()
        await page.reload()  # it waits as long as it takes
        await asked.get_by_label("Nothing answers this").fill(QUESTION)
        await asked.get_by_role("button", name="Answer").click()
        await page.locator(".flow-result .answer-text .cite").first.wait_for()
        assert (await states(page))["answer"] == "finished"
        assert "round 2 of at most 3" in await page.locator(".flow-loop").text_content()
        await page.locator("[data-key=step-found]").click()
        await page.locator(".flow-step summary:has-text('Round 2')").wait_for()


async def test_inputs_of_each_type_choices_as_buttons_and_hostile_words_as_words(visit: Visit) -> None:
    async with visit.page("flows/typed") as page:
        assert EVIL in await page.locator("main").inner_text()
        await page.get_by_label("words").fill("remote\nurlaub\n")
        await run(page, f"remote work {EVIL}")
        await page.locator(".flow-asked").get_by_role("button", name="yes").click()
        await page.locator(".flow-result .hit").first.wait_for()
        assert await states(page) == {"found": "finished", "each": "finished", "said": "finished", "rest": "skipped"}
        assert await page.locator(".flow-result .hit").count() == 4  # two that were found, one for each word
        await page.locator("[data-key=step-each]").click()
        await page.locator(".flow-step summary:has-text('element 2')").wait_for()
        assert await page.evaluate("window.hacked") is None
        assert await page.locator("main img, main script, main [onerror]").count() == 0


async def test_what_fails_says_where_and_why(visit: Visit) -> None:
    async with visit.page("flows/broken") as page:
        await run(page, QUESTION)
        await page.wait_for_selector(".flow-result .notice")
        assert "no-such-mode" in await page.locator(".flow-result .notice").inner_text()
        await page.wait_for_function(SETTLED)
        assert await states(page) == {"found": "finished", "bad": "failed"}
        await page.reload()
        await page.locator("[data-key=step-bad][data-state=failed]").wait_for()
        assert "no-such-mode" in await page.locator(".flow-result").inner_text()


async def test_runs_are_their_callers_and_are_deleted_after_a_second_yes(visit: Visit) -> None:
    async with visit.page("flows/simple", holder="anna") as page:
        await run(page, QUESTION)
        await page.locator(".flow-result .answer-text .cite").first.wait_for()
        address = page.url.partition("#/")[2]
        await visit.go(page, "flows")
        mine = page.locator(".flow-run")
        await mine.first.wait_for()
        assert await mine.count() == 1
        await mine.locator("button").click()
        await mine.get_by_role("button", name="Delete for good").click()
        await expect(mine).to_have_count(0)
        await visit.go(page, address)
        await page.wait_for_selector("main [role=alert]")
    async with visit.page("flows", holder="nobody") as page:
        await page.wait_for_selector("main [role=alert]")


@pytest.mark.parametrize(("language", "scheme", "width"), LOOKS)
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(
    visit: Visit, language: str, scheme: str, width: int
) -> None:
    found: dict[str, list[str]] = {}
    async with visit.page(
        "flows", locale=language, color_scheme=scheme, viewport={"width": width, "height": 844}
    ) as page:
        await page.locator("main .card").first.wait_for()
        found["list"] = await violations(page)
        await visit.go(page, "flows/ask-again")
        await page.locator(".flow form textarea").fill("Zzyzx?")
        await page.locator(".flow form .main").click()
        await page.locator(".flow-asked textarea").wait_for()
        await page.locator("[data-key=step-found]").click()
        await page.locator(".flow-step .badge").first.wait_for()
        found["asks"] = await violations(page)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert found == dict.fromkeys(found, [])


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
    assert [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))] == []
