"""Conversations over HTTP: kept for their owner alone, asked in turn by turn, judged, exported, and erased."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from markdown_viewers import acts
from rove.evaluate.feedback import feedback_of
from rove.records import Text
from rove.serve.conversations.exported import exported
from rove.serve.conversations.schema import WITHHELD, ConversationTold
from rove.store.conversation_log import ASKED, MOST_TURNS, ConversationLog
from serve.conftest import PUBLIC, SECRET, Opener, Town, hold, in_a_task, listening, serving

HR = "/v1/spaces/hr/conversations"
QUESTION = "Who approves remote work?"


async def begun(client: httpx.AsyncClient, **given: str) -> str:
    reply = await client.post(HR, json=given)
    assert reply.status_code == 201, reply.text
    return f"{HR}/{reply.json()['conversation_id']}"


async def asked(client: httpx.AsyncClient, at: str, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    reply = await client.post(f"{at}/turns", json={"question": question, **more})
    assert reply.status_code == 200, reply.text
    return reply.json()


async def entries(client: httpx.AsyncClient, at: str) -> list[dict[str, Any]]:
    reply = await client.get(at)
    assert reply.status_code == 200, reply.text
    return reply.json()["entries"]


async def comes(client: httpx.AsyncClient, at: str, state: str, number: int = 1) -> None:
    """Wait until a turn is there, and in a state that is this one, or not ("!asked")."""
    while True:
        found = [one["state"] for one in await entries(client, at) if one["number"] == number]
        if found and (found[0] != state[1:] if state.startswith("!") else found[0] == state):
            return
        await asyncio.sleep(0.01)


def told(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream."""
    found = re.findall(r"event: (\w+)\ndata: (.*)\n", text)
    return [(name, json.loads(data)) for name, data in found]


async def test_it_stays_and_is_listed_searched_renamed_deleted(town: Town) -> None:
    async with town.client("anna") as client:
        first, second = await begun(client), await begun(client, title="  Leave\n of absence ")
        entry = await asked(client, first)
        assert (entry["number"], entry["state"], entry["way"], entry["note"]) == (1, "done", "answer", "")
        assert PUBLIC in entry["answer"]["text"]
        assert (await entries(client, first)) == [entry], "what is read again is what was answered"
        listed = (await client.get(HR)).json()
        assert [(one["title"], one["turns"]) for one in listed["conversations"]] == [
            (QUESTION, 1),
            ("Leave of absence", 0),
        ]
        assert listed["next_cursor"] is None
        assert listed["conversations"][0]["created_at"] <= listed["conversations"][0]["updated_at"]
        page = (await client.get(HR, params={"limit": 1})).json()
        rest = (await client.get(HR, params={"limit": 1, "cursor": page["next_cursor"]})).json()
        assert [one["title"] for one in (*page["conversations"], *rest["conversations"])] == [
            QUESTION,
            "Leave of absence",
        ]
        for query, found in (("REMOTE approves", 1), ("absence", 1), ("head of unit", 0), ("!", 2)):
            titles = (await client.get(HR, params={"query": query})).json()["conversations"]
            assert len(titles) == found, (query, titles)
        renamed = await client.post(first, json={"title": "Home office"})
        assert renamed.json()["title"] == "Home office"
        await asked(client, first, "And since when?")
        assert (await client.get(first)).json()["title"] == "Home office"
        assert (await client.post(first, json={"title": ""})).json()["title"] == QUESTION
        assert (await client.delete(first)).status_code == 204
        assert (await client.get(first)).status_code == 404
        assert (await client.delete(second)).status_code == 204
        assert (await client.get(HR)).json()["conversations"] == []


async def test_nobody_else_sees_it(town: Town) -> None:
    """Not an administrator either; and what is another's is answered as what is not there."""
    async with town.client("anna") as anna:
        at = await begun(anna, title="Mine")
        await asked(anna, at)
        for holder in ("root", "lara", "mira"):
            async with town.client(holder) as other:
                nowhere = f"{HR}/{'0' * 16}"
                for method, path, body in (
                    ("GET", "", None),
                    ("POST", "", {"title": "Yours"}),
                    ("DELETE", "", None),
                    ("POST", "/turns", {"question": "Who?"}),
                    ("POST", "/turns/1/feedback", {"judgement": "up"}),
                    ("GET", "/export", None),
                ):
                    theirs = await other.request(method, at + path, json=body)
                    none = await other.request(method, nowhere + path, json=body)
                    assert theirs.status_code == 404, (holder, method, path)
                    assert theirs.text == none.text
                assert (await other.get(HR)).json()["conversations"] == []
                assert (await other.get(HR, params={"query": "mine"})).json()["conversations"] == []
        assert len(await entries(anna, at)) == 1


