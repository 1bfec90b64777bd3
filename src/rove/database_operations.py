"""The calls of the engine that concern databases: which tables a question needs, and answers from their rows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rove.argument_checks import Positive
from rove.errors import ConfigError, InputError, check_asked, meant
from rove.events import Listener, ignore
from rove.installing import install_cure
from rove.models import ChatModel
from rove.records.filter import Where, as_filter
from rove.records.schema import SchemaPart, TableSchema
from rove.records.sql import SqlReply
from rove.registry import load
from rove.retrieve import Query, SearchContext
from rove.retrieve.schema_part import schema_part
from rove.settings import Settings

if TYPE_CHECKING:  # the SQL parser is an extra
    from rove.databases.ask import DatabaseAsker

SCHEMA_TOKENS, SCHEMA_TABLES = 2_000, 10
FRESH_S = 300.0
"""The tables of a database are looked up anew after so many seconds."""


class DatabaseOperations:
    """The calls of `AsyncRove` that concern databases. The settings name them; a caller never gives an address."""

    settings: Settings
    search_context: SearchContext
    chat_model: Callable[[], ChatModel | None]

    async def schema(
        self,
        question: str,
        *,
        budget_tokens: Positive = SCHEMA_TOKENS,
        top_k: Positive = SCHEMA_TABLES,
        where: Where | None = None,
    ) -> SchemaPart:
        """Return the tables that a question needs, as CREATE TABLE statements with comments within a budget.

        Tables are documents of kind "schema": `rove add --schema ADDRESS`, or descriptions of tables in any source.
        """
        check_asked(question)
        return await schema_part(self.search_context, Query(question, top_k, as_filter(where)), budget_tokens)

    async def ask_database(
        self,
        question: str,
        database: str = "",
        *,
        dry_run: bool = False,
        by_rules: bool = False,
        listener: Listener = ignore,
    ) -> SqlReply:
        """Answer a question from a database that the settings name; "" for the only one.

        Args:
            question: what to find out; without a chat model in English, German, Hungarian, Chinese or Japanese.
            database: its name in the settings table "databases".
            dry_run: write and check the SQL, and run nothing.
            by_rules: ask no chat model, though there is one.
            listener: told of the SQL that has run (`DatabaseAsked`).

        Raises:
            InputError: the question is blank, there is no such database, or it cannot be read.
            ConfigError: an extra is not installed.
            ServiceError: the database took too long.
        """
        check_asked(question)
        asker = await self._asker(database, by_rules=by_rules)
        return await asker.ask(question, dry_run=dry_run, listener=listener)

    async def ask_tables(
        self,
        question: str,
        *,
        where: Where | None = None,
        dry_run: bool = False,
        by_rules: bool = False,
        listener: Listener = ignore,
    ) -> SqlReply:
        """Answer a question from the tables in the documents: sheets, and tables in pages, texts and PDFs.

        The reply's `cells` say where its values stand.

        Args:
            question: see `ask_database`.
            where: a filter over the documents.
            dry_run: see `ask_database`.
            by_rules: likewise.
            listener: likewise.

        Raises:
            InputError: the question is blank.
            ConfigError: an extra is not installed.
            ServiceError: a model failed.
        """
        check_asked(question)
        ask = _database_part("document_tables:ask_tables")
        chat = None if by_rules else self.chat_model()
        return await ask(self.search_context, chat, question, as_filter(where), dry_run=dry_run, listener=listener)

    async def run_sql(
        self, sql: str, database: str = "", *, dry_run: bool = False, listener: Listener = ignore
    ) -> SqlReply:
        """Run SQL of your own in a database that the settings name: one SELECT, checked and limited as any other.

        Raises:
            InputError: it may not run; the message says why.
            ConfigError, ServiceError: see `ask_database`.
        """
        check_asked(sql)
        return await (await self._asker(database)).run(sql, dry_run=dry_run, listener=listener)

    async def _asker(self, name: str, *, by_rules: bool = False) -> DatabaseAsker:
        known = self.settings.databases
        name = name or (next(iter(known)) if len(known) == 1 else "")
        if name not in known:
            several = f"{len(known)} databases are set up; which one?" if known else "No database is set up."
            said = f"There is no database {name!r}." if name else several
            cure = f"{meant(name, known)}Name one of: {', '.join(known)}." if known else NONE
            raise InputError(said, cure=cure, outcome="unsupported")
        one = known[name]
        asker, limits, target_of = (
            _database_part(place) for place in ("ask:DatabaseAsker", "ask:Limits", "targets:target_of")
        )
        target = target_of(one.url.get_secret_value())
        held: dict[str, tuple[float, Sequence[TableSchema]]] = self.__dict__.setdefault("_database_tables", {})
        if name not in held or time.monotonic() - held[name][0] > FRESH_S:
            held[name] = (time.monotonic(), await asyncio.to_thread(target.tables))
        allowed = {table.casefold() for table in one.tables}
        tables = [table for table in held[name][1] if not allowed or table.name.casefold() in allowed]
        meanings = _database_part("by_meaning:NameMeanings")(self.search_context.embedder, self.search_context.judge())
        meanings = self.__dict__.setdefault("_name_meanings", meanings)
        chat = None if by_rules else self.chat_model()
        return asker(name, target, tables, limits(one.max_rows, one.timeout_s), chat, meanings)


NONE = 'Set one up in rove.toml: [databases.shop] url = "postgresql://reader:…@host/shop".'


def _database_part(place: str) -> Any:  # noqa: ANN401 - typed where it is used
    try:
        return load(f"rove.databases.{place}")
    except ModuleNotFoundError as error:
        message = f"Asking databases needs {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure("sql", error.name or "")) from error
