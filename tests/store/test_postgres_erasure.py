"""What is erased from a base in Postgres, looked for in its tables' files: gone with `erase_now`, or by doctor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest
from click.testing import CliRunner

import postgres_server
from rove import Rove, Text
from rove.cli import rove as command_line
from rove.settings import Address

FAKE = {"name": "fake"}
WORD = "Quixotrombone"
LONG = "".join(f"{WORD}{token_hex(40)} " for _ in range(400))
"""So long that it lies in the table beside (TOAST); its words cannot be compressed away."""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "here"))
    address = postgres_server.base(f"b{token_hex(8)}")
    yield address
    with psycopg.connect(Address(address).url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{Address(address).schema}" CASCADE')


def in_files(address: str) -> int:
    """How many files of the database's tables hold the word, once all is on the disk."""
    with psycopg.connect(Address(address).url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute("SHOW data_directory").fetchone()
    assert row
    found = [file for file in (Path(row[0]) / "base").rglob("*") if file.is_file()]
    return sum(WORD.encode() in file.read_bytes() for file in found)


def by_call(address: str) -> None:
    with Rove.open(address, embedder=FAKE) as kb:
        assert kb.delete("secret", "long", erase_now=True) == 2


def by_command(address: str) -> None:
    arguments = ["delete", "secret", "long", "--erase", "now", "--kb", address, "--set", "embedder.name=fake"]
    done = CliRunner().invoke(command_line, arguments)
    assert done.exit_code == 0, done.output
    assert "bytes stay" not in done.output


def by_doctor(address: str) -> None:
    arguments = ["delete", "secret", "long", "--kb", address, "--set", "embedder.name=fake"]
    done = CliRunner().invoke(command_line, arguments)
    assert done.exit_code == 0, done.output
    assert "bytes stay" in done.output and "--erase now" in done.output
    with Rove.open(address, embedder=FAKE) as kb:
        kb.doctor()


@pytest.mark.parametrize("way", [by_call, by_command, by_doctor], ids=lambda way: way.__name__)
def test_bytes_of_what_was_erased_leave_the_tables(base: str, way: Callable[[str], None]) -> None:
    with Rove.open(base, embedder=FAKE) as kb:
        kb.add(Text(f"{WORD} marmaladers whisper.", id="secret"), Text(LONG, id="long"))
        kb.add(Text("The town library opens at nine.", id="plain"))
    assert in_files(base)
    way(base)
    assert not in_files(base)
    with Rove.open(base, embedder=FAKE) as kb:
        assert [hit.chunk.document_id for hit in kb.search("library")] == ["plain"]
