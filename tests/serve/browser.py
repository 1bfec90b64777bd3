"""A town in a real browser: Debian's Chromium, driven by Playwright, one for all tests of a module."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright
from playwright.async_api import Error as PlaywrightError
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
LOOKS = [("en", "light", 1400), ("de", "dark", 390), ("hu", "light", 390), ("zh", "dark", 1400), ("ja", "light", 390)]
"""Languages, colours and widths that a view is looked at in: each language, and each colour in each width."""
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


class KeptFiles:
    """An app whose page's files a browser may keep: it loads the same hundred for each test."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def kept(message: Message) -> None:
            if message["type"] == "http.response.start" and scope["path"].startswith("/web/"):
                MutableHeaders(scope=message)["Cache-Control"] = "max-age=3600, immutable"
            await send(message)

        await self._app(scope, receive, kept)


@dataclass
class Visit:
    """A town, its address, and a browser; `asked` is every address that any page of it has called."""

    town: Town
    address: str
    browser: Browser
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _idle: dict[str, list[BrowserContext]] = field(default_factory=dict)

    @asynccontextmanager
    async def page(
        self, view: str = "ask", *, holder: str = "root", cut: bool = False, **context: Any
    ) -> AsyncIterator[Page]:
        """Open a view as one of the holders, "" without a key; `cut`: all replies come in pieces of three bytes."""
        size = context.pop("viewport", {"width": 1280, "height": 720})
        scheme = context.pop("color_scheme", "light")
        async with self._context(**context) as opened:
            page = await opened.new_page()
            await page.set_viewport_size(size)
            await page.emulate_media(color_scheme=scheme)
            if holder:
                await page.add_init_script(f"sessionStorage.setItem('rove.key', {self.town.keys[holder]!r})")
            if cut:
                await page.add_init_script(IN_THREES)
            page.on("pageerror", lambda error: self.errors.append(str(error)))
            page.on("console", lambda told: self.errors.append(told.text) if "Content Security" in told.text else None)
            await self.go(page, view)
            try:
                yield page
            except Exception as error:
                await self._say_what_stood_there(page, error)
                raise

    async def _say_what_stood_there(self, page: Page, error: Exception) -> None:
        """Add to an error what the page shows, for whoever reads it in another machine's report."""
        with suppress(PlaywrightError):
            shown = await page.locator("main").inner_text(timeout=2_000)
            error.add_note(f"{page.url}\n{shown[:2_000]}\n{self.errors}")

    @asynccontextmanager
    async def _context(self, locale: str = "en", **more: Any) -> AsyncIterator[BrowserContext]:
        """A context without cookies and without anything stored; one that was used before has the page's files."""
        idle = self._idle.setdefault(locale, [])
        opened = idle.pop() if idle and not more else None
        if opened is None:
            opened = await self.browser.new_context(locale=locale, reduced_motion="reduce", **more)
            opened.set_default_timeout(20_000)
            opened.on("request", self._note)
        try:
            yield opened
        except BaseException:
            await opened.close()
            raise
        if more:
            await opened.close()
            return
        await self._emptied(opened)
        idle.append(opened)

    async def _emptied(self, opened: BrowserContext) -> None:
        used, blank = opened.pages, await opened.new_page()
        for page in used:
            await page.close()
        devtools = await opened.new_cdp_session(blank)
        given = {"origin": self.address, "storageTypes": "cookies,local_storage,indexeddb,service_workers"}
        await devtools.send("Storage.clearDataForOrigin", given)
        await opened.clear_cookies()
        await blank.close()

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
    async with (
        towns_at(folder)(**tables) as town,
        listening(town, KeptFiles) as address,
        async_playwright() as playwright,
    ):
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
    """What axe-core has to say against the page as it stands, once what is moving has arrived."""
    ends = "one => Number.isFinite(one.effect.getComputedTiming().endTime)"
    await page.evaluate(f"document.getAnimations().filter({ends}).forEach(one => one.finish())")
    if not await page.evaluate("'axe' in window"):
        await page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    found = await page.evaluate("async () => (await axe.run({ resultTypes: ['violations'] })).violations")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
        for one in found
    ]
