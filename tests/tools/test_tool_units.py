"""Amounts reach a tool in the unit that it wants, or are asked back; its result is the answer; no tool runs unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.records.tool import ToolMatch, ToolPlan, ToolRun
from rove.tools import Tool
from rove.tools.domain_model import DomainModel
from rove.tools.parameters import Parameter, checked_schema
from rove.tools.planner import ToolRequest, planned
from rove.tools.units import wanted_unit

SENT: list[float] = []


def transfer(amount: float) -> str:
    """Transfer money to a partner.

    Args:
        amount: How much.
    """
    SENT.append(amount)
    return "sent"


def disk_usage(host: str) -> float:
    """Return how full the disk of a host is.

    Args:
        host: The host.
    """
    return 87.5 if host == "db-1" else 0.0


def exchange_rate() -> dict[str, float]:
    """Return the exchange rate of the forint to the euro."""
    return {"rate": 390.5}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    folder: Path = tmp_path_factory.mktemp("tools")
    with Rove.open(folder, embedder={"name": "static"}, entities={"db-1": {"names": ["main database"]}}) as opened:
        opened.add(Text("Rule 20: visitors of hall 20 wear a helmet.", id="rules"))
        opened.tools.add(disk_usage, exchange_rate)
        opened.tools.add(transfer, effects="writes")
        yield opened


async def nothing(arguments: object) -> object:
    del arguments
    return {}


async def plan(text: str, language: str, **properties: dict[str, object]) -> ToolPlan:
    required = [name for name, one in properties.items() if "default" not in one]
    schema = checked_schema({"type": "object", "properties": properties, "required": required}, "t")
    tool = Tool("t", "A tool.", schema, nothing, "own", "reads")
    request = ToolRequest(text, language, "2026-11-25")
    return await planned(tool, ToolMatch("t", "", "own", "reads", 1.0), request, DomainModel({}), None)


NUMBER: dict[str, object] = {"type": "number"}


@pytest.mark.parametrize(
    ("text", "language", "name", "schema", "value"),
    [
        ("Transfer 2 million forint", "en", "amount", NUMBER, 2_000_000),
        ("Utalj 500 ezret", "hu", "amount", NUMBER, 500_000),
        ("20万円を送金して", "ja", "amount", NUMBER, 200_000),
        ("转账3亿元", "zh", "amount", NUMBER, 300_000_000),
        ("Überweise 1,5 Mio. €", "de", "amount", {**NUMBER, "description": "Betrag in Euro."}, 1_500_000),
        ("the load of the last 2 hours", "en", "minutes", {"type": "integer", "default": 5}, 120),
        ("a disk of 2 TB", "en", "size_gb", {"type": "integer"}, 2_000),
        ("Milyen mélyen? fél méter", "hu", "depth", {**NUMBER, "description": "Centiméterben."}, 50),
        ("réglez sur 98,6 °F", "fr", "t", {**NUMBER, "description": "Température en celsius."}, 37),
        ("für zwei Wochen", "de", "days", {"type": "integer"}, 14),
        ("in gigabytes", "en", "unit", {"enum": ["percent", "GB"], "default": "percent"}, "GB"),
    ],
)
async def test_an_amount_is_given_in_the_unit_that_is_wanted(
    text: str, language: str, name: str, schema: dict[str, object], value: object
) -> None:
    made = await plan(text, language, **{name: schema})
    assert made.arguments[name] == value
    assert made.is_ready


@pytest.mark.parametrize(
    ("text", "language", "name", "schema"),
    [
        ("Transfer 500 dollars", "en", "amount", {**NUMBER, "description": "The amount in euros."}),
        ("the load of the last 5 kg", "en", "minutes", {"type": "integer", "default": 5}),
        ("the load in litres", "en", "unit", {"enum": ["percent", "GB"], "default": "percent"}),
        ("anderthalb Tage Urlaub", "de", "tage", {"type": "integer", "description": "Anzahl der Tage."}),
        ("for 2 months", "en", "days", {"type": "integer"}),
    ],
)
async def test_what_does_not_fit_is_asked_back_and_never_cut(
    text: str, language: str, name: str, schema: dict[str, object]
) -> None:
    made = await plan(text, language, **{name: schema})
    assert not made.is_ready
    assert name in {*made.missing, *(one.parameter for one in made.problems)}
    assert made.question


async def test_both_ends_of_a_range_keep_their_magnitude_and_one_alone_is_asked_about() -> None:
    low: dict[str, object] = {**NUMBER, "description": "Lowest price, in euros."}
    high: dict[str, object] = {**NUMBER, "description": "Highest price, in euros."}
    both = await plan("between 2 and 3 million euros", "en", low=low, high=high)
    assert both.arguments == {"low": 2_000_000, "high": 3_000_000}
    alone = await plan("between 2 and 3 million euros", "en", amount={**NUMBER, "description": "In euros."})
    assert not alone.is_ready
    assert alone.question


def test_a_tool_that_writes_shows_its_exact_call_before_the_yes(kb: Rove) -> None:
    SENT.clear()
    run = kb.run_tool("Transfer 2 million forint to the partner")
    assert (run.outcome, SENT) == ("unconfirmed", [])
    assert run.note.startswith("transfer(amount=2000000 HUF)")
    assert kb.run_tool("Transfer 2 million forint to the partner", confirm=True).outcome == "ran"
    assert SENT == [2_000_000]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How full is the disk of db-1?", "disk usage: 87.5"),
        ("What is the exchange rate of the forint to the euro?", "rate: 390.5"),
    ],
)
def test_a_result_is_the_answer_even_a_bare_number(kb: Rove, question: str, said: str) -> None:
    answer = kb.ask(question, tools=True)
    assert said in answer.text
    assert "Rule 20" not in answer.text
    assert [one.document_id.partition("#")[0].startswith("tool:") for one in answer.citations] == [True]
    assert answer.citations[0].quote == said


@pytest.mark.parametrize("request_text", ["Tell me a joke", "Mesélj egy viccet!", "Wer schrieb die Odyssee?"])
def test_a_request_that_no_tool_is_meant_by_runs_none(kb: Rove, request_text: str) -> None:
    run: ToolRun = kb.run_tool(request_text)
    assert (run.outcome, run.plan) == ("none", None)


@pytest.mark.parametrize(
    ("parameter", "unit"),
    [
        (Parameter("x", unit="km"), "kilometer"),
        (Parameter("futamido_honap"), "month"),
        (Parameter("n", description="予算（円）"), "JPY"),
        (Parameter("n", description="最近多少小时"), "hour"),
        (Parameter("n", description="Valeur déclarée, en euros."), "EUR"),
        (Parameter("amount_huf"), "HUF"),
    ],
)
def test_the_unit_of_a_parameter(parameter: Parameter, unit: str) -> None:
    found = wanted_unit(parameter)
    assert found
    assert found.name == unit


@pytest.mark.parametrize(
    "parameter", [Parameter("amount"), Parameter("count"), Parameter("n", description="How many.")]
)
def test_a_parameter_without_a_unit(parameter: Parameter) -> None:
    assert wanted_unit(parameter) is None
