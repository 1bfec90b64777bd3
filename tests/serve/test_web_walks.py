"""Forking walks in the page: from a round, a fact or a lead; a fork rests at first, and the list shows families."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rove.records import Text
from serve.browser import Visit, held, violations, walked

pytestmark = pytest.mark.asyncio(loop_scope="module")
QUESTION = "Who approves the merger with Nordwind, and who approves remote work?"
GUIDE = Text("The canteen opens at noon. For guests see § 4 and the Form handbook, section 7.", id="g", title="Canteen")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("web")) as made:
        await made.town.spaces._spaces["hr"].kb.add(GUIDE)
        yield made


async def told(visit: Visit, walk_id: str) -> list[tuple[str, str]]:
    """The events of a walk, each with its data as text."""
    async with visit.town.client("root") as client:
        events = (await client.get(f"/v1/spaces/hr/walks/{walk_id}")).json()["events"]
    return [(event["event"], json.dumps(event["data"])) for event in events]


async def test_a_round_is_forked_by_keyboard_changed_and_let_go_on(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        first = await walked(page, QUESTION)
        button = page.get_by_role("button", name="Fork from here: Round 1")
        await button.focus()
        await page.keyboard.press("Enter")
        await page.wait_for_function("id => !location.hash.endsWith(id)", arg=first)
        note = page.locator(".origin")
        await note.wait_for()
        assert "Forked from another walk at round 1." in await note.inner_text()
        assert "Change what you like" in await note.inner_text()
        assert await page.locator("[role=status] .origin").count() == 1
        second = page.url.rpartition("/")[2]
        before, after = await told(visit, first), await told(visit, second)
        at = max(place for place, (name, data) in enumerate(before) if name == "Judged" and '"round": 1' in data)
        assert after[1:] == before[1 : at + 1]  # the same way, to the end of the round, and not gone on by itself
        assert await page.locator("details.edit[open]").count() == 1
        await page.fill(".edit textarea >> nth=0", "Who approves remote work?")
        await page.click(".edit >> text=Apply >> nth=0")
        await page.locator("h1", has_text="Who approves remote work?").wait_for()
        assert await page.locator(".card.end").count() == 0
        await page.click(".controls >> text=Go on")
        await page.wait_for_selector(".card.end")
        assert await told(visit, first) == before
        await page.click(".origin a")
        await page.locator("h1", has_text="Nordwind").wait_for()
        await page.wait_for_selector(".card.end")
        assert await page.locator(".origin").count() == 0
        assert visit.errors == []


async def test_a_walk_that_has_ended_goes_further_at_the_press_of_a_button(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        first = await walked(page, QUESTION)
        rounds = await page.locator(".round").count()
        before = await told(visit, first)
        await page.click(".controls >> text=Go further")
        await page.locator(".round").nth(rounds).wait_for()
        await page.wait_for_selector(".card.end")
        after = [name for name, _ in (await told(visit, first))[len(before) :]]
        assert "Edited" in after[:2]
        assert after[-1] == "Answered"
        assert "RoundStarted" in after
        assert "Follows the question itself" in await page.locator(".round").nth(rounds).inner_text()
        assert visit.errors == []


async def test_a_button_that_is_held_down_is_not_drawn_anew(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        await walked(page, QUESTION)
        await page.click(".controls [data-key=replay]")
        button = page.locator(".controls [data-key=show-all]")
        box = await button.bounding_box()  # where it is drawn anew with each step
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        await page.mouse.move(x, y)
        await page.mouse.down()
        held = await page.evaluate_handle("([x, y]) => document.elementFromPoint(x, y).closest('button')", [x, y])
        await page.wait_for_timeout(600)  # two more steps
        assert await held.evaluate("button => button.isConnected && button.dataset.key") == "show-all"
        await page.mouse.up()
        await page.wait_for_selector(".card.end")
        assert await button.count() == 0
        assert visit.errors == []


async def test_a_fact_and_a_lead_are_forked_where_they_stand(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        first = await walked(page, "When does the canteen open, and what is there for guests?")
        before = await told(visit, first)
        for kind, name in (("fact", "FactFound"), ("lead", "LeadFound")):
            await visit.go(page, f"walk/{first}")
            await page.wait_for_selector(".card.end")
            button = page.locator(f".{kind} .fork").last
            label = await button.get_attribute("aria-label")
            await button.click()
            await page.wait_for_selector(".origin")
            after = await told(visit, page.url.rpartition("/")[2])
            assert after[1:] == before[1 : len(after)]
            assert after[-1][0] == name
            assert label == f"Fork from here: {json.loads(after[-1][1])[kind]['text']}"
            assert await page.locator(".card.end").count() == 0


async def test_a_walk_heard_live_counts_its_events_as_the_server_does(visit: Visit) -> None:
    """The numbers that a page counts while it listens are those that the walk told again has."""
    async with visit.page("walk/new") as page:
        first = await walked(page, QUESTION)
        keys = "[...document.querySelectorAll('.fork')].map((one) => one.dataset.key)"
        live = await page.evaluate(keys)
        await visit.go(page, "walk")
        await visit.go(page, f"walk/{first}")
        await page.wait_for_selector(".card.end")
        assert live == await page.evaluate(keys) != []


async def test_what_a_model_is_still_writing_is_no_event(visit: Visit) -> None:
    async with visit.page("walk/new") as page:
        places = await page.evaluate("""async () => {
          const { begun, fold } = await import("/web/walk_state.js");
          const state = begun();
          fold(state, "WalkStarted", { walk_id: "b", forked_from: "a:2", budget: {} });
          fold(state, "RoundStarted", { round: 1, lead_ids: [""] });
          for (const text of ["x", "xy"]) fold(state, "FactDelta", { place: 0, fields: { text } });
          fold(state, "FactFound", { fact: { fact_id: "f", round: 1 } });
          fold(state, "Judged", { round: 1 });
          fold(state, "Used", { spent: {} });
          return [state.facts.get("f").at, state.rounds[0].at, state.at, state.forked];
        }""")
    assert places == [3, 4, 5, {"walkId": "a", "at": 2, "round": 1}]


async def test_the_list_shows_families(visit: Visit) -> None:
    async with visit.page("walk/new") as page, visit.town.client("root") as client:
        for walk in (await client.get("/v1/spaces/hr/walks")).json()["walks"]:
            await client.delete(f"/v1/spaces/hr/walks/{walk['walk_id']}")
        await visit.go(page, "walk/new")
        alone = await walked(page, QUESTION)
        await visit.go(page, "walk/new")
        first = await walked(page, QUESTION)
        forked = (await client.post(f"/v1/spaces/hr/walks/{first}/fork", json={"at": 2})).json()["walk_id"]
        again = (await client.post(f"/v1/spaces/hr/walks/{forked}/fork", json={})).json()["walk_id"]
        await visit.go(page, "walk")
        await page.wait_for_selector(".family .family .card")
        tree = """() => {
          const forks = (item) => [...item.querySelectorAll(":scope > ul > li")];
          const one = (item) => [item.querySelector("a").hash.slice(7), forks(item).map(one)];
          return [...document.querySelectorAll("main .list:not(.family) > li")].map(one);
        }"""
        assert await page.evaluate(tree) == [[first, [[forked, [[again, []]]]]], [alone, []]]
        assert await violations(page) == []
        await (
            page.get_by_role("button", name="Forget").nth(0).click()
        )  # what it was forked from is gone: it stands alone
        await page.wait_for_function("id => !document.querySelector(`a[href$='${id}']`)", arg=first)
        assert await page.evaluate(tree) == [[forked, [[again, []]]], [alone, []]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_fork_fits_a_phone_and_axe_finds_nothing(visit: Visit, scheme: str) -> None:
    async with visit.page("walk/new", color_scheme=scheme, viewport={"width": 390, "height": 800}) as page:
        await walked(page, QUESTION)
        await page.get_by_role("button", name="Fork from here: Round 1").click()
        await page.wait_for_selector(".origin")
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
        assert await violations(page) == []
