"""`rove tools`: list, find, run; a dry run; exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove
from rove.cli import rove

SETTINGS = """
[embedder]
name = "static"

[tools.mine]
kind = "python"
functions = ["tool_servers:get_forecast", "tool_servers:send_mail"]
writes = ["send_mail"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "rove.toml").write_text(SETTINGS, "utf-8")
    Rove.open(tmp_path / "kb").close()
    return tmp_path / "kb"


def called(folder: Path, command: str, *words: str) -> Result:
    return CliRunner().invoke(rove, ["tools", command, "--kb", str(folder), *words])


def test_tools_are_listed_found_and_run(folder: Path) -> None:
    listed = json.loads(called(folder, "list", "--json").stdout)
    assert {one["name"]: one["effects"] for one in listed} == {"get_forecast": "reads", "send_mail": "writes"}
    assert called(folder, "find", "weather", "in", "Paris").stdout.startswith("get_forecast\t")
    done = called(folder, "run", "weather in Oslo on 2026-12-01")
    assert (done.exit_code, "temperature: -3" in done.stdout) == (0, True)


def test_a_dry_run_says_which_values_and_what_is_missing(folder: Path) -> None:
    done = called(folder, "run", "--dry-run", "weather in Oslo")
    assert done.exit_code == 0
    assert "city = Oslo  (question)" in done.stdout
    assert "missing: day" in done.stdout
    asked = called(folder, "run", "Wie wird das Wetter in Berlin?", "--tool", "get_forecast")
    assert (asked.exit_code, "Bitte geben Sie noch an" in asked.stdout) == (1, True)


def test_a_writer_waits_for_confirm(folder: Path) -> None:
    words = ("mail", "--tool", "send_mail", "-v", "to=a@example.org", "-v", "subject=Hi", "--json")
    assert json.loads(called(folder, "run", *words).stdout)["outcome"] == "unconfirmed"
    done = called(folder, "run", "--confirm", *words)
    assert (done.exit_code, json.loads(done.stdout)["result"]) == (0, "Hi sent to a@example.org")
    assert called(folder, "run", "mail", "-v", "nothing").exit_code == 2
