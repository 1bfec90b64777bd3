"""Access labels: what a key has no label for is not there, on any route, in any stream, for any tool."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from rove.records import Text
from rove.retrieve import RETRIEVERS
from rove.store.question_log import QuestionLog
from serve.conftest import HOLDERS, PUBLIC, SECRET, Opener, Town, settled

ASK = {"question": "Who approves the merger with Nordwind?"}
SEEN_BY = {
    "root": {"policy", "merger", "urlaub"},
    "anna": {"policy", "merger", "urlaub"},
    "lara": {"policy"},
    "mira": {"policy", "merger"},
}
FILTERS = [
    None,
    {"field": "access", "op": "==", "value": "board"},
    {"or": [{"field": "access", "op": "==", "value": "board"}, {"not": {"field": "nothing", "op": "exists"}}]},
    {"not": {"field": "access", "op": "in", "value": ["staff"]}},
    {"field": "document_id", "op": "==", "value": "merger"},
    {"and": []},
    {"not": {"or": []}},
]


@pytest.mark.parametrize("holder", SEEN_BY)
async def test_each_key_sees_its_documents(town: Town, holder: str) -> None:
    async with town.client(holder) as client:
        listed = (await client.get("/v1/spaces/hr/documents")).json()["documents"]
        assert {document["document_id"] for document in listed} == SEEN_BY[holder]
        for document_id in ("policy", "merger", "urlaub"):
            for route in ("document", "text"):
                reply = await client.get(f"/v1/spaces/hr/{route}", params={"document_id": document_id})
                assert reply.status_code == (200 if document_id in SEEN_BY[holder] else 404)


async def test_what_is_hidden_and_what_is_not_there_are_answered_alike(town: Town) -> None:
    async with town.client("lara") as client:
        for method, route in (("GET", "document"), ("GET", "text"), ("DELETE", "document")):
            hidden, absent = [
                await client.request(method, f"/v1/spaces/hr/{route}", params={"document_id": document_id})
                for document_id in ("merger", "no-such-document")
            ]
            assert (hidden.status_code, hidden.text) == (404, absent.text)
    async with town.client("root") as client:
        assert (await client.get("/v1/spaces/hr/document", params={"document_id": "merger"})).status_code == 200


@pytest.mark.parametrize("where", FILTERS, ids=json.dumps)
@pytest.mark.parametrize("mode", RETRIEVERS.names())
async def test_no_search_shows_what_is_hidden(town: Town, where: object, mode: str) -> None:
    """Not by a filter that asks for it either: the key's own is around every other."""
    async with town.client("lara") as client:
        for rerank in (True, False):
            body = {**ASK, "where": where, "mode": mode, "rerank": rerank, "top_k": 100}
            reply = await client.post("/v1/spaces/hr/search", json=body)
            assert reply.status_code == 200
            assert {hit["document_id"] for hit in reply.json()["hits"]} <= {"policy"}
            assert "Nordwind" not in reply.text


async def test_a_question_that_was_kept_for_what_is_hidden_is_not_answered(town: Town) -> None:
    kb = town.spaces._spaces["hr"].kb
    await kb.keep_question(ASK["question"], "merger", (0, len(await kb.text("merger"))))
    for holder, seen in (("mira", True), ("lara", False)):
        async with town.client(holder) as client:
            found = await client.post("/v1/spaces/hr/search", json={**ASK, "mode": "questions"})
            answer = await client.post("/v1/spaces/hr/ask", json=ASK)
            assert [hit["question"] for hit in found.json()["hits"]] == [ASK["question"]] * seen
            assert ("November" in found.text) == ("November" in answer.text) == seen


async def test_themes_are_those_of_what_is_seen(town: Town) -> None:
    for holder, seen in (("mira", {"policy", "merger"}), ("lara", {"policy"})):
        async with town.client(holder) as client:
            themes = (await client.get("/v1/spaces/hr/themes")).json()
            assert {hit["document_id"] for theme in themes for hit in theme["hits"]} <= seen
            assert themes
            assert round(sum(theme["share"] for theme in themes), 6) == 1.0
            assert (await client.get("/v1/spaces/hr/themes?most=0")).status_code == 422


async def test_no_search_on_disk_shows_what_is_hidden(open_town: Opener) -> None:
    async with open_town(store={"index": "lancedb", "resident_chunks": 0}) as town:
        for holder, seen in (("mira", {"policy", "merger"}), ("lara", {"policy"})):
            async with town.client(holder) as client:
                for mode in ("keyword", "semantic", "hybrid"):
                    reply = await client.post("/v1/spaces/hr/search", json={**ASK, "mode": mode, "top_k": 100})
                    assert {hit["document_id"] for hit in reply.json()["hits"]} <= seen
                    assert ("November" in reply.text) == (holder == "mira")


