"""The graph of knowledge over HTTP, MCP and on the page: within the caller's labels, and clickable to the words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rove import Text
from serve.browser import EVIL, Visit, ask, held, violations
from serve.conftest import Town, listening
from serve.test_serve_mcp import http_client

GRAPH = "/v1/spaces/hr/graph"
TABLE = "| Topic | Approved by |\n| --- | --- |\n| {} | head of unit |"


async def told(town: Town) -> None:
    """Give the graph something to say to the staff, and more to the board."""
    kb = town.spaces._spaces["hr"].kb
    for name, topic, label in (("approvals", "Remote work", "staff"), ("deal", "Nordwind", "board")):
        await kb.add(Text(TABLE.format(topic), id=name, kind="markdown", metadata={"access": (label,)}))
    await kb.enrich("graph")


async def test_each_key_sees_what_its_documents_say(town: Town) -> None:
    await told(town)
    for holder, seen in (("mira", {"approvals", "deal", "merger"}), ("lara", {"approvals"})):
        async with town.client(holder) as client:
            for body in ({"names": ["head of unit"]}, {"documents": ["approvals", "deal"]}, {"names": ["Remote work"]}):
                graph = (await client.post(GRAPH, json={**body, "depth": 3})).json()
                documents = {one["document_id"] for link in graph["links"] for one in link["relations"]}
                assert documents <= seen
                assert ("Nordwind" in str(graph)) <= (holder == "mira")
            assert graph["entities"]


async def test_a_reply_has_spans_names_and_places(town: Town) -> None:
    await told(town)
    async with town.client("root") as client:
        graph = (
            await client.post(GRAPH, json={"names": ["Remote work"], "where": {"field": "x", "op": "exists"}})
        ).json()
        assert (graph["links"], graph["more"]) == ([], False)
        assert "'x'" in graph["notes"][0]
        graph = (await client.post(GRAPH, json={"names": ["Remote work"]})).json()
        (link,) = graph["links"]
        text = (await client.get("/v1/spaces/hr/text", params={"document_id": "approvals"})).json()["text"]
        start, end = link["relations"][0]["span"]
        assert text[start:end] == link["relations"][0]["quote"]
        assert {link["subject"], link["object"]} == {entity["key"] for entity in graph["entities"]}
        assert all(0 <= entity[axis] <= 1 for entity in graph["entities"] for axis in "xy")


@pytest.mark.parametrize(
    "wrong", [{"depth": 9}, {"fan": 0}, {"limit": 10**6}, {"direction": "up"}, {"names": [""]}, {"nmes": []}]
)
async def test_what_is_wrong_is_refused(town: Town, wrong: dict[str, object]) -> None:
    async with town.client("root") as client:
        assert (await client.post(GRAPH, json={"names": ["a"], **wrong})).status_code == 422


async def test_a_model_asks_the_graph_as_a_tool(town: Town) -> None:
    await told(town)
    async with listening(town) as address, http_client(town, address, "lara") as client:
        found = await client.call_tool("explore", {"names": ["Remote work"], "depth": 2, "space": "hr"})
        assert found.content[0].text.startswith("- Remote work · ")
        assert "“| Remote work | head of unit |”" in found.content[0].text
        hidden = await client.call_tool("explore", {"names": ["Nordwind", "deal"], "space": "hr"})
        assert hidden.content[0].text == "Nothing was found."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("web")) as opened:
        kb = opened.town.spaces._spaces["hr"].kb
        evil = f"Vera Quux founded {EVIL} Works. Vera Quux founded Quux Works. Quux Works (also Quuxies) sells Widgets."
        await kb.add(Text(evil, id="quux", title="Vera Quux", metadata={"access": ("staff",)}))
        await told(opened.town)
        yield opened


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="module")
async def test_a_document_shows_its_neighbourhood_and_leads_to_the_words(visit: Visit) -> None:
    async with visit.page("documents") as page:
        await page.locator("tbody tr:has-text('Vera Quux') .col-open button").click()
        card = page.locator("tr.details")
        await card.locator(".graph summary").click()
        await card.locator("svg .entity").first.wait_for()
        assert await card.locator(".relations li").count() >= 2
        assert await violations(page) == []
        await card.locator(".relations .cite").first.click()
        await page.locator("#source mark").first.wait_for()
        assert "Quux" in await page.locator("#source mark").first.inner_text()
        await page.keyboard.press("Escape")
        await card.locator(".relations button.link", has_text="Quux Works").first.click()
        await card.get_by_text("Around: Quux Works").wait_for()
        assert "Widgets" in await card.locator(".relations").inner_text()
        assert await page.evaluate("window.hacked") is None
        assert not await page.locator(".graph script, .graph img").count()


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="module")
async def test_a_document_shows_what_it_says_and_each_sentence_opens_its_words(visit: Visit) -> None:
    kb = visit.town.spaces._spaces["hr"].kb
    evil = f"# Rules {EVIL}\n\nThe gate opens at nine {EVIL} sharp. It closes at five. Dogs wait outside the gate."
    await kb.add(Text(evil, id="gate", title="Gate", kind="markdown", metadata={"access": ("staff",)}))
    await kb.enrich("summaries")
    async with visit.page("documents") as page:
        await page.locator("tbody tr:has-text('Gate') .col-open button").click()
        card = page.locator("tr.details")
        await card.locator("summary", has_text="Sections").click()
        await card.locator("p.said button").first.wait_for()
        assert await card.locator("p.said button").count() == 3
        assert await violations(page) == []
        assert await page.evaluate("window.hacked") is None
        await card.locator("p.said button", has_text="Dogs wait").click()
        await page.locator("#source mark").first.wait_for()
        assert (await page.locator("#source mark").inner_text()).strip() == "Dogs wait outside the gate."


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="module")
async def test_an_answer_shows_how_its_things_are_related(visit: Visit) -> None:
    async with visit.page(holder="anna", locale="de") as page:
        await ask(page, "What did Vera Quux found?")
        await page.locator(".graph summary").first.click()
        await page.locator(".graph svg .relation").first.wait_for()
        assert await page.locator(".graph summary").first.inner_text() == "Wie diese Dinge zusammenhängen"
        assert "zusammen genannt mit" in await page.locator(".graph .relations").first.inner_text()
        await page.locator(".graph svg .relation").first.click()
        await page.locator("#source mark").first.wait_for()
