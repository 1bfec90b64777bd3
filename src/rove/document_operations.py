"""The calls of the engine that concern documents: list, read, erase, check, export; and questions that are kept."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rove.argument_checks import Positive
from rove.document_erasure import check_own, erase
from rove.errors import InputError
from rove.events import Listener, ignore, note
from rove.exchange import exported
from rove.ingest.embed_anew import embed_anew
from rove.load.discover import spelled
from rove.models import Embedder
from rove.question.suggest import suggest
from rove.records import Chunk, Document, DocumentInfo, LedgerEntry, Note
from rove.records.document import Span
from rove.records.filter import Where, as_filter
from rove.records.graph import DocumentGraph, Subgraph
from rove.records.metadata import clean
from rove.records.summary import Summary
from rove.records.theme import Theme
from rove.retrieve.document_graph import document_graph
from rove.retrieve.explore import Reach, Seeds, entity_keys, explore
from rove.retrieve.theme_search import themes_of
from rove.settings import ServeSettings
from rove.store.conversation_log import ConversationLog, KeptTurn
from rove.store.health import Health
from rove.store.kept_questions import KeptQuestion, KeptQuestions
from rove.store.mentions import Mentions, find_mentions, forget_mentions, names_of
from rove.store.named import find_named
from rove.store.originals import Offered
from rove.store.question_log import MOST_CHARS, QuestionLog
from rove.store.shallow import Depth
from rove.store.store import Store
from rove.store.summaries import Summaries
from rove.store.triplets import Triplets
from rove.store.user_words import define

NEAR = Reach()


class DocumentOperations:
    """The calls of `AsyncRove` that neither take in nor answer."""

    store: Store
    embedder: Embedder

    async def suggest(self, begun: str = "", *, most: Positive = 5) -> list[str]:
        """Suggest questions that were asked before, for what a user has begun to write; none without `question.log`."""
        return await suggest(begun, QuestionLog(self.store.catalog.database), self.embedder, most=most)

    async def forget_asked(self, *questions: str) -> int:
        """Erase questions that were kept for suggestions: these, or without any, all. Returns how many."""
        return await asyncio.to_thread(QuestionLog(self.store.catalog.database).forget, questions or None)

    async def keep_question(self, question: str, document_id: str, span: Span) -> None:
        """Keep that a span of a document answers a question: asked so, or alike, it is given at once.

        It goes with this version of the document. See mode "questions".

        Raises:
            InputError: the question is blank or too long, a reviewer has rejected it, there is no such document, or it
                has no such span.
        """
        text = (await self.document(document_id))[0].text
        start, end = span
        if not 0 <= start < end <= len(text) or not text[start:end].strip():
            message = f"{document_id} has no words at {start}-{end}: its text has {len(text):,} characters."
            raise InputError(message, cure="Take the span of a hit or of a citation.")
        await asyncio.to_thread(check_own, self.store, [document_id])
        kept = KeptQuestion(clean(question), document_id, span, text[start:end])
        decision = await asyncio.to_thread(KeptQuestions(self.store.catalog.database).decision_about, kept)
        if decision and decision.verdict == "reject":
            message = f"{decision.by} has rejected this question in review."
            raise InputError(message, cure=f"Have it accepted first: rove review accept {decision.item_id}")
        if not await asyncio.to_thread(KeptQuestions(self.store.catalog.database).keep, [kept]):
            message = f"This is not a question that could be kept: {question[:80]!r}."
            raise InputError(message, cure=f"Write one of at most {MOST_CHARS} characters.")

    async def kept_questions(self) -> list[KeptQuestion]:
        """The questions that are kept with what answers them, the latest first."""
        return await asyncio.to_thread(KeptQuestions(self.store.catalog.database).all)

    async def forget_kept(self, *questions: str) -> int:
        """Erase questions that are kept with what answers them: these, or without any, all. Returns how many."""
        return await asyncio.to_thread(KeptQuestions(self.store.catalog.database).forget, questions or None)

    async def judged_turns(self) -> list[tuple[str, KeptTurn]]:
        """Turns of conversations of which their owners have said "up" or "down", each with its owner's name."""
        return await asyncio.to_thread(ConversationLog(self.store.catalog.database).judged)

    async def themes(
        self, *, most: Positive = 8, where: Where | None = None, listener: Listener = ignore
    ) -> list[Theme]:
        """What the documents are about: communities of passages by meaning, the largest first, without a chat model.

        Of a base of more than 5,000 passages a fair sample of so many is looked at.
        """
        note(await self.notes_on(where), listener)
        return await themes_of(self.store, as_filter(where), most)

    async def explore(
        self,
        *names: str,
        reach: Reach = NEAR,
        documents: Sequence[str] = (),
        chunks: Sequence[str] = (),
        where: Where | None = None,
        space: str = "",
        listener: Listener = ignore,
    ) -> Subgraph:
        """Return what the graph of knowledge says of things, of documents or of chunks, and of what that leads to.

        The graph is made by `enrich("graph")`, and grows by what walks learn.

        Args:
            names: of things, in any spelling and language in which they stand in the documents.
            reach: how far: `Reach(direction="out", depth=2, fan=20, limit=100)`.
            documents: ids; what they say.
            chunks: likewise, of chunks.
            where: only what documents say that this filter lets through.
            space: whose walks have learned what is shown beside the documents.
            listener: told of fields that the filter names and no document has.

        Raises:
            InputError: the reach is out of range.
        """
        note(await self.notes_on(where), listener)
        return await explore(self.store, Seeds(names, documents, chunks), reach, as_filter(where), space=space)

    async def document_graph(self, document_id: str) -> DocumentGraph:
        """Return one document as a graph: document → section → chunk → entity, and from each chunk to the next.

        Entities are what `enrich("graph")` has found.

        Raises:
            InputError: there is no such document.
        """
        document, chunks = await self.document(document_id)
        return document_graph(document, chunks, await asyncio.to_thread(self.store.graph.of_documents, [document_id]))

    async def summary(self, document_id: str) -> list[Summary]:
        """Return what a document says in few sentences, then each of its sections; see `enrich("summaries")`.

        Without a chat model they are sentences of the document; else those of the model that the document holds.

        Raises:
            InputError: there is no such document.
        """
        await self.document(document_id)
        part = await asyncio.to_thread(self.store.documents.part_of, document_id)
        return await asyncio.to_thread(Summaries(part.database).of_document, document_id)

    async def define(self, entries: Mapping[str, Iterable[str]], *, remove: Iterable[str] = ()) -> int:
        """Put words into the base's own dictionary, each with other words for it, and take others out, at once.

        A word is one wherever it stands, in Chinese and Japanese too; other words for it (an abbreviation, another
        spelling, an inflected form) find what it finds. Only the passages that hold one are analysed anew. Returns how
        many documents that were.

        Raises:
            InputError: a word is too short or too long, or stands for two entries.
        """
        return await define(self.store, entries, remove)

    async def dictionary(self) -> dict[str, tuple[str, ...]]:
        """The words of the base's own dictionary, each with the other words for it."""
        return dict((await asyncio.to_thread(self.store.words.current)).entries)

    async def graph_size(self) -> tuple[int, int]:
        """Return how many triplets the graph of knowledge has, and of how many documents."""
        return await asyncio.to_thread(Triplets(self.store.catalog.database).counts)

    async def graph_names(self, name: str, *, most: Positive = 5) -> list[str]:
        """Return longer names in the graph of knowledge of which this one is the beginning or the end."""
        keys = sorted(entity_keys(name, await self.store.languages()))
        triplets = Triplets(self.store.catalog.database)
        found = [one for key in keys for one in await asyncio.to_thread(triplets.begun_by, key, most)]
        return list(dict.fromkeys(found))[:most]

    async def notes_on(self, where: Where | None) -> list[Note]:
        """Say of each field that a filter names and no document has, which was meant; nothing of what may not be seen.

        It is no error: a field can be optional, and come with the next document.
        """
        return await self.store.field_names.on(as_filter(where))

    async def documents(self) -> list[DocumentInfo]:
        """List the documents, in the order they came; of further bases that are read, after those of the first."""
        return await asyncio.to_thread(self.store.documents.documents)

    async def named(self, *names: str | Path, whole: bool = False) -> list[DocumentInfo]:
        """The documents of these ids or sources (paths); one path can hold many.

        Where there is no such id or path, the beginning of an id (from four characters on) or the end of a path will
        do, if only one is meant; unless `whole`.

        Raises:
            InputError: a name is neither a document's id nor a source, or could mean several.
        """
        places = {text: absolute(text) for text in map(spelled, names)}
        return await asyncio.to_thread(find_named, self.store.documents, places, whole=whole)

    async def document(self, document_id: str) -> tuple[Document, list[Chunk]]:
        """One document, with its canonical text and its chunks in order.

        Raises:
            InputError: there is no such document.
        """
        found = await asyncio.to_thread(self.store.documents.document, document_id)
        if found is None:
            message = f"There is no document {document_id!r}."
            raise InputError(message, cure="List them with: rove inspect")
        return found

    async def text(self, document_id: str) -> str:
        """The canonical text of a document; spans are offsets into it.

        Raises:
            InputError: there is no such document.
        """
        text = await asyncio.to_thread(self.store.documents.text, document_id)
        return text or (await self.document(document_id))[0].text

    async def ledger(self, *states: str, first: int = 0, most: Positive | None = None) -> list[LedgerEntry]:
        """What became of every source that was given, or of those in these states: `most` of them from `first` on."""
        return await asyncio.to_thread(self.store.ledger.entries, *states, first=first, most=most)

    async def delete(
        self,
        *names: str | Path,
        where: Where | None = None,
        mentions: bool = False,
        erase_now: bool = False,
        listener: Listener = ignore,
    ) -> int:
        """Erase documents by id, by source (path, URL) or by a filter. Returns how many.

        Their bytes leave the files of a base in a folder at once. Postgres keeps them in its tables' files until it
        writes over them, or the tables anew: with `erase_now`, or at `doctor`. Its log and backups are its own.

        Args:
            names: ids, paths, addresses.
            where: a filter: what it lets through is erased too.
            mentions: erase the user's own words that name them as well: questions that are kept, walks and
                conversations.
            erase_now: have Postgres write its tables anew at once, which holds up who reads.
            listener: told of fields that the filter names and no document has, before anything is erased; without one
                it is a `FieldWarning`.

        Raises:
            InputError: a name is neither a document's id nor a source.
        """
        note(await self.notes_on(where), listener)
        found = await self.named(*names) if names else []
        if (passing := as_filter(where)) is not None:
            found += [
                one for one in await asyncio.to_thread(self.store.catalog.documents) if passing.matches(one.fields)
            ]
        await erase(self.store, ids := list(dict.fromkeys(info.document_id for info in found)), now=erase_now)
        if mentions:
            await self.forget_mentions(*(name for info in found for name in names_of(info)))
        return len(ids)

    async def mentions(self, *names: str | Path, where: Where | None = None, listener: Listener = ignore) -> Mentions:
        """Find users' own words that name documents: kept questions, walks, conversations. `delete` leaves them.

        A name of documents of the base stands for their titles, ids and files; any other for itself.
        """
        note(await self.notes_on(where), listener)
        passing = as_filter(where)
        found = [one for one in await self.documents() if passing.matches(one.fields)] if passing is not None else []
        words: list[str] = [word for info in found for word in names_of(info)]
        for name in names:
            try:
                words += [word for info in await self.named(name) for word in names_of(info)]
            except InputError:
                words.append(str(name))
        return await asyncio.to_thread(find_mentions, self.store.catalog.database, words)

    async def forget_mentions(self, *names: str | Path) -> Mentions:
        """Erase the user's own words that name this, see `mentions`; returns what was erased."""
        found = await self.mentions(*names)
        await asyncio.to_thread(forget_mentions, self.store.catalog.database, found)
        await self.store.graph.let_go()
        return found

    async def doctor(self) -> Health:
        """Compare catalog and index chunk by chunk, and mend the index from the catalog.

        Vectors that are damaged in the catalog are made anew.
        """
        mended = await embed_anew(self.store, self.embedder)
        health = await self.store.heal()
        return replace(health, problems=(*mended, *health.problems))

    async def depth(self, where: Where | None = None) -> Depth:
        """Say how many passages the embedder has yet to reach (see `embedder.first`), within a filter on labels."""
        return await self.store.depth(as_filter(where))

    def export(self) -> AsyncIterator[str]:
        """Write the base as lines of JSON: documents with text, metadata, vectors, and kept files. See `import_`."""
        return exported(self.store, self.embedder.fingerprint)


async def keep_originals(store: Store, serve: ServeSettings, offered: Sequence[Offered]) -> str:
    """Keep the files that documents were read from, as the settings allow.

    Returns why some are not kept, "" where all are, or where the settings want none.
    """
    if not offered or not serve.keep_originals:
        return ""
    refused = await store.keep_originals(offered, serve.max_originals_mb * 1_000_000)
    if not refused:
        return ""
    most = f"{serve.max_originals_mb} MB. Raise serve.max_originals_mb, and hand them in again."
    return f"{len(refused)} documents show as text: their files would take more than {most}"


def absolute(path: str) -> str:
    """Return a path from the root on."""
    return os.path.abspath(path)  # noqa: PTH100 - a link is named by where it stands