async def test_no_answer_shows_what_is_hidden(town: Town) -> None:
    completion = {"model": "hr", "messages": [{"role": "user", "content": ASK["question"]}]}
    calls = [
        ("/v1/spaces/hr/ask", ASK),
        ("/v1/spaces/hr/ask", {**ASK, "stream": True}),
        ("/v1/chat/completions", completion),
        ("/v1/chat/completions", {**completion, "stream": True}),
    ]
    # One who may see it asks first, so that a cache between them would be noticed.
    for holder, seen in (("mira", True), ("lara", False)):
        async with town.client(holder) as client:
            for url, body in calls:
                reply = await client.post(url, json=body)
                assert reply.status_code == 200
                text = reply.text.replace(ASK["question"], "")
                assert ("November" in text) == seen, (holder, url, text)


async def test_tools_and_resources_show_nothing_hidden(town: Town) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    calls = [
        ("tools/call", {"name": "search", "arguments": {"question": "Nordwind merger", "top_k": 50}}),
        ("tools/call", {"name": "ask", "arguments": ASK}),
        ("tools/call", {"name": "walk", "arguments": ASK}),
        ("tools/call", {"name": "read_document", "arguments": {"document_id": "merger"}}),
        ("resources/list", {}),
        ("tools/call", {"name": "list_documents", "arguments": {}}),
        ("resources/read", {"uri": "rove://hr/document/merger"}),
        ("resources/read", {"uri": "rove://hr/document/merger?start=0&end=90"}),
    ]
    for holder, seen in (("mira", True), ("lara", False)):
        async with town.client(holder, **headers) as client:
            for method, params in calls:
                body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                reply = await client.post("/mcp", json=body)
                assert reply.status_code == 200, reply.text
                text = reply.text.replace(ASK["question"], "")
                assert (any(word in text for word in ("November", 'document/merger"', ": merger"))) == seen, (
                    method,
                    text,
                )


async def test_a_document_gets_labels_of_the_key_that_adds_it(town: Town) -> None:
    files = {"files": ("note.md", b"---\naccess: [board]\n---\n# Lunch\n\nLunch is at noon.")}
    async with town.client("lara") as lara, town.client("mira") as mira, town.client("root") as root:
        job = await settled(lara, "hr", await lara.post("/v1/spaces/hr/uploads", files=files))
        assert job["sources"][0]["state"] == "live"
        hits = (await lara.post("/v1/spaces/hr/search", json={"question": "When is lunch?"})).json()["hits"]
        assert hits[0]["metadata"]["access"] == ["staff"]
        for access in (["board"], ["staff", "board"], ["other"]):
            reply = await lara.post("/v1/spaces/hr/documents", json={"text": "x", "access": access})
            assert reply.status_code == 403
        metadata = {"text": "x", "metadata": {"access": "board"}}
        assert (await lara.post("/v1/spaces/hr/documents", json=metadata)).status_code == 400
        unnamed = await mira.post("/v1/spaces/hr/documents", json={"text": "x"})
        assert unnamed.status_code == 403
        assert "board, staff" in unnamed.json()["cure"]
        free = await settled(root, "hr", await root.post("/v1/spaces/hr/documents", json={"text": "For all eyes."}))
        assert free["sources"][0]["state"] == "live"
        listed = (await lara.get("/v1/spaces/hr/documents")).text
        assert "Lunch" in listed
        assert len(json.loads(listed)["documents"]) == 2  # what has no label is none of hers


async def test_members_of_an_archive_keep_its_labels(town: Town) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.md", "---\naccess: staff\n---\n# Zebra\n\nThe zebra is striped.")
        archive.writestr("b.txt", "The zebra sleeps.")
    async with town.client("root") as root, town.client("lara") as lara:
        files = [("files", ("zoo.zip", packed.getvalue()))]
        job = await root.post("/v1/spaces/hr/uploads", files=files, data={"access": ["board"]})
        assert (await settled(root, "hr", job))["sources"][0]["documents"] == 2
        found = await lara.post("/v1/spaces/hr/search", json={"question": "zebra", "top_k": 50})
        assert "zebra" not in found.text.lower()


async def test_nobody_replaces_what_they_may_not_see(town: Town) -> None:
    """The same name under other labels is another document; so is a text of the same name."""
    async with town.client("root") as root, town.client("lara") as lara:
        for client, access, text in ((root, ["board"], b"Board bonus."), (lara, [], b"Staff bonus.")):
            data = {"access": access} if access else {}
            files = [("files", ("bonus.txt", text))]
            await settled(client, "hr", await client.post("/v1/spaces/hr/uploads", files=files, data=data))
            body = {"text": text.decode() + " As text.", "name": "bonus", "access": access}
            await settled(client, "hr", await client.post("/v1/spaces/hr/documents", json=body))
        exported = (await root.get("/v1/spaces/hr/export")).text
        assert all(words in exported for words in ("Board bonus.", "Staff bonus.", "Board bonus. As text."))


