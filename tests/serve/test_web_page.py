"""The web page in a real browser: asking, sources, search, documents, adding, walks; inert, and for everyone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Route

from serve.browser import BOX, EVIL, Visit, ask, held, unfolded, violations, walked

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
SENTENCE = "Remote work is approved by the head of unit within five days."
INTRUDERS = (
    "main img:not(.sheet img), main script, aside script, svg:not(.icon), [onerror], [onload], a[href^='javascript' i]"
)
OPENERS = {
    "ask": ".answer-text .cite",
    "search": ".hit button",
    "walk/new": ".walk-card.end .cite",
    "documents": "tr:has-text('Zebra') .col-title button",
}
VIEWS = {
    "ask": BOX,
    "search": BOX,
    "walk/new": BOX,
    "walk": "h1",
    "documents": "tbody tr",
    "add": ".drop",
    "settings": "form",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("web")) as opened:
        yield opened


async def test_a_citation_opens_the_words_it_rests_on_by_keyboard(visit: Visit) -> None:
    async with visit.page("documents", holder="anna") as page:
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.id") == "skip"
        await visit.go(page, "ask")
        assert await page.evaluate("document.activeElement.tagName") == "TEXTAREA"
        await ask(page, "Who approves remote work within five days?")
        cite = page.locator(".answer-text .cite").first
        await cite.focus()
        await page.keyboard.press("Enter")
        mark = page.locator("#source mark")
        await mark.wait_for()
        assert await mark.inner_text() == SENTENCE
        assert await page.evaluate("document.activeElement.tagName") == "H2"
        await page.keyboard.press("Escape")
        assert await page.locator("#source").is_hidden()
        assert await page.evaluate("document.activeElement.className") == "cite"


async def test_a_pdf_opens_as_its_page_with_a_box_on_the_words(visit: Visit) -> None:
    async with visit.page("search") as page:
        await page.get_by_role("button", name="More options").click()
        await page.get_by_label("How to search").select_option("keyword")
        await ask(page, "receipt")
        await page.click("li.hit:has-text('receipt.pdf') button")
        await page.wait_for_selector(".sheet img")
        assert await page.evaluate("document.querySelector('.sheet img').naturalWidth") > 500
        sheet, box = await page.locator(".sheet").bounding_box(), await page.locator(".box").first.bounding_box()
        assert sheet is not None
        assert box is not None
        assert sheet["x"] <= box["x"] < box["x"] + box["width"] <= sheet["x"] + sheet["width"]
        await page.click("text=Text >> nth=-1")
        await page.wait_for_selector("#source mark")


@pytest.mark.parametrize("view", OPENERS)
async def test_what_documents_say_stays_text(visit: Visit, view: str) -> None:
    """Also when it comes in pieces of three bytes, which cut characters in two."""
    async with visit.page(view, cut=True) as page:
        if view != "documents":
            await ask(page, "What does the zebra say to all?")
        await page.locator(OPENERS[view]).first.click()
        text = page.locator("#source .source-text")
        await text.wait_for()
        assert "<script>window.hacked=1</script>" in await text.inner_text()
        assert "斑马与シマウマ" in await text.inner_text()
        assert "<img src=x" in await page.locator("#source h2").inner_text()
        assert await page.locator(INTRUDERS).count() == 0
        assert await page.evaluate("window.hacked") is None


async def test_what_a_model_is_still_writing_stays_text(visit: Visit) -> None:
    """And where the stream ends before the checked answer, the page says so."""
    said = f"{EVIL} [press](javascript:1) 斑马与シマウマ"
    pieces = [said[at : at + 3] for at in range(0, len(said), 3)]
    body = "".join(f"event: delta\ndata: {json.dumps({'text': piece}, ensure_ascii=False)}\n\n" for piece in pieces)
    async with visit.page(cut=True) as page:
        await page.route("**/turns", lambda route: route.fulfill(body=body, content_type="text/event-stream"))
        await ask(page, "Anything?")
        await page.wait_for_selector(".error:has-text('ended early')")
        shown = said.replace("[press](javascript:1)", "press (javascript:1)")
        assert await page.locator(".draft").inner_text() == shown
        assert await page.locator(INTRUDERS).count() == 0
        assert await page.evaluate("window.hacked") is None


async def test_a_walk_is_drawn_steered_and_told_again(visit: Visit) -> None:
    async with visit.page("walk/new", holder="anna") as page, visit.town.client("anna") as client:
        walk_id = await walked(page, "Who approves the merger with Nordwind, and who approves remote work?")
        await unfolded(page)
        assert await page.locator(".round").count() >= 1
        facts = await page.locator(".fact").all_inner_texts()
        assert any("Nordwind" in fact for fact in facts)
        forked = (await client.post(f"/v1/spaces/hr/walks/{walk_id}/fork", json={"at": 2})).json()["walk_id"]
        await client.post(f"/v1/spaces/hr/walks/{forked}/pause")
        await page.click("text=Replay")
        await page.click("text=Show all")
        await page.wait_for_selector(".controls >> text=Replay")
        await page.click("text=Change the walk")
        dropped = page.locator(".edits li").first
        text = await dropped.locator("span").inner_text()
        await dropped.locator("text=Drop").click()
        await page.locator(".fact.dropped").filter(has_text=text).wait_for(state="attached")
        await page.click(".controls >> text=Go on")  # what was over can go on, without that fact
        await page.wait_for_selector(".card.end")
        await visit.go(page, "walk")
        await page.wait_for_selector(".list .card")
        assert await page.locator(".list .card").count() == 2
        await visit.go(page, f"walk/{forked}")
        await page.click("text=Change the walk")
        await page.fill("input >> nth=-1", "Urlaub Vorstand")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".edits:has-text('Urlaub Vorstand'), .lead:has-text('Urlaub Vorstand')")
        await page.click(".controls >> text=Go on")
        await page.wait_for_selector(".card.end")
        kept = (await client.get(f"/v1/spaces/hr/walks/{forked}")).json()["events"]
        assert {"Paused", "Edited", "Resumed", "Answered"} <= {event["event"] for event in kept}


async def test_files_go_in_and_failures_say_why(visit: Visit, tmp_path: Path) -> None:
    note, broken = tmp_path / "otter.md", tmp_path / "broken.pdf"
    note.write_text("# Otters\n\n## Food\n\nOtters eat fish.", "utf-8")
    broken.write_bytes(b"no PDF")
    async with visit.page("add") as page:
        await page.set_input_files("input[type=file]", [note, broken])
        await page.wait_for_selector(".stages .now:has-text('Done')")
        cards = await page.locator(".list .list .card").all_inner_texts()
        assert any("otter.md" in card and "Can be found" in card for card in cards)
        assert any("broken.pdf" in card and "Damaged" in card and "not a complete PDF" in card for card in cards)
        await visit.go(page, "documents")
        await page.click("tr:has-text('otter.md') .col-open button")
        await page.click("summary:has-text('Sections')")
        await page.click(".tree >> text=Food")
        await page.wait_for_selector("#source mark:has-text('Food')")
        await page.click("text=Did not go in")
        await page.wait_for_selector(".card:has-text('broken.pdf')")


async def test_who_may_only_read_cannot_add(visit: Visit) -> None:
    async with visit.page("add", holder="otto") as page:
        await page.wait_for_selector("main:has-text('cannot add')")


@pytest.mark.parametrize(
    ("language", "title"), {"de": "Zu groß", "hu": "Túl nagy", "zh": "过大", "ja": "大きすぎます"}.items()
)
async def test_a_problem_is_called_by_its_type_in_the_pages_language(visit: Visit, language: str, title: str) -> None:
    """So are its details, where the server's sentence is known."""
    async with visit.page(locale=language) as page:
        await ask(page, "a" * 9_000)
        notice = page.locator(".notice.error")
        assert await notice.locator(".notice-title").inner_text() == title
        assert "9000" in await notice.locator("p").nth(1).inner_text()
        assert await notice.locator("[lang=en]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(visit: Visit, scheme: str) -> None:
    phone = {"color_scheme": scheme, "viewport": {"width": 390, "height": 800}}
    found: dict[str, list[str]] = {}
    async with visit.page(**phone) as page:
        for view, there in VIEWS.items():
            await visit.go(page, view)
            await page.wait_for_selector(f"main.view-{view.partition('/')[0]} {there}")
            found[view] = await violations(page)
            assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390, view
        await visit.go(page, "walk/new")
        await walked(page, "Who approves remote work within five days?")
        await page.click(".card.end .cite")
        await page.wait_for_selector("#source mark")
        found["source"] = await violations(page)
        await page.keyboard.press("Escape")
        await page.click("text=Change the walk")
        found["one walk"] = await violations(page)
    assert found == dict.fromkeys(found, [])


@pytest.mark.parametrize(
    ("language", "words"), {"de": "Neue Frage", "hu": "Új kérdés", "zh": "新提问", "ja": "新しい質問"}.items()
)
async def test_the_page_speaks(visit: Visit, language: str, words: str) -> None:
    async with visit.page("settings", locale=language) as page:
        assert await page.evaluate("document.documentElement.lang") == language
        assert await page.locator("#rail .new").inner_text() == words


async def test_nothing_was_asked_of_anyone_else(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    elsewhere = [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))]
    assert elsewhere == []
    assert visit.errors == []


