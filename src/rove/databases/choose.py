"""Which tables of a database a question is about: by the words of their names, columns and values, and by joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log

from rove.language.identifiers import in_words
from rove.language.words import query_terms, terms
from rove.records.schema import TableSchema
from rove.retrieve.table_catalog import TableCatalog

SEEDS = 3
"""The first so many tables, whose ways to each other are taken along."""


def order_tables(question: str, language: str, tables: Sequence[TableSchema]) -> list[TableSchema]:
    """Order tables by how well their words fit a question, what joins the first right after them.

    A word counts the more, the fewer tables have it; in a table's name twice; also where a name has a short form of it.
    """
    asked = set(query_terms(question, language))
    said = [_table_terms(table, language) for table in tables]
    known = Counter(term for name, rest in said for term in name | rest)
    weight = {term: log(1 + len(tables) / known[term]) for term in asked if known[term]}
    scores = [
        sum(weight[t] for t in asked & rest) + 2 * sum(weight[t] for t in asked & name) / (1 + 0.1 * len(name))
        for name, rest in said
    ]
    catalog = TableCatalog.of({str(at): table for at, table in enumerate(tables)})
    most = max(scores, default=0.0) or 1.0
    for at, named in catalog.names.for_question(question, language).items():
        scores[int(at)] += most * named
    order = sorted(range(len(tables)), key=lambda at: (-scores[at], tables[at].name))
    first = [at for at in order[:SEEDS] if scores[at] > 0]
    ways = [int(at) for one, other in combinations(first, 2) for at in catalog.path(str(one), str(other))]
    return [tables[at] for at in dict.fromkeys([*first, *ways, *order])]


def _table_terms(table: TableSchema, language: str) -> tuple[set[str], set[str]]:
    """The terms of a table's name, and of all else that is said of it."""
    name = set(terms(f"{table.name} {in_words(table.name)} {table.label}", language))
    rest = " ".join(
        f"{column.name} {in_words(column.name)} {column.label} {column.comment} {' '.join(column.samples)}"
        for column in table.columns
    )
    return name, set(terms(f"{rest} {table.comment}", language)) - name
