"""Names and slips: documents by so much of a name that one is meant; errors that say what is wrong, and the cure."""

from __future__ import annotations

import json
import os
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from inspect import Parameter, signature
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from filelock import FileLock

from rove import InputError, Rove, Text
from rove.cli import COMMANDS, OTHERWISE, rove
from rove.cli.command import Declared
from rove.registry import load
from rove.store.named import SHORTEST

FAKE = ("--set", "embedder.name=fake")
TEXTS = ("a/plan.md", "b/plan.md", "b/menu.md")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    for name in TEXTS:
        file = tmp_path / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# About {name}\n\nThe canteen of {name} serves soup on Mondays.\n", "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(tmp_path / "docs", Text("A note on tea.", id="notebook"))
    return tmp_path / "kb"


def call(*words: object, base: Path | None = None) -> Result:
    more = ["--kb", str(base), *FAKE] if base else []
    done = CliRunner().invoke(rove, [*map(str, words), *more])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


# -- names -------------------------------------------------------------------------------------------------------------


def test_the_beginning_of_an_id_and_the_end_of_a_path_will_do(base: Path) -> None:
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        (info,) = kb.named("b/plan.md")
        assert info.source.endswith("/b/plan.md")
        assert kb.named(info.document_id[:8]) == [info]
        assert [one.document_id for one in kb.named("note")] == ["notebook"]
        assert {one.source[-9:] for one in kb.named("menu.md", "a/plan.md")} == {"b/menu.md", "a/plan.md"}
        with pytest.raises(InputError, match=r"'plan.md' could mean 2 documents: .*a/plan.md, .*b/plan.md"):
            kb.named("plan.md")
        for unknown in ("lan.md", "enu.md", info.document_id[: SHORTEST - 1], "", "/"):
            with pytest.raises(InputError, match="Nothing in the base is named"):
                kb.named(unknown)


def test_every_command_takes_such_a_name(base: Path) -> None:
    shown = call("inspect", "menu.md", base=base)
    assert "The canteen of b/menu.md" in shown.stdout
    kept = call("questions", "keep", "What does it serve?", "menu.md", base=base)
    assert kept.stdout == "1 kept.\n"
    ambiguous = call("delete", "plan.md", base=base)
    assert (ambiguous.exit_code, ambiguous.stdout) == (2, "")
    assert "→ Write more of the id or of the path." in ambiguous.stderr
    assert call("delete", "menu.md", base=base).stdout.startswith("1 document erased\n")


def test_a_server_takes_whole_ids_alone(base: Path) -> None:
    """Else an id that is not the caller's could be guessed piece by piece."""
    with Rove.open(base, embedder={"name": "fake"}) as kb, pytest.raises(InputError):
        kb.named("note", whole=True)


# -- slips -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("search", "soup"), ("ask", "soup?"), ("inspect",), ("chat",), ("walk", "soup")])
def test_what_only_reads_makes_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    place = tmp_path / "nothing"
    done = call(*words, base=place)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"There is no base in {place}" in done.stderr
    place.mkdir()
    assert call(*words, base=place).exit_code == 2
    assert not list(place.iterdir())


def test_a_file_is_no_base(tmp_path: Path) -> None:
    file = tmp_path / "plan.md"
    file.write_text("# Plan\n", "utf-8")
    for command in (("search", "x"), ("add", file), ("doctor",), ("settings",)):
        done = call(*command, base=file)
        assert done.exit_code == 2, command
        assert f"{file} is a file, and no folder of a base." in done.stderr


def test_what_cannot_be_written_is_said(base: Path, tmp_path: Path) -> None:
    for command in (("export",), ("walks", "export", "--file")):
        done = call(*command, tmp_path / "absent" / "base.jsonl", base=base)
        assert done.exit_code == 2, command
        assert "Error: " in done.stderr
        assert "Traceback" not in done.output
    file = tmp_path / "questions.jsonl"
    assert call("questions", "make", file / "in.jsonl", base=base).exit_code in {1, 2}


