"""Tools are found, run within bounds, and cited: functions, a service with every fault, a database, an MCP server."""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tool_servers import DOCUMENT, MCP_SERVER, Reply, database, document, get_forecast, hosts, send_mail, service

from rove import ConfigError, InputError, Rove, Text
from rove.engine import varied
from rove.events import Event, ToolCalled, ToolEnded, ToolPlanned
from rove.records.tool import ToolRun
from rove.settings import SearchSettings
from scripted_chat import ScriptedChat

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}) as opened:
        opened.add(Text("Remote work is approved by the head of unit.", id="policy"))
        opened.tools.add(get_forecast)
        opened.tools.add(send_mail, effects="writes")
        yield opened


def served(tmp_path: Path, address: str, **settings: object) -> Rove:
    """A base with the service at an address, on loopback."""
    table = {"kind": "openapi", "document": str(document(tmp_path, address)), "allow_private": True, **settings}
    return Rove.open(tmp_path / "kb", embedder={"name": "static"}, tools={"hosts": table})


def load_of(kb: Rove, host: str = "db-1") -> ToolRun:
    return kb.run_tool("load", tool="get_host_load", arguments={"host": host, "minutes": 5})


def test_a_tool_is_found_by_what_it_does_and_runs_with_what_was_said(kb: Rove) -> None:
    told: list[Event] = []
    run = kb.run_tool("What is the weather in Oslo on 2026-12-01?", listener=told.append)
    assert run.outcome == "ran"
    assert run.result == {"city": "Oslo", "day": "2026-12-01", "units": "metric", "temperature": -3}
    assert run.document is not None
    assert "temperature: -3" in run.document.text
    assert [type(event) for event in told] == [ToolPlanned, ToolCalled, ToolEnded]
    assert [match.tool for match in kb.tools.find("write an e-mail")][0] == "send_mail"
    assert kb.documents()[0].document_id != run.document.document_id  # a result is not kept in the base


def test_a_dry_run_shows_and_runs_nothing(kb: Rove) -> None:
    told: list[Event] = []
    run = kb.run_tool("weather in Oslo on 2026-12-01", dry_run=True, listener=told.append)
    assert (run.outcome, run.tries) == ("planned", 0)
    assert run.plan is not None
    assert run.plan.arguments["city"] == "Oslo"
    assert [type(event) for event in told] == [ToolPlanned]


def test_what_writes_runs_only_when_confirmed(kb: Rove) -> None:
    values = {"to": "a@example.org", "subject": "Hi"}
    assert kb.run_tool("mail", tool="send_mail", arguments=values).outcome == "unconfirmed"
    run = kb.run_tool("mail", tool="send_mail", arguments=values, confirm=True)
    assert (run.outcome, run.result) == ("ran", "Hi sent to a@example.org")


def test_a_chat_model_chooses_only_where_no_tool_leads(tmp_path: Path) -> None:
    """Else a small one sends money when the weather is asked for."""

    def lamp(name: str) -> Callable[..., str]:
        def switch(on: bool) -> str:
            return f"{name} {on}"

        switch.__name__, switch.__doc__ = name, f"Switch the lamp in the {name} on or off."
        return switch

    chat = ScriptedChat()
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, chat=chat) as kb:
        kb.add(Text("Remote work is approved by the head of unit.", id="policy"))
        kb.tools.add(get_forecast, *map(lamp, ("kitchen", "cellar", "attic", "garage", "office")))
        kb.tools.add(send_mail, effects="writes")
        for choice, asked, tool in [
            ("send_mail", "What is the weather in Oslo on 2026-12-01?", "get_forecast"),
            ("send_mail", "Tell me about unicorns", ""),
            ("attic", "Switch the lamp on", "attic"),
        ]:
            chat.replies["ChosenTool"] = [{"tool": choice}]
            run = kb.run_tool(asked, dry_run=True)
            assert (run.plan.match.tool if run.plan else "") == tool
            assert bool(chat.asked("ChosenTool")) == (tool == choice)


