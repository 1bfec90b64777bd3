"""A try of a model that the settings name: one tiny request, and what came of it."""

from __future__ import annotations

import asyncio
from secrets import token_hex
from time import monotonic

from rove.engine import AsyncRove
from rove.errors import ConfigError, CutReplyError, InputError, RoveError, ServiceError
from rove.models.usage import Usage, metered
from rove.serve.administration.settings_schema import Model, TriedOut

TRY_S = 30.0
SHOWN_CHARS = 200
INSTRUCTIONS = "Reply with one short sentence"
PROMPT = "Say that you are there"
QUESTION = "Is it there?"
NO_CHAT = "No chat model is set up: answers quote."
NO_CHAT_CURE = "Set chat.model, and chat.base_url where it stands behind an address."
NO_JUDGE = "No judge is set up: the reader of kept tokens says what answers."
NO_JUDGE_CURE = 'Set judge.name: "e5" is packaged.'
NOTHING = "The base has no passage to rank yet."
NOTHING_CURE = "Add a document, and try again."


async def tried(kb: AsyncRove, model: Model) -> tuple[TriedOut, Usage]:
    """Try a model of a base; what is wrong is told, not raised. Returned is what it used, too."""
    began = monotonic()
    with metered() as meter:
        try:
            async with asyncio.timeout(TRY_S):
                found = await TRIES[model](kb)
        except TimeoutError:
            message = f"There was no reply within {TRY_S:.0f} s."
            found = _model_trial_from_error(
                ServiceError(message, cure="See whether its endpoint is up, and quick enough.")
            )
        except RoveError as error:
            found = _model_trial_from_error(error)
    usage = meter.usage
    told = {"ms": round((monotonic() - began) * 1000, 1)}
    told |= {"tokens_read": usage.input_tokens, "tokens_written": usage.output_tokens}
    return found.model_copy(update=told), usage


async def _chat(kb: AsyncRove) -> TriedOut:
    chat = kb.chat_model()
    if chat is None:
        raise ConfigError(NO_CHAT, cure=NO_CHAT_CURE)
    text = ""
    try:
        async for piece in chat.stream(INSTRUCTIONS, PROMPT):
            text += piece
    except CutReplyError:  # as long as it may be: it is there
        if not text:
            raise
    return TriedOut(works=True, name=chat.name, ms=0, words=" ".join(text.split())[:SHOWN_CHARS])


async def _embedder(kb: AsyncRove) -> TriedOut:
    vectors = await kb.embedder.passages([f"{QUESTION} {token_hex(4)}"])  # none that was embedded before
    return TriedOut(works=True, name=kb.embedder.fingerprint.model, ms=0, dimension=int(vectors.shape[1]))


async def _reranker(kb: AsyncRove) -> TriedOut:
    hits = await kb.search(QUESTION, mode="semantic", top_k=3, rerank=False)
    if not hits:
        raise InputError(NOTHING, cure=NOTHING_CURE)
    reranker = kb.search_context.reranker
    await reranker.scores(QUESTION, hits)
    return TriedOut(works=True, name=kb.settings.reranker.model or type(reranker).__name__, ms=0)


async def _judge(kb: AsyncRove) -> TriedOut:
    judge = kb.judge()
    if judge is None:
        raise ConfigError(NO_JUDGE, cure=NO_JUDGE_CURE)
    await judge.answers(QUESTION, f"{PROMPT} {token_hex(4)}")  # none that was judged before
    return TriedOut(works=True, name=kb.settings.judge.model or kb.settings.judge.name or type(judge).__name__, ms=0)


TRIES = {"chat": _chat, "embedder": _embedder, "reranker": _reranker, "judge": _judge}


def _model_trial_from_error(error: RoveError) -> TriedOut:
    return TriedOut(works=False, name="", ms=0, detail=error.reason, cure=error.cure)
