"""The team's base at a tiny size: a copy in Postgres answers as the folder does, and restarts lose nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from secrets import token_hex

import bench.team.fill
import pytest
from bench.team import load, steps
from bench.team.passages import golden_documents, post_passages, questions
from bench.team.run import documents_of_notes, overlap, until_none_is_left
from bench.team.servers import Balancer, Server

import postgres_server

DOCUMENTS, POSTS, QUESTIONS = 40, 60, 12
ACTIONS = ((0, "SIGTERM"), (1, "kill -9"), (-1, load.ERASURE))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[tuple[str, str]]:
    """The same base in a folder and in Postgres."""
    del shared_data
    few = list(islice(golden_documents(), DOCUMENTS))
    place = tmp_path_factory.mktemp("team")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.team.fill, "golden_documents", lambda: iter(few))
        patch.setattr(steps, "MORE", 5)
        patch.setattr(steps, "questions", lambda: questions()[:QUESTIONS])
        patch.setenv("ROVE_DATA", str(place / "machine-0"))
        folder, base = place / "kb", postgres_server.base(f"t{token_hex(8)}")
        assert steps.fill(str(folder), place / "more.jsonl", POSTS)["passages"] >= DOCUMENTS + POSTS
        assert steps.copy(base, folder, 0)["rows"] > DOCUMENTS + POSTS
        yield str(folder), base


@pytest.mark.long
def test_a_copied_base_answers_as_the_folder_does(filled: tuple[str, str], tmp_path: Path) -> None:
    found = []
    for place in filled:
        assert steps.add(place, Path(filled[0]).parent / "more.jsonl", 0)["passages"] == 5
        steps.ask(place, tmp_path / "found.json", 60)
        found.append(json.loads((tmp_path / "found.json").read_text("utf-8")))
    assert found[0] == found[1] and len(found[0]) > 14
    assert sum(map(bool, found[0]["hybrid"])) > QUESTIONS / 2


@pytest.mark.long
async def test_a_restart_under_load_loses_nothing(
    filled: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "REST_S", dict.fromkeys(load.REST_S, 1.5))
    environment = {"ROVE_EMBEDDER__NAME": steps.EMBEDDER}
    team = [Server(filled[1], tmp_path / f"machine-{number}", environment) for number in range(2)]
    try:
        for one in team:
            await one.start()
        run = await load.loaded(team, questions()[:QUESTIONS], calm_s=1, actions=ACTIONS)
        kinds = {one.kind for one in run.samples}
        assert kinds == set(load.REST_S) and [name for name, _, _ in run.restarts] == ["SIGTERM", "kill -9"]
        busy = "status 503"  # which a server says that has too much to do
        assert run.notes and not {one.outcome for one in run.samples} - {"", "cut off", busy}
        assert await until_none_is_left(filled[1]) == 0
        assert run.erased and await load.missed(team, run) == (0, 0, 0)
        assert documents_of_notes(filled[1], run.notes) == (len(run.notes), len(run.notes))
    finally:
        for one in team:
            await one.stop()


def test_times_are_told_apart_by_what_went_on() -> None:
    run = load.Run(restarts=[("SIGTERM", 10.0, 20.0)], erasures=[(load.ERASURE, 30.0, 40.0)])
    seen = ((1, 1, ""), (9, 2, ""), (21, 1, "status 500"), (22, 1, "cut off"), (29, 3, ""), (39, 5, ""))
    run.samples += [load.Sample("search", begin, seconds, wrong) for begin, seconds, wrong in seen]
    (row,) = (row for row in run.rows() if row[0] == "search")
    assert row[1:4] == [6, 1, "1 status 500"]
    assert row[4:] == ["1000 / 1000 / 1000", "2000 / 2000 / 2000", "4000 / 4900 / 5000"]


async def test_who_refuses_is_passed_over(tmp_path: Path) -> None:
    gone = Server("nothing", tmp_path / "machine", os.environ)
    balancer = Balancer([gone, gone])
    with pytest.raises(Exception, match="attempts"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.team.servers.AWAY_S", 0.2)
        await balancer.send("GET", "/documents")
    await balancer.close()


def test_passages_are_of_one_count_and_differ(shared_data: Path) -> None:
    del shared_data
    texts = list(post_passages(300))
    assert len(texts) == len({text.id for text in texts}) == 300
    assert {text.metadata["access"] for text in texts} == {("staff",), ("board",)}


def test_overlap_where_nothing_is_wanted() -> None:
    assert overlap([], []) == 1 and overlap([], [("a", "x")]) == 0