async def test_a_search_and_a_walk_are_turns_too(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        where = {"field": "topic", "op": "==", "value": "work"}
        searched = await asked(client, at, "remote work", way="search", top_k=1, where=where)
        assert searched["answer"] is None
        assert [hit["document_id"] for hit in searched["hits"]] == ["policy"]
        assert searched["where"] == where
        walked = await asked(client, at, QUESTION, way="walk", budget={"rounds": 1})
        assert (walked["state"], walked["answer"]) == ("done", None)
        walk = f"/v1/spaces/hr/walks/{walked['walk_id']}"
        begun_walk = (await client.get(walk)).json()["events"]
        assert [one["event"] for one in begun_walk] == ["WalkStarted"]
        assert begun_walk[0]["data"]["question"] == QUESTION
        events = (await client.get(f"{walk}/events")).text
        assert "event: Answered" in events
        assert [one["number"] for one in await entries(client, at)] == [1, 2]
        follow_up = await asked(client, at, "And within how many days?")
        assert PUBLIC in follow_up["answer"]["text"], "the walk's question is a turn like others"


async def test_a_search_is_asked_again_as_it_was(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        await asked(client, at, "remote work", way="search", mode="keyword", top_k=1)
        await asked(client, at, mode="keyword", top_k=1)
        first, second = await entries(client, at)
        assert (first["mode"], first["top_k"], len(first["hits"])) == ("keyword", 1, 1)
        assert (second["mode"], second["top_k"]) == ("", None), "it is a search alone that has them"
        again = {name: first[name] for name in ("question", "way", "mode", "top_k")}
        assert (await asked(client, at, **again, after=0))["hits"] == first["hits"]
        log = ConversationLog(town.spaces._spaces["hr"].kb.store.catalog.database)
        (turn,) = log.turns(at[-16:])
        log.rewrite(at[-16:], {turn.run: turn.reply.replace(',"mode":"keyword","top_k":1', "")})
        (older,) = await entries(client, at)
        assert (older["mode"], older["top_k"], older["hits"]) == ("", None, first["hits"]), "one of an earlier version"


async def test_streamed(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        reply = await client.post(f"{at}/turns", json={"question": QUESTION, "stream": True})
        assert reply.headers["content-type"].startswith("text/event-stream")
        names = [name for name, _ in told(reply.text)]
        assert names[-1] == "entry" and set(names[:-1]) <= {"delta"}
        assert [told(reply.text)[-1][1]] == await entries(client, at)
        by_header = await client.post(
            f"{at}/turns", json={"question": QUESTION}, headers={"accept": "text/event-stream"}
        )
        assert told(by_header.text)[-1][1]["number"] == 2


async def test_edit_and_ask_again(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        for question in (QUESTION, "And since when?", "And why?"):
            await asked(client, at, question)
        again = await asked(client, at, "And within how many days?", after=1)
        assert again["number"] == 2
        assert [one["question"] for one in await entries(client, at)] == [QUESTION, "And within how many days?"]
        anew = await asked(client, at, "Wer genehmigt den Urlaub?", after=0)
        assert anew["number"] == 1
        told_now = (await client.get(at)).json()
        assert (told_now["title"], told_now["turns"]) == ("Wer genehmigt den Urlaub?", 1)


async def test_what_goes_wrong_stands_in_the_turn(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        failed = await asked(client, at, "Who?", way="search", mode="no such mode")
        assert (failed["mode"], failed["top_k"]) == ("no such mode", None)
        assert failed["state"] == "failed"
        assert failed["problem"]["status"] == 400 and "no such mode" in failed["problem"]["detail"]
        assert (await entries(client, at))[0]["problem"] == failed["problem"]
        assert (await client.post(f"{at}/turns/1/feedback", json={"judgement": "up"})).status_code == 400
        for body, status in (
            ({"question": "  "}, 400),
            ({"question": "x" * 90_000}, 422),
            ({"question": "Who?", "way": "fly"}, 422),
        ):
            assert (await client.post(f"{at}/turns", json=body)).status_code == status, body
        assert len(await entries(client, at)) == 1, "what is refused is not kept"


async def test_one_question_at_a_time(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = hold(monkeypatch, 0)
    async with town.client("anna") as client:
        at, other = await begun(client), await begun(client)
        first = asyncio.create_task(asked(client, at, "remote work", way="search"))
        await comes(client, at, "asked")
        refused = await client.post(f"{at}/turns", json={"question": "Who?", "way": "search"})
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        in_another = asyncio.create_task(asked(client, other, "remote work", way="search"))
        gate.set()
        assert {(await first)["state"], (await in_another)["state"]} == {"done"}
        assert [one["state"] for one in await entries(client, at)] == ["done"]


async def test_a_client_that_leaves(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamed or not: the turn has stopped, and the conversation goes on."""
    gate = hold(monkeypatch, 0)
    async with listening(town) as address, town.client("anna") as here:
        at = await begun(here)
        headers = {"Authorization": f"Bearer {town.keys['anna']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers) as client:
            for stream in (False, True):
                body = {"question": "remote work", "way": "search", "stream": stream, "after": 0}
                with pytest.raises(httpx.ReadTimeout):
                    await client.post(f"{at}/turns", json=body, timeout=1.0)
                await comes(here, at, "!asked")
                (entry,) = await entries(here, at)
                assert (entry["state"], entry["hits"], entry["question"]) == ("stopped", None, "remote work")
        gate.set()
        assert (await asked(here, at, "remote work", way="search"))["hits"]


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_that_its_client_left(town: Town, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = asyncio.Event()

    async def respond(self: Any, question: str, **more: Any) -> Any:
        del self, question, more
        await stuck.wait()

    async with listening(town) as address, town.client("anna") as here:
        at = await begun(here)
        await asked(here, at)
        with monkeypatch.context() as patched:
            patched.setattr("rove.engine.AsyncRove.respond", respond)
            headers = {"Authorization": f"Bearer {town.keys['anna']}"}
            async with httpx.AsyncClient(base_url=address, headers=headers) as client:
                with pytest.raises(httpx.ReadTimeout):
                    await client.post(f"{at}/turns", json={"question": "And why?", "stream": stream}, timeout=1.0)
            await comes(here, at, "!asked", 2)
        assert [one["state"] for one in await entries(here, at)] == ["done", "stopped"]
        assert PUBLIC in (await asked(here, at, "And within how many days?"))["answer"]["text"]


def test_killed_amid_a_turn(tmp_path: Path) -> None:
    """What was asked is there, and has stopped; what was answered stays answered."""
    base = tmp_path / "kb"
    with serving(base) as (client, _):
        job = client.post("/v1/spaces/default/documents", json={"text": PUBLIC, "title": "Policy"}).json()
        while client.get(f"/v1/spaces/default/jobs/{job['job_id']}").json()["state"] != "done":
            pass
        at = f"{HR}/{client.post(HR.replace('hr', 'default'), json={}).json()['conversation_id']}".replace(
            "hr", "default"
        )
    for point, states in (("asked", ["stopped"]), ("answered", ["stopped", "done"])):
        with serving(base, ROVE_FAILPOINT=point) as (client, process):
            with pytest.raises(httpx.TransportError):
                client.post(f"{at}/turns", json={"question": QUESTION})
            assert process.wait(timeout=30) == -9
        with serving(base) as (client, _):
            found = client.get(at).json()["entries"]
            assert [one["state"] for one in found] == states
            assert all(one["question"] == QUESTION for one in found)
    with serving(base) as (client, _):
        assert PUBLIC in client.get(at).json()["entries"][1]["answer"]["text"]
        assert client.post(f"{at}/turns", json={"question": "And within how many days?"}).json()["number"] == 3


# -- what the caller may see by now -----------------------------------------------------------------------------------


@pytest.fixture
async def lived(open_town: Opener) -> AsyncIterator[tuple[Town, str]]:
    """A conversation of mira's, who sees what the staff and what the board may see, with answers from both."""
    async with in_a_task(open_town()) as town, town.client("mira") as client:
        at = await begun(client)
        for question in ("Who approves the merger with Nordwind?", "And in which month?"):
            assert SECRET in (await asked(client, at, question))["answer"]["text"]
        await asked(client, at, "approved by the head of unit", way="search")
        assert PUBLIC in (await asked(client, at, QUESTION))["answer"]["text"]
        yield town, at


async def test_labels_that_have_changed(lived: tuple[Town, str]) -> None:
    town, at = lived
    kb = town.spaces._spaces["hr"].kb
    async with town.client("mira") as client:
        await kb.add(Text(SECRET, id="merger", title="Nordwind", metadata={"access": ("owners",), "topic": "work"}))
        told_now = await client.get(at)
        first, second, search, last = told_now.json()["entries"]
        assert SECRET not in told_now.text and "merger" not in json.dumps([search, last, first["answer"]])
        assert (first["note"], second["note"], search["note"]) == (WITHHELD, WITHHELD, WITHHELD)
        assert [hit["document_id"] for hit in search["hits"]] == ["policy"]
        assert PUBLIC in last["answer"]["text"]
        assert first["question"] == "Who approves the merger with Nordwind?", "one's own words stay"
        for form in ("markdown", "json"):
            assert SECRET not in (await client.get(f"{at}/export", params={"format": form})).text
        await kb.add(Text(SECRET, id="merger", title="Nordwind", metadata={"access": ("board",), "topic": "work"}))
        assert SECRET in (await client.get(at)).text, "nothing was lost"


async def test_a_key_that_has_lost_a_label(lived: tuple[Town, str]) -> None:
    town, at = lived
    callers = town.app.state.server_context.callers
    keys = dict(callers.keys)
    callers.replace(keys | {"mira": keys["mira"].model_copy(update={"labels": ("staff",)})})
    async with town.client("mira") as client:
        text = (await client.get(at)).text
        assert SECRET not in text and PUBLIC in text
        follow_up = await asked(client, at, "And since when?", after=1)
        assert SECRET not in json.dumps(follow_up)


def holding(folder: Path, words: str) -> list[str]:
    """Files that hold these words."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


async def test_no_byte_of_an_erased_document_stays(lived: tuple[Town, str], tmp_path: Path) -> None:
    town, at = lived
    async with town.client("root") as root, town.client("mira") as client:
        assert holding(tmp_path, SECRET)
        erased = await root.delete("/v1/spaces/hr/document", params={"document_id": "merger"})
        assert erased.status_code == 204
        assert "conversations=1" in erased.headers["Rove-Mentions"], "its user has named it"
        assert holding(tmp_path, SECRET) == []
        first, second, search, last = await entries(client, at)
        assert (first["note"], second["note"], search["note"], last["note"]) == (WITHHELD, WITHHELD, WITHHELD, WITHHELD)
        assert [hit["document_id"] for hit in search["hits"]] == ["policy"]
        assert PUBLIC in last["answer"]["text"]
        await asked(client, at, "What does the Policy say?")
        forgotten = await root.delete("/v1/spaces/hr/document", params={"document_id": "policy", "mentions": True})
        assert "conversations=1" in forgotten.headers["Rove-Mentions"]
        assert (await client.get(at)).status_code == 404
    assert holding(tmp_path, "the merger with Nordwind") == []


async def test_erased_while_it_is_answered(town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found before the document went is kept after it went, and leaves at once."""
    gate, finish = asyncio.Event(), ConversationLog.finish
    loop = asyncio.get_running_loop()

    def late(self: ConversationLog, *given: Any) -> bool:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return finish(self, *given)

    monkeypatch.setattr(ConversationLog, "finish", late)
    async with town.client("root") as client:
        at = await begun(client)
        asking = asyncio.create_task(asked(client, at, "Who approves the merger with Nordwind?"))
        await comes(client, at, "asked")
        assert (await client.delete("/v1/spaces/hr/document", params={"document_id": "merger"})).status_code == 204
        gate.set()
        assert SECRET not in json.dumps(await asking)
    assert holding(tmp_path, SECRET) == []


# -- feedback and export ----------------------------------------------------------------------------------------------


async def test_thumbs_are_labels_of_the_lab(town: Town) -> None:
    log = ConversationLog(town.spaces._spaces["hr"].kb.store.catalog.database)
    async with town.client("anna") as anna, town.client("lara") as lara:
        at = await begun(anna)
        await asked(anna, at)
        await asked(anna, at, "Wer genehmigt den Urlaub?")
        hidden = await begun(lara)
        await asked(lara, hidden)
        up = await anna.post(f"{at}/turns/1/feedback", json={"judgement": "up", "comment": "Yes"})
        assert (up.json()["judgement"], up.json()["comment"]) == ("up", "Yes")
        await anna.post(f"{at}/turns/2/feedback", json={"judgement": "down", "comment": "Not what I meant"})
        await lara.post(f"{hidden}/turns/1/feedback", json={"judgement": "up"})
        assert [one["judgement"] for one in await entries(anna, at)] == ["up", "down"]
        found = feedback_of(log.judged())
        assert [ranked.question for ranked in found.rankings] == [QUESTION, "Wer genehmigt den Urlaub?"]
        (vote,) = found.votes
        assert (vote.annotator, vote.document_id, vote.label) == ("thumb:anna", "policy", 1)
        assert vote.question_id == found.rankings[0].question_id, "of lara, who sees some documents only, nothing"
        assert "urlaub" in found.rankings[1].documents, "what was found is to be looked at"
        taken_back = await anna.post(f"{at}/turns/1/feedback", json={"judgement": ""})
        assert (taken_back.json()["judgement"], taken_back.json()["comment"]) == ("", "")
        assert feedback_of(log.judged()).votes == []
        await anna.delete(at)
        assert feedback_of(log.judged()).rankings == []


async def test_exported(town: Town) -> None:
    async with town.client("anna") as client:
        at = await begun(client)
        await asked(client, at)
        await asked(client, at, "remote work", way="search")
        whole = await client.get(f"{at}/export", params={"format": "json"})
        assert whole.json() == (await client.get(at)).json()
        assert whole.headers["content-disposition"] == f'attachment; filename="conversation-{at[-16:]}.json"'
        text = await client.get(f"{at}/export")
        assert text.headers["content-type"] == "text/markdown; charset=utf-8"
        assert text.headers["content-disposition"].endswith('.md"')
        assert text.text.startswith(f"# {QUESTION}\n\n")
        assert f"## 1. {QUESTION}" in text.text and f"[1] Policy: “{PUBLIC}”" in text.text
        assert "## 2. remote work" in text.text
        assert (await client.get(f"{at}/export", params={"format": "pdf"})).status_code == 422


HOSTILE = (
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "[x](javascript:alert(1))", "![](http://t.example/x)",
    "said\n\n# Forged\n\n## 9. Forged", "so\n===", "<!-- ", "[a]\n\n[a]: javascript:x", "``` \n<b>", "~~~\n",
    "a | <b> | `",
)  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE)
async def test_nothing_in_an_exported_conversation_acts(town: Town, words: str) -> None:
    async with town.client("anna") as client:
        at = await begun(client, title=words)
        await asked(client, at)
        await asked(client, at, f"remote work {words}", way="search")
        assert not acts((await client.get(f"{at}/export")).text, headings=3)
        told = (await client.get(at)).json()
    answer, search = told["entries"]
    answer["answer"]["text"] += f"\n\n{words}\n\n[1]"
    cited = answer["answer"]["citations"][0]
    cited["quote"] = cited["title"] = search["note"] = words
    search["hits"][0] |= {"title": "", "source": words}
    search["hits"][0]["rendered"]["text"] = words
    answer["problem"] = {"type": "about:blank", "status": 400, "title": words, "detail": words}
    sql = {"question": words, "text": words, "sql": f"select '{words}", "columns": [words], "rows": [[words]]}
    sql |= {"database": "", "by": "rules", "cut": False, "note": "", "notes": [], "answered": True}
    sql["cells"] = []
    told["entries"].append({**search, "number": 3, "hits": None, "sql": sql})
    text = exported(ConversationTold.model_validate(told), "markdown")
    assert not acts(text, headings=4)
    assert json.loads(exported(ConversationTold.model_validate(told), "json"))["entries"][1]["note"] == words


async def test_bounds(town: Town) -> None:
    async with town.client("anna") as client:
        assert (await client.post(HR, json={"title": "x" * 201})).status_code == 422
        at = await begun(client)
        log = ConversationLog(town.spaces._spaces["hr"].kb.store.catalog.database)
        for _ in range(MOST_TURNS):
            log.ask(at[-16:], "search", "x", where="", labels="")
        assert {one["state"] for one in await entries(client, at)} == {"stopped"}
        full = await client.post(f"{at}/turns", json={"question": "Who?"})
        assert full.status_code == 400 and str(MOST_TURNS) in full.json()["detail"]
        assert (await asked(client, at, "remote work", way="search", after=3))["number"] == 4
        assert (await client.get(at)).json()["turns"] == 4
    assert ASKED == "asked"
