"""What was replied to posts: against a slow reckoning by hand, over several dumps, when replies come and go."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rove import AsyncRove, ConfigError, Rove, Text, field
from rove.cli import rove as command
from rove.enrich.replies import OURS
from rove.models.fake import FakeEmbedder
from rove.settings import EnrichSettings

FAKE = {"embedder": {"name": "fake"}}
TEXTS = {
    "en": "I agree, this is correct and helpful.",
    "de": "Das stimmt nicht, ich sehe das ganz anders.",
    "hu": "Egyetértek, ez így igaz és hasznos.",
    "zh": "我同意，这是正确的，很有帮助。",
    "ja": "その通りです、とても役に立ちます。",
}
LONG = "This is true, and there is more to say of it. " * 30


def post(name: str, text: str, parent: str = "", title: str = "A question") -> dict[str, object]:
    row: dict[str, object] = {"name": name, "text": text, "subreddit": "work"}
    return row | ({"parent_id": parent, "link_id": "t3_a"} if parent else {"title": title})


THREAD = [
    post("t3_a", "Is the new schedule fair?"),
    *(post(f"t1_{name}", text, "t3_a") for name, text in TEXTS.items()),
    post("t1_long", LONG, "t1_en"),
    post("t1_lost", "I disagree.", "t1_gone"),
    post("t3_b", "Nobody has said anything of this."),
]


def dump(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def fields_of(kb: Rove) -> dict[str, dict[str, object]]:
    """Record → what it has of the enricher's fields."""
    return {
        str(info.metadata["record_id"]): {name: info.metadata[name] for name in OURS if name in info.metadata}
        for info in kb.documents()
    }


async def by_hand(folder: Path, parent: str, statements: Sequence[str]) -> float:
    """The mean over direct replies, of the mean over chunks, of the mean over statements of 1 − cosine."""
    async with AsyncRove.open(folder, **FAKE) as kb:
        wanted = await FakeEmbedder().passages(list(statements))
        each: list[float] = []
        for info in await kb.documents():
            if info.metadata.get("parent") == parent:
                chunks = (await kb.document(info.document_id))[1]
                vectors = await kb.store.chunk_vectors([chunk.chunk_id for chunk in chunks])
                each.append(float(np.mean([[1 - np.dot(v, s) for s in wanted] for v in vectors])))
        return float(np.mean(each))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = tmp_path / "kb"
    with Rove.open(base, **FAKE) as kb:
        assert kb.add(dump(tmp_path / "posts.jsonl", THREAD)).documents == len(THREAD)
        report = kb.enrich("replies")
        assert (report.documents, report.changed) == (2, 2)
        assert "no packaged sentiment" in report.notes[0]
    return base


@pytest.mark.parametrize(("parent", "count"), [("t3_a", 5), ("t1_en", 1)])
async def test_distances_are_those_by_hand(folder: Path, parent: str, count: int) -> None:
    settings = EnrichSettings()
    agree, disagree = [await by_hand(folder, parent, each) for each in (settings.agree, settings.disagree)]
    async with AsyncRove.open(folder, **FAKE) as kb:
        found = {info.metadata["record_id"]: info.metadata for info in await kb.documents()}[parent]
    assert found["replies"] == count
    assert found["reply_agree_distance"] == pytest.approx(agree, abs=1e-5)
    assert found["reply_disagree_distance"] == pytest.approx(disagree, abs=1e-5)
    assert "reply_sentiment" not in found


