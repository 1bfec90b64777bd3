"""The path: what goes in comes out, once, with exact spans, whatever is added again, changed or taken away."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rove import AsyncRove, ConfigError, InputError, Rove, Text, field
from rove.load.discover import Location
from rove.models import EMBEDDERS, Vectors
from rove.models.fake import FakeEmbedder
from rove.prepare import Preparer
from rove.records import LedgerEntry, Prepared, SourceEnd

FAKE = {"name": "fake"}


class CountingEmbedder(FakeEmbedder):
    """Counts what it embeds."""

    embedded = 0

    async def passages(self, texts: Sequence[str]) -> Vectors:
        CountingEmbedder.embedded += len(texts)
        return await super().passages(texts)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setitem(EMBEDDERS.table, "counting", f"{__name__}:CountingEmbedder")
    CountingEmbedder.embedded = 0
    return {"name": "counting"}


def test_adding_again_changes_nothing_and_embeds_nothing(tmp_path: Path, counting: dict[str, str]) -> None:
    (tmp_path / "a.md").write_text("# Árak\n\nA hó végén.\n\n# Zárás\n\nMindig.", "utf-8")
    (tmp_path / "b.txt").write_text("退款政策：七天内。", "utf-8")
    with Rove.open(tmp_path / "kb", embedder=counting) as kb:
        first = kb.add(tmp_path / "a.md", tmp_path / "b.txt")
        ids = {h.chunk.chunk_id for h in kb.search("退款 hó Zárás", top_k=50)}
        embedded = CountingEmbedder.embedded
        again = kb.add(tmp_path / "a.md", tmp_path / "b.txt")
        assert (first.added, again.added, again.unchanged, again.chunks) == (2, 0, 2, 0)
        assert CountingEmbedder.embedded == embedded == first.chunks
        assert {h.chunk.chunk_id for h in kb.search("退款 hó Zárás", top_k=50)} == ids


def test_a_changed_document_replaces_its_chunks_and_embeds_only_what_is_new(
    tmp_path: Path, counting: dict[str, str]
) -> None:
    file = tmp_path / "policy.md"
    file.write_text("# Eins\n\nBleibt wie es ist.\n\n# Zwei\n\nAlte Fassung gilt.", "utf-8")
    with Rove.open(tmp_path / "kb", embedder=counting) as kb:
        kb.add(file)
        before = CountingEmbedder.embedded
        file.write_text("# Eins\n\nBleibt wie es ist.\n\n# Zwei\n\nNeue Fassung gilt.", "utf-8")
        report = kb.add(file)
        assert (report.added, report.replaced) == (1, 1)
        assert CountingEmbedder.embedded - before == 1
        assert len(kb.documents()) == 1
        texts = [h.chunk.text for h in kb.search("Fassung", top_k=20)]
        assert any("Neue" in t for t in texts)
        assert not any("Alte" in t for t in texts)
        assert kb.doctor().ok


def test_other_chunk_settings_cut_anew_without_losing_anything(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text(" ".join(f"Satz Nummer {i} steht hier." for i in range(200)), "utf-8")
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        kb.add(file)
        many = kb.documents()[0].chunks
    with Rove.open(tmp_path / "kb", embedder=FAKE, chunk={"size_chars": 2000}) as kb:
        assert kb.add(file).replaced == 1
        assert kb.documents()[0].chunks < many
        assert kb.doctor().ok


def test_a_record_that_left_its_file_leaves_the_base(tmp_path: Path) -> None:
    file = tmp_path / "records.json"
    record = {name: {"query": f"Q {name}", "document": f"Text über {name}.", "metadata": {"k": name}} for name in "abc"}
    file.write_text(json.dumps(record), "utf-8")
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        assert kb.add(file).documents == 3
        del record["b"]
        record["c"]["document"] = "Ein anderer Text."
        file.write_text(json.dumps(record), "utf-8")
        report = kb.add(file)
        assert (report.documents, report.replaced) == (1, 1)
        assert sorted(str(d.metadata["record_id"]) for d in kb.documents()) == ["a", "c"]
        assert [h.chunk.metadata["k"] for h in kb.search("anderer Text", where=field("k") == "c")] == ["c"]


@pytest.mark.long
def test_every_hit_lies_in_its_document_word_for_word(tmp_path: Path, shared_data: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        report = kb.add(shared_data / "files" / "markitdown", shared_data / "files" / "py-pdf-sample-files")
        assert report.documents > 25
        assert report.failed
        assert all(entry.reason and entry.cure and entry.outcome for entry in report.failed)
        for info in kb.documents():
            document, chunks = kb.document(info.document_id)
            assert len(chunks) == info.chunks > 0
            for chunk in chunks:
                assert document.text[slice(*chunk.span)] == chunk.text
        assert kb.doctor().ok


def test_another_embedder_is_refused_with_the_cure(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=FAKE) as kb:
        kb.add(Text("one"))
    with pytest.raises(ConfigError, match="rove migrate"):
        Rove.open(
            tmp_path, embedder={"name": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m", "dimension": 8}
        )


def test_export_and_import_carry_everything(tmp_path: Path, counting: dict[str, str]) -> None:
    with Rove.open(tmp_path / "a", embedder=counting) as kb:
        kb.add(
            Text(
                "# T\n\nEgy mondat.\n\n## U\n\n二つ目の文。",
                id="x",
                kind="markdown",
                metadata={"tags": ("p", "q"), "n": 3},
            )
        )
        kb.add(Text("Second text", id="y"))
        lines = list(kb.export())
        originals = [kb.document(name) for name in ("x", "y")]
    embedded = CountingEmbedder.embedded
    with Rove.open(tmp_path / "b", embedder=counting) as copy:
        assert copy.import_(lines).documents == 2
        assert [copy.document(name) for name in ("x", "y")] == originals
        assert CountingEmbedder.embedded == embedded
        damaged = copy.import_([lines[0], '{"document_id": 3}', "not json"])
        assert len(damaged.failed) == 2
        with pytest.raises(InputError, match="not an export"):
            copy.import_(["{}"])


async def test_the_async_engine_serves_many_questions_at_once(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder=FAKE) as kb:
        await kb.add([Text(f"note {i} on topic{i}", id=f"n{i}") for i in range(50)])
        found = await asyncio.gather(*(kb.search(f"topic{i}", top_k=1, mode="keyword") for i in range(50)))
        assert [hits[0].chunk.document_id for hits in found] == [f"n{i}" for i in range(50)]


async def test_an_add_that_is_cancelled_ends_soon_and_as_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the first sources are read, in a thread that cannot be cancelled; the same again takes them in."""
    reads: list[str] = []
    read = Preparer.read

    def slow(self: Preparer, location: Location, *given: Any, **named: Any) -> Iterator[Prepared | SourceEnd]:
        time.sleep(0.2)
        reads.append(location.uri)
        return read(self, location, *given, **named)

    texts = [Text(f"Note {number}.", id=f"note-{number}") for number in range(100)]
    async with AsyncRove.open(tmp_path / "kb", embedder=FAKE) as kb:
        with monkeypatch.context() as patch:
            patch.setattr(Preparer, "read", slow)
            adding = asyncio.create_task(kb.add(texts))
            while not reads:  # noqa: ASYNC110 - the thread tells nobody
                await asyncio.sleep(0.01)
            adding.cancel()
            with pytest.raises(asyncio.CancelledError):
                await adding
        assert len(reads) < 10
        assert (await kb.add(texts)).documents == 100


