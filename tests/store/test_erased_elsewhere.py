"""Another machine erases: what it erased is gone from this one at once, and searches wait for no new snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

import rove.store.resident
from rove import Rove, Text
from rove.store.resident import Resident
from store.test_postgres import at, base, holding, opened

__all__ = ["base"]
SMALL = 5


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rove.store.resident, "KEPT_FROM", SMALL)


class HeldUp:
    """Writing a snapshot, held up until it is let on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Hold up what is written from now on."""
        self.reached, self._let_on, self.then = Event(), Event(), rove.store.resident.write_snapshot
        self.written = 0
        monkeypatch.setattr(rove.store.resident, "write_snapshot", self)

    def __call__(self, *given: object, **more: object) -> str:
        """See `rove.store.snapshot.write_snapshot`."""
        write: Callable[..., str] = self.then
        self.reached.set()
        assert self._let_on.wait(60)
        self.written += 1
        return write(*given, **more)

    def let_on(self, resident: Resident) -> None:
        """Let the writing go on, and wait until it is done."""
        rewriting = resident._rewriting  # noqa: SLF001
        assert rewriting
        self._let_on.set()
        rewriting.join(60)
        assert not rewriting.is_alive()


def papers() -> list[Text]:
    return [Text(f"Paper {number}.", id=str(number), title=f"zephyr{number}") for number in range(12)]


def titles(kb: Rove, word: str) -> list[str]:
    return [hit.title for hit in kb.search(word, mode="keyword")]


def test_searches_are_answered_while_the_snapshot_is_rewritten(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(base) as here:
        here.add(*papers())
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            resident = there._kb.store.resident  # noqa: SLF001
            assert titles(there, "zephyr7") == ["zephyr7"] and holding(tmp_path / "there", b"zephyr7")
            here.delete("7")
            held_up = HeldUp(monkeypatch)
            assert titles(there, "zephyr7") == []
            assert held_up.reached.wait(60)
            assert not holding(tmp_path / "there", b"zephyr7")
            assert titles(there, "zephyr8") == ["zephyr8"] and there.search("Paper")
            monkeypatch.undo()
            at(monkeypatch, tmp_path, "there")
            monkeypatch.setattr(rove.store.resident, "KEPT_FROM", SMALL)
            here.add(Text("Paper 20.", id="20", title="zephyr20"))  # found, whatever is under way
            here.delete("6")
            assert titles(there, "zephyr20") == ["zephyr20"] and titles(there, "zephyr6") == []
            held_up.let_on(resident)
            assert there.search("Paper") == here.search("Paper")
            if rewriting := resident._rewriting:  # noqa: SLF001 - it had begun before the second was erased
                rewriting.join(60)
            assert there.search("Paper") == here.search("Paper")
            assert not holding(tmp_path / "there", b"zephyr7") and not holding(tmp_path / "there", b"zephyr6")
            assert holding(tmp_path / "there", b"zephyr8")
            begun = resident._held.begun  # noqa: SLF001
            assert begun and (resident.folder / begun.mark).is_dir() and not resident._rewriting  # noqa: SLF001


def test_a_snapshot_that_this_process_wrote_and_does_not_read_goes_too(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(base) as here:
        resident = here._kb.store.resident  # noqa: SLF001
        here.add(Text("Paper 30.", id="30"))
        assert here.search("Paper")
        here.add(*papers())
        assert titles(here, "zephyr7") == ["zephyr7"]
        assert not resident._held.begun and holding(resident.folder, b"zephyr7")  # noqa: SLF001
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            there.delete("7")
        assert titles(here, "zephyr7") == [] and not holding(resident.folder, b"zephyr7")
    assert holding(resident.folder, b"zephyr8")


def test_a_rewriting_that_fails_leaves_no_snapshot(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(base) as here:
        here.add(*papers())
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            resident = there._kb.store.resident  # noqa: SLF001
            assert titles(there, "zephyr7")
            here.delete("7")
            held_up = HeldUp(monkeypatch)
            held_up.then = refused
            assert titles(there, "zephyr7") == []
            held_up.let_on(resident)
            assert not resident.folder.exists()
            assert titles(there, "zephyr8") == ["zephyr8"] and not resident._held.begun  # noqa: SLF001
            assert not resident._rewriting and held_up.written == 1  # noqa: SLF001 - a full disk is not tried again


def refused(*_: object, **__: object) -> str:
    """A disk that is full."""
    raise OSError(28, "No space left on device")


def test_closing_waits_for_what_is_rewritten(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(base) as here:
        here.add(*papers())
        at(monkeypatch, tmp_path, "there")
        with opened(base) as there:
            resident = there._kb.store.resident  # noqa: SLF001
            assert titles(there, "zephyr7")
            here.delete("7")
            assert titles(there, "zephyr7") == []
        assert not resident._rewriting and holding(resident.folder, b"zephyr8")  # noqa: SLF001
    with opened(base) as there:
        assert titles(there, "zephyr8") and there._kb.store.resident._held.begun  # noqa: SLF001
