"""Questions over one table in five languages, without a model; what is not understood is not answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from rove.databases.by_rules import by_rules
from rove.databases.joins import alone
from rove.records.schema import Column, TableSchema

SINGER = TableSchema(
    "singer",
    (
        Column("Singer_ID", "number", is_key=True),
        Column("Name", "text"),
        Column("Country", "text"),
        Column("Song_Name", "text"),
        Column("Age", "number"),
    ),
)
STAFF = {
    "de": TableSchema("mitarbeiter", (Column("name", "text"), Column("stadt", "text"), Column("gehalt", "number"))),
    "hu": TableSchema("dolgozók", (Column("név", "text"), Column("város", "text"), Column("fizetés", "number"))),
    "zh": TableSchema("员工", (Column("姓名", "text"), Column("城市", "text"), Column("工资", "number"))),
    "ja": TableSchema("社員", (Column("氏名", "text"), Column("都市", "text"), Column("給与", "number"))),
}
HELD = {"Country": ["France"], "stadt": ["Berlin"], "város": ["Szeged"], "城市": ["上海"], "都市": ["東京"]}
ASKED = [
    ("en", "How many singers do we have?", 'SELECT COUNT(*) FROM "singer"'),
    (
        "en",
        "What is the average, minimum, and maximum age of all singers from France?",
        'SELECT AVG("Age"), MIN("Age"), MAX("Age") FROM "singer" WHERE "Country" = \'France\'',
    ),
    ("en", "What is the name of the oldest singer?", 'SELECT "Name" FROM "singer" ORDER BY "Age" DESC LIMIT 1'),
    ("en", "top 3 singers by age", 'SELECT * FROM "singer" ORDER BY "Age" DESC LIMIT 3'),
    ("en", "How many different countries are there?", 'SELECT COUNT(DISTINCT "Country") FROM "singer"'),
    ("en", "Which singers are not from France?", 'SELECT * FROM "singer" WHERE "Country" <> \'France\''),
    (
        "en",
        "Show the names of singers whose age is between 20 and 30.",
        'SELECT "Name" FROM "singer" WHERE "Age" BETWEEN 20 AND 30',
    ),
    (
        "en",
        "Show all countries and the number of singers in each country.",
        'SELECT "Country", COUNT(*) FROM "singer" GROUP BY "Country"',
    ),
    (
        "en",
        "Which countries have at least two singers?",
        'SELECT "Country" FROM "singer" GROUP BY "Country" HAVING COUNT(*) >= 2',
    ),
    ("en", "List all song names by singers above the average age.", None),
    ("en", "What is the weather like in France?", None),
    ("de", "Wie viele Mitarbeiter gibt es in Berlin?", 'SELECT COUNT(*) FROM "mitarbeiter" WHERE "stadt" = \'Berlin\''),
    ("de", "Welche Mitarbeiter haben ein Gehalt über 5000?", 'SELECT * FROM "mitarbeiter" WHERE "gehalt" > 5000'),
    ("hu", "Hány dolgozó van Szegeden?", 'SELECT COUNT(*) FROM "dolgozók" WHERE "város" = \'Szeged\''),
    ("hu", "Mennyi az átlagos fizetés?", 'SELECT AVG("fizetés") FROM "dolgozók"'),
    ("zh", "上海有多少员工？", 'SELECT COUNT(*) FROM "员工" WHERE "城市" = \'上海\''),
    ("zh", "工资最高的员工姓名是什么？", 'SELECT "姓名" FROM "员工" ORDER BY "工资" DESC LIMIT 1'),
    ("ja", "東京の社員は何人ですか？", 'SELECT COUNT(*) FROM "社員" WHERE "都市" = \'東京\''),
    ("ja", "給与が5000以上の社員を表示してください", 'SELECT * FROM "社員" WHERE "給与" >= 5000'),
]


def understood(question: str, language: str, table: TableSchema, held: Mapping[str, Sequence[str]]) -> str | None:
    """The SQL of a question that is understood to its last word, else None."""
    found = by_rules(question, language, alone(table, held))
    return found.query.sql(dialect="sqlite") if found.query is not None and found.is_understood else None


@pytest.mark.parametrize(("language", "question", "sql"), ASKED)
def test_a_question_becomes_sql_or_nothing(language: str, question: str, sql: str | None) -> None:
    assert understood(question, language, STAFF.get(language, SINGER), HELD) == sql


MIXED = [
    ("zh", "singer", "France 有几位 singer？", 'SELECT COUNT(*) FROM "singer" WHERE "Country" = \'France\''),
    ("zh", "singer", "Age 大于1,000的Name是什么？", 'SELECT "Name" FROM "singer" WHERE "Age" > 1000'),
    ("zh", "singer", "France的平均Age是多少？", 'SELECT AVG("Age") FROM "singer" WHERE "Country" = \'France\''),
    ("zh", "singer", "平均 song_name 是多少？", None),  # no number
    ("zh", "singer", "法国有几位歌手？", None),  # no word of it stands in the table
    ("zh", "singer", "Ages 的平均是多少？", None),  # not as it stands in the table
    ("ja", "singer", "Franceの平均Ageはどれくらいですか？",
     'SELECT AVG("Age") FROM "singer" WHERE "Country" = \'France\''),
    ("ja", "singer", "Ageが30以上のsingerを表示してください", 'SELECT * FROM "singer" WHERE "Age" >= 30'),
    ("de", "singer", "Wie hoch ist das durchschnittliche Age in France?",
     'SELECT AVG("Age") FROM "singer" WHERE "Country" = \'France\''),
    ("hu", "singer", "Mennyi az átlagos age?", 'SELECT AVG("Age") FROM "singer"'),
    ("en", "zh", "What is the average 工资 in 上海?", 'SELECT AVG("工资") FROM "员工" WHERE "城市" = \'上海\''),
    ("en", "zh", "How many 员工 are there in 上海?", 'SELECT COUNT(*) FROM "员工" WHERE "城市" = \'上海\''),
    ("de", "ja", "Wie hoch ist das durchschnittliche 給与 in 東京?",
     'SELECT AVG("給与") FROM "社員" WHERE "都市" = \'東京\''),
]  # fmt: skip


@pytest.mark.parametrize(("language", "table", "question", "sql"), MIXED)
def test_names_and_values_are_understood_as_they_stand_in_a_table_of_another_language(
    language: str, table: str, question: str, sql: str | None
) -> None:
    assert understood(question, language, STAFF.get(table, SINGER), HELD) == sql


def test_a_name_is_no_part_of_a_longer_word_nor_of_another_name() -> None:
    table = TableSchema("t", (Column("age", "number"), Column("平均年龄", "number"), Column("平均工资", "number")))
    assert understood("message 是多少？", "zh", table, {}) is None
    assert understood("Show the 平均工资", "en", table, {}) == 'SELECT "平均工资" FROM "t"'
    assert understood("artist 有几个？", "zh", table, {"age": ["art"]}) is None


MEMBERS = TableSchema(
    "members",
    (
        Column("Name", "VARCHAR"), Column("Fee paid", "VARCHAR"), Column("Boat", "VARCHAR"), Column("Phone", "VARCHAR"),
        Column("club_id", "DOUBLE", samples=("3", "4")), Column("Fee", "DOUBLE", samples=("12", "14")),
    ),
)  # fmt: skip
MEMBERS_HELD = {
    "Name": ["Alice Novak", "Eva Lindqvist", "Ben Hill", "Ann Hill"], "Fee paid": ["yes", "no", ""],
    "Boat": ["Heron", ""], "Phone": ["555-0101"],
}  # fmt: skip
NO_BOAT = "COALESCE(\"Boat\", '') = ''"
A_BOAT = "COALESCE(\"Boat\", '') <> ''"


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("Which members have a boat?", f'SELECT * FROM "members" WHERE {A_BOAT}'),
        ("How many members have no boat?", f'SELECT COUNT(*) FROM "members" WHERE {NO_BOAT}'),
        ("Members without a boat", f'SELECT * FROM "members" WHERE {NO_BOAT}'),
        ("Who has paid the fee?", 'SELECT * FROM "members" WHERE "Fee paid" = \'yes\''),
        ("What is the phone number of Eva?", 'SELECT "Phone" FROM "members" WHERE "Name" = \'Eva Lindqvist\''),
        ("What is the phone number of Hill?", None),  # there are two
        ("Who has the highest club?", None),  # a number that only names
        ("Which member is the cheapest?", 'SELECT * FROM "members" ORDER BY "Fee" ASC LIMIT 1'),
    ],
)
def test_what_is_had_is_there_and_what_is_denied_is_not(question: str, sql: str | None) -> None:
    ruled = by_rules(question, "en", alone(MEMBERS, MEMBERS_HELD))
    assert (ruled.query.sql(dialect="duckdb") if ruled.query and ruled.is_understood else None) == sql


OWNED = {
    "de": ("Geräte", "Garantie", "Welche Geräte haben eine Garantie?", "Welche Geräte haben keine Garantie?"),
    "hu": ("eszközök", "garancia", "Mely eszközöknek van garancia?", "Mely eszközöknek nincs garancia?"),
    "zh": ("设备", "保修", "哪些设备有保修？", "哪些设备没有保修？"),
    "ja": ("機器", "保証", "保証がある機器はどれですか", "保証がない機器はどれですか"),
}


@pytest.mark.parametrize("language", OWNED)
def test_it_is_so_in_other_languages(language: str) -> None:
    name, column, had, denied = OWNED[language]
    table = alone(TableSchema(name, (Column(column, "VARCHAR"),)), {column: ["A", ""]})
    for question, sign in ((had, "<>"), (denied, "=")):
        ruled = by_rules(question, language, table)
        assert ruled.is_understood and ruled.query is not None
        assert f"COALESCE(\"{column}\", '') {sign} ''" in ruled.query.sql()


def test_names_of_two_words_are_known_the_other_way_round_and_chinese_ones_without_what_makes_them_columns() -> None:
    trains = TableSchema("trains", (Column("Train", "VARCHAR"), Column("Bikes allowed", "VARCHAR")))
    ruled = by_rules("Which trains do not allow bikes?", "en", alone(trains, {"Bikes allowed": ["yes", "no"]}))
    assert ruled.query is not None and "<> 'yes'" in ruled.query.sql()
    orders = TableSchema("dingdan", (Column("订单号", "VARCHAR"), Column("是否付款", "VARCHAR")))
    ruled = by_rules("哪些订单没有付款？", "zh", alone(orders, {"是否付款": ["是", "否"]}))
    assert ruled.is_understood and ruled.query is not None and "<> '是'" in ruled.query.sql()


def test_what_a_cell_says_is_not_counted() -> None:
    leave = TableSchema("leave", (Column("kind", "VARCHAR"), Column("days", "VARCHAR", samples=("3 days", "12 days"))))
    ruled = by_rules("How many days of marriage leave are there?", "en", alone(leave, {"kind": ["marriage", "sick"]}))
    assert not ruled.is_understood
