"""A chat model's answer in the page, live: a scripted server on loopback writes, breaks off, or is stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import openai_server
from rove.models import chat_model
from rove.settings import ChatSettings
from serve.browser import ask, visiting

QUESTION = "Who approves remote work within five days?"
WRITTEN = (
    "## Approval\n\n- **Remote work** is approved by the head of unit within five days. [1]\n"
    "- It costs <b>nine</b> pence. [1]\n- The head of unit approves remote work. [1]"
)
HELD = "*Remote work* is approved by the head of unit within five days. [1] It "
CUT = {
    "de": "Diese Antwort ist nicht vollständig",
    "hu": "Ez a válasz nem teljes",
    "zh": "本回答不完整",
    "ja": "この回答は完全ではありません",
}


async def meet(chat: dict[str, str]) -> dict[str, str]:
    """Take a first reply, which is shown when it has ended: Rove cannot know yet how the model thinks."""
    model = chat_model(ChatSettings.model_validate(chat))
    assert model
    assert [piece async for piece in model.stream("", "Hello")]
    return chat


def pieces(text: str) -> list[str]:
    """Three bytes each, as far as characters allow: these are all of one byte."""
    return [text[at : at + 3] for at in range(0, len(text), 3)]


async def test_sentences_appear_as_they_pass_and_stay(tmp_path: Path) -> None:
    async with openai_server.serve(openai_server.chat(*pieces(WRITTEN), delay_s=0.04)) as model:
        chat = await meet({"model": "m", "base_url": model.url})
        async with visiting(tmp_path, chat=chat) as visit, visit.page(cut=True) as page:
            await page.evaluate("""() => {
              window.drafts = [];
              const look = () => {
                const draft = document.querySelector(".draft");
                if (draft) window.drafts.push(draft.textContent);
                requestAnimationFrame(look);
              };
              look();
            }""")
            await ask(page, QUESTION)
            await page.locator(".draft li strong", has_text="Remote work").wait_for()
            assert await page.locator("[aria-busy=true]").count() == 1
            await page.locator(".mode-model li:last-child .cite").wait_for()
            drafts = list(dict.fromkeys(await page.evaluate("window.drafts")))
            shown = [draft for draft in drafts if draft]
            assert shown[0].startswith("Approval")
            assert await page.locator(".mode-model h3").inner_text() == "Approval"
            assert await page.locator(".mode-model li").count() == 3
            assert "not in the sources" in await page.locator(".mode-model li:nth-child(2)").inner_text()
            assert await page.locator(".notice").count() == 0
            assert await page.locator(".draft, [aria-busy], .cite.pending").count() == 0
            await page.click(".mode-model li:first-child .cite")
            await page.locator("#source mark", has_text="approved by the head of unit").wait_for()
            assert visit.errors == []


async def test_an_answer_goes_on_while_its_reader_looks_elsewhere(tmp_path: Path) -> None:
    """And is there when they come back: before it has ended, and after."""
    async with openai_server.serve(openai_server.chat(*pieces(WRITTEN), delay_s=0.15)) as model:
        chat = await meet({"model": "m", "base_url": model.url})
        async with visiting(tmp_path, chat=chat) as visit, visit.page() as page:
            await ask(page, QUESTION)
            await page.locator(".draft li strong", has_text="Remote work").wait_for()
            await page.get_by_role("link", name="Documents").click()
            await page.wait_for_selector("main.view-documents tbody tr")
            await page.get_by_role("link", name=QUESTION).click()
            await page.locator(".mode-model li:last-child .cite").wait_for()
            assert await page.locator(".turn").count() == 1
            assert await page.locator(".draft, [aria-busy]").count() == 0
            prompts = [one["messages"][0]["content"] for one in model.requests]
            assert [prompt.startswith("You answer") for prompt in prompts].count(True) == 1
            assert visit.errors == []


async def test_an_answer_that_was_cut_off_says_so_in_the_pages_language(tmp_path: Path) -> None:
    broken = openai_server.chat(*pieces(WRITTEN)[:-12], done=False, cut=True)
    async with openai_server.serve(broken) as model:
        chat = {"model": "m", "base_url": model.url, "retries": 0}
        async with visiting(tmp_path, chat=chat) as visit:
            for language, told in CUT.items():
                async with visit.page(locale=language) as page:
                    await ask(page, QUESTION)
                    await page.locator(".answer-body .notice", has_text=told).wait_for()
                    assert "approved by the head of unit" in await page.locator(".mode-model li").first.inner_text()
                    assert "reply was cut off" in await page.locator(".made [lang=en]").inner_text()


@asynccontextmanager
async def between(address: str) -> AsyncIterator[tuple[str, list[asyncio.StreamWriter]]]:
    """Stand between a browser and a server; the writers are those of connections that can be cut."""
    goal = urlsplit(address)
    writers: list[asyncio.StreamWriter] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner, out = await asyncio.open_connection(goal.hostname, goal.port)
        writers.extend((writer, out))
        await asyncio.gather(passed(reader, out), passed(inner, writer))

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", writers
    finally:
        listener.close()
        for writer in writers:
            writer.close()
        await listener.wait_closed()


async def test_a_connection_that_breaks_is_told_in_the_pages_language(tmp_path: Path) -> None:
    async with openai_server.hanging(HELD) as model:
        chat = {"model": "m", "base_url": model.url}
        async with (
            visiting(tmp_path, chat=chat) as visit,
            between(visit.address) as (address, writers),
            replace(visit, address=address).page(locale="hu") as page,
        ):
            await ask(page, QUESTION)
            await page.locator(".draft em").wait_for()
            for writer in writers:
                writer.transport.abort()
            await page.locator(".error", has_text="A kapcsolat túl korán megszakadt").wait_for()
            assert "approved by the head of unit within five days." in await page.locator(".draft").inner_text()


async def test_stop_ends_the_call_to_the_model(tmp_path: Path) -> None:
    async with openai_server.hanging(HELD) as model:
        chat = {"model": "m", "base_url": model.url}
        async with visiting(tmp_path, chat=chat) as visit, visit.page() as page:
            await ask(page, QUESTION)
            await page.locator(".draft em", has_text="Remote work").wait_for()
            await page.get_by_role("button", name="Stop", exact=True).focus()
            await page.keyboard.press("Enter")
            async with asyncio.timeout(2):
                await model.left.wait()
            await page.locator(".answer-body", has_text="Stopped. The answer is not complete.").wait_for()
            assert "approved by the head of unit within five days." in await page.locator(".draft").inner_text()
            assert await page.evaluate("document.activeElement.tagName") == "TEXTAREA"
            assert await page.locator("[aria-busy]").count() == 0
