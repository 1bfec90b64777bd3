"""Parameters: filled from what was said in five languages, mended, and checked."""

from __future__ import annotations

import pytest

from rove.errors import ConfigError
from rove.language.relative_days import days_in
from rove.records import History, Turn
from rove.records.tool import ToolMatch, ToolPlan
from rove.settings import EntitySettings
from rove.tools import Tool
from rove.tools.ask_model import fill_by_model
from rove.tools.correct import Circumstances, corrected
from rove.tools.domain_model import DomainModel
from rove.tools.fill import SaidText
from rove.tools.parameters import Parameter, check_arguments, checked_schema, parameters_of
from rove.tools.planner import ToolRequest, planned
from scripted_chat import ScriptedChat

TODAY = "2026-11-25"  # a Wednesday
DOMAIN = DomainModel({"db-1": EntitySettings(names=("main database",), platforms={"cmdb": "prod-db-01"})})
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of the city."},
        "day": {"type": "string", "format": "date"},
        "units": {"enum": ["metric", "imperial"], "x-aliases": {"metric": ["Celsius", "metrisch", "摄氏", "摂氏"]}},
        "adults": {"type": "integer", "minimum": 1},
        "distance_km": {"type": "number"},
        "host": {"type": "string", "x-entity": True},
    },
    "required": ["city", "day"],
    "if": {"properties": {"units": {"const": "imperial"}}, "required": ["units"]},
    "then": {"required": ["adults"]},
}


async def nothing(arguments: object) -> object:
    return {}


def tool(schema: dict[str, object] = SCHEMA, source: str = "cmdb") -> Tool:
    return Tool("t", "A tool.", checked_schema(schema, "t"), nothing, source, "reads")


async def plan(text: str, language: str, chat: ScriptedChat | None = None, **known: object) -> ToolPlan:
    request = ToolRequest(text, language, TODAY, **known)  # pyright: ignore[reportArgumentType]
    return await planned(tool(), ToolMatch("t", "", "cmdb", "reads", 1.0), request, DOMAIN, chat)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "en",
            "Weather in New York tomorrow, in Celsius, for 2 adults within 5 miles of the main database?",
            {
                "city": "New York",
                "day": "2026-11-26",
                "units": "metric",
                "adults": 2,
                "distance_km": 8.04672,
                "host": "prod-db-01",
            },
        ),
        (
            "de",
            "Wie wird das Wetter übermorgen in Berlin (metrisch)?",
            {"city": "Berlin", "day": "2026-11-27", "units": "metric"},
        ),
        ("hu", "Milyen idő lesz holnapután Budapesten?", {"city": "Budapest", "day": "2026-11-27"}),
        ("zh", "后天在北京的天气怎么样？用摄氏", {"city": "北京", "day": "2026-11-27", "units": "metric"}),
        ("ja", "来週の東京の天気は？", {"city": "東京", "day": "2026-11-30"}),
    ],
)
async def test_a_question_fills_parameters_in_five_languages(
    language: str, text: str, expected: dict[str, object]
) -> None:
    made = await plan(text, language)
    assert made.arguments == expected
    assert made.is_ready
    for one in made.parameters:
        assert one.origin == "question"
        assert one.span is not None
        assert text[slice(*one.span)] == one.text


async def test_earlier_turns_and_then_the_profile_fill_what_is_open() -> None:
    history = History((Turn("Flights to Oslo on 2026-12-01?", "…"),))
    made = await plan("And the weather?", "en", history=history, profile={"home_city": "Wien", "adults": 3})
    assert made.arguments == {"city": "Oslo", "day": "2026-12-01", "adults": 3}
    assert [one.origin for one in made.parameters] == ["history", "history", "profile"]
    assert (await plan("The weather tomorrow?", "en", profile={"home_city": "Wien"})).arguments["city"] == "Wien"


@pytest.mark.parametrize(
    ("language", "text", "asks"),
    [
        ("en", "The weather?", "Please also say: Name of the city, day."),
        ("de", "Wie wird das Wetter?", "Bitte geben Sie noch an: Name of the city, day."),
        ("hu", "Milyen idő lesz?", "Kérem, adja meg még: Name of the city, day."),
        ("zh", "天气怎么样？", "请补充：Name of the city, day。"),
        ("ja", "天気は？", "次の点もお知らせください：Name of the city, day。"),
    ],
)
async def test_one_question_asks_for_all_that_is_missing(language: str, text: str, asks: str) -> None:
    made = await plan(text, language)
    assert made.missing == ("city", "day")
    assert made.question == asks


