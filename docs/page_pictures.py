"""Draw the web page, as it serves the demo's documents, into docs/pictures.

`python docs/page_pictures.py` takes the documents in, serves them on loopback, and looks at the page in Chromium.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
ROVE = Path(sys.executable).with_name("rove")
ASKED = "Who approves mobile working, and since when?"
WALKED = "Which signal requests a fast shutdown, and which command terminates a session?"
START_S = 60


def main() -> None:
    """Draw both pictures."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        base = f"{folder}/kb"
        subprocess.run([ROVE, "add", "demo/documents", "--kb", base], cwd=ROOT, check=True)
        server = subprocess.Popen([ROVE, "serve", "--kb", base, "--port", str(port)], stderr=subprocess.DEVNULL)
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
    """Ask, and open a citation; walk."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"] if os.getuid() == 0 else []
        )
        page = browser.new_page(
            viewport={"width": 1280, "height": 800}, locale="en", color_scheme="light", reduced_motion="reduce"
        )
        ask(page, f"{address}/#/ask", ASKED)
        page.locator(".answer-text .cite").first.click()
        page.wait_for_selector("mark")
        page.wait_for_timeout(500)
        page.screenshot(path=PICTURES / "page-ask.png")
        ask(page, f"{address}/#/walk", WALKED)
        page.wait_for_selector(".answer-text", timeout=60_000)
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=PICTURES / "page-walk.png")
        browser.close()


def ask(page: Page, address: str, question: str) -> None:
    """Open a view, and ask there."""
    page.goto(address)
    page.fill("textarea", question)
    page.keyboard.press("Enter")


if __name__ == "__main__":
    main()