def test_an_unknown_tool_and_a_blank_request_are_said(kb: Rove) -> None:
    with pytest.raises(InputError, match="Did you mean 'get_forecast'"):
        kb.run_tool("weather", tool="get_forecas")
    with pytest.raises(InputError, match="blank"):
        kb.run_tool(" ")


def test_a_function_that_fails_or_never_ends_is_an_outcome(kb: Rove) -> None:
    def broken(n: int) -> int:
        """Divide."""
        return n // 0

    kb.tools.add(broken)
    run = kb.run_tool("divide", tool="broken", arguments={"n": 1})
    assert run.outcome == "failed"
    assert "ZeroDivisionError" in run.note


def test_a_function_without_annotations_is_refused(kb: Rove) -> None:
    def unknown(a) -> None: ...  # type: ignore[no-untyped-def]

    with pytest.raises(ConfigError, match="no annotation"):
        kb.tools.add(unknown)


def test_a_result_is_cited_in_an_answer(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}, answer={"max_distance": 2.0}) as kb:
        kb.add(Text("Remote work is approved by the head of unit.", id="policy"))
        kb.tools.add(get_forecast)
        answer = kb.ask("What is the weather in Oslo on 2026-12-01?", tools=True)
        assert "get_forecast" in answer.note
        cited = [one for one in answer.citations if one.document_id.startswith("tool:get_forecast")]
        assert cited
        hit = next(hit for hit in answer.hits if hit.chunk.document_id == cited[0].document_id)
        assert hit.chunk.text[slice(*cited[0].span)] == cited[0].quote


@pytest.mark.parametrize(
    "question", ["What is the weather in Oslo?", "Wie ist das Wetter in Oslo?", "奥斯陆天气如何？"]
)
def test_what_a_tool_is_for_is_no_answer(question: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, answer={"max_distance": 2.0}) as kb:
        kb.add(Text("Remote work is approved by the head of unit. 远程办公由主管批准。", id="policy"))
        kb.tools.add(get_forecast)
        assert [one.tool for one in kb.tools.find(question)] == ["get_forecast"]
        assert {hit.chunk.document_id for hit in kb.ask(question).hits} <= {"policy"}
        assert "get_forecast" not in repr(list(kb.walk(question)))


def test_where_no_tool_can_run_the_documents_answer(kb: Rove) -> None:
    plain = kb.ask("Who approves remote work?")
    assert kb.ask("Who approves remote work?", tools=True).text == plain.text


def test_tools_that_are_gone_leave_the_base(tmp_path: Path) -> None:
    with service(hosts) as address:
        with served(tmp_path, address) as kb:
            assert len(kb.tools.all()) == 2
        with served(tmp_path, address, only=("get_host_load",)) as kb:
            assert [tool.name for tool in kb.tools.all()] == ["get_host_load"]
            assert [info.document_id for info in kb.documents()] == ["tools/hosts/get_host_load"]


def test_a_service_is_called_as_its_document_says(tmp_path: Path) -> None:
    with service(hosts) as address, served(tmp_path, address) as kb:
        assert load_of(kb, "db 1/../x?").result == {"asked": "/hosts/db%201%2F..%2Fx%3F/load?minutes=5", "load": 42}
        values = {"name": "db-9", "memory_gb": 64}
        assert kb.run_tool("add", tool="add_host", arguments=values).outcome == "unconfirmed"
        assert kb.run_tool("add", tool="add_host", arguments=values, confirm=True).result == {"added": values}
        assert "leaves" in load_of(kb, "..").note
        refused = kb.run_tool("load", tool="get_host_load", arguments={"host": "a", "minutes": 600})
        assert (refused.outcome, refused.tries) == ("asks", 0)


