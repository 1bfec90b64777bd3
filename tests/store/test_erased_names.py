"""Erased names of files, titles and metadata are in no file of the base, also while others have it open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lancedb
import pytest
from click.testing import CliRunner

from rove import Text, field
from rove.cli import rove
from rove.sync import Rove

FAKE = {"embedder": {"name": "fake"}}
LANCE = {**FAKE, "store": {"index": "lancedb", "resident_chunks": 0}}
CANARIES = ("zxqcanary", "kurtafarkúvirág", "鸚鵡洞窟")
READER = """
import sys
from rove.sync import Rove
store = {"index": "lancedb", "resident_chunks": int(sys.argv[2])}
with Rove.open(sys.argv[1], embedder={"name": "fake"}, store=store) as kb:
    print(len(kb.search("lighthouse")), flush=True)
    for line in sys.stdin:
        print(len(kb.search("lighthouse")), flush=True)
"""


TRACES = """
import sys
from pathlib import Path

base = Path(sys.argv[1])
for file in filter(Path.is_file, base.rglob("*")):
    held = file.read_bytes()
    for canary in sys.argv[2:]:
        forms = [form for said in (canary, canary.capitalize()) for form in (said.encode(), said.encode("utf-16-le"))]
        if any(form in held for form in forms):
            print(file.relative_to(base), canary, sep="\\t")
"""


def traces(base: Path) -> set[tuple[str, str]]:
    """Each file that holds a canary, in UTF-8 or UTF-16, and which.

    They are read by another process: one that closes a file of its own catalog lets go of SQLite's locks on it.
    """
    command = [sys.executable, "-c", TRACES, str(base), *CANARIES]
    lines = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    return {(name, canary) for name, canary in (line.split("\t") for line in lines)}


@pytest.mark.parametrize("resident_chunks", [0, 1_000])
def test_erased_names_are_nowhere_while_others_have_the_base_open(tmp_path: Path, resident_chunks: int) -> None:
    base = tmp_path / "kb"
    with Rove.open(base, **FAKE) as kb:
        kb.add([Text(f"The lighthouse number {n}.", id=f"plain-{n}", metadata={"year": n}) for n in range(20)])
        command = [sys.executable, "-c", READER, str(base), str(resident_chunks)]
        reader = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert reader.stdin and reader.stdout
        assert reader.stdout.readline() == "10\n"
        paths = [tmp_path / f"{canary}.md" for canary in CANARIES]
        for canary, path in zip(CANARIES, paths, strict=True):
            path.write_text(f"# {canary}\n\nThe {canary} is a lighthouse.\n")
            more = {canary: "a", f"{canary}_{'n' * 60}": 3, "said": (canary,)}
            kb.add(path, Text(f"Of {canary}, a lighthouse.", id=f"{canary}-id", title=canary, metadata=more))
        list(kb.walk("Which lighthouse is it?"))
        paths[0].unlink()
        kb.add(paths[0])  # the ledger says of it now that it failed
        assert {canary for _, canary in traces(base)} == set(CANARIES)
        assert kb.delete(*paths, *(f"{canary}-id" for canary in CANARIES)) == 6
        assert not traces(base)
        reader.communicate("again\n")
        assert not traces(base)
        assert kb.doctor().ok
    assert not traces(base)


def test_columns_of_fields_that_nothing_has_any_more_go(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    with Rove.open(base, **LANCE) as kb:
        kb.add(Text("Kept.", id="kept", metadata={"year": 2024}))
        kb.add([Text(f"Text {n}.", id=f"t{n}", metadata={f"field{n}": n, "shared": n}) for n in range(300)])
        kb.delete(where=field("shared") >= 0)
        names = lancedb.connect(base / "index").open_table("chunks").schema.names
        assert len(names) < 15, names
        assert any("year" in name for name in names)
        kb.add(Text("Again.", id="t1", metadata={"field1": 1}))
        assert kb.doctor().ok
    with Rove.open(base, **LANCE) as kb:
        assert [hit.chunk.document_id for hit in kb.search("again", where=field("field1") == 1)] == ["t1"]
        assert [hit.chunk.document_id for hit in kb.search("kept", where=field("year") == 2024)] == ["kept"]


QUESTIONS = ("What does the Quarkbericht say?", "Mit mond a quarkbericht?", "鸚鵡洞窟はどこ？", "When is lunch?")


def talked(base: Path) -> None:
    with Rove.open(base, question={"log": True}, **FAKE) as kb:
        kb.add(
            Text("Curd is white.", id="q", title="Quarkbericht"),
            Text("洞窟は北にある。", id="c", title="鸚鵡洞窟"),
            Text("Lunch is at noon.", id="lunch"),
        )
        for question in QUESTIONS:
            kb.ask(question)
        list(kb.walk("Who wrote the Quarkbericht?"))
        list(kb.walk("When is lunch?"))


def test_the_users_own_words_are_told_and_erased_only_when_asked(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    talked(base)
    with Rove.open(base, **FAKE) as kb:
        found = kb.mentions("q")
        assert set(found.questions) == set(QUESTIONS[:2])
        assert (len(found.walks), found.words) == (1, ("Quarkbericht",))
        assert kb.mentions("c").questions == QUESTIONS[2:3]
        assert kb.delete("q") == 1
        assert kb.mentions("Quarkbericht") == found, "they are the user's own words"
        assert kb.delete("c", mentions=True) == 1
        assert not kb.mentions("鸚鵡洞窟")
        assert kb.forget_mentions("Quarkbericht") == found
        assert [info.question for info in kb.walks()] == ["When is lunch?"]
        assert set(kb.suggest()) == {"When is lunch?"}
    assert not any(b"uarkbericht" in file.read_bytes() for file in base.rglob("*") if file.is_file())


def test_the_command_line_offers_to_erase_them(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    talked(base)
    call = ["delete", "--kb", str(base), "--set", "embedder.name=fake"]
    said = CliRunner().invoke(rove, [*call, "q"]).stdout
    assert "1 document erased" in said
    assert "2 kept questions, 1 walk and 0 conversations name it" in said
    assert "rove delete --mentions Quarkbericht" in said
    assert "are erased too" in CliRunner().invoke(rove, [*call, "--mentions", "Quarkbericht"]).stdout
    assert CliRunner().invoke(rove, [*call, "lunch", "--mentions"]).stdout == (
        "1 document erased\n1 kept question, 1 walk and 0 conversations that name it are erased too\n"
    )
    assert CliRunner().invoke(rove, [*call, "lunch"]).exit_code == 2
