"""Conversations in the page: asked on, kept, found again, renamed, deleted; edited, copied, judged; by keyboard."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serve.browser import BOX, EVIL, Visit, ask, asked, held, walked

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
FIRST = "Who approves remote work within five days?"
MERGER = "Who approves the merger with Nordwind?"
SECOND = "Wer genehmigt den Urlaub?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("talk")) as opened:
        yield opened


async def tool(page: Page, name: str, number: int = 1) -> None:
    """Press one of the tools under a turn."""
    await page.locator(f"#turn-{number}").get_by_role("button", name=name, exact=True).click()


async def forget_all(visit: Visit, holder: str = "root") -> None:
    """Delete all conversations of a holder."""
    async with visit.town.client(holder) as client:
        while found := (await client.get("/v1/spaces/hr/conversations")).json()["conversations"]:
            for one in found:
                await client.delete(f"/v1/spaces/hr/conversations/{one['conversation_id']}")


async def test_turns_stand_from_the_top_down_and_stay(visit: Visit) -> None:
    async with visit.page("ask") as page:
        name = await asked(page, FIRST)
        await asked(page, SECOND, 2)
        for _ in range(2):  # as it came, and as the server has it
            assert await page.locator(".turn h2").all_inner_texts() == [FIRST, SECOND]
            assert "head of unit" in await page.locator("#turn-1 .answer-text").inner_text()
            assert "Vorstand" in await page.locator("#turn-2 .answer-text").inner_text()
            assert await page.locator("h1").inner_text() == FIRST
            assert await page.title() == f"{FIRST} – Rove"
            assert page.url.endswith(f"#/c/{name}")
            await expect(page.locator(f".talk a[data-id='{name}'][aria-current]")).to_have_text(FIRST)
            assert await page.evaluate("document.activeElement.tagName") == "TEXTAREA"
            await page.reload()
            await page.wait_for_selector("#turn-2 .turn-tools")
        await visit.go(page, f"c/{name}/1")
        assert await page.evaluate("document.activeElement.textContent") == FIRST
        await page.locator("#turn-1 .cite").first.click()
        await page.wait_for_selector("#source mark")


async def test_a_search_and_a_walk_are_turns_too(visit: Visit) -> None:
    async with visit.page("search/remote%20work") as page:
        assert await page.input_value(BOX) == "remote work"
        assert await page.locator(".turn").count() == 0  # it is asked when its reader says so
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#turn-1 .turn-tools")
        await page.get_by_role("radio", name="Walk").check(force=True)
        await walked(page, MERGER)
        await page.go_back()
        await page.wait_for_selector(".walk-card.end .cite")
        assert await page.locator(".hit").count() > 1
        assert await page.locator(".turn-walk .facts").inner_text() != ""
        assert await page.locator(".turn h2").all_inner_texts() == [
            "remote work",
            "Who approves the merger with Nordwind?",
        ]


async def test_the_way_is_chosen_by_keyboard_and_remembered(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.value") == "answer"
        await page.keyboard.press("ArrowRight")
        assert await page.evaluate("document.activeElement.value") == "search"
        await visit.go(page, "ask")
        assert await page.locator(".ways input:checked").get_attribute("value") == "search"
        await visit.go(page, "walk/new/Why%3F")
        assert await page.locator(".ways input:checked").get_attribute("value") == "walk"
        assert await page.input_value(BOX) == "Why?"
        await visit.go(page, "ask")
        assert await page.locator(".ways input:checked").get_attribute("value") == "search"


async def test_what_more_is_said_is_sent(visit: Visit) -> None:
    async with visit.page("search") as page:
        await page.get_by_role("button", name="More options").click()
        assert await page.evaluate("document.activeElement.tagName") == "SELECT"
        await page.get_by_label("How many, at most").fill("5")
        await page.get_by_label("Field").fill("topic")
        await page.get_by_label("Value").fill("work")
        await page.get_by_role("button", name="Add a condition").click()
        await page.get_by_label("Field").nth(1).fill("language")
        await page.get_by_label("Comparison").nth(1).select_option("is one of")
        await page.get_by_label("Value").nth(1).fill("en, de")
        async with page.expect_request("**/turns") as sent:
            await asked(page, "approves")
        body = (await sent.value).post_data_json
        assert body == {
            "way": "search", "question": "approves", "mode": "hybrid", "top_k": 5, "stream": True,
            "where": {"and": [
                {"field": "topic", "op": "==", "value": "work"},
                {"field": "language", "op": "in", "value": ["en", "de"]},
            ]},
        }  # fmt: skip
        titles = await page.locator(".hit h3").all_inner_texts()
        assert sorted(titles) == ["Nordwind", "Policy"]


async def test_drafts_survive_a_reload_each_in_its_conversation(visit: Visit) -> None:
    async with visit.page("ask") as page:
        name = await asked(page, FIRST)
        await page.fill(BOX, "And then?")
        await visit.go(page, "ask")
        assert await page.input_value(BOX) == ""
        await page.fill(BOX, "Something else")
        await page.reload()
        await page.wait_for_selector("body[data-ready]")
        assert await page.input_value(BOX) == "Something else"
        await visit.go(page, f"c/{name}")
        assert await page.input_value(BOX) == "And then?"
        await asked(page, SECOND, 2)
        await page.reload()
        await page.wait_for_selector("#turn-2 .turn-tools")
        assert await page.input_value(BOX) == ""


async def test_a_question_is_edited_and_asked_again(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await asked(page, SECOND)
        await asked(page, FIRST, 2)
        await tool(page, "Edit and ask again")
        field = page.get_by_label("The question, changed")
        await expect(field).to_be_focused()
        await page.keyboard.press("Escape")
        assert await page.evaluate("document.activeElement.ariaLabel") == "Edit and ask again"
        await page.keyboard.press("Enter")
        assert "The turns below it go away." in await page.locator(".edit-form").inner_text()
        await field.fill(MERGER)
        await page.keyboard.press("Enter")
        await page.locator("#turn-1 .answer-text", has_text="November").wait_for()
        assert await page.locator(".turn").count() == 1
        await page.reload()
        await page.locator("#turn-1 .answer-text", has_text="November").wait_for()
        assert await page.locator(".turn").count() == 1


async def test_an_answer_is_copied_shared_and_judged(visit: Visit) -> None:
    async with visit.page("ask", permissions=["clipboard-read", "clipboard-write"]) as page:
        name = await asked(page, FIRST)
        await tool(page, "Copy")
        await page.wait_for_selector("#said:has-text('Copied')")
        copied = await page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(f"## {FIRST}\n\n")
        assert "Remote work is approved by the head of unit within five days." in copied
        assert copied.endswith("Sources:\n[1] Policy")
        await tool(page, "Copy the address")
        await page.wait_for_selector("#said:has-text('Address copied')")
        assert await page.evaluate("navigator.clipboard.readText()") == f"{visit.address}/#/c/{name}/1"
        await tool(page, "Bad answer")
        await page.get_by_label("What was good or bad about it?").fill(f"Too short {EVIL}")
        await page.get_by_role("button", name="Send", exact=True).click()
        await page.wait_for_selector("#said:has-text('Thank you')")
        await page.reload()
        thumb = page.get_by_role("button", name="Bad answer")
        await expect(thumb).to_have_attribute("aria-pressed", "true")
        async with visit.town.client("root") as client:
            (entry,) = (await client.get(f"/v1/spaces/hr/conversations/{name}")).json()["entries"]
        assert (entry["judgement"], entry["comment"]) == ("down", f"Too short {EVIL}")
        await thumb.click()
        await expect(thumb).to_have_attribute("aria-pressed", "false")


async def test_conversations_are_searched_renamed_and_deleted(visit: Visit) -> None:
    await forget_all(visit)
    async with visit.page("ask") as page:
        await asked(page, FIRST)
        await visit.go(page, "ask")
        name = await asked(page, SECOND)
        await expect(page.locator(".talk")).to_have_count(2)
        assert await page.locator(".talks .day").all_inner_texts() == ["Today"]
        await page.get_by_label("Search conversations").fill("Urlaub")
        await expect(page.locator(".talk")).to_have_text([SECOND])
        await page.get_by_role("button", name=f"Rename {SECOND}").focus()
        await page.keyboard.press("Enter")
        await page.keyboard.type(f"Holidays {EVIL}")
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_have_text(f"Holidays {EVIL}")
        assert await page.evaluate("document.activeElement.dataset.id") == name
        await page.get_by_role("button", name="Rename Holidays").click()
        await page.keyboard.type("Never mind")
        await page.keyboard.press("Escape")
        await expect(page.locator(f".talk a[data-id='{name}']")).to_have_text(f"Holidays {EVIL}")
        await page.get_by_role("button", name="Delete Holidays").click()
        await page.get_by_role("button", name="Keep").click()
        await page.get_by_role("button", name="Delete Holidays").focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await expect(page.locator(".talk")).to_have_count(0)
        await page.wait_for_selector("main.view-ask")  # it was the one that was open
        await page.get_by_label("Search conversations").fill("")
        await expect(page.locator(".talk")).to_have_text([FIRST])
        assert await page.evaluate("window.hacked") is None
        async with visit.town.client("root") as client:
            assert (await client.get(f"/v1/spaces/hr/conversations/{name}")).status_code == 404


async def test_a_long_list_is_shown_part_by_part(visit: Visit) -> None:
    async with visit.town.client("mira") as client:
        for number in range(53):
            await client.post("/v1/spaces/hr/conversations", json={"title": f"Number {number}"})
    async with visit.page("ask", holder="mira") as page:
        await expect(page.locator(".talk")).to_have_count(50)
        await page.get_by_role("button", name="Show more").click()
        await expect(page.locator(".talk")).to_have_count(53)
        assert await page.get_by_role("button", name="Show more").count() == 0


async def test_a_conversation_is_exported(visit: Visit) -> None:
    async with visit.page("ask", accept_downloads=True) as page:
        await asked(page, FIRST)
        for words, ending in (("As Markdown", ".md"), ("As JSON", ".json")):
            await page.locator("summary[aria-label='Export the conversation']").click()
            async with page.expect_download() as kept:
                await page.get_by_role("button", name=words).click()
            download = await kept.value
            assert download.suggested_filename == f"Who approves remote work within five days{ending}"
            assert FIRST in (await download.path()).read_text("utf-8")


async def test_nobody_else_sees_it(visit: Visit) -> None:
    async with visit.page("ask", holder="anna") as page:
        name = await asked(page, FIRST)
    async with visit.page(f"c/{name}", holder="mira") as page:
        await page.wait_for_selector(".notice:has-text('Not found')")
        assert FIRST not in await page.locator("body").inner_text()


async def test_what_is_refused_leaves_nothing_behind(visit: Visit) -> None:
    await forget_all(visit)
    async with visit.page("ask") as page:
        await ask(page, "a" * 9_000)
        await page.wait_for_selector(".notice.error")
        await expect(page).to_have_url(f"{visit.address}/#/ask")
        await expect(page.locator(".talk")).to_have_count(0)
        await asked(page, FIRST)  # the box is still there
        await expect(page.locator(".talk")).to_have_text([FIRST])
        await ask(page, "a" * 9_000)
        await page.wait_for_selector("#turn-2 .notice.error")
        await asked(page, SECOND, 2)
        assert await page.locator(".turn h2").all_inner_texts() == [FIRST, SECOND]


async def test_what_is_asked_and_what_it_is_called_stay_text(visit: Visit) -> None:
    async with visit.page("ask", cut=True) as page:
        question = f"{EVIL} **bold** [x](javascript:window.hacked=1)"
        await asked(page, question)
        assert await page.locator(".turn h2").inner_text() == question
        assert await page.locator("h1").inner_text() == question
        await page.locator(".talk", has_text="bold").first.wait_for()
        assert await page.locator("main img, main script, #rail script, [onerror], [onload]").count() == 0
        assert await page.evaluate("window.hacked") is None


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
    assert [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))] == []
