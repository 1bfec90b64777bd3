"""Two speeds beside everything else that a base does: labels, other bases and indexes, exports, erasure, languages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from secrets import token_hex

import pytest

import postgres_server
from rove.engine import AsyncRove
from rove.ingest.two_speeds import deepen_all
from rove.models.fake import FakeEmbedder
from rove.rebuild import HERE, rebuild
from rove.records import Hit, Text
from rove.records.filter import AccessFilter
from rove.settings import read_settings
from rove.store import shallow as shallow_module
from rove.store.deepen import deepen
from rove.store.shallow import Depth

FAKE, FIRST = {"name": "fake"}, {"name": "fake", "first": "static"}
REAL = {"first": "static"}
TEXTS = [Text(f"The harbour master of town {i} keeps {i} letters about ships.", id=f"t{i}") for i in range(30)]
QUESTION = "letters of town 7"
MODES = ("keyword", "semantic", "hybrid", "gather", "walk", "tree", "questions", "sparse")
STRAYS = "SELECT key FROM vectors WHERE seq NOT IN (SELECT vector FROM chunks)"


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passages that the embedder has been given."""
    passages, seen = FakeEmbedder.passages, list[str]()

    async def noted(self: FakeEmbedder, texts: Sequence[str]) -> object:
        seen.extend(texts)
        return await passages(self, texts)

    monkeypatch.setattr(FakeEmbedder, "passages", noted)
    return seen


def of(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    return [(hit.chunk.document_id, hit.score) for hit in hits]


def keys(base: Path, query: str = "SELECT key FROM vectors") -> set[str]:
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        return {row[0] for row in database.execute(query)}


async def test_what_is_hidden_is_neither_embedded_nor_noticed(tmp_path: Path, embedded: list[str]) -> None:
    """A caller finds the same, to the last digit, whether there are hidden documents or not."""
    seen = AccessFilter("access", "in", ("staff",))
    visible = [Text(text.text, id=text.id, metadata={"access": ("staff",)}) for text in TEXTS]
    hidden = [
        Text(f"SECRET letters of town 7, kept {i} times.", id=f"h{i}", metadata={"access": ("board",)})
        for i in range(40)
    ]
    found = list[dict[str, list[tuple[str, float]]]]()
    for name, extra in {"with": hidden, "without": []}.items():
        async with AsyncRove.open(tmp_path / name, embedder=FIRST) as kb:
            await kb.add(visible[:12])
            await kb.add(visible[12:], *extra, deep=False)
            embedded.clear()
            found.append({mode: of(await kb.search(QUESTION, mode=mode, where=seen)) for mode in MODES})
            assert embedded and not [text for text in embedded if "SECRET" in text]
            assert await kb.depth(seen) == Depth(30, 18)
            assert await kb.depth() == Depth(30 + len(extra), 18 + len(extra))
    assert found[0] == found[1]
    assert found[0]["hybrid"][0][0] == "t7"


async def test_bases_that_are_read_together_may_be_shallow_each(tmp_path: Path) -> None:
    for name, texts in {"a": TEXTS[:15], "b": TEXTS[15:]}.items():
        async with AsyncRove.open(tmp_path / name, embedder=FIRST) as kb:
            await kb.add(texts, deep=False)
    before = keys(tmp_path / "b")
    async with AsyncRove.open(tmp_path / "a", embedder=FIRST, also=[tmp_path / "b"]) as kb:
        for number in (3, 22):
            for mode in ("semantic", "hybrid"):
                assert of(await kb.search(TEXTS[number].text, mode=mode))[0][0] == f"t{number}"
        assert await kb.depth() == Depth(30, 30)
        await kb.add()
        assert await kb.depth() == Depth(30, 15), "a base that is only read is left as it is"
    assert keys(tmp_path / "b") == before
    async with AsyncRove.open(tmp_path / "b", embedder=FAKE) as kb:
        await kb.add()
    async with AsyncRove.open(tmp_path / "one", embedder=FAKE) as kb:
        await kb.add(TEXTS)
        wanted = of(await kb.search(QUESTION))
    async with AsyncRove.open(tmp_path / "a", embedder=FAKE, also=[tmp_path / "b"]) as kb:
        assert [name for name, _ in of(await kb.search(QUESTION))] == [name for name, _ in wanted]


async def test_an_index_beside_has_what_is_deep_and_is_asked_once_it_has_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shallow_module, "GROUP_CHUNKS", 5)
    lance = {"index": "lancedb", "resident_chunks": 0}
    async with AsyncRove.open(tmp_path / "kb", embedder=FIRST, store=lance) as kb:
        await kb.add(TEXTS, deep=False)
        assert await kb.store.index.count() == 0
        assert of(await kb.search(TEXTS[7].text))[0][0] == "t7"
        looks = iter([False, False, True])
        await deepen_all(kb.store, kb.embedder, until=lambda: next(looks))
        assert await kb.store.index.count() == 10 == kb.store.catalog.deep_count()
        assert of(await kb.search(TEXTS[7].text))[0][0] == "t7"
        assert (await kb.doctor()).ok
        await kb.add(Text("A new text about town 7.", id="t7"), deep=False)  # over one that may be deep
        assert (await kb.doctor()).ok
        await kb.add()
        assert sorted(await kb.store.index.chunk_ids()) == sorted(kb.store.catalog.chunk_ids())
        assert (await kb.doctor()).ok
        assert kb.store.catalog.depth() == Depth(30, 0)


