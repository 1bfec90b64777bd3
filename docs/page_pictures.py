"""Draw the web page, as it serves the demo's documents, into docs/pictures.

`python docs/page_pictures.py` takes the documents in, serves them on loopback, and looks at the page in Chromium; with
names, `python docs/page_pictures.py page-people page-sign-in`, it keeps only those.
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
from http import HTTPStatus
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
TOOL = "restart_host"
MADE = [
    ("/v1/people", {"name": "bela", "full_name": "Szabó Béla", "role": "editor"}),
    ("/v1/people", {"name": "chen.wei", "full_name": "陈伟", "role": "reader", "labels": ["staff", "board"]}),
    ("/v1/people", {"name": "dora", "full_name": "Dora Meier", "role": "contributor", "labels": ["staff"]}),
    ("/v1/keys", {"name": "open-webui", "rights": ["read"], "labels": ["staff"]}),
]
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
            "ROVE_TOOLS": json.dumps(
                {"hosts": {"kind": "python", "functions": [f"examples.alarms.live:{TOOL}"], "writes": [TOOL]}}
            ),
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
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=["--no-sandbox"] if os.getuid() == 0 else [],
        )
        look = {"locale": "en", "reduced_motion": "reduce"}
        wide = browser.new_page(viewport={"width": 1400, "height": 860}, color_scheme="light", **look)
        tour(wide, address)
        phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark", **look)
        phone.goto(wide.url)
        phone.wait_for_selector(".turn-tools")
        keep(phone, "page-phone")
        people(wide, address)
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
    page.goto(f"{address}/#/edit-flow/parallel")
    page.locator(".flow-right").wait_for()
    keep(page, "page-flow-edit")
    page.goto(f"{address}/#/tools")
    page.locator(".tool summary").first.click()
    keep(page, "page-tools")
    page.goto(f"{address}/#/documents")
    page.wait_for_selector("main.view-documents tbody tr")
    keep(page, "page-documents")
    page.locator(".talk a").first.click()
    page.wait_for_selector("main.talking .turn-tools")


def people(page: Page, address: str) -> None:
    """Let people in, whereby the server is open no longer, and sign out: the last of all."""
    page.goto(f"{address}/#/people")
    page.get_by_role("button", name="Add the first person").click()
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Full name").fill("Ada Lovelace")
    page.get_by_role("button", name="Make an invitation").click()
    page.get_by_role("link", name="Open it").click()
    page.fill("[autocomplete=new-password]", "four plain otters sing")
    page.keyboard.press("Enter")
    page.wait_for_selector("#rail .me")
    for path, made in MADE:
        told = page.evaluate(
            "async ([path, made]) => (await fetch(path, { method: 'POST', body: JSON.stringify(made), "
            "headers: { 'Content-Type': 'application/json' } })).status",
            [path, made],
        )
        if told != HTTPStatus.CREATED:
            message = f"{path} {made}: {told}"
            raise RuntimeError(message)
    page.goto(f"{address}/#/people")
    page.wait_for_selector(".keys tbody tr")
    page.locator("[data-person=bela]").click()
    keep(page, "page-people")
    page.goto(f"{address}/#/settings")
    page.wait_for_selector(".config-section")
    page.get_by_label("Find a setting").fill("how many hits")
    page.get_by_label("Find a setting").evaluate("(one) => one.scrollIntoView({ block: 'start' })")
    keep(page, "page-settings")
    page.goto(f"{address}/#/status")
    page.wait_for_selector(".status .card")
    keep(page, "page-status")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_selector(".door")
    keep(page, "page-sign-in")


def ask(page: Page, way: str, question: str) -> None:
    """Ask in a way."""
    page.check(f".ways input[value={way}]")
    page.fill(".ask-form > textarea", question)
    page.keyboard.press("Enter")


def keep(page: Page, name: str) -> None:
    """Keep what is seen as a picture."""
    if sys.argv[1:] and name not in sys.argv[1:]:
        return
    page.wait_for_timeout(SETTLED_MS)
    seen = Image.open(BytesIO(page.screenshot()))
    seen.convert("RGB").quantize(COLOURS).save(PICTURES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
