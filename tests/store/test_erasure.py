"""What is erased is nowhere: no file under the base holds its words, its terms or its vectors; the rest is found."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rove.errors import InputError
from rove.language.words import terms
from rove.records import Text, field
from rove.sync import Rove

SECRET = {
    "en": "Quixotrombone marmaladers whispered zephyrine passwords behind Kettlefrostham.",
    "de": "Die Quarkfüßlerinnen verschwiegen das Brombärenpasswort in Zwirbelhausen.",
    "hu": "A kurtafarkúvirágosok elrejtették a pöszmétejelszavakat Kukutyinfalván.",
    "zh": "鬱壘魍魎藏匿密碼於饕餮洞窟。",
    "ja": "魑魅魍魎は暗証番号を鸚鵡洞窟に隠匿した。",
}
PLAIN = {
    "en": "The town library opens at nine and lends books for four weeks.",
    "de": "Die Stadtbücherei öffnet um neun und verleiht Bücher für vier Wochen.",
    "hu": "A városi könyvtár kilenckor nyit, és négy hétre kölcsönöz könyveket.",
    "zh": "市图书馆九点开门，图书可借四个星期。",
    "ja": "市立図書館は九時に開館し、本を四週間貸し出す。",
}
DELETE = """
import sys
from rove.sync import Rove
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    kb.delete(sys.argv[2])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file per secret text, a JSON with a secret record, and plain ones."""
    made = tmp_path / "docs"
    made.mkdir()
    for code, text in SECRET.items():
        (made / f"secret-{code}.md").write_text(f"# {text[:12]}\n\n{text}\n")
        (made / f"plain-{code}.md").write_text(f"# Bibliothek {code}\n\n{PLAIN[code]}\n")
    records = {
        code: {"query": f"Q {code}", "document": SECRET[code] + " record", "metadata": {"topic": "secret"}}
        for code in SECRET
    }
    records["kept"] = {"query": "Kept", "document": "The bakery sells rye bread.", "metadata": {"topic": "plain"}}
    (made / "records.json").write_text(json.dumps(records, ensure_ascii=False))
    return made


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "kb"


@pytest.fixture
def kb(folder: Path, base: Path) -> Iterator[Rove]:
    with Rove.open(base, embedder={"name": "fake"}) as made:
        assert made.add(folder).ok
        yield made


def words(code: str) -> set[str]:
    """The words that only this secret has; of a text without spaces, its whole."""
    return {word for word in SECRET[code].rstrip(".。").split() if len(word.encode()) > 9}


def needles(code: str) -> list[bytes]:
    """The words of a secret text and their terms, in the encodings that a file could hold them in."""
    shortest = 6 if code in {"zh", "ja"} else 9
    stems = {term for term in terms(SECRET[code], code) if len(term.encode()) >= shortest}
    return [form for word in sorted(words(code) | stems) for form in (word.encode(), word.encode("utf-16-le"))]


def vector_blobs(base: Path, like: str) -> list[bytes]:
    """The vectors of the chunks whose text is like this, as the catalog holds them."""
    query = "SELECT v.vector FROM vectors v JOIN chunks c ON c.vector = v.seq WHERE c.text LIKE ?"
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        return [row[0] for row in database.execute(query, (f"%{like}%",))]


def traces(base: Path, wanted: list[bytes]) -> set[tuple[str, bytes]]:
    """Each file that holds one of these, and what it holds."""
    found: set[tuple[str, bytes]] = set()
    for file in base.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            found |= {(str(file.relative_to(base)), needle) for needle in wanted if needle in data}
    return found


def pieces(blob: bytes) -> list[bytes]:
    """The parts of a vector that say most, whole and as a snapshot has it: in upper and lower halves.

    A page of a file may end within the whole.
    """
    codes = blob[:-1]
    return [part for form in (codes, codes[::2], codes[1::2]) for part in _telling(form)]


def _telling(form: bytes) -> list[bytes]:
    parts = [form[at : at + 48] for at in range(0, len(form), 48)]
    return sorted(parts, key=lambda part: -len(set(part)))[:2]


def check_gone(base: Path, kb: Rove, codes: list[str], vectors: list[bytes]) -> None:
    """No file holds the words or vectors of these secrets; what was not erased is still found, in every language."""
    wanted = [needle for code in codes for needle in needles(code)] + [
        part for blob in vectors for part in pieces(blob)
    ]
    assert not traces(base, wanted)
    for code, text in PLAIN.items():
        assert kb.search(text, top_k=1)[0].uri.endswith(f"plain-{code}.md")
    for code in codes:
        assert all(word not in hit.chunk.text for word in words(code) for hit in kb.search(SECRET[code]))
    assert kb.doctor().ok


def test_the_search_for_traces_can_find_them(kb: Rove, base: Path) -> None:
    """The check below would fail if nothing were erased: words, terms and vectors lie in catalog and index."""
    for code in SECRET:
        found = traces(base, needles(code))
        assert any(name.startswith("catalog") for name, _ in found), code
        assert any(name.startswith("resident") for name, _ in found), code
    blobs = vector_blobs(base, SECRET["en"][:20])
    assert blobs
    places = {name.partition("-")[0] for blob in blobs for name, _ in traces(base, pieces(blob))}
    assert {"catalog.sqlite"} < places
    assert "arrays.bin" in {Path(place).name for place in places}


def erase_ids(kb: Rove, folder: Path) -> int:
    return kb.delete(*[info.document_id for info in kb.documents() if is_secret(info.source, info.metadata)])


def erase_paths(kb: Rove, folder: Path) -> int:
    for code in SECRET:
        assert kb.delete(folder / f"secret-{code}.md") == 1
    return 5 + kb.delete(*[f"{folder}/records.json#{code}" for code in SECRET])


def erase_where(kb: Rove, folder: Path) -> int:
    secret = field("topic") == "secret"
    for code in SECRET:
        secret = secret | (field("source") == str(folder / f"secret-{code}.md"))
    return kb.delete(where=secret)


def is_secret(source: str, metadata: object) -> bool:
    return "secret" in source or "secret" in str(metadata)


@pytest.mark.parametrize("erase", [erase_ids, erase_paths, erase_where], ids=lambda way: way.__name__)
def test_erased_is_nowhere(erase: Callable[[Rove, Path], int], kb: Rove, folder: Path, base: Path) -> None:
    vectors = [blob for text in SECRET.values() for blob in vector_blobs(base, text[:12])]
    assert len(vectors) >= 5
    assert erase(kb, folder) == 10
    check_gone(base, kb, list(SECRET), vectors)
    assert "The bakery" in kb.search("rye bread bakery", top_k=1)[0].chunk.text


def test_one_of_many_is_erased_and_its_like_is_kept(kb: Rove, base: Path) -> None:
    """A vector and words that another document shares stay; only what was its own goes."""
    kb.add(Text(PLAIN["en"], id="twin"), Text(PLAIN["en"] + " Kwyjiborium.", id="goner"))
    assert kb.delete("goner") == 1
    assert not traces(base, [b"Kwyjiborium", b"kwyjiborium"])
    assert kb.delete("twin") == 1
    assert kb.search(PLAIN["en"], top_k=1)[0].uri.endswith("plain-en.md")
    assert kb.doctor().ok


def test_versions_before_are_erased_too(kb: Rove, folder: Path, base: Path) -> None:
    """A document that was changed, then erased, leaves no word of any version."""
    vectors = vector_blobs(base, SECRET["hu"][:20])
    (folder / "secret-hu.md").write_text("# Új\n\nA villámsüvegelő bezárt.\n")
    assert kb.add(folder).replaced == 1
    assert kb.delete(folder / "secret-hu.md") == 1
    assert kb.delete(f"{folder}/records.json#hu") == 1
    assert not traces(base, ["villámsüvegelő".encode(), b"villamsuvegel"])
    check_gone(base, kb, ["hu"], vectors)


def test_the_ledger_forgets_the_erased_and_add_brings_it_back(kb: Rove, folder: Path) -> None:
    path = folder / "secret-de.md"
    assert kb.delete(path) == 1
    assert str(path) not in {entry.source for entry in kb.ledger()}
    with pytest.raises(InputError, match="rove inspect"):
        kb.delete(path)
    assert kb.add(folder).added >= 1
    assert str(path) in {hit.uri for hit in kb.search("Brombärenpasswort", mode="keyword")}


def test_everything_erased(kb: Rove, base: Path) -> None:
    count = len(kb.documents())
    assert kb.delete(*[info.document_id for info in kb.documents()]) == count
    assert kb.documents() == []
    assert kb.search("library") == []
    everything = [needle for code in SECRET for needle in needles(code)] + [PLAIN["de"].split()[1].encode()]
    assert not traces(base, everything)
    assert kb.doctor().chunks == 0


def test_closed_base_holds_no_traces(folder: Path, base: Path) -> None:
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        kb.add(folder)
        erase_ids(kb, folder)
    assert not traces(base, [needle for code in SECRET for needle in needles(code)])


def test_killed_while_it_erases(folder: Path, base: Path) -> None:
    """An erasure that a crash broke off is finished by the next run: nothing else could name the document again."""
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        kb.add(folder)
        vectors = vector_blobs(base, SECRET["de"][:12])
        kb.delete(f"{folder}/records.json#de")
    killed = subprocess.run(
        [sys.executable, "-c", DELETE, str(base), str(folder / "secret-de.md")],
        env={**os.environ, "ROVE_FAILPOINT": "deleted"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        assert "on their way out" in str(kb.doctor().problems)
        check_gone(base, kb, ["de"], vectors)