async def test_the_page_works_at_a_path_behind_a_proxy(visit: Visit) -> None:
    """Whatever it loads or asks lies beneath the path that it is reached at."""
    async with visit.page("ask") as page:
        place, outside = f"{visit.address}/kb", list[str]()

        async def passed_on(route: Route) -> None:
            if route.request.url.startswith(f"{place}/"):
                await route.continue_(url=route.request.url.replace("/kb/", "/", 1))
            else:
                outside.append(route.request.url)
                await route.abort()

        await page.route(f"{visit.address}/**", passed_on)
        await page.goto(f"{place}/#/documents")
        await page.locator("tbody tr").first.wait_for()
        await page.goto(f"{place}/#/ask")
        await ask(page, "Who approves remote work within five days?")
        await page.locator(".answer-text .cite").first.click()
        await page.locator("#source mark").wait_for()
        assert outside == []


async def test_dates_are_written_as_the_readers_browser_does(visit: Visit) -> None:
    async with visit.page("documents", locale="en-GB", timezone_id="UTC") as page:
        added = page.locator("tbody tr time").first
        day = datetime.fromisoformat(await added.get_attribute("datetime") or "")
        assert await added.inner_text() == f"{day:%d/%m/%Y}"


async def test_no_part_is_shown_that_has_nothing_in_it(visit: Visit) -> None:
    async with visit.page() as page:
        async with page.expect_response("**/graph") as looked:
            await ask(page, "Who approves remote work within five days?")
            await page.locator(".sources").last.scroll_into_view_if_needed()
            await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        graph = await (await looked.value).json()
        assert (graph["links"], graph["entities"]) == ([], [])
        assert not await page.locator(".graph").is_visible()
