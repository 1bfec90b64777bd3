"""The stages of a turn one by one, for who puts them together in another way than `respond` does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from rove.answer.passages import TextOf, read_once
from rove.conversation.respond import SECONDS, Found, Responder, asking_turns
from rove.events import Listener
from rove.models.deadline import within
from rove.records import Answer, Filter, Gathered, History, Hit, Understood
from rove.store.catalog_view import reading
from rove.store.stale_reads import TRIES


class Stages(Responder):
    """What a `Responder` does, each stage by itself; one after the other they give the answer that it gives."""

    async def understood(self, question: str, history: History, where: Filter | None, *, once: bool) -> Understood:
        """Understand a question. `once`: it will be searched for once only. See `Understander.understand`."""
        async with self._limited():
            return await self.understander.understand(question, asking_turns(history), where, once=once)

    def reply(self, understood: Understood) -> Answer | None:
        """Return what is said without a search; None where there is something to search for."""
        return self._reply(understood)

    async def found(self, understood: Understood, mode: str, where: Filter | None) -> Found:
        """Search once, and judge what was found. `mode`: "" is that of the question's kind, or of the settings."""
        async with self._limited():
            route = understood.intent.route if understood.intent else ""
            mode = mode or route or self._mode_for(understood)
            settings = self._answer_settings(mode)
            found, _ = await self._standing(
                lambda: self._searched(understood, mode, where, settings), lambda found: found.hits, TRIES
            )
            return found

    async def judged(self, understood: Understood, hits: Sequence[Hit]) -> Found:
        """Judge hits that were found in another way."""
        async with self._limited():
            kept = tuple(hits[: self.settings.answer.references])
            return Found(kept, await self._judged(understood, hits, self.settings.answer))

    async def stored(self, understood: Understood, hits: Sequence[Hit], where: Filter | None) -> Answer | None:
        """Return what stands in a document beside this very question; None where nothing does."""
        async with self._limited():
            return await self._stored(understood, hits, await self._texts(hits), where)

    async def gathered(self, understood: Understood, history: History, where: Filter | None) -> Gathered:
        """Gather in at most two rounds. See `Gatherer.gather`."""
        async with self._limited():
            return await self._gathered(understood, history, where)

    async def answered(self, understood: Understood, found: Found, where: Filter | None, listener: Listener) -> Answer:
        """Answer from what was found, or by the fallbacks of the settings."""
        async with self._limited():
            settings = self.settings.answer
            settings = settings.model_copy(update={"references": max(settings.references, len(found.hits))})
            texts = await self._texts(found.hits)
            answer = await self._from_hits(understood, found, texts, settings, where, listener)
            return replace(answer, question=understood.question)

    async def answered_from(self, gathered: Gathered, where: Filter | None, listener: Listener) -> Answer:
        """Answer from what was gathered, or by the fallbacks of the settings."""
        async with self._limited():
            answer = await self._from_gathered(gathered, await self._texts(gathered.hits), where, listener)
            return replace(answer, question=gathered.understood.question)

    async def unsourced(self, understood: Understood, listener: Listener) -> Answer:
        """Ask the chat model without a search."""
        async with self._limited():
            return replace(await self._unsourced(understood, listener), question=understood.question)

    @asynccontextmanager
    async def _limited(self) -> AsyncGenerator[None]:
        with reading():
            store = self.search_context.store
            async with within(self.settings.answer.seconds, SECONDS), store.of_one_embedder():
                yield

    async def _texts(self, hits: Sequence[Hit]) -> TextOf:
        ids = list({hit.chunk.document_id for hit in hits})
        return read_once(self.text_of, await asyncio.to_thread(self.search_context.store.documents.texts, ids))
