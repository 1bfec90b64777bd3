"""Expert review over HTTP: who only reads decides nothing, and nobody is shown or decides about what is hidden."""

from __future__ import annotations

import httpx

from rove.records import Text
from serve.conftest import HOLDERS, Opener, Town

REVIEWS = "/v1/spaces/hr/reviews"
TEXTS = [
    Text("Marie Curie was born in Warsaw.", id="curie", title="Notes", metadata={"access": ("staff",)}),
    Text("Carl Benz gründete die Benz AG.", id="benz", title="Notizen", metadata={"access": ("board",)}),
    Text("《呐喊》收录《狂人日记》。", id="luxun", title="Notes", metadata={"access": ("staff",)}),
]
READER = {"rita": {"spaces": ("hr",), "rights": ("read",)}, "adam": {"spaces": ("hr",), "rights": ("add",)}}


async def filled(town: Town) -> None:
    kb = town.spaces.view("hr", town.caller("root")).kb
    await kb.add(*TEXTS)
    await kb.enrich("graph")


async def queue(client: httpx.AsyncClient) -> dict[str, dict]:
    reply = await client.get(f"{REVIEWS}/queue", params={"kind": "triplet"})
    assert reply.status_code == 200, reply.text
    return {one["document_id"]: one for one in reply.json()}


async def decide(client: httpx.AsyncClient, item_id: str, verdict: str, *edit: str) -> int:
    reply = await client.post(REVIEWS, json={"item_id": item_id, "verdict": verdict, "edit": list(edit)})
    return reply.status_code


async def test_a_reviewer_sees_and_decides_what_its_labels_let_it_see(open_town: Opener) -> None:
    async with open_town(holders={**HOLDERS, **READER}) as town:
        await filled(town)
        async with town.client("lara") as lara, town.client("root") as root:
            assert set(await queue(lara)) == {"curie", "luxun"}
            every = await queue(root)
            assert set(every) >= {"curie", "luxun", "benz"}
            hidden = every["benz"]["item_id"]
            assert await decide(lara, hidden, "reject") == 404
            assert await decide(lara, hidden.replace("@benz", "@no-such"), "reject") == 404
            assert await decide(root, hidden, "edit", "Bertha Benz", "gründete", "Benz AG") == 204
            assert await decide(lara, every["curie"]["item_id"], "reject") == 204
            graph = (await root.post("/v1/spaces/hr/graph", json={"names": ["Marie Curie"]})).json()
            assert graph["entities"] == []
            told = (await lara.get(REVIEWS)).json()
            assert [(one["by"], one["verdict"]) for one in told["decisions"]] == [("lara", "reject")]
            assert "Benz" not in (await lara.get(REVIEWS)).text
            (page,) = (await root.get(REVIEWS, params={"limit": 1})).json()["decisions"]
            assert (page["by"], page["edit"]) == ("root", ["Bertha Benz", "gründete", "Benz AG"])
            assert await decide(root, every["curie"]["item_id"], "reject") == 204
            agreement = (await root.get(REVIEWS)).json()["agreement"]
            assert (agreement["annotators"], agreement["items"], agreement["pairs"]) == (2, 1, 1.0)


async def test_who_only_reads_or_only_adds_decides_nothing(open_town: Opener) -> None:
    async with open_town(holders={**HOLDERS, **READER}) as town:
        await filled(town)
        async with town.client("rita") as rita, town.client("adam") as adam:
            item_id = (await queue(rita))["curie"]["item_id"]
            assert await decide(rita, item_id, "reject") == 403
            assert await decide(adam, item_id, "reject") == 403
            assert (await adam.get(f"{REVIEWS}/queue")).status_code == 403
            assert (await rita.get(REVIEWS)).json()["decisions"] == []


async def test_a_decision_that_is_none_says_why(open_town: Opener) -> None:
    async with open_town() as town:
        await filled(town)
        async with town.client("root") as root:
            item_id = (await queue(root))["curie"]["item_id"]
            assert await decide(root, item_id, "edit", "Curie") == 400
            assert await decide(root, item_id, "reject", "a", "b", "c") == 400
            assert await decide(root, item_id, "praise") == 422
            assert await decide(root, "triplet-0@curie", "accept") == 400
            assert await decide(root, "curie", "accept") == 404
            assert (await root.get(REVIEWS)).json()["decisions"] == []
