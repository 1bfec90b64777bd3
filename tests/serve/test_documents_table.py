"""The table of documents over HTTP: sorted, filtered and paged; tags that stay; many erased; chunks and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from load.samples_pages import pdf_pages, printed
from rove.engine import AsyncRove
from rove.records import Text, field
from rove.store.set_fields import SetFields
from serve.conftest import PUBLIC, SECRET, Town, settled

HR = "/v1/spaces/hr"
PLAN = pdf_pages([[printed(70, 300, "The budget for wolves is in June.")]])


async def table(client: httpx.AsyncClient, **asked: Any) -> dict[str, Any]:
    reply = await client.get(f"{HR}/documents", params=asked)
    assert reply.status_code == 200, reply.text
    return reply.json()


def ids(listed: dict[str, Any]) -> list[str]:
    return [one["document_id"] for one in listed["documents"]]


async def upload(client: httpx.AsyncClient, **files: bytes) -> dict[str, Any]:
    given = [("files", (name, data)) for name, data in files.items()]
    return await settled(client, "hr", await client.post(f"{HR}/uploads", files=given))


async def test_it_is_sorted_filtered_and_paged(town: Town) -> None:
    async with town.client("root") as root:
        assert ids(await table(root)) == ["policy", "merger", "urlaub"]
        assert ids(await table(root, descending=True)) == ["urlaub", "merger", "policy"]
        assert ids(await table(root, sort="title")) == ["merger", "policy", "urlaub"]
        assert ids(await table(root, words="NORDW")) == ["merger"]
        assert ids(await table(root, type="markdown")) == []
        first = await table(root, sort="title", limit=2)
        assert (ids(first), first["total"], first["next_cursor"]) == (["merger", "policy"], 3, 2)
        rest = await table(root, sort="title", limit=2, cursor=2)
        assert (ids(rest), rest["next_cursor"]) == (["urlaub"], None)
        assert (await root.get(f"{HR}/documents", params={"sort": "colour"})).status_code == 422
        assert (await root.get(f"{HR}/documents", params={"sorted": "title"})).status_code == 422


async def test_what_labels_hide_is_not_counted(town: Town) -> None:
    async with town.client("lara") as lara:
        found = await table(lara, facets=True)
        assert (ids(found), found["total"], found["facets"]["types"]) == (["policy"], 1, {"text": 1})
        many = {"document_ids": ["merger", "urlaub"]}
        assert (await lara.post(f"{HR}/documents/tags", json={**many, "add": ["x"]})).json() == {"documents": 0}
        assert (await lara.post(f"{HR}/documents/delete", json=many)).json() == {"documents": 0}
        for route in ("chunks", "download"):
            hidden = await lara.get(f"{HR}/{route}", params={"document_id": "merger"})
            nowhere = await lara.get(f"{HR}/{route}", params={"document_id": "nowhere"})
            assert (hidden.status_code, hidden.text) == (404, nowhere.text)
        assert (await lara.post(f"{HR}/reindex", json={"document_ids": ["merger"]})).status_code == 400
    async with town.client("root") as root:
        assert (await table(root))["total"] == 3


async def test_folders_are_those_that_were_dropped_or_lie_beneath_the_first(town: Town, tmp_path: Path) -> None:
    """The server's own folders are not named: words do not find them either."""
    for name in ("east/one.md", "east/deep/two.md", "three.md"):
        file = tmp_path / "rivers" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {file.stem}\n\nIt flows {name}.", "utf-8")
    await town.spaces._spaces["hr"].kb.add(tmp_path / "rivers")
    async with town.client("root") as root:
        await upload(root, **{"lakes › north › four.md": b"# four\n\nIt is deep."})
        found = await table(root, facets=True)
        folders = {one["title"]: one["folder"] for one in found["documents"] if not one["title"][0].isupper()}
        assert folders == {"one": "east", "two": "east/deep", "three": "", "four": "lakes/north"}
        assert found["facets"]["folders"] == {"east": 2, "east/deep": 1, "lakes": 1, "lakes/north": 1}
        assert len(ids(await table(root, folder="east"))) == 2
        assert len(ids(await table(root, folder="eas"))) == 0
        assert len(ids(await table(root, words=tmp_path.name))) == 0
        assert str(tmp_path) not in str(found)


async def test_tags_are_found_at_once_and_stay_when_the_file_changes(town: Town) -> None:
    async with town.client("root") as root:
        await upload(root, **{"a.md": b"---\ntags: [old, green]\n---\n# Herons\n\nHerons stand still."})
        (heron,) = ids(await table(root, words="heron"))
        put = {"document_ids": [heron, "policy"], "add": [" urgent ", "law"], "remove": ["old"]}
        assert (await root.post(f"{HR}/documents/tags", json=put)).json() == {"documents": 2}
        assert (await root.post(f"{HR}/documents/tags", json=put)).json() == {"documents": 0}
        found = await table(root, tag="urgent", facets=True)
        assert [one["tags"] for one in found["documents"]] == [["urgent", "law"], ["green", "urgent", "law"]]
        assert found["facets"]["tags"] == {"green": 1, "law": 2, "urgent": 2}
        where = {"question": "Who stands still?", "where": {"field": "tags", "op": "==", "value": "law"}}
        hits = (await root.post(f"{HR}/search", json=where)).json()["hits"]
        assert {hit["document_id"] for hit in hits} == {heron, "policy"}
        await upload(root, **{"a.md": b"---\ntags: [old]\n---\n# Herons\n\nHerons walk slowly."})
        (line,) = (await table(root, words="heron"))["documents"]
        assert (line["document_id"], line["tags"]) == (heron, ["green", "urgent", "law"])
        hits = (await root.post(f"{HR}/search", json={**where, "question": "walk slowly"})).json()["hits"]
        assert "walk slowly" in next(hit["text"] for hit in hits if hit["document_id"] == heron)
        away = {"document_ids": [heron], "remove": ["green", "urgent", "law"]}
        assert (await root.post(f"{HR}/documents/tags", json=away)).json() == {"documents": 1}
        assert ids(await table(root, tag="law")) == ["policy"]
        assert (await root.post(f"{HR}/doctor")).json()["problems"] == []
        await root.post(f"{HR}/documents/delete", json={"document_ids": ["policy"]})
    await town.spaces._spaces["hr"].kb.add(Text(PUBLIC, id="policy", title="Policy"))
    async with town.client("root") as root:
        (line,) = (await table(root, words="policy"))["documents"]
        assert line["tags"] == []


