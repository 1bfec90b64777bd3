"""A base in Postgres: found as in a folder, written by several machines, and nothing lost when one of them goes."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest
from click.testing import CliRunner
from sqlalchemy import Connection

import postgres_server
import rove.store.resident
from rove import Rove, Text, field
from rove.cli import rove as command_line
from rove.errors import ConfigError, InputError, RoveError, ServiceError
from rove.retrieve import RETRIEVERS
from rove.settings import Address, read_settings
from rove.store.database import get_fact
from rove.store.files import digest_of
from rove.store.postgres_home import PostgresHome
from rove.store.postgres_turns import PostgresTurns
from rove.store.tables import SCHEMA_VERSION
from store.test_joined import QUESTIONS, STAFF, text

FAKE = {"name": "fake"}


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a base that is not there yet; this machine is called "here"."""
    at(monkeypatch, tmp_path, "here")
    address = postgres_server.base(f"b{token_hex(8)}")
    yield address
    with psycopg.connect(Address(address).url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{Address(address).schema}" CASCADE')


def at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str) -> None:
    """Be another machine: one with a folder of its own."""
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / machine))


def opened(place: str | Path) -> Rove:
    return Rove.open(place, embedder=FAKE, question={"log": False})


def ended(base: str, where: str) -> int:
    """Let the server end connections; returns how many."""
    with psycopg.connect(Address(base).url, autocommit=True) as connection:
        mine = "application_name = 'rove' AND pid <> pg_backend_pid()"
        found = connection.execute(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {mine} AND {where}"  # noqa: S608
        )
        return len(found.fetchall())


LOCKS = "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"


@pytest.mark.parametrize("seed", range(int(os.environ.get("ROVE_SEEDS", "1"))))
def test_it_finds_what_a_folder_finds_whoever_has_written(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 20)
    chance = random.Random(seed)
    with opened(tmp_path / "folder") as folder:
        machines = [opened(base)]
        at(monkeypatch, tmp_path, "there")
        machines.append(opened(base))
        try:
            for turn in range(6):
                writer = machines[turn % 2]
                texts = [text(f"Paper {chance.randrange(30)}", f"{seed} {turn}") for _ in range(10)]
                gone = chance.sample([one.id for one in texts], 2)
                for kb in (folder, writer):
                    kb.add(*texts)
                    for name in dict.fromkeys(gone):
                        kb.delete(name)
                    kb.enrich("graph")
                question = QUESTIONS[turn % len(QUESTIONS)]
                for mode in RETRIEVERS.names():
                    for where in (None, STAFF):
                        expected = folder.search(question, mode=mode, where=where)
                        for kb in machines:
                            assert kb.search(question, mode=mode, where=where) == expected, (mode, where, turn)
                assert machines[0].ask(question).text == machines[1].ask(question).text == folder.ask(question).text
        finally:
            for kb in machines:
                kb.close()


def test_what_one_machine_erases_no_other_keeps(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 20)
    secret = Text("Zephyrine lives in Zwirbelhausen.", id="secret", title="Zephyrine", metadata={"town": "Zwirbel"})
    with opened(base) as here:
        here.add(secret, *[text(f"Paper {number}") for number in range(30)])
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            assert there.search("Zephyrine", mode="keyword")
            assert holding(tmp_path / "there", b"zwirbel") and holding(tmp_path / "here", b"zwirbel")
            here.delete("secret")
            assert not holding(tmp_path / "here", b"zwirbel")
            assert not there.search("Zephyrine", mode="keyword")
            assert not holding(tmp_path / "there", b"zwirbel")
    with psycopg.connect(Address(base).url) as connection:
        schema = Address(base).schema
        names = [
            row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
        ]
        assert len(names) > 15
        for name in names:
            found = connection.execute(f'SELECT 1 FROM "{schema}"."{name}" AS t WHERE t::text ILIKE \'%zephyrine%\'')
            assert not found.fetchall(), name


