"""Endpoints on loopback that answer in a thread of their own, for tests that run event loops of their own.

What they answer depends on the request alone: embeddings by hashing, rerank scores by shared words, chat by quoting.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from openai_server import Reply, chat, serve
from rove.models.fake import FakeChatModel, hash_vectors

Answer = Callable[[dict], Reply]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Serve while the block runs; gives the base address."""
    ready, done, urls = Event(), asyncio.Event(), list[str]()
    loop = asyncio.new_event_loop()

    async def run() -> None:
        async with serve(answer) as server:
            urls.append(server.url)
            ready.set()
            await done.wait()

    thread = Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(30)
        loop.close()


def embedded(request: dict) -> Reply:
    """Answer a request for embeddings."""
    texts = request["input"]
    vectors = hash_vectors([text or " " for text in texts], 64)
    data = [{"object": "embedding", "index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]
    return Reply(chunks=[json.dumps({"object": "list", "data": data}).encode()])


def reranked(request: dict) -> Reply:
    """Answer a request for scores."""
    vectors = hash_vectors([request["query"], *request["documents"]], 64)
    scores = vectors[1:] @ vectors[0]
    results = [{"index": n, "relevance_score": float(score)} for n, score in enumerate(scores)]
    return Reply(chunks=[json.dumps({"id": "x", "results": results}).encode()])


def decided(request: dict) -> Reply:
    """Answer a question for a chance or a choice, in the shape in which it is asked."""
    named = "state" in request
    question = request["questions"]["asked"] if named else request["questions"][0]
    if question["type"] == "choice":
        options = list(question["criteria"]) if named else [one["value"] for one in question["choices"]]
        chances = {name: 1 / len(options) for name in options}
        listed = [{"value": name, "probability": chance} for name, chance in chances.items()]
        answer = {
            "type": "choice",
            "choice": options[0],
            "confidence": 0.3,
            "probabilities": chances if named else listed,
        }
    else:
        answer = {"type": "noul", "noul": 0.75} if named else {"type": "predicate", "probability": 0.75}
    answers = {"asked": answer} if named else [answer | {"name": "asked"}]
    return Reply(chunks=[json.dumps({"model": request["model"], "answers": answers}).encode()])


def quoted(request: dict) -> Reply:
    """Answer a chat request: with the first sentences of the references, or an object where a schema is asked for."""
    prompt = request["messages"][-1]["content"]
    if request.get("response_format"):
        return chat("{}", usage=(10, 1))
    reply = FakeChatModel()._reply("", prompt)
    if 1 in (request.get("max_tokens"), request.get("max_completion_tokens")):
        return chat(reply.split()[0], finish="length")
    return chat(reply, usage=(10, 5))
