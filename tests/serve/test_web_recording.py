"""A citation of a recording in a real browser: when it was said, and the recording from that second."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from load.speech_files import LEASE
from serve.browser import ask, violations, visiting

pytestmark = pytest.mark.long


async def test_a_citation_says_when_and_plays_the_recording_from_there(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="the extra audio is not installed")
    file = tmp_path / "lease.opus"
    file.write_bytes(LEASE.read_bytes())
    async with visiting(tmp_path, transcriber={"name": "fake"}) as visit:
        base = visit.town.spaces._spaces["hr"].kb
        await base.add(file)
        (info,) = await base.named(file)
        text = await base.text(info.document_id)
        start = text.index("Loudness", len(text) // 2)
        async with visit.page(f"document/{info.document_id}/{start}-{start + 8}") as page:
            button = page.locator(".player button")
            await button.wait_for()
            assert (await button.inner_text()).startswith("▶ Play from 0:0")
            assert await page.locator("audio").count() == 0, "nothing is fetched before one wants to hear it"
            await button.click()
            await page.locator("audio").wait_for(state="attached")
            at = "document.querySelector('audio').currentTime"
            for _ in range(200):  # the page's policy lets no script be waited for
                if await page.evaluate(f"{at} > 2 && document.querySelector('audio').duration > 0"):
                    break
                await asyncio.sleep(0.05)
            assert await page.evaluate(at) > 2
            assert await page.evaluate("document.querySelector('audio').duration") == pytest.approx(9.0, abs=0.3)
            await page.locator(".player button:enabled").wait_for()  # it is not while the recording is fetched
            assert not await violations(page)
            await visit.go(page, "search")
            await ask(page, "Loudness")
            await page.locator(".hit .path", has_text="0:0").first.wait_for()
        assert not visit.errors
