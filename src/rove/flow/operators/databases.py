"""Operators that ask databases, and the tables of documents as one."""

from __future__ import annotations

from rove.flow.operator import FlowContext, operator
from rove.records.sql import SqlReply


@operator(needs=("databases",))
async def sql(context: FlowContext, *, question: str, database: str = "") -> SqlReply:
    """Ask a database that the settings name ("" for the only one): the SQL, its rows, a sentence, or not answered."""
    return await context.kb.ask_database(question, database, listener=context.listener)


async def sql_tables(context: FlowContext, *, question: str) -> SqlReply:
    """Ask the tables in the documents as "sql" asks a database; each value of the rows has its place."""
    return await context.kb.ask_tables(question, where=context.where, listener=context.listener)