async def test_a_rule_of_the_schema_asks_for_more() -> None:
    given = {"city": "Oslo", "day": "2026-12-01", "units": "imperial"}
    assert (await plan("Weather", "en", given=given)).missing == ("adults",)
    assert (await plan("Weather", "en", given={**given, "adults": 0})).problems[0].parameter == "adults"
    assert (await plan("Weather", "en", given={**given, "adults": 2, "wind": 1})).problems[0].parameter == "wind"


async def test_a_model_fills_what_it_can_quote_and_nothing_else() -> None:
    values = [
        {"name": "city", "value": "Paris", "quote": "the capital of France"},
        {"name": "day", "value": "2026-12-24", "quote": "Christmas Eve"},
        {"name": "host", "value": "db-1", "quote": "the usual server"},
    ]
    made = await plan("Weather in the capital of France", "en", ScriptedChat(WrittenValues={"values": values}))
    assert made.arguments == {"city": "Paris"}
    assert made.parameters[0].by == "model"
    assert made.missing == ("day",)


@pytest.mark.parametrize(
    ("language", "text", "quote", "value", "kilograms"),
    [
        ("en", "Send 2 tonnes of wheat, please", "2", "2", 2_000),
        ("de", "Schick mir anderthalb Tonnen Weizen", "anderthalb", "1", 1_500),
        ("hu", "Kérek 12 ezer kiló kukoricát", "12", "12", 12_000),
        ("zh", "请寄5斤苹果", "5斤苹果", "5", 2.5),
        ("ja", "小麦を3トン注文して", "3", "3000000", 3_000),
    ],
)
async def test_a_number_is_read_where_the_model_quotes_it(
    language: str, text: str, quote: str, value: str, kilograms: float
) -> None:
    parameter, written = Parameter("mass_kg", "number"), {"name": "mass_kg", "value": value, "quote": quote}
    chat = ScriptedChat(WrittenValues={"values": [written]})
    made = await fill_by_model(chat, [parameter], [SaidText(text)], {}, language)
    assert corrected(made["mass_kg"].value, parameter, Circumstances(language, TODAY, DOMAIN))[0] == kilograms
    assert made["mass_kg"].text in text


@pytest.mark.parametrize(
    ("quote", "value"), [("the wheat", "1000"), ("5 litres", "5"), ("7", "7"), ("3 kg or 4 kg", "5"), ("10 %", "10")]
)
async def test_a_number_that_is_not_there_or_measures_something_else_is_left_out(quote: str, value: str) -> None:
    text = "Send the wheat: 3 kg or 4 kg, in 5 litres, at 10 %, by 7"
    taken = text.index("7")
    chat = ScriptedChat(WrittenValues={"values": [{"name": "mass_kg", "value": value, "quote": quote}]})
    parameters = [Parameter("mass_kg", "number")]
    assert not await fill_by_model(chat, parameters, [SaidText(text)], {}, "en", [(taken, taken + 1)])


async def test_what_rules_have_read_stands_whatever_the_model_says() -> None:
    values = [
        {"name": "distance_km", "value": "5", "quote": "5 miles"},
        {"name": "day", "value": "2020-01-01", "quote": "tomorrow"},
        {"name": "city", "value": "Paris", "quote": "the capital of France"},
    ]
    chat = ScriptedChat(WrittenValues={"values": values})
    made = await plan("Weather tomorrow within 5 miles of the capital of France", "en", chat)
    assert made.arguments == {"city": "Paris", "day": "2026-11-26", "distance_km": 8.04672}
    assert "distance_km" not in chat.asked("WrittenValues")[0]


async def test_where_the_model_fails_rules_fill_and_say_so() -> None:
    made = await plan("Weather in Oslo tomorrow", "en", ScriptedChat())
    assert made.is_ready
    assert "filled by rules" in made.note


AROUND = Circumstances("en", TODAY, DOMAIN, "cmdb")