async def test_an_index_of_its_own_is_told_of_tags(tmp_path: Path) -> None:
    """LanceDB keeps fields beside its vectors: a version that comes later has the tags there too."""
    async with AsyncRove.open(tmp_path / "lance", embedder={"name": "fake"}, store={"index": "lancedb"}) as kb:
        await kb.add(Text("Herons stand still.", id="a"), Text("Storks clatter.", id="b"))
        fields = SetFields(kb.store.catalog.database)
        assert await kb.store.enrich(lambda: fields.tagged(["a"], ["birds"], [])) == 1
        await kb.add(Text("Herons walk slowly.", id="a"))
        found = await kb.search("herons", where=field("tags") == "birds", mode="semantic")
        assert [hit.chunk.text for hit in found] == ["Herons walk slowly."]
        lines = [line async for line in kb.export()]
    async with AsyncRove.open(tmp_path / "other", embedder={"name": "fake"}, store={"index": "memory"}) as kb:
        await kb.import_(lines)
        await kb.add(Text("Herons fly.", id="a"))
        (info,) = await kb.named("a")
        assert info.metadata == {"tags": ("birds",)}


async def test_many_are_erased_at_once(town: Town) -> None:
    async with town.client("anna") as anna:
        many = {"document_ids": ["policy", "merger", "nowhere"]}
        assert (await anna.post(f"{HR}/documents/delete", json=many)).json() == {"documents": 2}
        assert ids(await table(anna)) == ["urlaub"]
        hits = (await anna.post(f"{HR}/search", json={"question": SECRET})).json()["hits"]
        assert {hit["document_id"] for hit in hits} <= {"urlaub"}
        assert (await anna.post(f"{HR}/documents/delete", json={"document_ids": []})).status_code == 422


async def test_chunks_are_seen_in_order(town: Town) -> None:
    text = "\n\n".join(f"# Part {n}\n\n{'It rains in spring. ' * 40}" for n in range(8))
    await town.spaces._spaces["hr"].kb.add(Text(text, id="long", title="Weather", kind="markdown"))
    async with town.client("root") as root:
        whole = (await root.get(f"{HR}/text", params={"document_id": "long"})).json()["text"]
        got: list[dict[str, Any]] = []
        cursor: int | None = 0
        while cursor is not None:
            page = (await root.get(f"{HR}/chunks", params={"document_id": "long", "cursor": cursor, "limit": 3})).json()
            got += page["chunks"]
            cursor = page["next_cursor"]
        assert len(got) == page["total"] > 3
        assert [one["position"] for one in got] == sorted(one["position"] for one in got)
        assert all(whole[slice(*one["span"])] == one["text"] for one in got)
        assert got[-1]["headings"] == ["Part 7"]
        assert all("Weather" in one["prefix"] for one in got)


async def test_the_file_or_the_text_is_downloaded(town: Town) -> None:
    async with town.client("root") as root:
        await upload(root, **{"plän.pdf": PLAN, "note.md": b"# Note\n\nIt is short."})
        (plan,) = ids(await table(root, words="plän"))
        reply = await root.get(f"{HR}/download", params={"document_id": plan})
        assert reply.content == PLAN
        assert "attachment" in reply.headers["content-disposition"]
        assert reply.headers["x-content-type-options"] == "nosniff"
        text = await root.get(f"{HR}/download", params={"document_id": plan, "what": "text"})
        assert "budget for wolves" in text.text
        assert "pl%C3%A4n.md" in text.headers["content-disposition"]
        (note,) = ids(await table(root, words="note"))
        assert (await root.get(f"{HR}/download", params={"document_id": note})).status_code == 404


async def test_the_labels_are_not_tags(open_town: Any) -> None:
    async with open_town(serve={"access_field": "tags"}) as town, town.client("root") as root:
        put = {"document_ids": ["urlaub"], "add": ["board"]}
        reply = await root.post(f"{HR}/documents/tags", json=put)
        assert reply.status_code == 400
        assert "access labels of this base" in reply.json()["detail"]


@pytest.mark.parametrize("wrong", [{"add": [" "]}, {"add": ["x" * 65]}, {"document_ids": []}, {"tags": ["x"]}])
async def test_a_tag_has_some_letters(town: Town, wrong: dict[str, Any]) -> None:
    async with town.client("root") as root:
        reply = await root.post(f"{HR}/documents/tags", json={"document_ids": ["urlaub"], **wrong})
        assert reply.status_code == 422
