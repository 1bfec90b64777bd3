"""Tools in the page: found by words, planned, asked for what is missing, and a change only after a yes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from serve.browser import EVIL, Visit, violations, visiting
from serve.conftest import in_a_task
from tools.tool_servers import Reply, document, hosts, service

pytestmark = pytest.mark.asyncio(loop_scope="module")
ASKED: list[tuple[str, str]] = []


def answer(method: str, path: str, body: bytes) -> Reply:
    ASKED.append((method, path))
    if "/evil/" in path:
        return 200, {"Content-Type": "application/json"}, json.dumps({"load": EVIL}).encode()
    return hosts(method, path, body)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder: Path = tmp_path_factory.mktemp("tools")
    with service(answer) as address:
        sources = {
            "mine": {"kind": "python", "functions": ["tools.tool_servers:get_forecast"]},
            "hosts": {
                "kind": "openapi",
                "document": str(document(folder, address)),
                "allow_private": True,
                "retries": 0,
            },
        }
        async with in_a_task(visiting(folder, tools=sources)) as made:
            yield made


async def test_a_tool_is_found_planned_asked_and_run(visit: Visit) -> None:
    async with visit.page("tools") as page:
        await page.locator(".tool").nth(2).wait_for()
        await page.fill("main input[type=search]", "load of a host")
        await page.keyboard.press("Enter")
        first = page.locator(".tool:first-child h2:text-is('get_host_load')")
        await first.wait_for()
        tool = page.locator(".tool:has(h2:text-is('get_host_load'))")
        await tool.locator("summary").click()
        await tool.locator("button:text-is('Run')").click()
        await tool.locator(".badge:text-is('Something is missing')").wait_for()
        host = tool.get_by_label("host *", exact=True)
        assert await host.get_attribute("aria-invalid") == "true"
        assert await host.evaluate("field => field === document.activeElement")
        assert ASKED == []
        await host.fill("evil")
        await tool.locator("button:text-is('Show the plan only')").click()
        await tool.locator(".badge:text-is('Planned')").wait_for()
        assert "evil given" in await tool.locator(".tool-plan").inner_text()
        assert ASKED == []
        await tool.locator("button:text-is('Run')").click()
        await tool.locator(".badge:text-is('Done')").wait_for()
        assert "onerror" in await tool.locator("pre").inner_text()
        assert await page.locator("main img, main script, main [onerror]").count() == 0
        assert await page.evaluate("window.hacked") is None
        assert visit.errors == []


async def test_a_change_waits_for_a_yes(visit: Visit) -> None:
    async with visit.page("tools") as page:
        tool = page.locator(".tool:has(h2:text-is('add_host'))")
        await tool.locator("summary").click()
        await tool.get_by_label("name *", exact=True).fill("db-9")
        ASKED.clear()
        await tool.locator("button:text-is('Run')").click()
        yes = tool.locator("button:text-is('Yes, run it')")
        await yes.wait_for()
        assert ASKED == []
        await yes.click()
        await tool.locator(".badge:text-is('Done')").wait_for()
        assert [method for method, _ in ASKED] == ["POST"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_tools_fit_a_phone_and_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    async with visit.page("tools", color_scheme=scheme, viewport={"width": 390, "height": 844}) as page:
        await page.locator(".tool summary").nth(2).click()
        await page.locator(".tool").nth(2).locator("button:text-is('Run')").click()
        await page.locator(".tool-result .badge").wait_for()
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert await violations(page) == []
