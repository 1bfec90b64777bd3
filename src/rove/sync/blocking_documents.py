"""The blocking face of `rove.document_operations`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rove.argument_checks import Positive
from rove.correction_operations import LOCAL
from rove.database_operations import SCHEMA_TABLES, SCHEMA_TOKENS
from rove.document_operations import NEAR
from rove.engine import AsyncRove
from rove.events import Listener, ignore
from rove.records import Chunk, Document, DocumentInfo, LedgerEntry, Note
from rove.records.correction_history import MadeCorrection
from rove.records.document import Span
from rove.records.filter import Where
from rove.records.graph import DocumentGraph, Subgraph
from rove.records.schema import SchemaPart
from rove.records.sql import SqlReply
from rove.records.summary import Summary
from rove.records.theme import Theme
from rove.retrieve.explore import Reach
from rove.store.conversation_log import KeptTurn
from rove.store.health import Health
from rove.store.kept_questions import KeptQuestion
from rove.store.mentions import Mentions
from rove.store.shallow import Depth
from rove.sync.docstrings import explained_by

if TYPE_CHECKING:  # the library that trains is an extra
    from rove.models.fasttext.training import TrainedVectors

T = TypeVar("T")


@explained_by(AsyncRove)
class BlockingDocuments(ABC):
    """The calls of `Rove` that neither take in nor answer. How they are run is said by `Rove`."""

    _kb: AsyncRove

    @abstractmethod
    def _run(self, work: Awaitable[T]) -> T: ...

    @abstractmethod
    def _heard(self, where: Where | None, listener: Listener) -> Listener: ...

    @abstractmethod
    def _each(self, items: AsyncIterator[T]) -> Iterator[T]: ...

    def suggest(self, begun: str = "", *, most: Positive = 5) -> list[str]:
        """See `AsyncRove.suggest`."""
        return self._run(self._kb.suggest(begun, most=most))

    def forget_asked(self, *questions: str) -> int:
        """See `AsyncRove.forget_asked`."""
        return self._run(self._kb.forget_asked(*questions))

    def keep_question(self, question: str, document_id: str, span: Span) -> None:
        """See `AsyncRove.keep_question`."""
        self._run(self._kb.keep_question(question, document_id, span))

    def kept_questions(self) -> list[KeptQuestion]:
        """See `AsyncRove.kept_questions`."""
        return self._run(self._kb.kept_questions())

    def forget_kept(self, *questions: str) -> int:
        """See `AsyncRove.forget_kept`."""
        return self._run(self._kb.forget_kept(*questions))

    def judged_turns(self) -> list[tuple[str, KeptTurn]]:
        """See `AsyncRove.judged_turns`."""
        return self._run(self._kb.judged_turns())

    def themes(self, *, most: Positive = 8, where: Where | None = None, listener: Listener = ignore) -> list[Theme]:
        """See `AsyncRove.themes`."""
        return self._run(self._kb.themes(most=most, where=where, listener=self._heard(where, listener)))

    def train_embedder(self, file: str | Path) -> TrainedVectors:
        """See `AsyncRove.train_embedder`."""
        return self._run(self._kb.train_embedder(file))

    def schema(
        self,
        question: str,
        *,
        budget_tokens: Positive = SCHEMA_TOKENS,
        top_k: Positive = SCHEMA_TABLES,
        where: Where | None = None,
    ) -> SchemaPart:
        """See `AsyncRove.schema`."""
        return self._run(self._kb.schema(question, budget_tokens=budget_tokens, top_k=top_k, where=where))

    def ask_database(
        self,
        question: str,
        database: str = "",
        *,
        dry_run: bool = False,
        by_rules: bool = False,
        listener: Listener = ignore,
    ) -> SqlReply:
        """See `AsyncRove.ask_database`."""
        asking = self._kb.ask_database(question, database, dry_run=dry_run, by_rules=by_rules, listener=listener)
        return self._run(asking)

    def ask_tables(
        self,
        question: str,
        *,
        where: Where | None = None,
        dry_run: bool = False,
        by_rules: bool = False,
        listener: Listener = ignore,
    ) -> SqlReply:
        """See `AsyncRove.ask_tables`."""
        asking = self._kb.ask_tables(question, where=where, dry_run=dry_run, by_rules=by_rules, listener=listener)
        return self._run(asking)

    def run_sql(self, sql: str, database: str = "", *, dry_run: bool = False, listener: Listener = ignore) -> SqlReply:
        """See `AsyncRove.run_sql`."""
        return self._run(self._kb.run_sql(sql, database, dry_run=dry_run, listener=listener))

    def summary(self, document_id: str) -> list[Summary]:
        """See `AsyncRove.summary`."""
        return self._run(self._kb.summary(document_id))

    def explore(
        self,
        *names: str,
        reach: Reach = NEAR,
        documents: Sequence[str] = (),
        chunks: Sequence[str] = (),
        where: Where | None = None,
        space: str = "",
        listener: Listener = ignore,
    ) -> Subgraph:
        """See `AsyncRove.explore`."""
        exploring = self._kb.explore(
            *names,
            reach=reach,
            documents=documents,
            chunks=chunks,
            where=where,
            space=space,
            listener=self._heard(where, listener),
        )
        return self._run(exploring)

    def document_graph(self, document_id: str) -> DocumentGraph:
        """See `AsyncRove.document_graph`."""
        return self._run(self._kb.document_graph(document_id))

    def define(self, entries: Mapping[str, Iterable[str]], *, remove: Iterable[str] = ()) -> int:
        """See `AsyncRove.define`."""
        return self._run(self._kb.define(entries, remove=remove))

    def dictionary(self) -> dict[str, tuple[str, ...]]:
        """See `AsyncRove.dictionary`."""
        return self._run(self._kb.dictionary())

    def graph_size(self) -> tuple[int, int]:
        """See `AsyncRove.graph_size`."""
        return self._run(self._kb.graph_size())

    def graph_names(self, name: str, *, most: Positive = 5) -> list[str]:
        """See `AsyncRove.graph_names`."""
        return self._run(self._kb.graph_names(name, most=most))

    def notes_on(self, where: Where | None) -> list[Note]:
        """See `AsyncRove.notes_on`."""
        return self._run(self._kb.notes_on(where))

    def documents(self) -> list[DocumentInfo]:
        """See `AsyncRove.documents`."""
        return self._run(self._kb.documents())

    def named(self, *names: str | Path, whole: bool = False) -> list[DocumentInfo]:
        """See `AsyncRove.named`."""
        return self._run(self._kb.named(*names, whole=whole))

    def document(self, document_id: str) -> tuple[Document, list[Chunk]]:
        """See `AsyncRove.document`."""
        return self._run(self._kb.document(document_id))

    def text(self, document_id: str) -> str:
        """See `AsyncRove.text`."""
        return self._run(self._kb.text(document_id))

    def ledger(self, *states: str, first: int = 0, most: Positive | None = None) -> list[LedgerEntry]:
        """See `AsyncRove.ledger`."""
        return self._run(self._kb.ledger(*states, first=first, most=most))

    def delete(
        self,
        *names: str | Path,
        where: Where | None = None,
        mentions: bool = False,
        erase_now: bool = False,
        listener: Listener = ignore,
    ) -> int:
        """See `AsyncRove.delete`."""
        heard = self._heard(where, listener)
        given = self._kb.delete(*names, where=where, mentions=mentions, erase_now=erase_now, listener=heard)
        return self._run(given)

    def mentions(self, *names: str | Path, where: Where | None = None, listener: Listener = ignore) -> Mentions:
        """See `AsyncRove.mentions`."""
        return self._run(self._kb.mentions(*names, where=where, listener=self._heard(where, listener)))

    def forget_mentions(self, *names: str | Path) -> Mentions:
        """See `AsyncRove.forget_mentions`."""
        return self._run(self._kb.forget_mentions(*names))

    def correct(self, document_id: str, span: Span, before: str, text: str, *, by: str = LOCAL) -> None:
        """See `AsyncRove.correct`."""
        self._run(self._kb.correct(document_id, span, before, text, by=by))

    def corrections(self, document_id: str) -> list[MadeCorrection]:
        """See `AsyncRove.corrections`."""
        return self._run(self._kb.corrections(document_id))

    def take_back(self, document_id: str, number: Positive, *, by: str = LOCAL) -> None:
        """See `AsyncRove.take_back`."""
        self._run(self._kb.take_back(document_id, number, by=by))

    def doctor(self) -> Health:
        """See `AsyncRove.doctor`."""
        return self._run(self._kb.doctor())

    def depth(self, where: Where | None = None) -> Depth:
        """See `AsyncRove.depth`."""
        return self._run(self._kb.depth(where))

    def export(self) -> Iterator[str]:
        """See `AsyncRove.export`."""
        return self._each(self._kb.export())
