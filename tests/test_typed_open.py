"""What `Rove.open` takes is typed: the types are those of the settings, and a type checker sees a wrong key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

from rove.engine import AsyncRove
from rove.settings import Settings, read_settings
from rove.settings.tables import AllTables, SettingTables
from rove.settings.tables.finding_tables import SearchTable
from rove.sync import Rove

ROOT = Path(__file__).parents[1]
RIGHT = """
from pathlib import Path
from rove import AsyncRove, Rove
from rove.settings import EmbedderSettings

kb = Rove.open("kb", search={"top_k": 5, "rules": ["newest"]}, also=["other"], embedder={"name": "static"})
again = AsyncRove.open(Path("kb"), embedder=EmbedderSettings(name="fake"), chunk={"strategy": {"pdf": "page"}})
served = Rove.open("kb", serve={"keys": {"ann": {"hash": "sha256:…", "rights": ["read"]}}})
moved = Rove.migrate("kb", to="static", embedder={"threads": 2})
"""
WRONG = {
    'Rove.open("kb", serach={"top_k": 5})': "serach",
    'Rove.open("kb", search={"topk": 5})': "topk",
    'Rove.open("kb", search={"top_k": "5"})': '"int"',
    'Rove.open("kb", search={"fusion": "best"})': "best",
    'Rove.open("kb", embedder={"nmae": "fake"})': "EmbedderTable",
    'Rove.open("kb", serve={"keys": {"ann": {"right": ["read"]}}})': '"right"',
    'Rove.migrate("kb", embeder={"name": "static"})': "embeder",
    'Rove.open("kb").search("x", top_k="3")': '"top_k"',
}


def test_types_are_those_of_the_settings() -> None:
    command = [sys.executable, ROOT / "docs" / "typed_settings.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_setting_can_be_given_by_name() -> None:
    assert get_type_hints(AllTables).keys() == Settings.model_fields.keys() - {"path"}
    assert get_type_hints(AllTables).keys() - get_type_hints(SettingTables).keys() == {
        "embedder",
        "reranker",
        "chat",
        "judge",
    }
    assert get_type_hints(SearchTable).keys() == read_settings("kb").search.model_fields_set | set(
        type(read_settings("kb").search).model_fields
    )


@pytest.mark.parametrize("face", [Rove, AsyncRove])
def test_hints_can_be_read_while_it_runs(face: type[Rove] | type[AsyncRove]) -> None:
    """Notebooks and frameworks look at them."""
    assert {"location", "create", "embedder", "settings"} <= get_type_hints(face.open).keys()


@pytest.mark.long
def test_a_type_checker_sees_a_wrong_key(tmp_path: Path) -> None:
    lines = ["from rove import Rove", *WRONG]
    (tmp_path / "right.py").write_text(RIGHT, "utf-8")
    (tmp_path / "wrong.py").write_text("\n".join(lines), "utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT / "src")]}), "utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    environment = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {(Path(one["file"]).name, one["range"]["start"]["line"]): one["message"] for one in found}
    assert [said for (file, _), said in errors.items() if file == "right.py"] == []
    for line, (text, named) in enumerate(WRONG.items(), start=1):
        assert named in errors.get(("wrong.py", line), ""), f"{text}: {errors.get(('wrong.py', line))}"