async def test_a_label_that_is_taken_away_is_gone_at_once(town: Town) -> None:
    async with town.client("root") as root, town.client("lara") as lara:
        found = {"question": "What do otters eat?"}
        for access, seen in ((["staff"], True), (["board"], False)):
            texts = {"text": "Otters eat fish.", "name": f"otter-{seen}", "access": access}
            await settled(root, "hr", await root.post("/v1/spaces/hr/documents", json=texts))
            answer = await lara.post("/v1/spaces/hr/search", json={**found, "top_k": 50})
            names = {hit["title"] for hit in answer.json()["hits"]}
            assert "otter-False" not in names
        kb = town.spaces._spaces["hr"].kb
        ids = [info.document_id for info in await kb.documents() if info.title == "otter-True"]
        await kb.delete(*ids)
        assert "Otters" not in (await lara.post("/v1/spaces/hr/search", json=found)).text


MADE_OVER = {"spelling": True, "reform": "first", "clarify": True, "log": True, "usual_wording": True}


@pytest.mark.parametrize(("holder", "titles"), [("lara", {"Policy"}), ("mira", {"Policy", "Nordwind"})])
async def test_nobody_is_asked_back_by_hidden_titles(open_town: Opener, holder: str, titles: set[str]) -> None:
    async with open_town(question=MADE_OVER) as town, town.client(holder) as client:
        answer = (await client.post("/v1/spaces/hr/ask", json={"question": "What about it?"})).json()
        assert answer["mode"] == "clarifying"
        offered = {line.removeprefix("- ") for line in answer["text"].splitlines() if line.startswith("- ")}
        assert offered == titles


@pytest.mark.parametrize("resident_chunks", [0, 1_000])
async def test_typos_are_mended_by_what_the_key_sees(open_town: Opener, resident_chunks: int) -> None:
    """By a word of a document that it sees they are; a word that only a hidden document has is as unknown as any."""
    store = {"index": "lancedb", "resident_chunks": resident_chunks}
    async with open_town(question=MADE_OVER, store=store) as town:
        for holder, seen in (("mira", True), ("lara", False), ("anna", True)):
            view = town.spaces.view("hr", town.caller(holder))
            understood = [await view.kb.understand(text, where=view.where()) for text in ("Nordwnd?", "Nordwint?")]
            assert [one.standalone for one in understood] == (["Nordwind?"] * 2 if seen else ["Nordwnd?", "Nordwint?"])
            mended = await view.kb.understand("When is remote work aproved?", where=view.where())
            assert mended.standalone == "When is remote work approved?"


async def test_a_word_that_only_hidden_documents_have_is_a_typo(open_town: Opener) -> None:
    """Else that it is left alone would tell that it is there."""
    async with open_town(question=MADE_OVER, filled=False) as town:
        kb = town.spaces._spaces["hr"].kb
        labelled = (("Marble stairs.", "staff"), ("Marbel stairs.", "board"))
        await kb.add(*(Text(text, id=access, metadata={"access": access}) for text, access in labelled))
        for holder, standalone in (("lara", "marble stairs"), ("mira", "marbel stairs")):
            view = town.spaces.view("hr", town.caller(holder))
            assert (await view.kb.understand("marbel stairs", where=view.where())).standalone == standalone


@pytest.mark.parametrize("labels", [True, False])
async def test_what_others_have_asked_is_in_no_question(open_town: Opener, labels: bool) -> None:
    """Where keys have labels; though a log was kept before they had."""
    holders = HOLDERS if labels else {"root": HOLDERS["root"]}
    async with open_town(question=MADE_OVER, holders=holders) as town:
        kb = town.spaces._spaces["hr"].kb
        log = QuestionLog(kb.store.catalog.database)
        for _ in range(5):
            log.note("Who approves the Nordwind?", "en")
        understood = await kb.understand("who approves the the Nordwind")
        assert ("usual wording" in [step.name for step in understood.steps]) == (not labels)
        async with town.client("lara" if labels else "root") as client:
            await client.post("/v1/spaces/hr/ask", json={"question": "Who approves remote work?"})
        kept = {one.text for one in log.frequent(most=9)}
        assert kept == {"Who approves the Nordwind?", *(() if labels else ("Who approves remote work?",))}


async def test_jobs_are_their_makers(town: Town) -> None:
    async with town.client("anna") as anna, town.client("lara") as lara, town.client("root") as root:
        job = (await anna.post("/v1/spaces/hr/documents", json={"text": "Anna's."})).json()["job_id"]
        for route in (f"/v1/spaces/hr/jobs/{job}", f"/v1/spaces/hr/jobs/{job}/events"):
            assert (await lara.get(route)).status_code == 404
            assert (await root.get(route)).status_code == 200
        assert (await root.get(f"/v1/spaces/it/jobs/{job}")).status_code == 404


async def test_the_field_of_the_labels_is_a_setting(open_town: Opener) -> None:
    async with open_town(serve={"access_field": "topic"}) as town, town.client("lara") as client:
        assert (await client.get("/v1/spaces/hr/documents")).json()["documents"] == []


def test_the_samples_differ() -> None:
    assert "November" in SECRET
    assert "November" not in PUBLIC
