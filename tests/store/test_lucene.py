"""Elasticsearch on the wire, OpenSearch on its node: what fails, what is tried again, what is said and mended."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lucene_wire
import opensearch_gate
from lucene_wire import Wire
from rove import ConfigError, Rove, ServiceError, Text
from rove.records import field
from rove.records.filter import AccessFilter
from rove.settings import StoreSettings
from rove.store import INDEXES, IndexRow
from rove.store.servers import lucene, lucene_calls, lucene_words
from rove.testing.index_rows import DIMENSION, Exact, make_rows, units

PLACES = {"elasticsearch": lucene_wire.running, "opensearch": opensearch_gate.running}
WORDS = (["dog"], ["dog", "n30", "policy"], ["办公", "办公", "house"], ["nowhere"])
SECRET = "s3cret-word"
TEXTS = [Text(f"The {animal} sleeps in the house.", id=animal) for animal in ("cat", "dog", "fox", "hen")]


@pytest.fixture(params=["elasticsearch", pytest.param("opensearch", marks=pytest.mark.servers)])
def wire(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.setattr(lucene_calls, "FIRST_PAUSE_S", 0.01)
    with PLACES[request.param]() as running:
        yield running


def settings(wire: Wire, name: str = "rove_one", **server: Any) -> dict[str, Any]:
    return {"index": wire.product, "resident_chunks": 0, "server": {"url": wire.url, "name": name, **server}}


def made(wire: Wire, name: str = "rove_one", more: dict[str, Any] | None = None, **server: Any) -> Any:
    store = StoreSettings.model_validate({**settings(wire, name, **server), **(more or {})})
    return INDEXES.get(wire.product)(folder=Path(), dimension=DIMENSION, settings=store)


def opened(folder: Path, wire: Wire, name: str = "rove_one", **server: Any) -> Rove:
    return Rove.open(folder, embedder={"name": "fake"}, store=settings(wire, name, **server))


def found(kb: Rove, animal: str) -> list[str]:
    return [hit.chunk.document_id for hit in kb.search(f"The {animal} sleeps in the house.", mode="semantic", top_k=1)]


async def test_a_wrong_password_is_said_without_it(wire: Wire) -> None:
    wire.password = SECRET
    for wrong in ({}, {"user": "rove", "password": "wr0ng-word"}, {"api_key": "wr0ng-word"}):
        wire.asked.clear()
        index = made(wire, **wrong)
        with pytest.raises(ConfigError, match=r"401.*store\.server\.user") as caught:
            await index.add(make_rows(2))
        assert "wr0ng" not in str(caught.value)
        assert len(wire.asked) == 1, "what is wrong once is wrong again"
        await index.close()
    for right in ({"user": "rove", "password": SECRET}, {"api_key": SECRET}):
        index = made(wire, **right)
        await index.add(make_rows(2))
        assert await index.count() == 2
        await index.close()


async def test_addresses_that_are_none(wire: Wire) -> None:
    with pytest.raises(ConfigError, match=r"store\.server\.url holds") as caught:
        made(wire, url=f"http://rove:{SECRET}@localhost:1")
    assert SECRET not in str(caught.value)
    with pytest.raises(ConfigError, match="no address"):
        made(wire, url="localhost:9200")
    with pytest.raises(ConfigError, match=r"cannot be read.*ca_file"):
        made(wire, url="https://localhost:1", ca_file="/nowhere")
    with pytest.raises(ConfigError, match=r"server\.name"):
        made(wire, name="")
    index = made(wire, url="http://localhost:1", retries=1)
    with pytest.raises(ServiceError, match=r"cannot be reached.*store\.server\.url") as unreached:
        await index.count()
    assert unreached.value.retryable
    await index.close()


async def test_what_answers_is_the_engine_that_is_named() -> None:
    with lucene_wire.running() as wire:
        wire.product = "opensearch"
        wire_settings = StoreSettings.model_validate(settings(wire))
        index = INDEXES.get("elasticsearch")(folder=Path(), dimension=DIMENSION, settings=wire_settings)
        wire.faults.append(lambda method, path: (200, {}))
        with pytest.raises(ConfigError, match="no Elasticsearch"):
            await index.count()
        await index.close()


@pytest.mark.parametrize("status", [429, 502, 503, 504, 0])
async def test_a_busy_server_is_asked_again(wire: Wire, status: int) -> None:
    index, left = made(wire, retries=2), [2]
    rows = make_rows(20)
    await index.add(rows[:10])

    def busy(method: str, path: str) -> tuple[int, dict[str, Any]] | None:
        left[0] -= 1
        if left[0] < 0:
            return None
        if not status:
            raise ConnectionResetError
        return status, {"error": {"type": "es_rejected_execution_exception", "reason": "queue is full"}}

    wire.faults.append(busy)
    await index.add(rows[10:])
    assert await index.count() == 20
    left[0] = 3
    with pytest.raises(ServiceError) as caught:
        await index.semantic(rows[0].vector, top_k=3)
    assert caught.value.retryable
    assert left[0] == 0
    left[0] = 2
    assert (await index.semantic(rows[0].vector, top_k=1))[0][0] == "c00000"
    await index.close()


async def test_a_slow_server_is_given_up(wire: Wire) -> None:
    index = made(wire, timeout_s=0.05, retries=0)
    wire.faults.append(lambda method, path: lucene_wire.wait(0.5))
    with pytest.raises(ServiceError, match=r"within 0\.05 s.*timeout_s") as caught:
        await index.count()
    assert caught.value.retryable
    await index.close()


async def test_other_refusals_are_not_tried_again(wire: Wire) -> None:
    index = made(wire)
    await index.add(make_rows(2))
    wire.faults.append(lambda method, path: (400, {"error": {"type": "parsing_exception", "reason": "odd words"}}))
    wire.asked.clear()
    with pytest.raises(ServiceError, match="parsing_exception: odd words") as caught:
        await index.count()
    assert not caught.value.retryable
    assert len(wire.asked) == 1
    await index.close()


async def test_of_a_bulk_only_what_the_server_was_too_busy_for_is_sent_again(wire: Wire) -> None:
    rows, index, times = make_rows(10), made(wire, bulk_rows=4, retries=2), dict[str, int]()

    def busy(source: dict[str, Any]) -> tuple[int, str] | None:
        times[source["chunk_id"]] = times.get(source["chunk_id"], 0) + 1
        busy_yet = source["chunk_id"] in {"c00001", "c00005", "c00006"} and times[source["chunk_id"]] < 3
        return (429, "es_rejected_execution_exception") if busy_yet else None

    wire.refuse = busy
    await index.add(rows)
    assert wire.held() == [row.chunk_id for row in rows]
    assert sorted(times.values()) == [1] * 7 + [3] * 3
    assert all(body.count(b"\n") <= 8 for _, path, body in wire.asked if "_bulk" in path)
    wire.refuse = lambda source: (429, "es_rejected_execution_exception")
    with pytest.raises(ServiceError, match="429") as caught:
        await index.add(rows[:1])
    assert caught.value.retryable
    await index.close()


@pytest.mark.parametrize("status", [403, 429])
async def test_a_block_is_said_as_one_and_no_chunk_is_refused_for_it(wire: Wire, status: int) -> None:
    """A full disk, or what somebody has forbidden: it concerns neither a password nor a chunk."""
    rows, index = make_rows(4), made(wire, retries=0)

    def said(number: int, kind: str) -> tuple[int, dict[str, Any]]:
        return number, {"error": {"type": kind, "reason": "blocked by: [a reason]"}}

    wire.faults.append(lambda method, path: said(status, "index_create_block_exception") if method == "PUT" else None)
    with pytest.raises(ServiceError, match="index_create_block_exception") as told:
        await index.add(rows)
    assert told.value.retryable and "room" in told.value.cure
    wire.faults.clear()
    await index.add(rows[:1])
    wire.refuse = lambda source: (status, "cluster_block_exception")
    with pytest.raises(ServiceError, match=f"{status}, cluster_block_exception") as told:
        await index.add(rows)
    assert told.value.retryable and "room" in told.value.cure
    wire.refuse = lambda source: None
    wire.faults.append(
        lambda method, path: (503, {"error": {"type": "cluster_block_exception", "reason": "no master"}})
    )
    with pytest.raises(ServiceError, match="no master") as told:
        await index.count()
    assert "room" not in told.value.cure
    wire.faults.clear()
    await index.add(rows)
    assert wire.held() == [row.chunk_id for row in rows]
    await index.close()


async def test_of_a_bulk_that_is_refused_in_part_the_rest_is_in(wire: Wire) -> None:
    rows, index = make_rows(10), made(wire, bulk_rows=4)
    wire.refuse = lambda source: (400, "mapper_parsing_exception") if source["chunk_id"] == "c00002" else None
    with pytest.raises(ServiceError, match=r"refused 1 of .*mapper_parsing_exception") as caught:
        await index.add(rows)
    assert not caught.value.retryable
    assert wire.held() == [row.chunk_id for row in rows if row.chunk_id != "c00002"]
    zero = IndexRow("zero", "t", rows[0].vector * 0, {})
    with pytest.raises(ServiceError, match="zero (magnitude|vector)"):
        await index.add([zero])
    with pytest.raises(ConfigError, match="3 dimensions"):
        await index.add([IndexRow("short", "t", rows[0].vector[:3], {})])
    await index.close()


def test_each_chunk_that_is_refused_is_in_the_ledger_and_costs_no_other(tmp_path: Path, wire: Wire) -> None:
    wire.refuse = lambda source: (400, "mapper_parsing_exception") if " fox " in f" {source['terms']} " else None
    with opened(tmp_path, wire) as kb:
        report = kb.add(*TEXTS)
        assert not report.ok
        assert "mapper_parsing_exception" in str(report)
        assert [found(kb, animal) for animal in ("cat", "dog", "hen")] == [["cat"], ["dog"], ["hen"]]
    assert len(wire.held()) == 3


def test_a_server_that_goes_amid_writes_and_searches_loses_nothing(tmp_path: Path, wire: Wire) -> None:
    with opened(tmp_path, wire, retries=1) as kb:
        assert kb.add(*TEXTS[:2]).ok
        wire.faults.append(lambda method, path: wire.stop() if path.endswith("_bulk") else None)
        with pytest.raises(ServiceError, match=r"store\.server\.url") as caught:
            kb.add(*TEXTS[2:])
        assert caught.value.retryable
        with pytest.raises(ServiceError, match=r"store\.server\.url"):
            found(kb, "cat")
        wire.faults.clear()
        wire.start()
        assert found(kb, "cat") == ["cat"]
        assert kb.add(*TEXTS).ok
        assert kb.doctor().ok
        assert [found(kb, text.id) for text in TEXTS] == [[text.id] for text in TEXTS]
    assert len(wire.held()) == len(TEXTS)


@pytest.mark.parametrize("harm", ["index", "alias", "documents", "strange", "shape"])
def test_doctor_mends_what_somebody_did_on_the_server(tmp_path: Path, wire: Wire, harm: str) -> None:
    with opened(tmp_path, wire) as kb:
        kb.add(*TEXTS)
        whole = wire.held()
        wire.harm(harm)
        health = kb.doctor()
        assert not health.ok
        assert kb.doctor().ok
        assert wire.held() == whole
        assert [found(kb, text.id) for text in TEXTS] == [[text.id] for text in TEXTS]


async def test_an_index_that_is_deleted_between_two_writes_is_not_made_by_the_server(wire: Wire) -> None:
    index, rows = made(wire), make_rows(6)
    await index.add(rows[:3])
    wire.harm("index")
    await index.add(rows[3:])
    assert wire.held() == [row.chunk_id for row in rows[3:]]
    assert wire.mappings()["dynamic"] == "strict"
    await index.close()


def test_two_bases_on_one_server(tmp_path: Path, wire: Wire) -> None:
    with opened(tmp_path / "one", wire) as one, opened(tmp_path / "two", wire, "rove_one_2") as two:
        one.add(*TEXTS[:2])
        two.add(*TEXTS[2:])
        first = wire.held()
        two.delete("fox")
        two.delete("hen")
        two.doctor()
        assert wire.held() == first
        assert wire.held("rove_one_2") == []
        assert found(one, "fox") != ["fox"]


async def test_other_parameters_of_bm25_are_another_index(wire: Wire) -> None:
    index = made(wire)
    await index.add(make_rows(3))
    other = made(wire, more={"k1": 2.0})
    with pytest.raises(ServiceError, match="another shape"):
        await other.keyword(["dog"], top_k=3)

    async def rows() -> Any:
        yield make_rows(3)

    await other.rebuild(rows())
    assert await other.count() == 3
    await index.close()
    await other.close()


async def test_erased_is_merged_away(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard keeps what is deleted for copies that may ask for it, through the first merges: up to 30 s."""
    if wire.product == "elasticsearch":  # the double, which counts merges; a node goes by its clock
        wire.retaining = 2
    else:
        monkeypatch.setattr(lucene_calls, "FIRST_PAUSE_S", 0.25)
    index, rows = made(wire), make_rows(10)
    await index.add(rows)
    await index.remove([row.chunk_id for row in rows[:4]])
    assert wire.unmerged() >= 4
    await index.erase()
    assert wire.unmerged() == 0
    asked = [path.split("?")[0].rpartition("/")[2] for _, path, _ in wire.asked]
    assert [one for one in asked if one != "docs"][-4:] == ["_flush", "_forcemerge", "_refresh", "_flush"]
    assert asked.count("_forcemerge") > 1
    assert wire.held() == [row.chunk_id for row in rows[4:]]
    await index.close()


