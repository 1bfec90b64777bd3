"""SQL runs only where all of it is known: one SELECT over known tables, and what runs is what is written back."""

from __future__ import annotations

import pytest

from rove.databases.check import check_sql
from rove.errors import InputError
from rove.records.schema import Column, TableSchema

TABLES = [
    TableSchema("cust", (Column("id"), Column("name"), Column("age"))),
    TableSchema("ord", (Column("id"), Column("cust_id"), Column("amt"))),
]
DIALECTS = ("sqlite", "postgres", "duckdb", "mysql")
GOOD = (
    "select name from cust",
    "SELECT count(*) FROM cust c JOIN ord o ON c.id=o.cust_id WHERE o.amt>3 group by c.name having count(*)>1",
    "select name from cust where id in (select cust_id from ord where ord.cust_id=cust.id)",
    "with x as (select id, age*2 as d from cust) select d from x",
    "with x(a) as (select id from cust) select a from x",
    "select name from cust union select cust_id from ord",
    "select name, max(age) m from cust group by name order by m desc limit 3",
    "select t.name from cust as t where exists (select 1 from ord where cust_id = t.id)",
    "select t.* from (select name from cust) t where t.name like 'a%'",
    "select avg(age) from cust where age between 1 and 3 or name not like '%x%'",
)
BAD = (
    "delete from cust",
    "select 1; drop table cust",
    "select * from nope",
    "select nope from cust",
    "select nope from (select name from cust) t",
    "select (select nope from ord) from cust",
    "select name from cust order by nope",
    "select x.name from cust c",
    "select name from other.cust",
    "select name from a.b.cust",
    "select * from information_schema.tables",
    "select pg_read_file('/etc/passwd')",
    "select query_to_xml('delete from cust', true, true, '')",
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * into x from cust",
    "with d as (delete from cust returning *) select * from d",
    "copy cust to '/tmp/x'",
    "select load_extension('x')",
    "select name from cust for update",
    "with recursive x as (select 1 union all select 1 from x) select * from x",
    "select * from generate_series(1, 1000000000)",
    "select randomblob(1000000000) from cust",
    "select repeat('a', 1000000000) from cust",
    "select sleep(3)",
    "select current_setting('x')",
    "attach 'x' as y",
    "pragma table_info(cust)",
    "explain select 1",
    "set x = 1",
    "values (1)",
    "/*!50000 delete from cust */",
    "",
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", GOOD)
def test_one_select_over_known_tables_runs(sql: str, dialect: str) -> None:
    assert check_sql(sql, dialect, TABLES, max_rows=10).tables


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", BAD)
def test_all_else_is_refused(sql: str, dialect: str) -> None:
    with pytest.raises(InputError):
        check_sql(sql, dialect, TABLES, max_rows=10)


def test_the_rows_are_limited_and_a_smaller_limit_stays() -> None:
    assert check_sql("select name from cust", "sqlite", TABLES, max_rows=5).sql.endswith("LIMIT 6")
    assert check_sql("select name from cust limit 900", "sqlite", TABLES, max_rows=5).sql.endswith("LIMIT 6")
    assert check_sql("select name from cust limit 2", "sqlite", TABLES, max_rows=5).sql.endswith("LIMIT 2")


def test_comments_and_hints_do_not_run() -> None:
    found = check_sql("select /* drop table cust */ name from cust -- ; delete from cust", "mysql", TABLES, max_rows=5)
    assert found.sql == "SELECT name FROM cust LIMIT 6"


def test_the_message_says_what_was_meant() -> None:
    with pytest.raises(InputError, match="Did you mean 'name'"):
        check_sql("select nmae from cust", "sqlite", TABLES, max_rows=5)
