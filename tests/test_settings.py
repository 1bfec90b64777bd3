"""One frozen tree: file, then environment, then arguments; wrong keys and secrets."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from pydantic import ValidationError

from rove import ConfigError
from rove.settings import Settings, read_settings
from rove.settings.origins import settings_in_force


def test_arguments_win_over_environment_over_file_over_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rove.toml").write_text("[search]\ntop_k = 3\ncandidates = 30\nk_keyword = 1\n", "utf-8")
    monkeypatch.setenv("ROVE_SEARCH__TOP_K", "4")
    monkeypatch.setenv("ROVE_SEARCH__CANDIDATES", "40")
    found = read_settings(tmp_path, search={"top_k": 5}).search
    assert (found.top_k, found.candidates, found.k_keyword, found.k_semantic) == (5, 40, 1, 3)


def test_a_toml_file_names_the_folder_of_its_base(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('path = "data/base"\n', "utf-8")
    assert read_settings(file).path == tmp_path / "data" / "base"
    assert read_settings(tmp_path / "elsewhere").path == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search]\ntopk = 3\n", "search.topk"),
        ("[chunk]\nsize_chars = 0\n", "chunk.size_chars"),
        ("[search]\nfusion = 'magic'\n", "search.fusion"),
        ("nonsense", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "rove.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        read_settings(file)


@pytest.mark.parametrize("text", ["[search]\ntop_k = 3\n", "[search]\ntop_k = 'three'\n"])
def test_what_one_base_has_in_its_file_is_not_anothers(tmp_path: Path, text: str) -> None:
    (tmp_path / "rove.toml").write_text(text, "utf-8")
    with suppress(ConfigError):
        assert read_settings(tmp_path).search.top_k == 3
    assert Settings().search.top_k == 10


def test_a_missing_file_and_a_wrong_argument_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no settings file"):
        read_settings(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="embedder"):
        read_settings(tmp_path, embedder={"nmae": "fake"})


def test_settings_are_frozen_and_hide_secrets(tmp_path: Path) -> None:
    settings = read_settings(tmp_path, chat={"api_key": "sk-secret"})
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    with pytest.raises(ValidationError):
        settings.search.top_k = 9  # type: ignore[misc]


def test_every_setting_says_what_it_means(tmp_path: Path) -> None:
    every = settings_in_force(tmp_path)
    assert len(every) > 100
    assert [one.name for one in every if not one.meaning.endswith((".", '".')) or "\n" in one.meaning] == []


def test_each_setting_says_where_its_value_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rove.toml").write_text('preset = "framework"\n[search]\ntop_k = 3\ncandidates = 30\n', "utf-8")
    monkeypatch.setenv("ROVE_SEARCH__CANDIDATES", "40")
    monkeypatch.setenv("ROVE_CHAT__API_KEY", "sk-secret")
    key = {"hash": f"sha256:{'0' * 64}"}
    every = {one.name: one for one in settings_in_force(tmp_path, answer={"quotes": 2}, serve={"keys": {"ada": key}})}
    found = {name: (every[name].value, every[name].origin) for name in every}
    assert found["answer.quotes"] == (2, "argument")
    assert found["search.candidates"] == (40, "environment")
    assert found["search.top_k"] == (3, "file")
    assert found["chunk.overlap_chars"] == (50, "preset")
    assert found["search.rrf_k"] == (60, "default")
    assert found["path"] == (str(tmp_path), "argument")
    assert found["chat.api_key"][1] == "environment"
    assert "sk-secret" not in repr(every)
    assert "sha256" not in repr(every)


def test_the_command_shows_settings_as_a_table_and_as_json(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rove", "settings", "search.top_k", "walk", "--kb", str(tmp_path)]
    done = subprocess.run([*command, "--set", "search.top_k=7"], capture_output=True, text=True, check=True)
    first, *others = done.stdout.splitlines()
    assert first.split("\t")[:3] == ["search.top_k", "7", "argument"]
    assert all(line.startswith("walk.") for line in others)
    shown = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    assert {one["name"]: one["origin"] for one in shown}["search.top_k"] == "default"
    wrong = subprocess.run([*command, "serach"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, "serach" in wrong.stderr) == (2, True)
