"""Reading processes: what one source may use up, what none may do, and that nothing is lost when one dies."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaign.machine import slowness

from rove.language import langid
from rove.language.detect import CYRILLIC, LATIN
from rove.load.discover import Location, locate
from rove.prepare import Preparer, Recipe
from rove.records import Box, Prepared, SourceEnd, Text
from rove.sandbox import Limits
from rove.sandbox.messages import encoder, pack, unpack
from rove.sandbox.pool import Job, Pool
from rove.sandbox.worker import Worker

RECIPE = Recipe(model="m", pipeline="p", max_text_chars=2_000_000)
LIMITS = Limits(cpu_s=1.5 * slowness(), wall_s=10.0 * slowness(), memory_bytes=400_000_000)
"""What does nothing keeps them on a busy machine."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and landlock are Linux's")


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """A pool whose processes know the hostile loader, by an entry point as any plug-in's."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copy(Path(__file__).with_name("hostile.py"), folder / "hostile.py")
    (folder / "hostile-1.dist-info").mkdir()
    (folder / "hostile-1.dist-info" / "METADATA").write_text("Name: hostile\nVersion: 1\n")
    (folder / "hostile-1.dist-info" / "entry_points.txt").write_text(
        "[rove.loaders]\nhostile = hostile:HostileLoader\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")])))
        patch.setenv("SECRET_KEY", "hunter2")
        made = Pool(RECIPE, LIMITS, 2)
        yield made
        made.close()


def test_the_language_model_is_unpacked_once_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path))
    worker = Worker.start(LIMITS)
    worker.ready()  # from now on it may write no more
    worker.stop()
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(kept) == 6
    assert all(name.endswith(".npy") for name in kept)
    monkeypatch.setattr(langid, "_unpack_model_arrays", lambda _: pytest.fail("unpacked again"))
    assert dict(langid.load(LATIN | CYRILLIC).rank("Ezt a mondatot magyarul írták.")[:1]).keys() == {"hu"}
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == kept


def hostile(deed: str, uri: str = "") -> Job:
    source = Text(deed, id=uri or deed, kind="hostile")
    return Location(source.id, source.id, "", text=source), ""


def ends(pool: Pool, jobs: list[Job]) -> tuple[dict[str, SourceEnd], dict[str, list[str]]]:
    """What the sources ended in, and the texts of what was read of them."""
    ended: dict[str, SourceEnd] = {}
    texts: dict[str, list[str]] = {}
    for item in pool.read(jobs):
        if isinstance(item, SourceEnd):
            assert item.source not in ended
            ended[item.source] = item
        elif item is not None:
            assert item.ledger_source not in ended, "a document came after its source's end"
            texts.setdefault(item.ledger_source, []).append(item.document.text)
    return ended, texts


def said(pool: Pool, deed: str) -> str:
    return ends(pool, [hostile(deed)])[1][deed][0]


@pytest.mark.parametrize(
    ("deed", "outcome"),
    [
        ("burn", "too-slow"),
        ("burn_in_c", "too-slow"),
        ("sleep", "too-slow"),
        ("hoard", "too-large"),
        ("crash", "damaged"),
        ("die", "too-large"),
        ("leave", "damaged"),
        ("flood", "too-large"),
    ],
)
def test_what_takes_a_process_down_costs_its_own_source_only(pool: Pool, deed: str, outcome: str) -> None:
    jobs = [hostile("say first"), hostile(deed), *(hostile(f"say {n}") for n in range(20))]
    ended, texts = ends(pool, jobs)
    bad = ended.pop(deed)
    assert bad.outcome == outcome
    assert deed in bad.reason
    assert bad.cure
    assert len(ended) == 21
    assert {end.source: end.reason for end in ended.values() if end.outcome} == {}
    assert all(texts[f"say {n}"] == [str(n)] for n in range(20))


def test_what_was_read_before_the_time_was_up_is_kept(pool: Pool) -> None:
    ended, texts = ends(pool, [hostile("burn_after_a_page")])
    assert texts == {"burn_after_a_page": ["the first page"]}
    assert ended["burn_after_a_page"].outcome == "too-slow"


def test_what_was_sent_before_a_crash_is_kept(pool: Pool) -> None:
    ended, texts = ends(pool, [hostile("half"), hostile("say on")])
    assert ended["half"].outcome == "damaged"
    assert not ended["say on"].outcome, ended["say on"]
    assert texts["say on"] == ["on"]


def test_what_a_parser_prints_is_no_message(pool: Pool) -> None:
    assert said(pool, "chatter noise") == "said"


@linux
def test_a_parser_reaches_no_network_and_neither_does_what_it_starts(pool: Pool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert said(pool, f"connect {port}") == "refused: Operation not permitted"
        assert said(pool, f"spawn {port}") == "status 1"
        server.settimeout(0.2)
        with pytest.raises(TimeoutError):
            server.accept()


@linux
def test_a_parser_writes_and_removes_no_file(pool: Pool, tmp_path: Path) -> None:
    kept, new = tmp_path / "kept", tmp_path / "new"
    kept.write_text("as it was")
    for deed in (f"write {kept}", f"write {new}", f"remove {kept}"):
        assert said(pool, deed).startswith("refused: ")
    assert kept.read_text() == "as it was"
    assert not new.exists()


def test_a_parser_sees_no_secret(pool: Pool) -> None:
    assert os.environ["SECRET_KEY"] == "hunter2"
    assert said(pool, "environment SECRET_KEY") == "unknown"


def test_what_comes_out_is_what_comes_out_here(pool: Pool, tmp_path: Path) -> None:
    texts = {
        "a.md": "# Ünnep\n\nA révkalauz a bójánál száll be.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
        "b.txt": "引航员在浮标处登船。",
        "c.json": '{"k": {"document": "Lotsen", "metadata": {"n": 1, "tags": ["x", "y"]}}}',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    locations = locate([tmp_path])
    preparer = Preparer(RECIPE)
    here = [item for location in locations for item in preparer.read(location)]
    there = [item for item in pool.read([(location, "") for location in locations]) if item is not None]
    assert sorted(here, key=repr) == sorted(there, key=repr)
    known = {item.source: item.fingerprint for item in here if isinstance(item, SourceEnd)}
    again = [item for item in pool.read([(at, known[at.uri]) for at in locations]) if item is not None]
    assert [item.unchanged for item in again if isinstance(item, SourceEnd)] == [True] * 3
    assert len(again) == 3


def test_all_of_a_document_goes_through_the_pipe() -> None:
    preparer = Preparer(RECIPE)
    items = preparer.read(
        Location("t", "t", "markdown", text=Text("# A\n\nb c", id="t", kind="markdown", metadata={"n": 1}))
    )
    prepared = next(item for item in items if isinstance(item, Prepared))
    boxes = (Box((0, 3), 1, 0.0, 0.2, 1.0, 0.4),)
    object.__setattr__(prepared.document, "boxes", boxes)
    assert unpack(encoder.encode([pack(prepared)])) == [prepared]


@pytest.mark.timed
def test_a_reader_who_has_had_enough_leaves_no_process_behind(pool: Pool) -> None:
    reading = pool.read([hostile(f"flood {n}", "flood") for n in range(4)])
    assert isinstance(next(item for item in reading if item), Prepared)
    began = time.monotonic()
    reading.close()
    assert time.monotonic() - began < 10
    assert said(pool, "say again") == "again"


def test_thousands_of_small_sources_come_whole(pool: Pool) -> None:
    jobs = [(Location(f"t{n}", f"t{n}", "text", text=Text(f"text {n}", id=f"t{n}")), "") for n in range(4_000)]
    ended, texts = ends(pool, jobs)
    assert len(ended) == 4_000
    assert texts == {f"t{n}": [f"text {n}"] for n in range(4_000)}


def test_processes_that_were_started_beforehand_do_the_reading() -> None:
    pool = Pool(RECIPE, LIMITS, 2)
    pool.warm(1)
    assert [worker is not None for worker in pool.workers] == [True, False]
    pool.warm(100)
    started = [worker and worker.process.pid for worker in pool.workers]
    ended, _ = ends(pool, [(Location(str(n), str(n), "", text=Text("warm", id=str(n))), "") for n in range(300)])
    assert len(ended) == 300
    assert [worker and worker.process.pid for worker in pool.workers] == started
    reading = pool.read([(Location("a", "a", "", text=Text("warm", id="a")), "")])
    next(reading)
    pool.warm(2)  # another `add` of the same base does not wait for this one
    assert len(list(reading)) == 1
    pool.close()


def test_a_reading_process_is_not_worn_out_by_what_its_parent_holds() -> None:
    """What a process has had at most is inherited: one that is started from a large one would end after each slice."""
    held = bytearray(700_000_000)
    pool = Pool(RECIPE, LIMITS, 1)
    pids: set[int] = set()
    for _ in range(4):
        ends(pool, [(Location("a", "a", "", text=Text("small", id="a")), "")])
        pids |= {worker.process.pid for worker in pool.workers if worker}
    assert len(pids) == 1
    assert len(held) == 700_000_000
    pool.close()


@linux
def test_the_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<html><body><p>words</p></body></html>")
    code = (
        "import os, signal, sys\n"
        "from rove.load.discover import locate\n"
        "from rove.prepare import Recipe\n"
        "from rove.sandbox import Limits\n"
        "from rove.sandbox.pool import Pool\n"
        "pool = Pool(Recipe('m', 'p'), Limits(), 1)\n"
        "list(pool.read([(at, '') for at in locate([sys.argv[1]])]))\n"
        "print(pool.workers[0].process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    child = Path(f"/proc/{int(done.stdout)}")
    for _ in range(100):
        if not child.exists() or "State:\tZ" in (child / "status").read_text():
            return
        time.sleep(0.1)
    pytest.fail("the reading process is still there")


def test_a_reading_process_starts_without_store_settings_and_models() -> None:
    code = "import sys, rove.sandbox.child; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sqlalchemy", "pydantic", "lancedb", "onnxruntime", "httpx"} & set(done.stdout.split())