def test_a_second_run_changes_nothing(folder: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        before = fields_of(kb)
        report = kb.enrich("replies")
        assert (report.documents, report.changed) == (2, 0)
        assert fields_of(kb) == before
        assert before["t3_b"] == {"replies": 0}


def test_filters_and_searches_see_the_fields_at_once_and_later(folder: Path) -> None:
    where = (field("replies") >= 5) & (field("reply_agree_distance") > 0) & (field("is_submission") == True)  # noqa: E712
    for _ in range(2):
        with Rove.open(folder, **FAKE, store={"index": "lancedb", "resident_chunks": 0}) as kb:
            hits = kb.search("schedule", where=where)
            assert [hit.chunk.metadata["record_id"] for hit in hits] == ["t3_a"]
            assert hits[0].chunk.metadata["replies"] == 5
        with Rove.open(folder, **FAKE) as kb:
            assert len(kb.search("schedule", where=where)) == 1
            assert kb.doctor().ok


def test_replies_that_come_later_from_another_dump_count_each_once(folder: Path, tmp_path: Path) -> None:
    more = [post("t1_late", "Late, but I agree.", "t3_a"), THREAD[1], post("t1_b", "Now somebody has.", "t3_b")]
    with Rove.open(folder, **FAKE) as kb:
        kb.add(dump(tmp_path / "more.jsonl", more))
        assert kb.enrich("replies").changed == 3  # both copies of the one that is there twice
        found = fields_of(kb)
        assert (found["t3_a"]["replies"], found["t3_b"]["replies"]) == (6, 1)


def test_replies_that_go_take_their_fields_along(folder: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        gone = [info.document_id for info in kb.documents() if info.metadata["record_id"] == "t1_long"]
        assert kb.delete(*gone) == 1
        assert kb.enrich("replies").changed == 1
        assert fields_of(kb)["t1_en"] == {"replies": 1}  # what the dump said of itself
        assert kb.doctor().ok


async def test_no_passage_is_embedded_again(folder: Path) -> None:
    async with AsyncRove.open(folder, **FAKE) as kb:
        asked: list[str] = []
        embed = kb.embedder.passages

        async def passages(texts: Sequence[str]) -> np.ndarray:
            asked.extend(texts)
            return await embed(texts)

        kb.embedder.passages = passages  # type: ignore[method-assign]
        await kb.enrich("replies")
        settings = EnrichSettings()
        assert asked == [*settings.agree, *settings.disagree]


def test_every_add_can_end_with_it(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", **FAKE, enrich={"after_add": ["replies"]}) as kb:
        kb.add(dump(tmp_path / "posts.jsonl", THREAD))
        assert fields_of(kb)["t3_a"]["replies"] == 5
        assert "reply_agree_distance" in fields_of(kb)["t3_a"]


def test_a_wrong_name_is_said_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="repleis"):
        Rove.open(tmp_path / "kb", **FAKE, enrich={"after_add": ["repleis"]})
    assert not (tmp_path / "kb").exists()


def test_export_and_import_carry_the_fields(folder: Path, tmp_path: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        before, lines = fields_of(kb), list(kb.export())
    with Rove.open(tmp_path / "other", **FAKE) as kb:
        kb.import_(lines)
        assert fields_of(kb) == before
        assert kb.enrich("replies").documents == 2
        assert fields_of(kb) == before


def test_a_base_without_posts_has_nothing_to_enrich(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        assert kb.enrich("replies").documents == 0


def test_on_the_command_line(folder: Path) -> None:
    env = {"ROVE_EMBEDDER__NAME": "fake"}
    ran = CliRunner().invoke(command, ["enrich", "replies", "--kb", str(folder), "--json"], env=env)
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)[0] | {"notes": []} == {"name": "replies", "documents": 2, "changed": 0, "notes": []}
    ran = CliRunner().invoke(command, ["enrich", "nonsense", "--kb", str(folder)], env=env)
    assert ran.exit_code != 0
    assert "Choose one of: replies" in ran.output


def test_both_prefilters_of_the_study_combine(folder: Path) -> None:
    """There, the second was written over the first: see docs/reproduction.md."""
    no_short, no_submissions = field("is_short_question") == False, field("is_submission") == False  # noqa: E712

    def found(where: object) -> set[object]:
        with Rove.open(folder, **FAKE) as kb:
            hits = kb.search("schedule correct helpful anything", top_k=50, where=where)
            return {hit.chunk.metadata["record_id"] for hit in hits}

    assert found(no_short) & found(no_submissions) == found(no_short & no_submissions)
    assert "t3_a" not in found(no_short)
    assert "t3_b" in found(no_short) - found(no_submissions)


async def test_the_distance_of_the_first_reply_stands_beside_the_average(tmp_path: Path, folder: Path) -> None:
    own = EnrichSettings()
    with Rove.open(folder, **FAKE) as kb:
        fields = fields_of(kb)["t3_a"]
    alone = tmp_path / "alone"
    with Rove.open(alone, **FAKE) as kb:
        kb.add(dump(tmp_path / "one.jsonl", THREAD[:2]))
        kb.enrich("replies")
        only = fields_of(kb)["t3_a"]
    for name, statements in (("agree", own.agree), ("disagree", own.disagree)):
        first = await by_hand(alone, "t3_a", statements)
        assert fields[f"top_reply_{name}_distance"] == pytest.approx(first, abs=2e-6)
        assert fields[f"top_reply_{name}_distance"] != fields[f"reply_{name}_distance"]
        assert only[f"top_reply_{name}_distance"] == only[f"reply_{name}_distance"]


def test_replies_of_other_labels_are_not_counted(tmp_path: Path) -> None:
    """Their number would tell of them who may not see them; a copy under other labels has its own replies."""

    def said(name: str, access: str, parent: str = "") -> Text:
        metadata = {"record_id": name, "access": (access,)} | ({"parent": parent} if parent else {})
        return Text(f"{name} said by {access}", id=f"{name}-{access}", metadata=metadata)

    with Rove.open(tmp_path, **FAKE) as kb:
        kb.add(said("a", "board"), said("a", "staff"), said("b", "staff", "a"), said("c", "board", "a"))
        kb.add(said("d", "board", "a"))
        kb.enrich("replies")
        counts = {info.document_id: info.metadata.get("replies") for info in kb.documents()}
    assert (counts["a-staff"], counts["a-board"]) == (1, 2)
