"""Who may read the files of a base: its owner alone, or the group that its folder was given to."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Text
from rove.sync import Rove

FAKE = {"embedder": {"name": "fake"}}
pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")


@pytest.fixture(autouse=True, params=[0o022, 0o002, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def fill(folder: Path, name: str = "a") -> None:
    with Rove.open(folder, **FAKE) as kb:
        assert kb.add([Text(f"The lighthouse {name}, {n}.", id=f"{name}{n}") for n in range(6)]).ok
        assert bits(folder / "catalog.sqlite-wal") == bits(folder / "catalog.sqlite")


def bits(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def open_to(who: int, folder: Path) -> list[str]:
    """The files and folders of a base, itself included, of whose bits some of `who` are set."""
    return [str(path.relative_to(folder)) for path in [folder, *folder.rglob("*")] if bits(path) & who]


def test_a_new_base_is_its_owners_alone(tmp_path: Path) -> None:
    fill(tmp_path / "deep" / "kb")
    assert open_to(0o077, tmp_path / "deep" / "kb") == []


def test_a_base_that_others_could_read_is_closed_by_the_next_writer(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    fill(folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    with Rove.open(folder, **FAKE) as kb:
        assert kb.search("lighthouse")
    assert open_to(0o044, folder), "who only reads changes nothing"
    fill(folder, "b")
    assert open_to(0o077, folder) == []


@pytest.mark.parametrize("mode", [0o2750, 0o770, 0o2775, 0o775], ids=oct)
def test_a_shared_base_stays_its_groups(mode: int, tmp_path: Path, umask: int) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    folder.chmod(mode)
    fill(folder)
    assert bits(folder) == mode & ~0o007
    assert bits(folder / "catalog.sqlite") == 0o660 & ~umask
    assert open_to(0o007, folder) == []
    assert bits(folder / "resident") & 0o070 == 0o070 & ~umask


def test_a_base_within_a_shared_folder_is_shared(tmp_path: Path, umask: int) -> None:
    tmp_path.chmod(0o2770)
    fill(tmp_path / "kb")
    assert bits(tmp_path / "kb") & 0o070 == 0o070 & ~umask
    assert bits(tmp_path / "kb" / "catalog.sqlite") == 0o660 & ~umask


def test_a_folder_that_holds_more_than_a_base_keeps_the_rest_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "notes.md").write_text("mine")
    (folder / "notes.md").chmod(0o644)
    fill(folder)
    assert open_to(0o077, folder) == [".", "notes.md"]
