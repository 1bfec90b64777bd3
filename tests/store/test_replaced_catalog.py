"""A catalog that is replaced under who has it open: nothing is acknowledged that would be lost, nothing past told."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rove import Rove, ServiceError, Text
from rove.errors import CatalogReplacedError
from rove.store.folder_hold import base_alone
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
HOLDS = """
import sys
from rove import Rove
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    print("open", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A base of one text; beside it a backup from before the second."""
    folder = tmp_path / "kb"
    with Rove.open(folder, **FAKE) as kb:
        kb.add(Text("The first ship came home.", id="first"))
    shutil.copytree(folder, tmp_path / "backup")
    with Rove.open(folder, **FAKE) as kb:
        kb.add(Text("The second ship came home.", id="second"))
    return folder


def swapped(base: Path) -> None:
    made = base / "new.sqlite"
    shutil.copy(base.parent / "backup" / "catalog.sqlite", made)
    made.replace(base / "catalog.sqlite")


def deleted(base: Path) -> None:
    (base / "catalog.sqlite").unlink()


def folder_moved(base: Path) -> None:
    base.rename(base.parent / "elsewhere")


def folder_deleted(base: Path) -> None:
    shutil.rmtree(base)


def folder_swapped(base: Path) -> None:
    base.rename(base.parent / "elsewhere")
    shutil.copytree(base.parent / "backup", base)


def overwritten(base: Path) -> None:
    shutil.copyfile(base.parent / "backup" / "catalog.sqlite", base / "catalog.sqlite")


def log_deleted(base: Path) -> None:
    (base / "catalog.sqlite-wal").unlink()


WAYS = [swapped, deleted, folder_moved, folder_deleted, folder_swapped, overwritten]


@pytest.mark.parametrize("way", [*WAYS, log_deleted], ids=lambda way: way.__name__)
def test_what_is_written_to_a_catalog_that_is_gone_is_refused(base: Path, way: Callable[[Path], None]) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The third ship came home.", id="third"))
        way(base)
        with pytest.raises(CatalogReplacedError) as refused:
            kb.add(Text("The fourth ship came home.", id="fourth"))
        assert refused.value.cure and "catalog.sqlite" in refused.value.reason
        with pytest.raises(CatalogReplacedError):
            kb.delete("first")
    assert way not in {folder_moved, folder_deleted} or not base.exists()  # nothing is made where it was


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_catalog_that_is_gone_answers_nothing(base: Path, way: Callable[[Path], None]) -> None:
    with Rove.open(base, **FAKE) as kb:
        assert kb.search("ship")
        way(base)
        with pytest.raises(CatalogReplacedError):
            kb.search("ship")
        with pytest.raises(CatalogReplacedError):
            kb.documents()


def test_a_link_that_leads_elsewhere_by_now_is_noticed(base: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(base)
    with Rove.open(link, **FAKE) as kb:
        kb.add(Text("The third ship came home.", id="third"))
        link.unlink()
        link.symlink_to(tmp_path / "backup")
        with pytest.raises(CatalogReplacedError):
            kb.add(Text("The fourth ship came home.", id="fourth"))


def test_what_was_moved_and_put_back_goes_on(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("The third ship came home.", id="third"))
        folder_moved(base)
        with pytest.raises(CatalogReplacedError):
            kb.search("ship")
        (base.parent / "elsewhere").rename(base)
        kb.add(Text("The fourth ship came home.", id="fourth"))
        assert len(kb.search("ship")) == 4


def test_other_writers_and_their_checkpoints_are_no_replacement(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        for number in range(3):
            with Rove.open(base, **FAKE) as other:
                other.add(Text(f"Ship {number} came home.", id=f"other-{number}"))
            with closing(sqlite3.connect(base / "catalog.sqlite")) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            kb.add(Text(f"Boat {number} came home.", id=f"own-{number}"))
        assert len(kb.documents()) == 8


@pytest.fixture
def held(base: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the base open, and does nothing."""
    command = [sys.executable, "-c", HOLDS, str(base)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "open\n"
        yield process
        process.communicate("\n")


def test_no_catalog_is_replaced_under_another_process(base: Path, held: subprocess.Popen[str]) -> None:
    before = (base / "catalog.sqlite").stat().st_ino
    for source in ("here", str(base.parent / "backup")):
        with pytest.raises(ServiceError, match="Another process has the base") as refused:
            rebuild_base(source, base, **FAKE)
        assert refused.value.cure
        if sys.platform == "linux":
            assert str(held.pid) in refused.value.reason
    assert (base / "catalog.sqlite").stat().st_ino == before


def test_no_catalog_is_replaced_where_only_it_was_deleted_under_another(
    base: Path, held: subprocess.Popen[str]
) -> None:
    deleted(base)
    with pytest.raises(ServiceError, match=f"process {held.pid}" if sys.platform == "linux" else "Another process"):
        rebuild_base("here", base, **FAKE)


def test_no_catalog_is_replaced_under_this_process(base: Path) -> None:
    with Rove.open(base, **FAKE), pytest.raises(ServiceError, match=r"has the base .* open"):
        rebuild_base(str(base.parent / "backup"), base, **FAKE)


def test_what_is_made_anew_is_not_opened_meanwhile(base: Path) -> None:
    with base_alone(base), pytest.raises(ServiceError, match="given a new catalog") as refused:
        Rove.open(base, **FAKE)
    assert refused.value.cure
    with Rove.open(base, **FAKE) as kb:
        assert len(kb.documents()) == 2


def test_word_of_a_server_that_was_killed_keeps_nobody_out(base: Path) -> None:
    told = {"port": 1, "pid": os.getpid(), "key": "", "space": "", "code": "", "environment": "", "protocol": 1}
    (base / "serving.json").write_text(json.dumps(told))
    assert rebuild_base(str(base.parent / "backup"), base, **FAKE).documents == 1


FULL = """
import resource, sqlite3, sys
from pathlib import Path
from rove import Rove, RoveError, Text

catalog = Path(sys.argv[1]) / "catalog.sqlite"
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    kb.add([Text(f"Ship {n} came home. " * 200, id=f"ship {n}") for n in range(60)])
    other = sqlite3.connect(catalog)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    limit = catalog.stat().st_size + 4096
    kb.add([Text(f"Boat {n} came home. " * 200, id=f"boat {n}") for n in range(20)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        other.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except sqlite3.OperationalError as error:
        print(error)
    assert kb.search("boat 7", mode="keyword")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    kb.add(Text("The last ship came home.", id="last"))
    print(len(kb.documents()))
"""


def test_a_log_that_a_full_disk_lets_sqlite_move_in_part_is_no_catalog_overwritten(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "kb")], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split("\n")[:2] == ["disk I/O error", "81"], ran.stderr
