"""Conversations as the page's contract has them, kept in memory, until the server has them: it goes at the merge."""

from __future__ import annotations

import itertools
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel, RootModel

from rove.errors import RoveError
from rove.records import History, Turn
from rove.serve.admission.middleware import caller_of
from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.problems import AbsentError, problem_of
from rove.serve.questions.asking import check_question, told
from rove.serve.questions.results import HitOut
from rove.serve.questions.schema import SearchIn
from rove.serve.streams import events
from rove.serve.walks.live_walks import CallerWalks
from rove.serve.walks.schema import BudgetIn

ids = itertools.count(1)


class Out(RootModel[dict[str, Any]]):
    """Any JSON."""


class TurnIn(SearchIn):
    """A turn."""

    way: str = "answer"
    budget: BudgetIn | None = None
    after: int | None = None
    stream: bool = False


class Item(BaseModel):
    title: str = ""


class JudgeIn(BaseModel):
    judgement: str = ""
    comment: str = ""


def now() -> str:
    return datetime.now(UTC).isoformat()


def include(app: FastAPI) -> None:
    """Add the routes to a server."""
    kept: dict[str, dict[str, Any]] = {}
    router = APIRouter(prefix="/v1/spaces/{space}/conversations")

    def item(one: dict[str, Any]) -> dict[str, Any]:
        return {
            **{name: one[name] for name in ("conversation_id", "title", "created_at", "updated_at")},
            "turns": len(one["entries"]),
        }

    def of(request: Request, space: str, cid: str) -> dict[str, Any]:
        one = kept.get(cid)
        if one is None or one["owner"] != (space, caller_of(request.scope).name):
            message = f"There is no conversation {cid!r}."
            raise AbsentError(message, cure="Look at the list of your conversations.")
        return one

    @router.get("")
    async def listed(space: str, request: Request, view: CallerViewIn, query: str = "", cursor: int = 0, limit: int = 50) -> Any:
        view.require("read")
        mine = [one for one in kept.values() if one["owner"] == (space, caller_of(request.scope).name)]
        mine = [one for one in mine if query.lower() in str(one).lower()]
        mine.sort(key=lambda one: one["updated_at"], reverse=True)
        more = cursor + limit < len(mine)
        return {"conversations": [item(one) for one in mine[cursor : cursor + limit]], "next_cursor": cursor + limit if more else None}

    @router.post("", status_code=201)
    async def begin(space: str, wanted: Item, request: Request, view: CallerViewIn) -> Any:
        view.require("read")
        cid = f"c{next(ids)}"
        kept[cid] = {"conversation_id": cid, "title": wanted.title, "created_at": now(), "updated_at": now(), "entries": [], "owner": (space, caller_of(request.scope).name)}
        return item(kept[cid])

    @router.get("/{cid}")
    async def one(space: str, cid: str, request: Request) -> Any:
        found = of(request, space, cid)
        return {**item(found), "entries": found["entries"]}

    @router.post("/{cid}")
    async def rename(space: str, cid: str, wanted: Item, request: Request) -> Any:
        found = of(request, space, cid)
        found["title"] = wanted.title
        return item(found)

    @router.delete("/{cid}", status_code=204)
    async def gone(space: str, cid: str, request: Request) -> Response:
        of(request, space, cid)
        del kept[cid]
        return Response(status_code=204)

    @router.post("/{cid}/turns/{number}/feedback")
    async def judge(space: str, cid: str, number: int, wanted: JudgeIn, request: Request) -> Any:
        entry = of(request, space, cid)["entries"][number - 1]
        entry |= wanted.model_dump()
        return entry

    @router.get("/{cid}/export")
    async def export(space: str, cid: str, request: Request, format: str = "markdown") -> Any:  # noqa: A002
        found = of(request, space, cid)
        text = "\n".join([f"# {found['title']}", *(f"## {entry['question']}" for entry in found["entries"])])
        return Response(text if format == "markdown" else Out(item(found)).model_dump_json(), media_type="text/plain")

    @router.post("/{cid}/turns")
    async def turn(space: str, cid: str, wanted: TurnIn, request: Request, view: CallerViewIn, server: ServerContextIn) -> Any:
        found = of(request, space, cid)
        check_question(wanted.question, server)
        if wanted.after is not None:
            del found["entries"][wanted.after :]
        entry: dict[str, Any] = {
            "number": len(found["entries"]) + 1, "way": wanted.way, "question": wanted.question, "asked_at": now(),
            "state": "done", "answer": None, "hits": None, "walk_id": None, "problem": None, "judgement": "", "comment": "",
            "where": wanted.model_dump(by_alias=True, exclude_none=True).get("where"),
        }  # fmt: skip
        history = History(tuple(Turn(e["question"], e["answer"]["text"]) for e in found["entries"] if e["answer"]))

        async def go() -> AsyncGenerator[tuple[str, Any]]:
            if wanted.way == "search":
                hits = await view.search(wanted.question, top_k=wanted.top_k, where=wanted.condition, mode=wanted.mode, rerank=None)
                entry["hits"] = [HitOut.of(hit).model_dump(mode="json") for hit in hits]
            elif wanted.way == "walk":
                walks = CallerWalks(view, server.listened)
                walk = await walks.begin(wanted.question, wanted.condition, wanted.budget.record if wanted.budget else None)
                async with aclosing(walks.going(walk)) as going:
                    await anext(going)
                entry["walk_id"] = walk.walk_id
            else:
                try:
                    async with aclosing(told(server, view, wanted.question, history=history, where=wanted.condition)) as telling:
                        async for name, data in telling:
                            if name == "delta":
                                yield name, data
                            else:
                                entry["answer"] = data.model_dump(mode="json")
                except RoveError as error:
                    entry.update(state="failed", problem=problem_of(error).model_dump(mode="json"))
                except BaseException:
                    entry["state"] = "stopped"
                    found["entries"].append(entry)
                    raise
            found["entries"].append(entry)
            found["title"] = found["title"] or wanted.question
            found["updated_at"] = now()
            yield "entry", Out(entry)

        return events(go(), server)

    app.include_router(router)
