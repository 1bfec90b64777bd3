"""A base in Postgres moves to another embedder while two processes, on two machines, have it open."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest

import postgres_server
from rove import AsyncRove, Text
from rove.errors import EmbedderMovedError
from rove.settings import Address
from store.moving import FAKE, SHORT, TEXTS, finds_all, found, fresh, is_over

ELSEWHERE = """
import sys
from rove import Rove
from rove.store import shallow
shallow.GROUP_DOCUMENTS = 7
short = {"name": "fake", "dimension": 96, "previous": {"name": "fake"}}
Rove.migrate(sys.argv[1], embedder=short, deep=sys.argv[2] == "deep")
"""


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "here"))
    address = postgres_server.base(f"b{token_hex(8)}")
    yield address
    with psycopg.connect(Address(address).url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA IF EXISTS "{Address(address).schema}" CASCADE')


def elsewhere(base: str, tmp_path: Path, how: str, failpoint: str = "") -> int:
    """Migrate on another machine."""
    env = {**os.environ, "ROVE_DATA": str(tmp_path / "there"), "ROVE_FAILPOINT": failpoint}
    return subprocess.run([sys.executable, "-c", ELSEWHERE, base, how], env=env, timeout=120).returncode


async def test_two_machines(base: str, tmp_path: Path) -> None:
    async with AsyncRove.open(base, embedder=FAKE) as old:
        await old.add(TEXTS)
        assert await finds_all(old)
        assert elsewhere(base, tmp_path, "switch") == 0
        with pytest.raises(EmbedderMovedError):
            await old.search("Orford")
        with pytest.raises(EmbedderMovedError):
            await old.add(Text("A letter.", id="letter"))
    async with AsyncRove.open(base, embedder=SHORT) as new:
        assert new.store.catalog.depth().shallow == len(TEXTS)
        assert await finds_all(new)
        assert elsewhere(base, tmp_path, "deep", "told:2") == -signal.SIGKILL
        assert 0 < new.store.catalog.depth().share < 1
        assert await finds_all(new)
        await new.add(Text("A letter of Orford, unread.", id="letter"), deep=False)
        assert elsewhere(base, tmp_path, "deep") == 0
        assert is_over(new)
        wanted = await fresh(tmp_path / "fresh", SHORT, [*TEXTS, Text("A letter of Orford, unread.", id="letter")])
        assert await found(new, "semantic") == wanted
        assert (await new.doctor()).ok