def test_what_a_shard_keeps_of_what_was_erased_is_said_and_goes_with_the_index(
    tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does for a copy on a node that is away: the next writer makes the index anew."""
    monkeypatch.setattr(lucene, "LEASE_LOOKS", 2)

    def kept(method: str, path: str) -> tuple[int, dict[str, Any]] | None:
        anew = any(asked == "DELETE" and place == opensearch_gate.INDEX for asked, place, _ in wire.asked)
        counted = path.endswith("_stats/docs") and not anew
        return (200, {"_all": {"total": {"docs": {"deleted": 1}}}}) if counted else None

    with opened(tmp_path, wire) as kb:
        kb.add(*TEXTS)
        wire.faults.append(kept)
        with pytest.raises(ServiceError, match="1 deleted documents are in the files") as told:
            kb.delete("fox")
        assert told.value.cure == "Run: rove doctor"
        assert found(kb, "fox") != ["fox"]
        assert not any(b"fox" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
        assert kb.add(Text("The owl sleeps in the house.", id="owl")).ok
        assert wire.unmerged() == 0
        assert [found(kb, one) for one in ("cat", "dog", "hen", "owl")] == [["cat"], ["dog"], ["hen"], ["owl"]]
        assert kb.doctor().ok


async def test_more_than_one_answer_holds_is_paged_through(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    index, rows = made(wire), make_rows(60)
    await index.add(rows)
    monkeypatch.setattr(lucene, "PAGE", 7)
    assert await index.chunk_ids() == [row.chunk_id for row in rows]
    monkeypatch.setattr(lucene, "MOST_CANDIDATES", 20)
    scored = await index.semantic(rows[0].vector, top_k=45, where=field("n") < 50)
    expected = Exact(rows).semantic(rows[0].vector, field("n") < 50)
    assert [name for name, _ in scored] == sorted(expected, key=lambda name: -expected[name])[:45]
    assert len(await index.keyword(["dog", "cat", "house", "policy"], top_k=30)) == 30
    assert wire.open_views() == 0, "each point in time is closed"
    await index.close()


@pytest.mark.parametrize("terms", WORDS, ids=" ".join)
async def test_words_of_the_visible_are_scored_exactly(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, terms: list[str]
) -> None:
    monkeypatch.setattr(lucene_words, "PAGE", 4)
    rows = [
        IndexRow(row.chunk_id, row.terms, row.vector, {**row.fields, "access": ("staff" if n % 3 else "board",)})
        for n, row in enumerate(make_rows(120))
    ]
    index, staff = made(wire), AccessFilter("access", "in", ("staff",))
    await index.add(rows)
    await index.remove([row.chunk_id for row in rows[:9]])
    exact = Exact([row for row in rows[9:] if staff.matches(row.fields)])
    for top_k, where in ((5, staff), (200, staff), (5, staff & (field("n") > 60))):
        expected = exact.keyword(terms, where)
        ranked = sorted(expected.items(), key=lambda one: (-one[1], one[0]))[:top_k]
        answer = await index.keyword(terms, top_k=top_k, where=where)
        assert [name for name, _ in answer] == [name for name, _ in ranked]
        assert [score for _, score in answer] == pytest.approx([score for _, score in ranked])
    await index.close()


@pytest.mark.servers
async def test_scores_of_words_are_those_of_the_contract_in_each_version_of_opensearch() -> None:
    """As the node of version 2 counts; of one that says 3 the factor k1 + 1 is put in, which Lucene has left out."""
    rows = make_rows(60)
    with opensearch_gate.running() as wire:
        index = made(wire)
        await index.add(rows)
        expected = Exact(rows).keyword(["house", "cat"])
        assert dict(await index.keyword(["house", "cat"], top_k=99)) == pytest.approx(expected, rel=0.02)
        third = {"version": {"number": "3.1.0"}}
        wire.faults.append(lambda method, path: (200, third) if path == "/" else None)
        other, factor = made(wire), StoreSettings().k1 + 1
        raised = {name: score * factor for name, score in expected.items()}
        assert dict(await other.keyword(["house", "cat"], top_k=99)) == pytest.approx(raised, rel=0.02)
        await index.close()
        await other.close()


async def test_odd_ids_and_long_words_are_safe(wire: Wire) -> None:
    long, vectors = "w" * 5_000, units(4, 1)
    ids = ["文書-一", "a b/c?d#e\n", "i" * 2_000, "'; DROP"]
    index = made(wire)
    await index.add([IndexRow(name, f"t{n} {long}{n}", vectors[n], {"f": long}) for n, name in enumerate(ids)])
    assert await index.chunk_ids() == sorted(ids)
    for n, name in enumerate(ids):
        assert [one for one, _ in await index.keyword([f"{long}{n}"], top_k=9)] == [name]
    assert await index.keyword(["\ud800"], top_k=9) == []
    await index.remove(ids[:3])
    assert await index.chunk_ids() == ids[3:]
    await index.close()


async def test_a_question_of_more_terms_than_the_engines_take_is_asked(wire: Wire) -> None:
    index = made(wire)
    await index.add(make_rows(9))
    wire.asked.clear()
    assert (await index.keyword(["n3", *(f"none{n}" for n in range(5_000))], top_k=9))[0][0] == "c00003"
    assert wire.asked[-1][2].count(b'"term"') == lucene_words.MOST_TERMS
    await index.close()


async def test_a_part_of_an_answer_is_none(wire: Wire) -> None:
    index = made(wire)
    await index.add(make_rows(3))
    part = {"timed_out": False, "_shards": {"total": 2, "failed": 1}, "count": 1, "hits": {"hits": []}}
    wire.faults.append(lambda method, path: (200, part) if path != "/" else None)
    for ask in (index.count(), index.semantic(units(1, 1)[0], top_k=3), index.keyword(["dog"], top_k=3)):
        with pytest.raises(ServiceError):
            await ask
    await index.close()


async def test_no_text_and_no_readable_field_is_kept_there(tmp_path: Path, wire: Wire) -> None:
    index = made(wire)
    await index.add([IndexRow("c1", "alpha", units(1, 1)[0], {"title": "Plans of the board"})])
    assert b"Plans" not in b"".join(body for _, _, body in wire.asked)
    assert wire.mappings()["_source"] == {"includes": ["terms"]}
    await index.close()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """One that nobody trusts; its key is beside it."""
    made_by = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*made_by, *files, *names], check=True, capture_output=True, timeout=60)
    return tmp_path / "cert.pem"


async def test_certificates(certificate: Path, wire: Wire) -> None:
    wire.stop()
    wire.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    wire.tls.load_cert_chain(certificate, certificate.with_name("key.pem"))
    wire.start()
    untrusting = made(wire, retries=0)
    with pytest.raises(ConfigError, match=r"not trusted.*store\.server\.ca_file"):
        await untrusting.count()
    for trust in ({"ca_file": str(certificate)}, {"verify": False}):
        index = made(wire, **trust)
        await index.add(make_rows(3))
        assert await index.count() == 3
        await index.close()
    await untrusting.close()
