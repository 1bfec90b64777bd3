"""A base asks a database that its settings name: by rules, by a chat model that is checked, and it only reads."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.scripted_chat import ScriptedChat

from rove import Rove
from rove.cli import rove
from rove.databases.targets import target_of
from rove.errors import InputError, ServiceError
from rove.events import DatabaseAsked, Event
from rove.load.discover import schema_location
from rove.models.fake import FakeEmbedder

MADE = """
CREATE TABLE customers (cust_id INTEGER PRIMARY KEY, cust_nm TEXT, city TEXT, age INT);
CREATE TABLE orders (ord_id INTEGER PRIMARY KEY, cust_id INT REFERENCES customers (cust_id), amt REAL, status TEXT);
INSERT INTO customers VALUES (1, 'Anna Kiss', 'Budapest', 34), (2, 'Bob Stone', 'London', 51), (3, 'Li', 'Wien', 28);
INSERT INTO orders VALUES (10, 1, 99.5, 'open'), (11, 2, 10, 'closed'), (12, 1, 5.25, 'open');
"""
JOINED = "SELECT c.cust_nm FROM customers c JOIN orders o ON o.cust_id = c.cust_id WHERE o.status = 'closed'"


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(MADE)
    connection.close()
    return f"sqlite:///{path}"


def opened(tmp_path: Path, shop: str, chat: ScriptedChat | None = None) -> Rove:
    return Rove.open(
        tmp_path / "kb", embedder=FakeEmbedder(), chat=chat, databases={"shop": {"url": shop, "max_rows": 2}}
    )


def test_rules_answer_with_the_sql_the_rows_and_a_sentence(tmp_path: Path, shop: str) -> None:
    heard: list[Event] = []
    with opened(tmp_path, shop) as kb:
        reply = kb.ask_database("How many customers are from Budapest?", listener=heard.append)
        assert (reply.rows, reply.by, reply.tables, reply.answered) == ((("1",),), "rules", ("customers",), True)
        assert reply.text == "number: 1."
        assert [(e.database, e.sql, e.rows) for e in heard if isinstance(e, DatabaseAsked)] == [("shop", reply.sql, 1)]
        listed = kb.ask_database("Show the name of all customers.")
        assert listed.cut
        assert listed.rows == (("Anna Kiss",), ("Bob Stone",))
        dry = kb.ask_database("How many customers are from Budapest?", dry_run=True)
        assert (dry.sql, dry.rows, dry.answered) == (reply.sql, (), False)


def test_what_is_not_understood_is_not_answered(tmp_path: Path, shop: str) -> None:
    with opened(tmp_path, shop) as kb:
        reply = kb.ask_database("Why is the sky blue?")
        assert not reply.answered
        assert not reply.sql
        assert reply.text == "I cannot answer this from the tables of shop. Not understood: sky, blue."
        assert kb.ask_database("Warum ist der Himmel blau?").text.startswith("Das kann ich aus den Tabellen")


def test_a_model_writes_sql_and_mends_it_once(tmp_path: Path, shop: str) -> None:
    chat = ScriptedChat(SqlDraft=[{"sql": "SELECT cust_name FROM customers"}, {"sql": JOINED}])
    with opened(tmp_path, shop, chat) as kb:
        reply = kb.ask_database("Who has a closed order?")
    assert (reply.rows, reply.by, set(reply.tables)) == ((("Bob Stone",),), "model", {"customers", "orders"})
    assert "cust_name" in reply.note
    first, second = chat.asked("SqlDraft")
    assert "CREATE TABLE customers" in first
    assert "There is no column 'cust_name'" in second


@pytest.mark.parametrize("sql", ["DELETE FROM customers", "SELECT * FROM sqlite_master", "SELECT load_extension('x')"])
def test_what_a_model_writes_is_checked(tmp_path: Path, shop: str, sql: str) -> None:
    with opened(tmp_path, shop, ScriptedChat(SqlDraft={"sql": sql})) as kb:
        reply = kb.ask_database("Delete all customers, please.")
        assert not reply.answered
        assert "could not be used" in reply.note
        assert kb.run_sql("SELECT COUNT(*) FROM customers").rows == (("3",),)


def test_a_caller_names_a_database_and_never_an_address(tmp_path: Path, shop: str) -> None:
    with opened(tmp_path, shop) as kb:
        with pytest.raises(InputError, match="There is no database 'shpo'.*Did you mean 'shop'"):
            kb.ask_database("How many customers are there?", "shpo")
        with pytest.raises(InputError, match="no database"):
            kb.ask_database("How many customers are there?", shop)
        with pytest.raises(InputError, match="DELETE"):
            kb.run_sql("DELETE FROM customers")


def test_only_the_tables_that_the_settings_name_are_read(tmp_path: Path, shop: str) -> None:
    databases = {"shop": {"url": shop, "tables": ["orders"]}}
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(), databases=databases) as kb:
        assert kb.run_sql("SELECT COUNT(*) FROM orders").rows == (("3",),)
        with pytest.raises(InputError, match="There is no table"):
            kb.run_sql("SELECT cust_nm FROM customers")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "INSERT INTO orders VALUES (1, 1, 1, 'x')",
        "PRAGMA writable_schema = 1",
        "ATTACH '/tmp/x' AS y",
        "WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x) SELECT COUNT(*) FROM x",
    ],
)
def test_sqlite_refuses_what_the_check_would_have_let_through(shop: str, sql: str) -> None:
    with pytest.raises(InputError, match="refuses"):
        target_of(shop).run(sql, max_rows=5, timeout_s=5)


def test_a_statement_that_takes_too_long_is_stopped(shop: str) -> None:
    many = ", ".join(f"orders o{number}" for number in range(20))
    with pytest.raises(ServiceError, match=r"more than 0\.2 s"):
        target_of(shop).run(f"SELECT COUNT(*) FROM {many}", max_rows=5, timeout_s=0.2)


def test_a_schema_is_taken_in_and_asked_for(tmp_path: Path, shop: str) -> None:
    with opened(tmp_path, shop) as kb:
        report = kb.add(schema_location(shop))
        assert (report.documents, report.failed) == (2, ())
        assert {info.kind for info in kb.documents()} == {"schema"}
        part = kb.schema("open orders of a customer")
        assert {table.schema.name for table in part.tables} == {"customers", "orders"}
        assert "cust_nm TEXT, -- customer name" in part.text
        assert "refers to customers.cust_id" in part.text
        assert part.tokens <= 2_000
        small = kb.schema("open orders of a customer", budget_tokens=60)
        assert len(small.tables) + len(small.left_out) == 2
        assert small.tokens <= 60
        assert kb.search("customer name", top_k=1)[0].title == "customers"


def test_the_command_shows_the_sql_and_says_no_by_its_status(tmp_path: Path, shop: str) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "rove.toml").write_text(
        f'[embedder]\nname = "fake"\n[databases.shop]\nurl = "{shop}"\n', "utf-8"
    )
    run = CliRunner()
    base = ["--kb", str(tmp_path / "kb")]
    found = run.invoke(rove, ["sql", *base, "How many orders are there?"])
    assert (found.exit_code, "COUNT(*)" in found.stdout, "3" in found.stdout) == (0, True, True)
    assert run.invoke(rove, ["sql", *base, "Why is the sky blue?"]).exit_code == 1
    assert run.invoke(rove, ["sql", *base, "--run", "DELETE FROM orders"]).exit_code == 2
    assert run.invoke(rove, ["add", *base, "--schema", shop]).exit_code == 0
    assert "CREATE TABLE orders" in run.invoke(rove, ["sql", *base, "--schema", "orders"]).stdout
    assert shop not in run.invoke(rove, ["settings", *base]).stdout


def test_a_folder_of_sheets_is_taken_in_as_a_database(tmp_path: Path) -> None:
    folder = tmp_path / "handel"
    folder.mkdir()
    (folder / "kunden.csv").write_text("kunde_id;name;stadt\n1;Anna;Wien\n2;Ute;Bonn\n", "utf-8")
    (folder / "orders.csv").write_text("order_id,cust_id,amount\n7,1,12.5\n8,2,30\n", "utf-8")
    (folder / "员工.csv").write_text("姓名,城市,工资\n李明,上海,5000\n王芳,北京,6000\n", "utf-8")
    (folder / "readme.md").write_text("# What is here\n\nSheets of the shop.\n", "utf-8")
    (folder / "long.csv").write_text("code,value\n" + "".join(f"K{n},{n}\n" for n in range(5_000)), "utf-8")
    base = ["--kb", str(tmp_path / "kb"), "--set", "embedder.name=fake"]
    run = CliRunner()
    added = run.invoke(rove, ["add", *base, "--schema", str(folder)])
    assert added.exit_code == 0, added.output
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        infos = kb.documents()
        assert {(info.kind, info.title) for info in infos} == {
            ("schema", "kunden"), ("schema", "orders"), ("schema", "员工"), ("schema", "long"),
        }  # fmt: skip
        assert {info.metadata["database"] for info in infos} == {"handel"}
        part = kb.schema("Which customer has the largest amount?")
        assert "amount DOUBLE" in part.text
        assert "姓名" in kb.schema("员工的工资").tables[0].schema.columns[0].name
        assert "5000" not in kb.text(next(info.document_id for info in infos if info.title == "long"))
        kb.add(folder / "kunden.csv")  # its rows are another source, beside the description
        assert kb.ask_tables("Wie viele name gibt es in Wien?").rows == (("1",),)
        kinds = sorted(info.kind for info in kb.documents() if info.title == "kunden")
        assert kinds == ["csv", "schema"]
    again = run.invoke(rove, ["add", *base, "--schema", str(folder), "--json"])
    assert json.loads(again.stdout)["unchanged"] == 4
    shown = run.invoke(rove, ["sql", *base, "--schema", "stadt der kunden"])
    assert (shown.exit_code, "kunden" in shown.stdout) == (0, True)
    nothing = run.invoke(rove, ["add", *base, "--schema", str(tmp_path / "kb")])
    assert (nothing.exit_code, "There are no sheets" in nothing.output) == (2, True)
