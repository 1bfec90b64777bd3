"""What the catalog promises, whatever database holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from sqlalchemy import delete, select

from rove.errors import RoveError
from rove.records import Chunk, Citation, Document, LedgerEntry, Prepared
from rove.records.graph import Triplet
from rove.records.learned import LeadEnd, Remembered
from rove.records.reviewed import ReviewDecision, Verdict
from rove.records.source import MetaValue
from rove.records.summary import Summary, SummarySentence
from rove.settings import GraphSettings
from rove.store import tables
from rove.store.catalog import Catalog
from rove.store.catalog_graph import CatalogGraph
from rove.store.database import get_fact, set_fact
from rove.store.dialect import Dialect, holds, json_names, within
from rove.store.document_query import DocumentQuery
from rove.store.kept_questions import KeptQuestion, KeptQuestions
from rove.store.ledger import Ledger
from rove.store.memories import FactEntry, LeadEntry, Memories
from rove.store.question_log import QuestionLog
from rove.store.review_log import ReviewLog
from rove.store.reviewed_triplets import ReviewedTriplets
from rove.store.summaries import Summaries, SummedDocument
from rove.store.triplets import ReadDocument, Triplets
from rove.store.user_words import UserWords
from rove.store.vectors import VectorCache
from rove.testing.samples import TEXTS

WRITERS, WRITES = 4, 12
MANY = 70_000
TIMEOUT_S = 60
FIELDS: Mapping[str, MetaValue] = {
    "exact": 2**63 - 1, "least": -(2**63), "half": 0.5, "yes": True, "one": 1, "tags": ("a", "日本"), "name": "Ő'\"\\",
}  # fmt: skip
STARTED, ACKNOWLEDGED = "started", "kept"
WRITER = f"""
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
spec = spec_from_file_location("suite", sys.argv[1])
module = module_from_spec(spec)
sys.modules["suite"] = module
spec.loader.exec_module(module)
catalog = getattr(module, sys.argv[2])().opened(Path(sys.argv[3]))
print("{STARTED}", flush=True)
number = 0
while True:
    catalog.set_fact("counted", str(number))
    print("{ACKNOWLEDGED}", number, flush=True)
    number += 1
