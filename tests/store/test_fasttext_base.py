"""A base that is moved to vectors of its own words: trained, told of, moved, gone back, and compared in a sweep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import ConfigError, Rove, Text
from rove.cli import rove
from rove.errors import RoveError

pytest.importorskip("floret")

TOWNS = {
    "en": "The lighthouse of the harbour was built of red bricks, and ships see its light.",
    "de": "Der Leuchtturm am Hafen wurde aus roten Ziegeln gebaut, Schiffe sehen sein Licht.",
    "hu": "A kikötő világítótornya vörös téglából épült, a hajók látják a fényét.",
    "zh": "港口的灯塔是用红砖建造的，船只能看到它的光。",
    "ja": "港の灯台は赤いレンガで造られ、船はその光を見ます。",
    "bread": "The baker kneads dough at night and sells bread in the morning.",
    "court": "A judge reads the file, hears both sides and writes a verdict.",
}
ASKED = {
    "en": "lighthouse bricks", "de": "Leuchtturm Ziegel", "hu": "világítótorony téglából", "zh": "灯塔红砖",
    "ja": "灯台は赤いレンガ",
}  # fmt: skip


def called(*words: str) -> Result:
    return CliRunner().invoke(rove, [*words])


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with Rove.open("kb", embedder={"name": "fake"}) as kb:
        kb.add(Text(text, id=name) for name, text in TOWNS.items())
    Path("kb/rove.toml").write_text('[embedder]\nname = "fake"\n')
    return tmp_path / "kb"


def test_a_base_is_moved_to_its_own_words_and_back(base: Path) -> None:
    told = json.loads(called("train", "words.npz", "--json").stdout)
    assert (told["passages"], told["file"]) == (len(TOWNS), str(base.parent / "words.npz"))
    again = called("train", "words.npz")
    assert (again.exit_code, "is there already" in again.output) == (2, True)
    other = called("train", "same.npz")
    assert 'name = "fasttext" model = ' in other.output.replace("\n", " ")
    assert Path("same.npz").read_bytes() == Path("words.npz").read_bytes()
    (base / "rove.toml").write_text('[embedder]\nname = "fasttext"\nmodel = "words.npz"\n')
    moved = called("migrate", "--json")
    assert json.loads(moved.stdout)["left"] == 0, moved.output
    with Rove.open(base) as kb:
        assert str(kb._kb.embedder.fingerprint).startswith("model=fasttext-")
        for name, question in ASKED.items():
            assert kb.search(question, mode="semantic", top_k=1)[0].chunk.document_id == name
        kb.add(Text("The lighthouse keeper lights lamps.", id="later"))  # with words that were not trained on
        assert kb.search("keepers of lighthouses", top_k=1)[0].chunk.document_id == "later"
    Path("words.npz").unlink()
    with pytest.raises(ConfigError, match=r"words\.npz"):
        Rove.open(base)
    Path("same.npz").rename("renamed.npz")  # the same bytes under another name are the same embedder
    (base / "rove.toml").write_text('[embedder]\nname = "fasttext"\nmodel = "renamed.npz"\n')
    with Rove.open(base) as kb:
        kb.train_embedder("new.npz")
    (base / "rove.toml").write_text(
        '[embedder]\nname = "fasttext"\nmodel = "new.npz"\n'
        '[embedder.previous]\nname = "fasttext"\nmodel = "renamed.npz"\n'
    )
    with pytest.raises(RoveError):
        Rove.open(base)
    assert json.loads(called("migrate", "--json").stdout)["left"] == 0  # from one file to the next
    assert called("migrate", "--to", "fake").exit_code == 0


def test_it_is_compared_in_a_sweep_with_other_embedders(base: Path) -> None:
    assert called("train", "words.npz").exit_code == 0
    Path("questions.csv").write_text(
        "question,source\n" + "".join(f"{question},{name}\n" for name, question in ASKED.items()), "utf-8"
    )
    Path("embedders.toml").write_text(
        'metrics = ["ndcg@10"]\nbaseline = { embedder = "static" }\n'
        '[common]\nmode = "semantic"\nrerank = false\n'
        '[factors.embedder.static]\nembedder = { name = "static" }\n'
        '[factors.embedder.fasttext]\nembedder = { name = "fasttext", model = "words.npz" }\n'
    )
    done = called("sweep", "embedders.toml", "questions.csv", "--processes", "1", "--json")
    assert done.exit_code == 0, done.output
    means = {line["name"]: line["means"]["ndcg@10"] for line in json.loads(done.stdout)["configurations"]}
    assert set(means) == {"static", "fasttext"}
    assert means["fasttext"] > 0.8


def test_without_words_or_a_base_nothing_is_trained(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "empty", embedder={"name": "fake"}) as kb, pytest.raises(RoveError, match="no words"):
        kb.train_embedder(tmp_path / "words.npz")
    assert not (tmp_path / "words.npz").exists()
    missing = called("train", str(tmp_path / "words.npz"), "--kb", str(tmp_path / "nowhere"))
    assert missing.exit_code == 2
