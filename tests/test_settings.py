"""One frozen tree: file, then environment, then arguments; wrong keys and secrets."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from rove import ConfigError
from rove.settings import read_settings


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