"""
"""A process that writes until it is killed, and says what was acknowledged."""


def prepared(name: str, text: str, language: str, metadata: Mapping[str, MetaValue] | None = None) -> Prepared:
    """Make a document of one chunk; its id is `name`."""
    fields = metadata or {}
    document = Document(name, f"/{name}", "text", text, title=name.title(), language=language, metadata=fields)
    chunk = Chunk(f"{name}:0", name, text, (0, len(text)), 0, language=language, metadata={**fields, "own": 1})
    return Prepared(f"/{name}", "", document, [chunk], [text.lower()], [f"key {text}"])


def publish_documents(catalog: Catalog, *items: Prepared) -> list[str]:
    """Stage and publish documents; returns the ids of the chunks that they took the place of."""
    vectors = {key: np.full(4, 0.5, np.float32) for item in items for key in item.vector_keys}
    return catalog.publish(catalog.stage(items, vectors, dict.fromkeys(vectors, b"tokens")))


class CatalogContract:
    """Inherit it, and give `make`.

    Args of `make`: a folder, which is there, for what the database keeps there, or knows its place by. Two dialects
    made for one folder, in one process or in two, are one catalog; those of two folders are two.
    """

    def make(self, folder: Path) -> Dialect:
        """Return the dialect of a database for the base in `folder`.

        Raises:
            NotImplementedError: the suite has no `make` of its own.
        """
        message = f"{type(self).__name__} does not say which dialect it tests: give it a `make(self, folder)`."
        raise NotImplementedError(message)

    def opened(self, folder: Path) -> Catalog:
        """Open the catalog of the base in `folder`."""
        return Catalog(self.make(folder))

    @contextmanager
    def open(self, folder: Path) -> Generator[Catalog]:
        """Open a catalog, and close it."""
        catalog = self.opened(folder)
        try:
            yield catalog
        finally:
            catalog.close()

    def test_documents_come_back_as_they_were_kept(self, tmp_path: Path) -> None:
        """Texts in every script, and fields of every type, to the last digit; for the next one who opens it too."""
        with self.open(tmp_path) as catalog:
            publish_documents(catalog, *(prepared(name, text, name, FIELDS) for name, text in TEXTS.items()))
        with self.open(tmp_path) as catalog:
            assert catalog.texts(list(TEXTS)) == TEXTS
            for name, text in TEXTS.items():
                document, chunks = catalog.document(name) or pytest.fail(name)
                assert (document.text, document.language) == (text, name)
                assert {key: (type(value), value) for key, value in document.metadata.items()} == {
                    key: (type(value), value) for key, value in FIELDS.items()
                }
                assert [chunk.text for chunk in chunks] == [text] and chunks[0].metadata["own"] == 1
            found = catalog.find([f"{name}:0" for name in TEXTS], "vectors")
            assert {entry.chunk.document_id: entry.chunk.text for entry in found.values()} == TEXTS
            assert set(map(bytes, catalog.chunk_tokens(list(found)).values())) == {b"tokens"}
            assert all(np.array_equal(v, np.full(4, 0.5)) for v in catalog.chunk_vectors(list(found)).values())
            (titled,) = catalog.find_documents([DocumentQuery(titles=("EN", "hU"))])
            assert [info.document_id for info in titled] == ["en", "hu"]

    def test_a_version_takes_the_place_of_the_one_before(self, tmp_path: Path) -> None:
        """What is staged is not seen; what is published is seen alone; what was taken away is known."""
        with self.open(tmp_path) as catalog, self.open(tmp_path) as reader:
            publish_documents(catalog, prepared("a", "First.", "en"))
            revision = reader.revision()
            seqs = catalog.stage([prepared("a", "Second.", "en")], {"key Second.": np.full(4, 0.5, np.float32)}, {})
            assert (reader.text("a"), reader.revision(), reader.is_finished()) == ("First.", revision, False)
            removed = catalog.publish(seqs)
            assert (reader.text("a"), reader.count()) == ("Second.", 1)
            assert reader.newest_revision() == revision + 1
            catalog.forgotten(removed)
            catalog.delete(["a"])
            assert (reader.text("a"), reader.count()) == ("", 0)
            assert reader.removed_since(revision + 1) == ["a:0"]
            assert reader.unforgotten() == ["a:0"]

    def test_what_raises_is_undone(self, tmp_path: Path) -> None:
        """Of a transaction that raises nothing is kept."""
        with self.open(tmp_path) as catalog:
            catalog.set_fact("mine", "before")
            with suppress(LookupError), catalog.database.write() as connection:
                set_fact(connection, "mine", "after")
                raise LookupError
            assert catalog.fact("mine") == "before"

    def test_rows_that_were_lost_are_missed(self, tmp_path: Path) -> None:
        """Rows are counted as they come and go; what anybody else takes away is an error for the next who opens."""
        with self.open(tmp_path) as catalog, self.open(tmp_path) as other:
            publish_documents(catalog, *(prepared(name, text, name) for name, text in TEXTS.items()))
            publish_documents(other, prepared("en", "Another text.", "en"))
            other.delete(["hu"])
            Ledger(catalog.database).put([LedgerEntry("/en", "live"), LedgerEntry("/en", "live", documents=1)])
            with suppress(LookupError), catalog.database.write() as connection:
                connection.execute(delete(tables.ledger))
                raise LookupError
            catalog.database.check_rows()
            rows = tables.row_counts.c
            with other.database.read() as connection:
                held = {row.name: row.rows for row in connection.execute(select(rows.name, rows.rows))}
            assert [held[name] for name in ("documents", "texts", "ledger")] == [len(TEXTS) - 1, len(TEXTS) - 1, 1]
        dialect = self.make(tmp_path)
        with dialect.engine.connect() as connection:
            connection.exec_driver_sql("DELETE FROM texts WHERE document = (SELECT min(document) FROM texts)")
        dialect.close()
        with pytest.raises(RoveError, match=f"its table texts holds {len(TEXTS) - 2} of {len(TEXTS) - 1} rows"):
            self.opened(tmp_path)

    def test_a_snapshot_stays_as_it_was(self, tmp_path: Path) -> None:
        """All statements in it see one state; the newest revision is seen past it, and the rest afterwards."""
        with self.open(tmp_path) as catalog, self.open(tmp_path) as writer:
            publish_documents(writer, prepared("a", "First.", "en"))
            with catalog.database.snapshot() as connection:
                assert catalog.text("a") == "First."
                publish_documents(writer, prepared("a", "Second.", "en"))
                assert (catalog.text("a"), get_fact(connection, "revision")) == ("First.", "1")
                assert catalog.newest_revision() == 2
            assert catalog.text("a") == "Second."

    def test_writers_take_turns(self, tmp_path: Path) -> None:
        """None reads what another is about to change, none is refused, and each write is counted."""
        with self.open(tmp_path) as one, self.open(tmp_path) as other:

            def write(number: int) -> None:
                for n in range(WRITES):
                    catalog = (one, other)[n % 2]
                    publish_documents(catalog, prepared(f"d{number}", f"Writer {number} for the time {n}.", "en"))

            with ThreadPoolExecutor(WRITERS) as threads:
                list(threads.map(write, range(WRITERS)))
            assert one.newest_revision() == WRITERS * WRITES
            assert one.texts([f"d{n}" for n in range(WRITERS)]) == {
                f"d{n}": f"Writer {n} for the time {WRITES - 1}." for n in range(WRITERS)
            }

    def test_what_dialects_render_themselves(self, tmp_path: Path) -> None:
        """Values among very many, words in a text, names in an object."""
        with self.open(tmp_path) as catalog:
            publish_documents(
                catalog, *(prepared(name, text, name, {f"f {name}": 1, "日": 2}) for name, text in TEXTS.items())
            )
            d, c, t = tables.documents.c, tables.chunks.c, tables.texts.c
            numbers, names = list(range(3, MANY)), [*map(str, range(MANY)), "zh", "it's"]
            with catalog.database.read() as connection:
                ask: Callable[..., list[str]] = lambda *where: list(  # noqa: E731 - five statements of one shape
                    connection.execute(select(d.document_id).join(tables.texts).where(*where).order_by(d.seq)).scalars()
                )
                assert ask(within(d.document_id, names)) == ["zh"]
                assert ask(~within(d.document_id, [*names, "de"])) == ["en", "hu", "ja"]
                assert ask(within(d.seq, numbers)) == list(TEXTS)[2:]
                assert ask(within(d.seq, [])) == []
                assert ask(holds(t.text, "远程")) == ["zh"]
                assert ask(holds(t.text, "remote")) == [] and ask(holds(t.text, "Remote")) == ["en"]
                assert ask(holds(t.text, "%")) == []
                found = connection.execute(select(json_names(c.metadata)).where(c.chunk_id == "zh:0")).scalar_one()
            assert found == '["own"]', "a chunk keeps what its document has not"

    def test_what_is_kept_beside_documents(self, tmp_path: Path) -> None:
        """Triplets, reviews, summaries, questions, walks, what they have learned, vectors, the ledger, words.

        All is kept, found again by the next one who opens the catalog, and goes with its document.
        """
        text = "Marie Curie was born in Warsaw."
        triplet = Triplet("Marie Curie", "was born in", "Warsaw", (0, len(text)), "mari_curi", "warsaw")
        summary = Summary("a", (0, len(text)), (), (SummarySentence(text, ((0, len(text)),)),), "tests")
        citation = Citation(0, "a:0", "a", "/a", "A", text, (0, len(text)))
        learned = Remembered("m1", text, "Who?", 0.9, citation, walk_id="w")
        vector = np.full(4, 0.5, np.float32)
        with self.open(tmp_path) as catalog:
            publish_documents(catalog, prepared("a", text, "en"), prepared("b", "Other.", "en"))
            database = catalog.database
            (row, *_) = (row for row, name in Triplets(database).unread("tests") if name == "a")
            Triplets(database).keep([ReadDocument(row, [("a:0", triplet)])], "tests")
            (found,) = ReviewedTriplets(database).of_documents(["a"])
            verdicts: tuple[tuple[Verdict, int], ...] = (("reject", 0), ("edit", 1), ("accept", 1))
            for verdict, count in verdicts:
                edit = ("Marie Curie", "came from", "Warsaw") if verdict == "edit" else ()
                told = ReviewDecision(found.item.item_id, verdict, "tests", verdict, found.item.words, edit)
                ReviewedTriplets(database).decide(told)
                assert Triplets(database).counts() == (count, count)
            Summaries(database).keep([SummedDocument(row, [(summary, vector)])], "tests")
            KeptQuestions(database).keep([KeptQuestion("Where was she born?", "a", (24, 30), "Warsaw")])
            end = LeadEnd("Warsaw", "name", "answer", document_id="a", walk_id="w")
            for _ in range(2):
                entries = [FactEntry(learned, "curi born", vector, vector, [triplet])]
                assert Memories(database).keep("", entries, [LeadEntry(end, vector)]) == 1
            VectorCache(database).put({"one": vector}, {"one": b"tokens"})
            QuestionLog(database).note("Where was she born?", "en")
            Ledger(database).put([LedgerEntry("/a", "live", documents=1, chunks=1)])
            catalog.enrich({"a": {"grade": 2}})
            UserWords(catalog).change({"Warsaw": ("Warszawa",)})
        with self.open(tmp_path) as catalog:
            database = catalog.database
            graph = CatalogGraph(database=database, settings=GraphSettings(), base="")
            touched = graph.touching(["warsaw"], "object", spaces=[""], only_aliases=False, most=1)
            assert [relation.triplet for relation in Triplets(database).relations([touched[0].seq])] == [triplet]
            assert len(graph.touching(["warsaw"], "object", spaces=["", "x"], only_aliases=False, most=None)) == 2
            assert Triplets(database).begun_by("mari", 3) == ["Marie Curie"]
            assert [one.sentences for one in Summaries(database).of_document("a")] == [summary.sentences]
            (near,) = catalog.summaries.nearest(vector, None, 1)
            assert near[0].document_id == "a"
            assert KeptQuestions(database).near("where was she BORN", [])[0].quote == "Warsaw"
            (fact,) = Memories(database).facts("").values()
            assert (fact.text, fact.citation.quote) == (text, text)
            assert [entry.end.text for entry in Memories(database).leads("")] == ["Warsaw"]
            assert VectorCache(database).get(["one"])["one"] == pytest.approx(vector)
            assert [one.text for one in QuestionLog(database).frequent(most=2)] == ["Where was she born?"]
            assert Ledger(database).get(["/a"])["/a"].state == "live"
            assert catalog.own_fields(["a"]) == {"a": {}} and catalog.documents(ids=["a"])[0].metadata["grade"] == 2
            assert UserWords(catalog).current().written_out("Warszawa") == "Warsaw"
            catalog.delete(["a"], erase=True)
            assert (Triplets(database).counts(), Memories(database).facts("")) == ((0, 0), {})
            assert not Summaries(database).of_document("a") and not KeptQuestions(database).all()
            assert not ReviewLog(database).all()

    def test_room_is_given_back(self, tmp_path: Path) -> None:
        """After an erasure the database can be told to overwrite what was there; it is whole before and after."""
        with self.open(tmp_path) as catalog:
            publish_documents(catalog, *(prepared(f"d{n}", f"Text number {n}. " * 100, "en") for n in range(200)))
            catalog.database.check()
            catalog.delete([f"d{n}" for n in range(200)], erase=True)
            assert catalog.database.shrink() is True
            catalog.database.thin(0)
            catalog.database.check()

    def test_kill_9_loses_nothing_acknowledged(self, tmp_path: Path) -> None:
        """A process is killed while it writes: what it was told was kept is there, and the catalog takes writes."""
        suite = type(self)
        file = sys.modules[suite.__module__].__file__ or ""
        command = [sys.executable, "-c", WRITER, file, suite.__qualname__, str(tmp_path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            last, until = -1, monotonic() + TIMEOUT_S
            for line in writer.stdout:
                last = int(line.split()[1]) if line.startswith(ACKNOWLEDGED) else last
                if last >= WRITES or monotonic() > until:
                    break
            writer.send_signal(signal.SIGKILL)
        assert last >= WRITES
        with self.open(tmp_path) as catalog:
            assert int(catalog.fact("counted")) >= last
            catalog.set_fact("counted", "again")
            assert catalog.fact("counted") == "again"
