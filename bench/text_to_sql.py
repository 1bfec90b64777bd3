"""Questions to databases without a chat model: Spider's dev questions over one table, answered by rules and executed.

Spider's databases are not here. Each is made of its tables' schemas, with rows drawn from the values that the gold SQL
of its questions names, so that conditions meet rows. Right is what gives the same rows as the gold SQL.

The rules were written and tuned on these same questions: of others they will answer fewer. No questions were held out.
"By rules and meaning": words that the rules do not know are compared with the names by the embedder. Questions in other
languages are our translations of some of them, over the same English tables; they were written before they were run.
Two wrong answers of the first run, a sum hidden in a word and a second key of an order, were
mended, and it was run again.
"""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import sqlglot
from sqlglot import exp

from bench.figures.databases import same_rows
from bench.report import Table, say
from bench.schemas import SET
from bench.sets import read_lines
from bench.vectors import use_remembered
from rove.databases.ask import DatabaseAsker
from rove.databases.by_meaning import NameMeanings
from rove.databases.mentions import is_numeric
from rove.databases.reply import rows_as_text
from rove.databases.targets import Result, target_of
from rove.language.schema_text import schema_of
from rove.models import EMBEDDERS
from rove.models.judge import judge_of
from rove.records.schema import Column, TableSchema
from rove.settings import EmbedderSettings, JudgeSettings

TRANSLATED = Path(__file__).with_name("translated_questions.toml")
BY_MEANING = "rules and meaning"
ROWS = 60
HELD = 1_000
WORDS = ("Alpha", "Beta", "Gamma", "Delta", "Omega", "Sigma", "Kappa", "Theta")


def run() -> list[Table]:
    """Answer all questions of the kind, and count what is right, wrong and refused."""
    databases = tables_of()
    meanings = NameMeanings(EMBEDDERS.get(use_remembered())(EmbedderSettings(threads=1)), judge_of(JudgeSettings()))
    asked = [(record, gold) for record in read_lines(SET / "queries.jsonl") if (gold := simple(record["answers"][0]))]
    say(f"text_to_sql: {len(asked)} questions over one table with at most one condition")
    pools = values_of([(record["db_id"], gold) for record, gold in asked])
    translated = tomllib.loads(TRANSLATED.read_text("utf-8"))
    outcomes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    wrong: list[list[object]] = []
    for database, group in grouped(asked).items():
        folder = tempfile.TemporaryDirectory(prefix="rove-bench-")
        path = Path(folder.name) / "made.sqlite"
        connection = filled(path, databases[database], pools[database], database)
        asker = DatabaseAsker(database, target_of(f"sqlite:///{path}"), databases[database])
        for record, gold in group:
            texts = {"en": record["text"], **translated.get(record["text"], {})}
            for language, text in texts.items():
                for method, by in (("rules", None), (BY_MEANING, meanings)):
                    outcome, sql = judged(connection, text, gold, replace(asker, meanings=by))
                    outcomes[language, method][outcome] += 1
                    if outcome == "wrong" and by:
                        wrong.append([text, sql, record["answers"][0]])
        connection.close()
        folder.cleanup()
    rows = [[language, method, *numbers(counts)] for (language, method), counts in sorted(outcomes.items(), key=_place)]
    columns = ["language", "by", "questions", "right", "wrong", "refused", "execution accuracy", "right of answered"]
    return [
        Table("Questions over one table", columns, rows, __doc__.partition("\n\n")[2].strip()),
        Table("Wrong, by rules and meaning", ["question", "SQL", "gold"], wrong, ""),
    ]


def numbers(counts: Counter[str]) -> list[object]:
    """The numbers of a row."""
    total, answered = counts.total(), counts["right"] + counts["wrong"]
    shares = [f"{counts['right'] / total:.3f}", f"{counts['right'] / max(answered, 1):.3f}"]
    return [total, *(counts[name] for name in ("right", "wrong", "refused")), *shares]