@pytest.mark.parametrize(
    ("reply", "tries", "reason"),
    [
        ((429, {}, b"slow down"), 2, "429: slow down"),
        ((500, {}, b""), 2, "answered 500"),
        ((404, JSON, b'{"detail": "no such host"}'), 1, "no such host"),
        ((302, {"Location": "http://example.com/"}, b""), 1, "redirects to 'http://example.com/'"),
        ((200, JSON, b'{"load": '), 1, "damaged"),
        ((200, JSON, b"[" * 5_000), 1, "damaged"),
        ((200, JSON, b'"' + b"x" * 2_000_000 + b'"'), 1, "more than 256 kB"),
        ((200, {"Content-Type": "image/png"}, b"\x89PNG"), 1, "no text"),
        ((200, {**JSON, "Content-Encoding": "gzip"}, b"\x1f\x8b\x08\x00"), 1, "damaged"),
    ],
)
def test_every_fault_of_a_service_is_an_outcome(tmp_path: Path, reply: Reply, tries: int, reason: str) -> None:
    asked: list[str] = []

    def answer(method: str, path: str, body: bytes) -> Reply:
        asked.append(path)
        return reply

    with service(answer) as address, served(tmp_path, address, retries=1) as kb:
        run = load_of(kb)
        assert (run.outcome, len(asked), run.tries) == ("failed", tries, tries)
        assert reason in run.note


def test_a_service_that_fails_once_is_asked_again_but_never_to_write(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(method: str, path: str, body: bytes) -> Reply:
        asked.append(method)
        return (503, {}, b"") if len(asked) == 1 else hosts(method, path, body)

    with service(answer) as address, served(tmp_path, address) as kb:
        assert (load_of(kb).outcome, asked) == ("ran", ["GET", "GET"])
        asked.clear()
        run = kb.run_tool("add", tool="add_host", arguments={"name": "x"}, confirm=True)
        assert (run.outcome, asked) == ("failed", ["POST"])


def test_time_and_rate_are_bounded(tmp_path: Path) -> None:
    def slow(method: str, path: str, body: bytes) -> Reply:
        time.sleep(1.5)
        return hosts(method, path, body)

    with service(slow) as address, served(tmp_path, address, timeout_s=0.2, retries=0, per_minute=2) as kb:
        assert "within 0.2 s" in load_of(kb).note
        load_of(kb)
        assert "called 2 times within a minute" in load_of(kb).note


def test_a_private_address_is_not_asked_unless_it_is_allowed(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(method: str, path: str, body: bytes) -> Reply:
        asked.append(path)
        return hosts(method, path, body)

    with service(answer) as address, served(tmp_path, address, allow_private=False) as kb:
        run = load_of(kb)
        assert (run.outcome, asked) == ("failed", [])
        assert "no address of the public network" in run.note


def test_a_key_is_sent_and_never_shown(tmp_path: Path) -> None:
    with service(hosts) as address, served(tmp_path, address, api_key="very-secret-key") as kb:
        assert load_of(kb).outcome == "ran"
        assert "very-secret-key" not in repr(kb.tools.all()) + repr(kb.settings)


def test_a_statement_binds_values_and_only_reads(tmp_path: Path) -> None:
    file = database(tmp_path)
    templates = {
        "orders_of": {"sql": "SELECT id, total FROM orders WHERE customer = :customer ORDER BY id"},
        "wipe": {"sql": "DELETE FROM orders"},
        "attach": {"sql": "ATTACH DATABASE :file AS other"},
        "mark": {"sql": "UPDATE orders SET total = 0 WHERE id = :id", "parameters": {"id": {"type": "integer"}}},
    }
    tools = {"db": {"kind": "sql", "database": f"sqlite:///{file}", "templates": templates, "writes": ["mark"]}}
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, tools=tools) as kb:
        run = kb.run_tool("orders", tool="orders_of", arguments={"customer": "Meier"})
        assert run.result == [{"id": 1, "total": 20.5}, {"id": 3, "total": 7.25}]
        assert run.document is not None
        assert run.document.text.splitlines()[0] == "| id | total |"
        assert kb.run_tool("x", tool="orders_of", arguments={"customer": "' OR 1=1 --"}).result == []
        assert "not authorized" in kb.run_tool("x", tool="wipe").note
        other = kb.run_tool("x", tool="attach", arguments={"file": str(tmp_path / "new.db")})
        assert (other.outcome, (tmp_path / "new.db").exists()) == ("failed", False)
        assert kb.run_tool("x", tool="mark", arguments={"id": 1}).outcome == "unconfirmed"
        assert kb.run_tool("x", tool="mark", arguments={"id": 1}, confirm=True).result == {"rows changed": 1}
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT id, total FROM orders").fetchall() == [(1, 0.0), (2, 99.0), (3, 7.25)]
    connection.close()


def test_a_statement_that_is_too_slow_is_stopped_and_not_tried_again(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    templates = {"count": {"sql": endless, "description": "Count to the end."}}
    database_of = f"sqlite:///{database(tmp_path)}"
    tools = {"db": {"kind": "sql", "database": database_of, "templates": templates, "timeout_s": 0.5, "retries": 2}}
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, tools=tools) as kb:
        run = kb.run_tool("count", tool="count")
    assert (run.outcome, run.tries) == ("failed", 1)
    assert "took more than 0.45 s" in run.note


def test_tools_of_an_mcp_server_read_only_where_it_says_so(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text(MCP_SERVER, "utf-8")
    tools = {"plant": {"kind": "mcp", "command": [sys.executable, str(file)], "timeout_s": 120}}
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, tools=tools) as kb:
        assert {tool.name: tool.effects for tool in kb.tools.all()} == {"pump_pressure": "reads", "stop_pump": "writes"}
        run = kb.run_tool("pressure of pump P-101")
        assert (run.outcome, run.result) == ("ran", {"pump": "P-101", "bar": 4.5})
        assert kb.run_tool("stop it", tool="stop_pump", arguments={"pump": "P-101"}).outcome == "unconfirmed"


def test_a_source_that_does_not_answer_is_said_and_stops_no_other(tmp_path: Path) -> None:
    tools = {"gone": {"kind": "mcp", "command": [str(tmp_path / "no-such-program")]}}
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}, tools=tools) as kb:
        kb.tools.add(get_forecast)
        assert [tool.name for tool in kb.tools.all()] == ["get_forecast"]
        assert "gone" in kb.tools.failures