def test_resume_leaves_to_a_server_what_was_handed_in_there(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Soup is at noon.")
    with Rove.open(tmp_path / "kb", embedder=FAKE) as kb:
        entries = [LedgerEntry(str(tmp_path / "a.md"), "queued"), LedgerEntry("upload:/b.md", "queued")]
        kb._kb.store.ledger.put(entries)
        report = kb.resume()
        assert (report.added, report.failed) == (1, ())
        assert {entry.source: entry.state for entry in kb.ledger()} == {
            str(tmp_path / "a.md"): "live",
            "upload:/b.md": "queued",
        }


def test_searching_while_adding_sees_whole_documents_only(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=FAKE) as kb, ThreadPoolExecutor(2) as pool:
        kb.add([Text(f"start {i}", id=f"s{i}") for i in range(20)])
        adding = pool.submit(
            lambda: [kb.add([Text(f"more {j} {i}", id=f"m{j}-{i}") for i in range(20)]) for j in range(8)]
        )
        while not adding.done():
            hits = kb.search("start more", top_k=200, mode="semantic")
            assert len({h.chunk.chunk_id for h in hits}) == len(hits)
        adding.result()
        assert len(kb.documents()) == 180


def test_ask_quotes_and_says_so(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder=FAKE) as kb:
        kb.add(Text("Die Kantine öffnet um elf Uhr. Sie schließt um drei Uhr.", id="k"), Text("Filler about trains."))
        answer = kb.ask("Wann öffnet die Kantine?")
        assert answer.mode == "extractive"
        assert "kein sprachmodell" in answer.note.lower()
        assert "[1]" in answer.text
        for citation in answer.citations:
            assert kb.text(citation.document_id)[slice(*citation.span)] == citation.quote
        refused = kb.ask("誰がスーパーボウルで優勝しましたか")
        assert refused.refused
        assert not refused.citations
        assert refused.text != kb.ask("Quantum chromodynamics lattice?").text