def _place(row: tuple[tuple[str, str], Counter[str]]) -> tuple[bool, str, bool]:
    (language, method), _ = row
    return language != "en", language, method == BY_MEANING


def grouped(asked: Iterable[tuple[dict, exp.Select]]) -> dict[str, list[tuple[dict, exp.Select]]]:
    """The questions by their databases."""
    found: defaultdict[str, list[tuple[dict, exp.Select]]] = defaultdict(list)
    for record, gold in asked:
        found[record["db_id"]].append((record, gold))
    return found


def simple(sql: str) -> exp.Select | None:
    """The gold SQL where it is one SELECT over one table with at most one condition, else None."""
    try:
        query = sqlglot.parse_one(sql, read="sqlite")
    except sqlglot.errors.SqlglotError:
        return None
    if (
        not isinstance(query, exp.Select)
        or len(list(query.find_all(exp.Select))) > 1
        or len(list(query.find_all(exp.Table))) != 1
    ):
        return None
    where = query.args.get("where")
    conditions = list(where.find_all(exp.And, exp.Or)) if where else []
    return None if conditions else query


def tables_of() -> dict[str, list[TableSchema]]:
    """The tables of each database."""
    found: defaultdict[str, list[TableSchema]] = defaultdict(list)
    for record in read_lines(SET / "corpus.jsonl"):
        if (table := schema_of(record["text"])) and not table.name.startswith("sqlite_"):
            found[record["db_id"]].append(table)
    return found


def values_of(asked: Iterable[tuple[str, exp.Select]]) -> dict[str, dict[str, list[str]]]:
    """The values that gold SQL compares columns with: database → column in lower case → values."""
    found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for database, query in asked:
        for node in query.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.Between, exp.In):
            column = node.find(exp.Column)
            for literal in node.find_all(exp.Literal):
                if column is not None:
                    found[database][column.name.casefold()].append(literal.name.replace("%", ""))
            quoted = [
                one for one in node.find_all(exp.Column) if one is not column and one.args["this"].args.get("quoted")
            ]
            found[database][column.name.casefold() if column else ""] += [one.name for one in quoted]
    return found


def filled(path: Path, tables: list[TableSchema], pool: dict[str, list[str]], seed: str) -> sqlite3.Connection:
    """A database of the tables, with `ROWS` rows each, the same for the same seed."""
    connection = sqlite3.connect(path)
    chance = random.Random(seed)
    for table in tables:
        columns = ", ".join(f'"{c.name}" {"REAL" if is_numeric(c) else "TEXT"}' for c in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
        marks = ", ".join("?" * len(table.columns))
        rows = [[_value(column, pool, chance, row) for column in table.columns] for row in range(ROWS)]
        connection.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', rows)
    connection.commit()
    return connection


def _value(column: Column, pool: dict[str, list[str]], chance: random.Random, row: int) -> str | float:
    known = pool.get(column.name.casefold(), [])
    if is_numeric(column):
        numbers = [float(one) for one in known if re.fullmatch(r"-?\d+(\.\d+)?", one)]
        near = chance.choice(numbers) if numbers else 50.0
        return row + 1 if column.is_key else near if chance.random() < 0.3 else near + chance.randint(-30, 30)
    if known and chance.random() < 0.6:
        return chance.choice(known)
    return f"{chance.choice(WORDS)} {chance.randint(1, 30)}"


def judged(connection: sqlite3.Connection, question: str, gold: exp.Select, asker: DatabaseAsker) -> tuple[str, str]:
    """Say whether a question is answered "right", "wrong" or not ("refused"), and by which SQL."""
    reply = asyncio.run(asker.ask(question))
    if not reply.answered:
        return "refused", reply.text
    found = same_rows(reply.rows, rows_as_text(Result((), tuple(connection.execute(gold.sql(dialect="sqlite"))))))
    return ("right" if found else "wrong"), reply.sql
