"""A town in a real browser: Debian's Chromium, driven by Playwright, one for all tests of a module."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright

from rove.records import Text
from serve.conftest import Town, in_a_task, listening, towns_at

RECEIPT = Path(__file__).parents[2] / "demo" / "documents" / "files" / "receipt.pdf"
EVIL = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
HOSTILE = Text(
    f"# {EVIL}\n\nThe zebra says {EVIL} to all. [press](javascript:window.hacked=1) 斑马与シマウマ.\n\n"
    '## "><svg/onload=hacked=1>\n\n'
    "![x](https://evil.example/x.png) The zebra sleeps at noon.",
    id=f"zebra-{EVIL}", title=f"Zebra {EVIL}", metadata={"access": ("staff",)}, kind="markdown",
)  # fmt: skip
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
BOX = ".ask-form > textarea"
LOOKS = [("en", "light"), ("en", "dark"), ("de", "dark"), ("hu", "light"), ("zh", "dark"), ("ja", "light")]
"""Languages and colours that a view is looked at in: each language, and each colour, which no language changes."""
IN_THREES = """
const whole = window.fetch;
window.fetch = async (...given) => {
  const reply = await whole(...given);
  if (!reply.body) return reply;
  const cut = new TransformStream({
    transform(piece, out) { for (let at = 0; at < piece.length; at += 3) out.enqueue(piece.slice(at, at + 3)); },
  });
  return new Response(reply.body.pipeThrough(cut), { status: reply.status, headers: reply.headers });
};
"""


@dataclass
class Visit:
    """A town, its address, and a browser; `asked` is every address that any page of it has called."""

    town: Town
    address: str
    browser: Browser
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def page(
        self, view: str = "ask", *, holder: str = "root", cut: bool = False, **context: Any
    ) -> AsyncIterator[Page]:
        """Open a view as one of the holders, "" without a key; `cut`: all replies come in pieces of three bytes."""
        opened: BrowserContext = await self.browser.new_context(
            **{"locale": "en", "reduced_motion": "reduce", **context}
        )
        opened.set_default_timeout(20_000)
        opened.on("request", self._note)
        if holder:
            await opened.add_init_script(f"sessionStorage.setItem('rove.key', {self.town.keys[holder]!r})")
        if cut:
            await opened.add_init_script(IN_THREES)
        page = await opened.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda told: self.errors.append(told.text) if "Content Security" in told.text else None)
        try:
            await self.go(page, view)
            yield page
        finally:
            await opened.close()

    async def go(self, page: Page, view: str) -> None:
        """Go to a view, and wait until the page stands: loaded anew, so that nothing of the view before is met."""
        loaded = page.url.startswith(self.address)
        await page.goto(f"{self.address}/#/{view}")
        if loaded:  # to go to another fragment loads nothing
            await page.reload()
        await page.wait_for_selector("body[data-ready]")

    def _note(self, request: Request) -> None:
        self.asked.append(request.url)


def chromium() -> str:
    """Where the browser is, the one without windows first, which takes a quarter less; a test without one skips."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("needs Chromium (apt-get install chromium-headless-shell)")
    return found


@asynccontextmanager
async def visiting(folder: Path, **tables: Any) -> AsyncIterator[Visit]:
    """A town with hostile documents and a PDF, and a browser that can go there; `tables`: see `open_town`."""
    path = chromium()
    async with towns_at(folder)(**tables) as town, listening(town) as address, async_playwright() as playwright:
        base = town.spaces._spaces["hr"].kb
        await base.add(HOSTILE, RECEIPT, folder / "not-there.pdf")
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = await playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield Visit(town, address, browser)
        finally:
            await browser.close()


@asynccontextmanager
async def held(folder: Path) -> AsyncIterator[Visit]:
    """A visit for all tests of a module."""
    chromium()
    async with in_a_task(visiting(folder)) as visit:
        yield visit


async def ask(page: Page, question: str) -> None:
    """Write a question into the box, and send it."""
    await page.fill(BOX, question)
    await page.keyboard.press("Enter")


async def asked(page: Page, question: str, number: int = 1) -> str:
    """Ask, and wait for what comes of it; returns the conversation's id."""
    await ask(page, question)
    await page.wait_for_selector(f"#turn-{number} .turn-tools")
    return page.url.partition("#/c/")[2].partition("/")[0]


async def walked(page: Page, question: str) -> str:
    """Walk to the answer in the conversation that is open, and go to the walk's own view; returns its id."""
    await ask(page, question)
    await page.locator(".walk-card.end .cite").first.wait_for()
    await page.locator(".walk-card [data-key=open]").last.click()
    await page.wait_for_selector("main.view-walk .card.end .cite")
    return page.url.rpartition("/")[2]


async def unfolded(page: Page) -> None:
    """Open all that the view of a walk has folded away."""
    await page.evaluate("document.querySelectorAll('.trail .fold:not([open]) > summary').forEach((one) => one.click())")


async def violations(page: Page) -> list[str]:
    """What axe-core has to say against the page as it stands."""
    await page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = await page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
        for one in found
    ]