def test_what_is_erased_while_a_machine_looks_leaves_it_when_it_looks_again(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 5)
    with opened(base) as here:
        here.add(*[Text(f"Paper {number}.", id=str(number), title=f"zephyr{number}") for number in range(9)])
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            resident = there._kb.store.resident  # noqa: SLF001 - as a server follows
            written = resident._follow_others  # noqa: SLF001

            def and_then_erase() -> None:
                written()
                monkeypatch.setattr(resident, "_follow_others", written)
                here.delete("7")

            monkeypatch.setattr(resident, "_follow_others", and_then_erase)
            assert resident.count() == 8 and holding(tmp_path / "there", b"zephyr7")
            assert resident.count() == 8 and not holding(tmp_path / "there", b"zephyr7")


def test_a_machine_that_follows_a_growing_base_reads_no_row_twice(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there when the base was empty, and only others write."""
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 20)
    monkeypatch.setattr(rove.store.resident, "SPILL", 50)
    at(monkeypatch, tmp_path, "there")
    with opened(base) as there:
        at(monkeypatch, tmp_path, "here")
        resident = there._kb.store.resident  # noqa: SLF001 - as a server follows
        held, read = resident._held, list[str]()  # noqa: SLF001
        monkeypatch.setattr(held, "_taken", lambda rows: read.extend(row.chunk_id for row in rows) or rows)
        assert resident.count() == 0
        with opened(base) as writer:
            for number in range(30):
                writer.add(*[Text(f"Paper {number}, part {part}.") for part in range(10)])
                assert resident.count() == 10 * (number + 1)
        assert len(read) == len(set(read)) <= 300
        assert held.begun and held.index.added < 100


def holding(folder: Path, word: bytes) -> list[Path]:
    """The files of a machine that hold these bytes, in whichever case."""
    return [path for path in folder.rglob("*") if path.is_file() and word in path.read_bytes().lower()]


def test_a_machine_that_comes_later_starts_from_a_snapshot_of_its_own(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 20)
    with opened(base) as here:
        here.add(*[text(f"Paper {number}") for number in range(30)])
    at(monkeypatch, tmp_path, "there")
    with opened(base) as there:
        found = there.search(QUESTIONS[0])
    with opened(base) as again:
        assert again.search(QUESTIONS[0]) == found
        assert again._kb.store.resident._held.begun is not None  # noqa: SLF001 - it has read the snapshot, not the catalog
        names = [file.read_text() for file in tmp_path.glob("*/*/machine")]
        assert len(set(names)) == 2 and all(again._kb.store.catalog.fact(f"resident of {name}") for name in names)


def test_nul_is_kept_as_what_stands_for_what_cannot_be_written(base: str) -> None:
    with opened(base) as kb:
        given = Text("Before\0after, and \\u0000 as it is written.", id="nul", title="a\0b", metadata={"a": "b\0c"})
        assert kb.add(given).ok
        document, _ = kb.document("nul")
        assert document.text == "Beforeafter, and \\u0000 as it is written."  # reading leaves it out
        assert "\0" not in document.title and kb.search("before\0after", where=field("a") == "b\0c") == []
        (hit,) = kb.search("before\0after", mode="semantic")
        assert document.text[hit.chunk.span[0] : hit.chunk.span[1]] == hit.chunk.text
        assert kb.ask("What is before\0after?").text and kb.doctor().ok
        with pytest.raises(InputError):
            kb.document("a\0c")
        with pytest.raises(InputError):
            kb.add(Text("Another.", id="x\0y"))
        assert len(kb.documents()) == 1


def test_connections_that_the_server_ends_are_made_anew(base: str) -> None:
    with opened(base) as kb:
        kb.add(text("Paper 1"))
        found = kb.search(QUESTIONS[0])
        assert found and ended(base, "true")
        assert kb.search(QUESTIONS[0]) == found
        assert ended(base, "true")
        assert kb.add(text("Paper 2")).ok


def test_a_connection_that_is_read_with_while_the_base_is_closed_is_closed_too(base: str) -> None:
    with opened(base) as kb:
        database = kb._kb.store.catalog.database
        reading = database.read()
        connection = reading.__enter__()
        driven = connection.connection.driver_connection
    assert not driven.closed
    assert connection.exec_driver_sql("SELECT 1").scalar_one() == 1
    reading.__exit__(None, None, None)
    assert driven.closed


async def test_a_writer_that_lost_its_turn_writes_nothing_more(base: str) -> None:
    home = PostgresHome(Address(base))
    with opened(base) as kb:
        kb.add(text("Paper 1"))
    slow, quick = home.dialect(), home.dialect()
    first, second = PostgresTurns(slow), PostgresTurns(quick)
    await first.take()
    waiting = asyncio.create_task(second.take())
    await asyncio.sleep(0.3)
    assert not waiting.done()
    assert ended(base, f"{LOCKS} AND query LIKE '%INSERT INTO facts%'") == 1  # the first one's, which does not notice
    await asyncio.wait_for(waiting, 10)
    with (
        slow.engine.connect().execution_options(**slow.writing) as connection,
        pytest.raises(ServiceError, match="has passed to another process"),
    ):
        connection.begin()
    with quick.engine.connect().execution_options(**quick.writing) as connection, connection.begin():
        pass
    first.give_back()
    second.give_back()
    slow.close()
    quick.close()


async def test_a_turn_that_is_given_back_while_another_writes_is_not_lost(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that notes something without a turn, as a step of a walk, looks at the turn when it has just ended."""
    with opened(base) as kb:
        kb.add(text("Paper 1"))
    dialect = PostgresHome(Address(base)).dialect()
    turns = PostgresTurns(dialect)
    await turns.take()

    def late(connection: Connection, name: str) -> str | None:
        turns.give_back()
        return get_fact(connection, name)

    monkeypatch.setattr("rove.store.postgres.get_fact", late)
    with dialect.engine.connect().execution_options(**dialect.writing) as connection, connection.begin():
        assert not dialect.token
    dialect.close()


async def test_one_that_is_cancelled_while_it_waits_takes_no_turn(base: str) -> None:
    home = PostgresHome(Address(base))
    with opened(base):
        pass
    dialect = home.dialect()
    first, second, third = (PostgresTurns(dialect) for _ in range(3))
    await first.take()
    waiting = asyncio.create_task(second.take())
    await asyncio.sleep(0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    first.give_back()
    await asyncio.wait_for(third.take(), 5)
    third.give_back()
    dialect.close()


KILLED = """
import sys, rove.ingest.batch
from rove import Rove, Text
rove.ingest.batch.BATCH_CHUNKS = 5
sys.path.insert(0, sys.argv[2])
from store.test_joined import text
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    print("ready", flush=True)
    kb.add(*[text(f"Paper {number}") for number in range(40)])
"""


def test_killed_at_any_moment_it_is_taken_up_elsewhere(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed on one machine at each failpoint and at random moments, the same `add` on another makes it whole."""
    texts = [text(f"Paper {number}") for number in range(40)]
    with opened(tmp_path / "folder") as folder:
        folder.add(*texts)
        chunks = folder._kb.store.catalog.count()
        expected = folder.search(QUESTIONS[0])
    tests = str(Path(__file__).parents[1])
    for point in ("before-stage", "staged", "indexed", "published", "0.1", "0.3"):
        environment = {**os.environ, "ROVE_FAILPOINT": "" if point[0] == "0" else point}
        command = [sys.executable, "-c", KILLED, base, tests]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout and process.stdout.readline() == b"ready\n"
            if point[0] == "0":
                time.sleep(float(point))
                process.kill()
    at(monkeypatch, tmp_path, "there")
    with opened(base) as kb:
        assert kb.add(*texts).ok
        assert kb._kb.store.catalog.count() == chunks
        assert kb.search(QUESTIONS[0]) == expected
        assert kb.doctor().ok


def test_originals_are_in_the_database_and_copies_go_with_them(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"page " * 500_000)
    with source.open("rb") as file:
        digest = digest_of(file)
    with opened(base) as here:
        files = here._kb.store.home.files(here._kb.store.catalog.database)
        assert not files.keep(source, "0" * 64) and not files.sizes()
        assert files.keep(source, digest) and files.keep(source, digest)
        assert files.sizes() == {digest: source.stat().st_size}
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            others = there._kb.store.home.files(there._kb.store.catalog.database)
            copy = others.local(digest)
            assert copy.read_bytes() == source.read_bytes() and copy.is_relative_to(tmp_path / "there")
            assert not others.local("1" * 64).exists()
            files.remove([digest, "1" * 64])
            assert not files.sizes()
            assert not others.local(digest).exists() and not copy.exists()


@pytest.mark.parametrize("version", [SCHEMA_VERSION, 4])  # of version 4 the tables are those of 5
def test_who_may_only_read_reads(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    with opened(base) as kb:
        kb.add(*[text(f"Paper {number}") for number in range(5)])
        expected = kb.search(QUESTIONS[0])
    role, address = f"r{token_hex(6)}", Address(base)
    with psycopg.connect(address.url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f'GRANT USAGE ON SCHEMA "{address.schema}" TO {role}')
        connection.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{address.schema}" TO {role}')
        connection.execute(f"UPDATE \"{address.schema}\".facts SET value = '{version}' WHERE name = 'schema'")
    at(monkeypatch, tmp_path, "reader")
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", 2)
    with opened(base.replace("postgres:@", f"{role}:@").replace("postgres@", f"{role}@")) as reader:
        assert reader.search(QUESTIONS[0]) == expected
        assert reader.ask(QUESTIONS[0]).text
        with pytest.raises(ServiceError, match="permission denied") as raised:
            reader.add(text("Paper 9"))
        assert not raised.value.retryable


def test_bases_in_folders_and_databases_are_read_as_one(base: str, tmp_path: Path) -> None:
    texts = [text(f"Paper {number}") for number in range(20)]
    with opened(tmp_path / "all") as kb:
        kb.add(*texts)
        expected = kb.search(QUESTIONS[0])
    with opened(base) as kb:
        kb.add(*texts[:10])
    with opened(tmp_path / "half") as kb:
        kb.add(*texts[10:])
    with Rove.open(tmp_path / "half", embedder=FAKE, also=[base]) as kb:
        assert kb.search(QUESTIONS[0]) == expected
    with pytest.raises(ConfigError, match="named twice"):
        Rove.open(base, embedder=FAKE, also=[base])


def test_it_is_carried_from_a_folder_and_back_without_embedding(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "folder") as kb:
        kb.add(*[text(f"Paper {number}") for number in range(20)])
        lines = list(kb.export())
        expected = kb.search(QUESTIONS[0])
    for place in (base, tmp_path / "back"):
        with opened(place) as kb:
            monkeypatch.setattr(type(kb._kb.embedder), "passages", None)
            assert kb.import_(lines).ok
            assert kb.search(QUESTIONS[0]) == expected
            lines = list(kb.export())


def test_a_base_that_is_not_there_is_said_and_not_made(base: str) -> None:
    for _ in range(2):
        found = CliRunner().invoke(command_line, ["inspect", "--kb", base])
        assert found.exit_code == 2 and "There is no base in postgresql://" in found.stderr
    address = Address(base)
    with psycopg.connect(address.url, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{address.schema}"')
        assert CliRunner().invoke(command_line, ["inspect", "--kb", base]).exit_code == 2
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [address.schema])
        assert not found.fetchall()
    with pytest.raises(ServiceError, match="could not be reached") as raised:
        Rove.open("postgresql://ann:secret@127.0.0.1:1/team", embedder=FAKE)
    assert raised.value.retryable and "secret" not in str(raised.value)


def test_every_command_means_the_base_by_its_address(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None takes the address for a folder, and makes that where it stands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROVE_EMBEDDER__NAME", "fake")
    runner, paper = CliRunner(), tmp_path / "paper.md"
    paper.write_text(
        "# Remote work\n\nRemote work is approved by the head of unit.\n\n# Travel\n\nTravel is paid.\n\n"
        "| Topic | Approved by |\n| --- | --- |\n| Remote work | head of unit |\n"
    )

    def said(*words: str) -> str:
        result = runner.invoke(command_line, [*words, "--kb", base])
        assert result.exit_code == 0, (words, result.output)
        return result.output

    said("add", str(paper))
    said("questions", "make", "questions.csv", "-n", "2")
    assert json.loads(said("eval", "questions.csv", "--json"))["metrics"]["recall@10"]["mean"] == 1.0
    grid = tmp_path / "grid.toml"
    grid.write_text('[factors.mode]\nkeyword = { mode = "keyword" }\nsemantic = { mode = "semantic" }\n')
    said("sweep", str(grid), "questions.csv")
    said("serve", "key", "ann")
    assert "ann" in (Address(base).folder / "rove.toml").read_text() and read_settings(base).serve.keys
    for words in (
        ["walk", "Who approves remote work?"],
        ["themes"],
        ["enrich", "graph"],
        ["graph", "Remote work"],
        ["enrich", "summaries"],
        ["summary", str(paper)],
        ["questions", "keep", "Who pays?", str(paper)],
        ["memory", "list"],
        ["words", "list"],
        ["export", "all.jsonl"],
        ["import", "all.jsonl"],
        ["delete", str(paper)],
        ["doctor"],
    ):
        said(*words)
    assert not list(tmp_path.glob("postgres*"))


def test_a_password_is_nowhere_shown(base: str) -> None:
    secret = base.replace("postgres:@", "postgres:hunter2@").replace("postgres@", "postgres:hunter2@")
    assert "hunter2" in secret
    add = ["--kb", secret, "--set", "embedder.name=fake"]
    runner = CliRunner()
    assert runner.invoke(command_line, ["add", str(Path(__file__).parents[2] / "CHANGELOG.md"), *add]).exit_code == 0
    for command in (["ask", "What has changed?"], ["inspect"], ["settings"], ["settings", "--json"], ["doctor"]):
        found = runner.invoke(command_line, [*command, *add])
        assert found.exit_code == 0, found.output
        assert "hunter2" not in found.output
    settings = read_settings(secret)
    assert "hunter2" not in f"{settings!r} {settings} {settings.model_dump_json()} {settings.folder}"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://ann@db/team", "begins with postgresql://"),
        ("postgresql://ann@db", "names no database"),
        ("postgresql://ann@db:port/team", "Port"),
        ("sqlite:///kb", "begins with postgresql://"),
    ],
)
def test_an_address_that_is_none_is_said(address: str, said: str) -> None:
    with pytest.raises(RoveError, match=said):
        read_settings(address)


def test_settings_name_an_address(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    file.write_text('path = "postgres://ann:secret@db:5433/team?schema=hr"\nalso = ["law", "postgresql://db/team"]\n')
    settings = read_settings(file)
    assert str(settings.path) == "postgresql://ann@db:5433/team?schema=hr"
    assert [str(place) for place in settings.also] == [str(tmp_path / "law"), "postgresql://db/team"]
    assert isinstance(settings.path, Address) and settings.path.schema == "hr"
    assert settings.path.url == "postgresql://ann:secret@db:5433/team"
    assert Address("postgresql://bob@db:5433/team?schema=hr").folder == settings.folder
    assert Address("postgresql://bob@db:5433/team").folder != settings.folder