@pytest.mark.parametrize(
    ("value", "parameter", "meant", "reason"),
    [
        ("METRIC", Parameter("u", "string", choices=("metric", "imperial")), "metric", "case"),
        ("metrc", Parameter("u", "string", choices=("metric", "imperial")), "metric", "spelling"),
        ("high priority", Parameter("p", "string", choices=("HIGH_PRIORITY", "LOW")), "HIGH_PRIORITY", "case"),
        ("urgent", Parameter("p", "string", choices=("P1", "P2"), aliases={"P1": ("urgent",)}), "P1", "alias"),
        ("Main Database", Parameter("host", "string"), "prod-db-01", "platform"),
        ("12", Parameter("n", "integer"), 12, "type"),
        ("1,234.5", Parameter("n", "number"), 1234.5, "type"),
        ("2 hours", Parameter("timeout_minutes", "integer"), 120, "unit"),
        ("68 °F", Parameter("t", "number", "Temperature in Celsius."), 20.0, "unit"),
        ("yes", Parameter("b", "boolean"), True, "type"),
        ("tomorrow", Parameter("d", "string", format="date"), "2026-11-26", "date"),
        ("tomorrow", Parameter("d", "string", format="date-time"), "2026-11-26T00:00:00Z", "date"),
        ("a, b", Parameter("names", "array"), ["a", "b"], "type"),
        (7, Parameter("id", "string"), "7", "type"),
    ],
)
def test_values_are_mended(value: object, parameter: Parameter, meant: object, reason: str) -> None:
    found, corrections = corrected(value, parameter, AROUND)
    assert found == meant
    assert type(found) is type(meant)
    assert [one.reason for one in corrections] == [reason]


@pytest.mark.parametrize(
    ("value", "parameter"),
    [
        ("metric", Parameter("u", "string", choices=("metric", "imperial"))),
        ("nonsense", Parameter("u", "string", choices=("metric", "imperial"))),
        ("port1", Parameter("u", "string", choices=("port2", "port3"))),
        ("5 kg", Parameter("distance_km", "string")),
        ("db-2", Parameter("host", "string")),
        ("some day", Parameter("d", "string", format="date")),
        (True, Parameter("n", "integer")),
    ],
)
def test_what_is_right_or_unclear_stays(value: object, parameter: Parameter) -> None:
    assert corrected(value, parameter, AROUND) == (value, ())


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "on Friday", "2026-11-27"),
        ("en", "next week", "2026-11-30"),
        ("de", "nächste Woche", "2026-11-30"),
        ("de", "in 3 Tagen", "2026-11-28"),
        ("hu", "pénteken", "2026-11-27"),
        ("hu", "jövő héten", "2026-11-30"),
        ("zh", "周五", "2026-11-27"),
        ("zh", "3天后", "2026-11-28"),
        ("ja", "金曜日", "2026-11-27"),
        ("ja", "明後日", "2026-11-27"),
    ],
)
def test_words_for_days(language: str, text: str, day: str) -> None:
    assert [found.value for found in days_in(text, language, TODAY)] == [day]


@pytest.mark.parametrize("target", ["https://example.com/schema.json", "file:///etc/passwd", "other.json#/a"])
def test_a_schema_refers_to_nothing_outside(target: str) -> None:
    with pytest.raises(ConfigError, match="no JSON Schema"):
        checked_schema({"properties": {"a": {"$ref": target}}}, "t")


def test_a_schema_that_is_too_deep_or_wrong_is_refused() -> None:
    deep: dict[str, object] = {}
    for _ in range(50):
        deep = {"properties": {"a": deep}}
    with pytest.raises(ConfigError, match="deep"):
        checked_schema(deep, "t")
    with pytest.raises(ConfigError, match="no JSON Schema"):
        checked_schema({"properties": {"a": {"type": "nothing"}}}, "t")


def test_a_pattern_that_never_ends_is_cut_off() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": r"^(?=(a+)+$)\1b$"}}}
    assert check_arguments(checked_schema(schema, "t"), {"a": "a" * 60 + "!"}).problems


def test_optional_and_referred_types_are_understood() -> None:
    schema = {
        "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "k": {"$ref": "#/$defs/K"}},
        "$defs": {"K": {"type": "string", "enum": ["x", "y"]}},
    }
    number, kind = parameters_of(schema)
    assert (number.type, kind.type, kind.choices) == ("integer", "string", ("x", "y"))