def test_a_setting_that_is_none_is_named_with_who_says_so(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "there is no setting 'search.topk'"
    meant = "→ Did you mean 'search.top_k'?"
    by_argument = call("search", "x", "--set", "search.topk=3", base=base)
    assert f"{said} (an argument)" in by_argument.stderr
    assert call("search", "x", "--set", "serch.top_k=3", base=base).stderr.count(meant) == 1
    assert by_argument.exit_code == 2
    (base / "rove.toml").write_text("[search]\ntopk = 3\n", "utf-8")
    by_file = call("search", "x", base=base)
    assert f"{said} (the file {base / 'rove.toml'})" in by_file.stderr.replace("\n", " ")
    (base / "rove.toml").unlink()
    monkeypatch.setenv("ROVE_SEARCH__TOPK", "3")
    by_environment = call("search", "x", base=base)
    assert f"{said} (the environment variable ROVE_SEARCH__TOPK)" in by_environment.stderr
    assert meant in by_environment.stderr
    monkeypatch.delenv("ROVE_SEARCH__TOPK")
    assert "Did you mean 'search.top_k'?" in call("settings", "search.topk", base=base).stderr
    wrong = call("search", "x", "--set", "search.top_k=many", base=base)
    assert "search.top_k (an argument): Input should be a valid integer" in wrong.stderr


def test_secrets_are_not_told_of_a_setting_that_is_none(base: Path) -> None:
    done = call("search", "x", "--set", "chat.api_kee=sk-secret", base=base)
    assert "chat.api_kee" in done.stderr
    assert "sk-secret" not in done.output


def test_a_taken_port_says_so(base: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = call("serve", "--port", port, base=base)
    assert done.exit_code == 1
    assert f"Another program listens at 127.0.0.1:{port} already." in done.stderr
    assert "rove serve --port" in done.stderr


def test_who_waits_for_another_writer_says_so(base: Path, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("Tea is served at four.\n", "utf-8")
    lock = FileLock(base / "write.lock", timeout=0, thread_local=False)
    with ThreadPoolExecutor(1) as pool:
        lock.acquire()
        adding = pool.submit(call, "add", tmp_path / "tea.md", base=base)
        while not adding.done() and not list((base / "write.turns").glob("*")):
            time.sleep(0.01)
        lock.release()
        done = adding.result()
    assert done.exit_code == 0
    assert f"Another process is writing to {base}: this one waits for its turn." in done.stderr
    assert "Another process" not in call("add", tmp_path / "tea.md", base=base).stderr


def test_an_unknown_field_is_told_with_what_was_meant(base: Path) -> None:
    for command in ("search", "ask"):
        done = call(command, "soup", "--where", "titel=Menu", base=base)
        assert "No document has a field 'titel'. Did you mean 'title'?" in done.stderr, command


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_catalog_is_as_private_as_the_originals(base: Path) -> None:
    old = os.umask(0)
    try:
        with Rove.open(base.parent / "new", embedder={"name": "fake"}) as kb:
            kb.add(Text("Tea.", id="tea"))
            kb.search("tea")
            found = [path for path in (base.parent / "new").rglob("*") if path.is_file()]
            open_to_others = [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077]
    finally:
        os.umask(old)
    assert any(path.name == "catalog.sqlite" for path in found)
    assert not open_to_others


def test_what_is_declared_fits_what_runs() -> None:
    """Declarations and functions are apart, so that help imports little; their names must be the same."""
    for path, _ in COMMANDS.values():
        found = load(f"rove.cli.declared.{path}")
        for one in (*found.commands.values(), found) if isinstance(found, click.Group) else (found,):
            if isinstance(one, Declared):
                takes = signature(load(one.runs)).parameters
                rest = {p.name for p in takes.values() if p.kind is Parameter.VAR_KEYWORD}
                given = {p.name for p in one.params} - {"kb", "setting", "as_json", "local"}
                needed = set(takes) - rest - {"session"}
                assert needed <= given if rest else needed == given, one.runs
    values = load("rove.cli.values:MODES")
    retrievers = load("rove.retrieve:RETRIEVERS")
    assert values == tuple(retrievers.table)
    assert load("rove.cli.values:METRICS") == load("rove.evaluate.scoring:metric_names")()
    assert set(load("rove.cli.values:ENRICHERS")) == set(load("rove.enrich:ENRICHERS").table)
    assert load("rove.cli.values:DIRECTIONS") == load("rove.retrieve.explore:DIRECTIONS")
    assert load("rove.cli.values:CATALOG") == load("rove.store.presence:CATALOG")
    assert load("rove.store.presence:SERVING") == load("rove.serve.local_calls.invitation:FILE")


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        ("ls", "'ls'. Did you mean 'inspect'?"),
        ("ingest", "'ingest'. Did you mean 'add'?"),
        ("migrat", "'migrat'. Did you mean 'migrate'?"),
        ("xyzzy", "'xyzzy'.\n"),
    ],
)
def test_a_command_that_is_not_there_names_the_one_that_may_be_meant(tried: str, said: str) -> None:
    result = CliRunner().invoke(rove, [tried, "--help"])
    assert result.exit_code == 2
    assert f"There is no command {said}" in result.stderr


def test_what_commands_are_called_otherwise_is_no_command_and_means_one() -> None:
    assert not set(OTHERWISE) & set(COMMANDS)
    assert {meant.split()[0] for meant in OTHERWISE.values()} <= set(COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("walks", "rove walk QUESTION"),
        ("words", "rove words WORD OTHER…"),
        ("tools list", "[tools.NAME]"),
        ("tools find weather", "[tools.NAME]"),
        ("flow runs", "rove flow run FLOW"),
        ("chat --list", "rove chat"),
        ("memory list", "rove walk QUESTION"),
        ("memory leads", "rove walk QUESTION"),
        ("memory search harbour", "Nothing of this is remembered."),
        ("questions kept", "rove questions keep"),
        ("serve person --list", "rove serve person NAME"),
        ("inspect --failed", "No source has failed."),
    ],
)
def test_an_empty_list_says_so_and_how_it_is_filled(base: Path, arguments: str, said: str) -> None:
    result = CliRunner().invoke(rove, [*arguments.split(), "--kb", str(base), *FAKE])
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    assert said in result.stderr
    as_json = CliRunner().invoke(rove, [*arguments.split(), "--kb", str(base), *FAKE, "--json"])
    assert json.loads(as_json.stdout) == [] or json.loads(as_json.stdout) == {}
