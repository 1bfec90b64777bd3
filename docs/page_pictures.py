"""Draw the web page, as it serves the demo's documents, into docs/pictures.

`python docs/page_pictures.py` takes the documents in, serves them on loopback, and looks at the page in Chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
ROVE = Path(sys.executable).with_name("rove")
ASKED = "Who approves mobile working, and since when?"
WALKED = "Which signal requests a fast shutdown, and which command terminates a session?"
SEARCHED = "annual leave notice period"
TOOLS = ["examples.alarms.live:restart_host"]
START_S = 60
SETTLED_MS = 500
COLOURS = 128


def main() -> None:
    """Draw them all."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        base = f"{folder}/kb"
        subprocess.run([ROVE, "add", "demo/documents", "--kb", base], cwd=ROOT, check=True)
        served = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
            "ROVE_SERVE__FLOWS": str(files("rove.flow").joinpath("templates")),
            "ROVE_TOOLS": json.dumps({"hosts": {"kind": "python", "functions": TOOLS}}),
        }
        command = [ROVE, "serve", "--kb", base, "--port", str(port)]
        server = subprocess.Popen(command, env=served, stderr=subprocess.DEVNULL)
        try:
            await_up(address)
            draw(address)
        finally:
            server.terminate()
            server.wait()


def await_up(address: str) -> None:
    """Wait until the server answers.

    Raises:
        URLError: it does not, within `START_S`.
    """
    deadline = time.monotonic() + START_S
    while True:
        try:
            with urlopen(f"{address}/health"):  # noqa: S310 - ours, on loopback
                return
        except URLError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def draw(address: str) -> None:
    """Go through the states of the page, and draw each."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"] if os.getuid() == 0 else []
        )
        look = {"locale": "en", "reduced_motion": "reduce"}
        wide = browser.new_page(viewport={"width": 1400, "height": 860}, color_scheme="light", **look)
        tour(wide, address)
        phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark", **look)
        phone.goto(wide.url)
        phone.wait_for_selector(".turn-tools")
        keep(phone, "page-phone")
        browser.close()


def tour(page: Page, address: str) -> None:
    """Ask, open a citation, search, walk, and look at the documents; it ends at the conversation."""
    page.goto(f"{address}/#/ask")
    page.wait_for_selector(".suggestion")
    keep(page, "page-new")
    ask(page, "answer", ASKED)
    page.locator("#turn-1 .turn-tools").wait_for()
    page.locator(".answer-text .cite").first.click()
    page.wait_for_selector("mark")
    keep(page, "page-ask")
    page.keyboard.press("Escape")
    ask(page, "search", SEARCHED)
    page.locator("#turn-2 .hit").first.wait_for()
    keep(page, "page-search")
    ask(page, "walk", WALKED)
    page.locator(".walk-card.end .answer-text").wait_for(timeout=60_000)
    keep(page, "page-turns")
    page.locator(".walk-card [data-key=open]").click()
    page.wait_for_selector("main.view-walk .answer-text")
    keep(page, "page-walk")
    page.goto(f"{address}/#/flows/parallel")
    page.locator(".flow form textarea").fill(ASKED)
    page.locator(".flow form .main").click()
    page.locator(".flow-result .answer-text").wait_for()
    page.locator("[data-key=step-fused]").click()
    page.locator(".flow-step .hit").first.wait_for()
    page.evaluate("scrollTo(0, 0)")
    keep(page, "page-flows")
    page.goto(f"{address}/#/tools")
    page.locator(".tool summary").first.click()
    keep(page, "page-tools")
    page.goto(f"{address}/#/documents")
    page.wait_for_selector("main.view-documents tbody tr")
    keep(page, "page-documents")
    page.locator(".talk a").first.click()
    page.wait_for_selector("main.talking .turn-tools")


def ask(page: Page, way: str, question: str) -> None:
    """Ask in a way."""
    page.check(f".ways input[value={way}]")
    page.fill(".ask-form > textarea", question)
    page.keyboard.press("Enter")


def keep(page: Page, name: str) -> None:
    """Keep what is seen as a picture."""
    page.wait_for_timeout(SETTLED_MS)
    seen = Image.open(BytesIO(page.screenshot()))
    seen.convert("RGB").quantize(COLOURS).save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
