"""A parser that is taken over: whatever it says of itself, it costs its own source only, and nothing else changes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.load.discover import Location
from rove.prepare import Recipe
from rove.records import Prepared, SourceEnd
from rove.sandbox import Limits
from rove.sandbox.pool import Pool
from sandbox.hostile import SEIZED

RECIPE = Recipe(model="m", pipeline="p", max_text_chars=2_000_000)
HOW = [*SEIZED, "noise", "deep", "surrogate", "empty", "huge frame", "a wish that is none", "one end more"]
OF_AN_END = [how for how in SEIZED if how.startswith("end ")]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copy(Path(__file__).with_name("hostile.py"), folder / "hostile.py")
    (folder / "hostile-1.dist-info").mkdir()
    (folder / "hostile-1.dist-info" / "METADATA").write_text("Name: hostile\nVersion: 1\n")
    (folder / "hostile-1.dist-info" / "entry_points.txt").write_text(
        "[rove.loaders]\nhostile = hostile:HostileLoader\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")])))
        yield


@pytest.fixture(scope="module")
def pool(plugin: None) -> Iterator[Pool]:
    made = Pool(RECIPE, Limits(cpu_s=5.0, wall_s=20.0, memory_bytes=600_000_000), 1)
    yield made
    made.close()


def job(deed: str, known: str = "") -> tuple[Location, str]:
    text = Text(deed, id=deed, kind="hostile", metadata={"access": ("hr",), "day": 1}, title="A title")
    return Location(deed, deed, "", text=text), known


@pytest.mark.parametrize("how", HOW)
def test_what_a_seized_process_says_is_refused_and_the_rest_is_read(pool: Pool, how: str) -> None:
    deed = f"seize {how}"
    items = [item for item in pool.read([job("say first"), job(deed), job("say last")]) if item]
    ends = {item.source: item for item in items if isinstance(item, SourceEnd)}
    documents = [item for item in items if isinstance(item, Prepared)]
    if how != "one end more":  # which is one of the source that comes next
        assert ends[deed].outcome == "damaged"
        assert "parser sent" in ends[deed].reason
        assert ends[deed].cure
    assert set(ends) == {"say first", deed, "say last"}
    assert not ends["say first"].outcome
    assert {item.ledger_source for item in documents} <= {"say first", "say last", deed}
    for item in documents:
        assert item.document.document_id == item.document.source == item.ledger_source
        assert item.document.metadata == {"access": ("hr",), "day": 1}
        assert item.document.title == "A title"
        assert how in OF_AN_END or how == "one end more" or item.ledger_source != deed


def test_nothing_of_the_base_changes(plugin: None, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        victim = Text("What the board has said.", id="victim", metadata={"access": ("board",)})
        assert kb.add(victim).ok
        before = kb.text("victim"), kb.documents()
        sources = [
            Text(f"seize {how}", id=f"seize {how}", kind="hostile", metadata={"access": "hr"}) for how in [*SEIZED][:8]
        ]
        report = kb.add(sources)
        assert (kb.text("victim"), [one for one in kb.documents() if one.document_id == "victim"]) == before
        assert {entry.source for entry in report.failed} >= {one.id for one in sources[:5]}
        assert all(entry.cure and entry.state == "failed" for entry in kb.ledger("failed"))
        assert {one.metadata["access"] for one in kb.documents()} <= {"hr", ("board",), ("hr",)}
