"""A base as one caller sees it: the only way from a route or a tool to the engine, and the place of all rights checks.

What a caller may not see is not there: it is filtered before the search, and looked at once more after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rove.document_erasure import erase
from rove.engine import AsyncRove
from rove.errors import InputError
from rove.events import Listener, ignore
from rove.records import Answer, Document, DocumentInfo, Filter, History, Hit, LedgerEntry, Report, Response
from rove.records.filter import All
from rove.records.graph import Subgraph
from rove.records.sql import SqlReply
from rove.records.summary import Summary
from rove.records.theme import Theme
from rove.records.tool import ToolMatch, ToolRun
from rove.retrieve import RETRIEVERS
from rove.retrieve.explore import Reach
from rove.serve.admission.callers import Caller
from rove.serve.problems import AbsentError, DeniedError
from rove.store.health import Health
from rove.store.mentions import Mentions, names_of
from rove.store.originals import Original
from rove.store.shallow import Depth
from rove.tools import Tool

START = History()


@dataclass(frozen=True, slots=True)
class CallerView:
    """A space, seen by a caller. Every call looks at the caller's rights first.

    Raises:
        DeniedError: the caller has not the right.
        AbsentError: the document is not there for this caller.
    """

    space: str
    caller: Caller
    kb: AsyncRove
    access_field: str

    def require(self, right: str) -> None:
        """Raise `DeniedError` unless the caller has a right."""
        if right not in self.caller.rights:
            message = f"{self.caller.name!r} does not have the right {right!r} here."
            raise DeniedError(message, cure="Ask an administrator for it.")

    def where(self, wanted: Filter | None = None) -> Filter | None:
        """What the caller asked for, within what the caller may see."""
        access_filter = self.caller.access_filter(self.access_field)
        if access_filter is None or wanted is None:
            return access_filter or wanted
        return All((access_filter, wanted))

    # -- reading ---------------------------------------------------------------------------------------------------

    async def search(
        self,
        question: str,
        *,
        top_k: int | None,
        where: Filter | None,
        mode: str,
        rerank: bool | None,
        min_score: float | None = None,
        listener: Listener = ignore,
    ) -> list[Hit]:
        """See `AsyncRove.search`."""
        self.require("read")
        if mode not in RETRIEVERS.names():
            message = f"There is no mode {mode!r}."
            raise InputError(message, cure=f"Choose one of: {', '.join(RETRIEVERS.names())}.")
        found = await self.kb.search(
            question,
            top_k=top_k,
            where=self.where(where),
            mode=mode,
            rerank=rerank,
            min_score=min_score,
            listener=listener,
        )
        return self._seen(found)

    async def themes(self, most: int) -> list[Theme]:
        """See `AsyncRove.themes`."""
        self.require("read")
        return await self.kb.themes(most=most, where=self.where(None))

    async def explore(
        self,
        names: Sequence[str],
        reach: Reach,
        *,
        documents: Sequence[str] = (),
        chunks: Sequence[str] = (),
        where: Filter | None = None,
        listener: Listener = ignore,
    ) -> Subgraph:
        """See `AsyncRove.explore`."""
        self.require("read")
        return await self.kb.explore(
            *names, reach=reach, documents=documents, chunks=chunks, where=self.where(where), listener=listener
        )

    async def respond(
        self, question: str, *, history: History = START, where: Filter | None = None, listener: Listener = ignore
    ) -> Response:
        """Answer a question that follows these turns. See `AsyncRove.respond`."""
        self.require("read")
        response = await self.kb.respond(question, history=history, where=self.where(where), listener=listener)
        self.check_seen(response.answer.hits)
        return response

    async def ask_with_tools(
        self,
        question: str,
        *,
        history: History,
        profile: Mapping[str, object],
        where: Filter | None,
        listener: Listener,
    ) -> Answer:
        """See `AsyncRove.ask_with_tools`: only tools that read run. Labels say nothing of tools, as in `tools`."""
        self.require_no_labels()
        return await self.kb.ask_with_tools(question, history=history, profile=profile, where=where, listener=listener)

    async def ask_database(self, question: str, database: str, *, dry_run: bool, by_rules: bool = False) -> SqlReply:
        """See `AsyncRove.ask_database`. Access labels say nothing of rows, so a key with labels may not ask them."""
        self.require_no_labels()
        return await self.kb.ask_database(question, database, dry_run=dry_run, by_rules=by_rules)

    async def ask_tables(
        self, question: str, where: Filter | None, *, dry_run: bool, by_rules: bool = False
    ) -> SqlReply:
        """See `AsyncRove.ask_tables`."""
        self.require("read")
        return await self.kb.ask_tables(question, where=self.where(where), dry_run=dry_run, by_rules=by_rules)

    async def tools(self) -> tuple[list[Tool], list[str]]:
        """Every tool, and the sources that cannot be read. Labels say nothing of tools: no key with labels has any."""
        self.require_no_labels()
        return await self.kb.tools.all(), sorted(self.kb.tools.failures)

    async def find_tools(self, request: str, top_k: int) -> list[ToolMatch]:
        """See `ToolLibrary.find`."""
        self.require_no_labels()
        return await self.kb.tools.find(request, top_k=top_k)

    async def run_tool(
        self,
        request: str,
        *,
        tool: str,
        arguments: Mapping[str, object],
        history: History,
        profile: Mapping[str, object],
        dry_run: bool,
        confirm: bool,
    ) -> ToolRun:
        """See `AsyncRove.run_tool`. One that writes takes the right to add, too, and has to be confirmed."""
        self.require_no_labels()
        may_write = "add" in self.caller.rights
        run = await self.kb.run_tool(
            request,
            tool=tool,
            arguments=arguments,
            history=history,
            profile=profile,
            dry_run=dry_run,
            confirm=confirm and may_write,
        )
        if confirm and run.outcome == "unconfirmed":
            self.require("add")
        return run

    async def documents(self) -> list[DocumentInfo]:
        """See `AsyncRove.documents`."""
        self.require("read")
        return [info for info in await self.kb.documents() if self._sees(info)]

    async def depth(self) -> Depth:
        """See `AsyncRove.depth`: of what the caller may see."""
        self.require("read")
        return await self.kb.depth(self.where())

    async def document(self, document_id: str) -> tuple[DocumentInfo, Document]:
        """One document, by its id alone."""
        self.require("read")
        info = await self._info(document_id)
        document, _ = await self.kb.document(document_id)
        if not self._sees(document):
            raise absent()
        return info, document

    async def summary(self, document_id: str) -> list[Summary]:
        """See `AsyncRove.summary`."""
        await self.document(document_id)
        return await self.kb.summary(document_id)

    async def original(self, document_id: str) -> tuple[Document, Original | None]:
        """One document, by its id alone, and the file that it was read from, where that is known."""
        while True:
            original = await asyncio.to_thread(self.kb.store.originals.of, document_id)
            _, document = await self.document(document_id)  # looked at last: it says whether the file may be seen
            if await asyncio.to_thread(self.kb.store.originals.of, document_id) == original:  # of the same version
                return document, original

    # -- writing ---------------------------------------------------------------------------------------------------

    async def delete(self, document_id: str, *, mentions: bool = False, now: bool = False) -> Mentions:
        """Erase one document, by its id alone, from walks too; `now`: see `ERASE_NOW`.

        Returned are the users' own words that name it, and stay unless `mentions`; only an administrator is told, and
        may erase what others wrote, and hold up who reads.
        """
        self.require("delete")
        if mentions or now:
            self.require("admin")
        info = await self._info(document_id)
        await erase(self.kb.store, [document_id], now=now)
        if "admin" not in self.caller.rights:
            return Mentions()
        return await (self.kb.forget_mentions if mentions else self.kb.mentions)(*names_of(info))

    def labels_for(self, access: Sequence[str]) -> tuple[str, ...]:
        """The access labels that a document gets which this caller adds.

        Raises:
            DeniedError: a label that the caller has not; or the caller has several, and chose none.
        """
        self.require("add")
        own = self.caller.labels
        if own is None:
            return tuple(dict.fromkeys(access))
        chosen = tuple(dict.fromkeys(access)) or (own if len(own) == 1 else ())
        if not chosen or not set(chosen) <= set(own):
            message = "A document that you add needs access labels that you have."
            raise DeniedError(message, cure=f"Give `access` with some of: {', '.join(own)}.")
        return chosen

    # -- care: for administrators, whose keys have no labels ---------------------------------------------------------

    async def doctor(self) -> Health:
        """See `AsyncRove.doctor`."""
        self.require("admin")
        return await self.kb.doctor()

    async def dictionary(self) -> dict[str, tuple[str, ...]]:
        """See `AsyncRove.dictionary`."""
        self.require("admin")
        return await self.kb.dictionary()

    async def define(self, entries: Mapping[str, Sequence[str]], remove: Sequence[str]) -> int:
        """See `AsyncRove.define`."""
        self.require("admin")
        return await self.kb.define(entries, remove=remove)

    async def ledger(self, *states: str, first: int, most: int) -> list[LedgerEntry]:
        """See `AsyncRove.ledger`."""
        self.require("admin")
        return await self.kb.ledger(*states, first=first, most=most)

    def export(self) -> AsyncIterator[str]:
        """See `AsyncRove.export`."""
        self.require("admin")
        return self.kb.export()

    async def import_(self, lines: Iterable[str]) -> Report:
        """See `AsyncRove.import_`."""
        self.require("admin")
        return await self.kb.import_(lines)

    # -- inside ----------------------------------------------------------------------------------------------------

    def require_no_labels(self) -> None:
        """Raise `DeniedError` unless the caller may read everything."""
        self.require("read")
        if self.caller.labels is not None:
            message = f"{self.caller.name!r} sees documents with some labels only, no databases or tools."
            raise DeniedError(message, cure="Ask an administrator to let you see all documents.")

    async def _info(self, document_id: str) -> DocumentInfo:
        try:
            found = await self.kb.named(document_id, whole=True)
        except InputError:
            found = []
        for info in found:
            if info.document_id == document_id and self._sees(info):
                return info
        raise absent()

    def _sees(self, document: DocumentInfo | Document) -> bool:
        access_filter = self.caller.access_filter(self.access_field)
        return access_filter is None or access_filter.matches(document.metadata)

    def check_seen(self, hits: Sequence[Hit]) -> None:
        """Raise `InputError` where the caller may not see all of these."""
        if len(self._seen(hits)) < len(hits):
            message = "The documents changed while the answer was made."
            raise InputError(message, cure="Ask again.")

    def _seen(self, hits: Sequence[Hit]) -> list[Hit]:
        access_filter = self.caller.access_filter(self.access_field)
        if access_filter is None:
            return list(hits)
        seen = [hit for hit in hits if access_filter.matches(hit.chunk.metadata)]
        return [replace(hit, same=tuple(self._seen(hit.same))) if hit.same else hit for hit in seen]


def absent() -> AbsentError:
    """Make the error that says nothing but that a document is not there."""
    return AbsentError("There is no such document.", cure="List the documents that there are.")