async def test_an_export_takes_the_vectors_of_the_embedder_alone(tmp_path: Path, embedded: list[str]) -> None:
    async with AsyncRove.open(tmp_path / "a", embedder=FIRST) as kb:
        await kb.add(TEXTS[:10])
        await kb.add(TEXTS[10:], deep=False)
        await kb.search(TEXTS[20].text, mode="semantic", top_k=1)
        await kb.store.judged.close()
        lines = [line async for line in kb.export()]
        deep = set(kb.store.catalog.next_shallow().texts)
        own = keys(tmp_path / "a", "SELECT key FROM vectors v JOIN chunks c ON c.vector = v.seq "
                   "WHERE c.document NOT IN (SELECT document FROM shallow)")  # fmt: skip
    written = {key for line in lines for key in json.loads(line).get("vectors", ())}
    assert own < written <= own | deep and len(written) == 10 + 16
    for settings in (FAKE, FIRST):
        embedded.clear()
        async with AsyncRove.open(tmp_path / f"b{settings}", embedder=settings) as kb:
            assert not (await kb.import_(lines)).failed
            assert len(embedded) == 30 - len(written)
            assert await kb.depth() == Depth(30, 0) and (await kb.doctor()).ok


async def test_a_torn_catalog_is_made_anew_without_the_vectors_of_the_stand_in(tmp_path: Path) -> None:
    base = tmp_path / "kb"
    async with AsyncRove.open(base, embedder=REAL) as kb:  # whose vectors are as long as the stand-in's
        await kb.add(TEXTS[:3])
        await kb.add(TEXTS[3:6], deep=False)
    await rebuild(read_settings(base, embedder=REAL), HERE)
    assert keys(base, STRAYS) == set()
    async with AsyncRove.open(base) as kb:
        assert await kb.depth() == Depth(6, 0) and (await kb.doctor()).ok
        assert of(await kb.search(TEXTS[5].text))[0][0] == "t5"


async def test_a_summary_is_made_of_vectors_of_one_kind(tmp_path: Path) -> None:
    text = "\n\n".join(f"# Part {part}\n\n" + " ".join(one.text for one in TEXTS[part::5]) for part in range(5))
    said = list[object]()
    for name, deep in {"shallow": False, "deep": True}.items():
        async with AsyncRove.open(tmp_path / name, embedder=FIRST) as kb:
            await kb.add(Text(text, id="long", kind="markdown"), deep=deep)
            await kb.enrich("summaries")
            said.append(await kb.summary("long"))
            assert ((await kb.depth()).shallow == 0) == deep
    assert said[0] == said[1]


@pytest.mark.long
async def test_what_workers_have_embedded_is_deep_at_once(tmp_path: Path) -> None:
    texts = [Text(f"Town {i} keeps {i} letters.", id=f"w{i}") for i in range(150)]
    async with AsyncRove.open(tmp_path, embedder=FIRST, load={"workers": "2"}) as kb:
        await kb.add(texts, deep=False)
        assert await kb.depth() == Depth(150, 0)


@pytest.mark.long
async def test_in_postgres_it_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = list[list[object]]()
    for place in (tmp_path / "kb", postgres_server.base(f"s{token_hex(8)}")):
        async with AsyncRove.open(place, embedder=FIRST) as kb:
            await kb.add(TEXTS[:10])
            await kb.add(TEXTS[10:], deep=False)
            seen = [of(await kb.search(text.text, mode=mode)) for text in TEXTS[::9] for mode in ("semantic", "hybrid")]
            await kb.store.judged.close()
            known = len(kb.store.vectors.known(list(kb.store.catalog.next_shallow().texts)))
            await kb.delete("t15")
            await kb.add(Text("Replaced.", id="t16"), deep=False)
            depth = await kb.depth()
            await kb.add()
            assert (await kb.doctor()).ok
            after = [of(await kb.search(text.text)) for text in TEXTS[::9]]
            found.append([seen, known, depth, await kb.depth(), after])
    assert found[0] == found[1]
    assert found[0][2:4] == [Depth(29, 19), Depth(29, 0)]


