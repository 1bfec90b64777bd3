"""A real MariaDB: described, searched, asked by rules, by SQL and by tools; it only reads, and is stopped in time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.mariadb_server import running

from rove import Rove
from rove.databases.targets import Target, target_of
from rove.errors import InputError, ServiceError
from rove.load.data.database import database_address, database_documents, engine_of
from rove.load.discover import schema_location
from rove.models.fake import FakeEmbedder

pytestmark = pytest.mark.servers
MADE = (
    "CREATE TABLE cust (id INT PRIMARY KEY, nm VARCHAR(40) COMMENT 'the name', city VARCHAR(40)) COMMENT 'All who buy'",
    "CREATE TABLE orders (ord_id INT PRIMARY KEY, cust_id INT, amt DECIMAL(8, 2), made DATE, "
    "FOREIGN KEY (cust_id) REFERENCES cust (id))",
    "INSERT INTO cust VALUES (1, 'Ann', 'Budapest'), (2, 'Bo', 'Győr'), (3, '李', '北京'), (4, 'Dan', 'Budapest')",
    "INSERT INTO orders VALUES (1, 1, 9.5, '2026-01-02'), (2, 1, NULL, '2026-02-02'), (3, 2, 1, '2026-03-03')",
    "CREATE TABLE other.hidden (id INT)",
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as given:
        engine = engine_of(database_address(given))
        with engine.begin() as connection:
            for made in MADE:
                connection.execute(text(made))
        engine.dispose()
        yield given


def still_running(address: str, words: str) -> int:
    """How many statements with these words the server works on, after those that end within 2 s."""
    engine = engine_of(database_address(address))
    count = text("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE :like AND id <> CONNECTION_ID()")
    found, ends = 1, time.monotonic() + 2
    with engine.connect() as connection:
        while found and time.monotonic() < ends:
            found = int(connection.execute(count, {"like": f"%{words}%"}).scalar_one())
            time.sleep(0.1)
    engine.dispose()
    return found


@pytest.fixture(params=["mysql", "mariadb"])
def target(request: pytest.FixtureRequest, address: str) -> Target:
    return target_of(address.replace("mysql", request.param, 1))


def test_tables_of_the_named_database_are_read_with_comments_and_keys(target: Target) -> None:
    cust, orders = target.tables()
    assert (cust.name, cust.comment, orders.columns[1].references) == ("cust", "All who buy", "cust.id")
    assert [(c.name, c.is_key, c.comment, c.samples) for c in cust.columns] == [
        ("id", True, "", ("1", "2", "3")),
        ("nm", False, "the name", ("Ann", "Bo", "李")),
        ("city", False, "", ("Budapest", "Győr", "北京")),
    ]


def test_rows_are_read_and_cut(target: Target) -> None:
    found = target.run("SELECT nm FROM cust WHERE nm LIKE '%n%' AND id % 2 > -1 ORDER BY id", max_rows=1, timeout_s=5)
    assert (found.rows, found.cut, target.note) == ((("Ann",),), True, None)


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM cust", "CREATE TABLE x (a INT)", "UPDATE cust SET nm = 'x'", "CREATE TEMPORARY TABLE y (a INT)"],
)
def test_nothing_is_written(target: Target, sql: str) -> None:
    with pytest.raises(InputError, match=r"READ ONLY transaction \(1792\)"):
        target.run(sql, max_rows=5, timeout_s=5)


def test_what_takes_too_long_is_stopped(target: Target) -> None:
    endless = (
        "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns"
    )
    with pytest.raises(ServiceError, match="more than 0.5 s"):
        target.run(endless, max_rows=5, timeout_s=0.5)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many cust are from Budapest?", (("2",),)),
        ("Wie viele cust sind aus Győr?", (("1",),)),
        ("北京有多少 cust？", (("1",),)),
        ("Which orders has the highest amount?", (("1", "1", "9.50", "2026-01-02"),)),
        ("Which orders has the lowest amount?", (("3", "2", "1.00", "2026-03-03"),)),  # NULL comes last
    ],
)
def test_a_base_asks_it_by_rules(
    tmp_path: Path, address: str, question: str, rows: tuple[tuple[str, ...], ...]
) -> None:
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(), databases={"shop": {"url": address}}) as kb:
        reply = kb.ask_database(question)
        assert (reply.by, reply.dialect, reply.rows) == ("rules", "mysql", rows), reply
        assert "`" in reply.sql


def test_sql_of_the_caller_is_checked_and_written_in_its_dialect(tmp_path: Path, address: str) -> None:
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(), databases={"shop": {"url": address}}) as kb:
        reply = kb.run_sql(
            "SELECT c.city, COUNT(*) AS n, DATE_FORMAT(MAX(o.made), '%Y-%m') AS last FROM cust c "
            "JOIN orders o ON o.cust_id = c.id GROUP BY c.city ORDER BY n DESC"
        )
        assert reply.rows == (("Budapest", "2", "2026-02"), ("Győr", "1", "2026-03"))
        for refused in (
            "SELECT LOAD_FILE('/etc/passwd')",
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT * FROM mysql.user",
        ):
            with pytest.raises(InputError):
                kb.run_sql(refused)


def test_its_tables_are_found_by_their_words_and_its_rows_are_documents(tmp_path: Path, address: str) -> None:
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder()) as kb:
        assert kb.add(schema_location(address)).failed == ()
        assert "CREATE TABLE" in kb.schema("amount of a customer's orders").text
    assert [document.title for document in database_documents(address, max_rows=10)] == ["cust", "orders"]


def test_statements_are_tools_that_only_read_within_their_time(tmp_path: Path, address: str) -> None:
    templates = {
        "orders_of": {"sql": "SELECT ord_id, amt FROM orders WHERE cust_id = :customer", "description": "Orders"},
        "slow": {"sql": "SELECT SLEEP(30), :customer", "description": "Wait"},
        "clear": {"sql": "DELETE FROM orders WHERE cust_id = :customer", "description": "Clear"},
    }
    number = {"parameters": {"customer": {"type": "integer"}}}
    source = {
        "kind": "sql",
        "database": address,
        "timeout_s": 1,
        "templates": {name: one | number for name, one in templates.items()},
    }
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder(), tools={"shop": source}) as kb:
        run = kb.run_tool("orders of customer 1", tool="orders_of", arguments={"customer": 1})
        assert (run.outcome, (run.text or "").count("9.50")) == ("ran", 1)
        assert "within 1 s" in kb.run_tool("wait", tool="slow", arguments={"customer": 1}).note
        assert still_running(address, "SLEEP(30)") == 0
        assert "READ ONLY" in kb.run_tool("clear", tool="clear", arguments={"customer": 1}).note
        assert kb.run_tool("orders of customer 2", tool="orders_of", arguments={"customer": 2}).outcome == "ran"