def test_two_tools_of_one_name_and_wrong_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tools\.x\.kind"):
        Rove.open(tmp_path / "kb", embedder={"name": "fake"}, tools={"x": {"kind": "pythn"}})
    functions = {"kind": "python", "functions": ["tool_servers:get_forecast"]}
    twice = Rove.open(tmp_path / "kb", embedder={"name": "fake"}, tools={"a": functions, "b": functions})
    with twice as kb, pytest.raises(ConfigError, match="Two tools are named 'get_forecast'"):
        kb.tools.all()
    old = tmp_path / "old.json"
    old.write_text(json.dumps({**DOCUMENT, "openapi": "2.0"}), "utf-8")
    tools = {"x": {"kind": "openapi", "document": str(old)}}
    wrong = Rove.open(tmp_path / "kb2", embedder={"name": "fake"}, tools=tools)
    with wrong as kb, pytest.raises(ConfigError, match="version 3"):
        kb.tools.all()


def test_a_base_with_other_settings_has_the_functions_and_the_rates(kb: Rove) -> None:
    other = varied(kb._kb, kb.settings.model_copy(update={"search": SearchSettings(top_k=3)}))
    names = [tool.name for tool in kb._run(other.tools.all())]
    assert names == [tool.name for tool in kb.tools.all()] == ["get_forecast", "send_mail"]
    run = kb._run(other.run_tool("weather in Oslo on 2026-12-01", tool="get_forecast"))
    assert (run.outcome, run.result["city"]) == ("ran", "Oslo")
    assert other.tools.runner is kb._kb.tools.runner
    other.tools.add(stray)
    assert "stray" not in [tool.name for tool in kb.tools.all()]


def stray(word: str) -> str:
    """Say a word.

    Args:
        word: Which one.
    """
    return word