async def test_what_goes_while_it_is_shallow_leaves_nothing(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder=FIRST) as kb:
        await kb.add(TEXTS, deep=False)
        await kb.search(TEXTS[7].text, mode="semantic")
        await kb.store.judged.close()
        group = kb.store.catalog.next_shallow()
        vectors = dict(zip(group.texts, await kb.embedder.passages(list(group.texts.values())), strict=True))
        await kb.delete("t7", "t8")
        assert len(keys(tmp_path)) >= 28 and not keys(tmp_path) & keys_of(kb, group.texts, "town 7 ", "town 8 ")
        await kb.add(Text("Nothing of the kind.", id="t9"), deep=False)
        # the embedder comes too late, with what it was given before, some of it kept on the way
        kb.store.vectors.put(vectors, {})
        await deepen(kb.store, group.seqs, vectors, {}, {})
        assert await kb.depth() == Depth(28, 1)
        assert keys(tmp_path, STRAYS) == set()
        await kb.delete(*(f"t{i}" for i in range(30) if i not in {7, 8}))
        assert keys(tmp_path) == set() and not kb.store.catalog.has_shallow()
        await kb.add(TEXTS[7])
        assert of(await kb.search(TEXTS[7].text))[0][0] == "t7" and await kb.depth() == Depth(1, 0)
        assert (await kb.doctor()).ok


def keys_of(kb: AsyncRove, texts: dict[str, str], *words: str) -> set[str]:
    return {key for key, text in texts.items() if any(word in text for word in words)}


async def test_what_is_erased_while_a_search_embeds_it_is_not_kept(tmp_path: Path) -> None:
    async with AsyncRove.open(tmp_path, embedder=FIRST) as kb:
        await kb.add(TEXTS, deep=False)
        ids = kb.store.catalog.chunk_ids()
        judged = kb.store.judged
        shallow = judged.shallow_of(ids)
        found = await kb.embedder.passages([one.text for one in shallow.values()])
        await kb.delete("t7")
        judged.hold({one.key: vector for one, vector in zip(shallow.values(), found, strict=True)}, {})
        await judged.keep_soon(shallow)
        await judged.close()
        assert not any("town 7 " in one.text and one.key in keys(tmp_path) for one in shallow.values())
        assert len(keys(tmp_path)) == 2 * 29
        await kb.delete("t8")
        assert judged.vectors(shallow).keys() == {name for name, one in shallow.items() if one.key in keys(tmp_path)}


LANGUAGES = {
    "en": ("The canteen closes at three o'clock on Fridays.", "When can I no longer have lunch on a Friday?"),
    "de": ("Anträge auf Heimarbeit genehmigt die Abteilungsleiterin.", "Wer erlaubt mir, von zu Hause zu arbeiten?"),
    "hu": ("A szabadságot két héttel korábban kell bejelenteni.", "Mennyi idővel előre jelentsem be a szabadságomat?"),
    "zh": ("办公室的钥匙保存在二楼的接待处。", "钥匙放在哪里？"),
    "ja": ("出張費は翌月の末日までに精算してください。", "出張の費用はいつまでに申請しますか。"),
}


async def test_in_five_languages_what_is_shallow_is_found_reranked_and_answered(tmp_path: Path) -> None:
    """By the packaged embedder: late interaction and the gate read tokens of what was found, as if all were deep."""
    texts = [Text(text, id=name) for name, (text, _) in LANGUAGES.items()]
    answers = list[list[str]]()
    for name, deep in {"shallow": False, "deep": True}.items():
        async with AsyncRove.open(tmp_path / name, embedder=REAL) as kb:
            await kb.add(*texts, *TEXTS[:10], deep=deep)
            for language, (_, question) in LANGUAGES.items():
                hits = await kb.search(question)
                assert hits[0].chunk.document_id == language, (name, of(hits))
                assert all("rerank" in hit.sources for hit in hits)
            answers.append([(await kb.ask(question)).text for _, question in LANGUAGES.values()])
            assert (await kb.depth()).shallow == (0 if deep else 15)
    assert answers[0] == answers[1]
