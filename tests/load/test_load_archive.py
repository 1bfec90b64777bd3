from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, docx_file, source, zip_file
from load.samples_web import folder, tar_file
from rove.errors import InputError
from rove.load import LoadOptions, limits
from rove.load.discover import Location, kind_of, load_documents, suffix_kind
from rove.records import Document

FILES = "files/markitdown/packages/markitdown/tests/test_files"
NAMES = ["a.md", "文/jegyzet.txt"]


def load(kind: str, data: bytes, name: str = "") -> list[Document]:
    return list(load_documents(source(kind, data, name)))


def partly(kind: str, data: bytes, name: str = "") -> tuple[list[Document], InputError]:
    documents: list[Document] = []
    with pytest.raises(InputError) as caught:
        documents.extend(load_documents(source(kind, data, name)))
    assert caught.value.cure
    return documents, caught.value


def names(documents: list[Document]) -> list[str]:
    return [document.source.partition("#")[2] for document in documents]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.zip", zip_file(folder())),
        ("x.tar", tar_file(folder())),
        ("x.tar.gz", tar_file(folder(), "w:gz")),
        ("x.tgz", tar_file(folder(), "w:gz")),
        ("x.tar.bz2", tar_file(folder(), "w:bz2")),
        ("x.tar.xz", tar_file(folder(), "w:xz")),
    ],
)
def test_members_are_read_by_their_own_loaders(name: str, data: bytes) -> None:
    kind = kind_of(data, Location(name, name, suffix_kind(name)))
    documents = load(kind, data, name)
    assert names(documents) == NAMES
    assert [d.kind for d in documents] == ["markdown", "text"]
    assert PARAGRAPHS["hu"] in documents[1].text
    assert {d.metadata["parent"] for d in documents} == {f"/data/{name}"}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_one_file_packed(pack) -> None:
    data = pack(PARAGRAPHS["ja"].encode())
    assert kind_of(data, Location("x", "x")) == "gzip"
    [document] = load("gzip", data, "文書.txt.gz")
    assert (document.source, document.text) == ("/data/文書.txt.gz#文書.txt", PARAGRAPHS["ja"])


def test_what_cannot_be_read_is_named_and_counted() -> None:
    files = {f"{n}.bin": bytes(range(256)) for n in range(12)} | {"a.txt": b"text", "e.txt": b"", "d.docx": b"PK\3\4x"}
    documents, error = partly("zip", zip_file(files))
    assert names(documents) == ["a.txt"]
    assert error.outcome == "partial"
    assert "14 of 15 files" in str(error)
    assert "0.bin" in str(error)
    assert "and 4 more" in str(error)


@pytest.mark.parametrize(("files", "outcome"), [
    ({}, "empty"), ({"a.txt": b""}, "empty"), ({"a": bytes(99)}, "unsupported"), ({".git/a.txt": b"x"}, "empty"),
])  # fmt: skip
def test_nothing_to_read(files: dict[str, bytes], outcome: str) -> None:
    assert partly("zip", zip_file(files))[1].outcome == outcome
    assert partly("tar", tar_file(files))[1].outcome == outcome


@pytest.mark.parametrize(
    "name", ["../a.txt", "x/../../a.txt", "/etc/a.txt", "C:\\a.txt", "..\\a.txt", "\\\\host\\a.txt"]
)
def test_names_that_lead_out_are_refused(name: str) -> None:
    for kind, data in (
        ("zip", zip_file({name: b"text", "b.txt": b"b"})),
        ("tar", tar_file({name: b"text", "b.txt": b"b"})),
    ):
        documents, error = partly(kind, data)
        assert names(documents) == ["b.txt"]
        assert "leads out of the archive" in str(error)


def test_links_and_devices_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("b.txt", "b")
    documents, error = partly("zip", out.getvalue())
    assert names(documents) == ["b.txt"]
    assert "link.txt" in str(error)
    more: list[tarfile.TarInfo] = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"odd-{kind.decode()}")
        info.type, info.linkname = kind, "/etc/passwd"
        more.append(info)
    documents, error = partly("tar", tar_file({"b.txt": b"b"}, more=tuple(more)))
    assert names(documents) == ["b.txt"]
    assert "4 of 5 files" in str(error)


def test_two_members_of_one_name_are_two_documents() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a.txt", "first")
            archive.writestr("a.txt", "second")
    assert [(d.source.partition("#")[2], d.text) for d in load("zip", out.getvalue())] == [
        ("a.txt", "first"),
        ("2/a.txt", "second"),
    ]


def test_encrypted_members_are_named() -> None:
    data = bytearray(zip_file({"a.txt": b"secret", "b.txt": b"open"}))
    data[6] |= 1  # the flag in the member's own head, and in the directory
    data[data.index(b"PK\1\2") + 8] |= 1
    documents, error = partly("zip", bytes(data))
    assert names(documents) == ["b.txt"]
    assert "a.txt: it is protected by a password" in str(error)
    both = bytearray(zip_file({"a.txt": b"secret"}))
    both[both.index(b"PK\1\2") + 8] |= 1
    assert partly("zip", bytes(both))[1].outcome == "encrypted"


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp932", "日本語の文書.txt"),
        ("gb18030", "检索系统需要正确处理这些文件的首都.txt"),
        ("utf-8", "Übersicht größer.txt"),
    ],
)
def test_names_in_old_code_pages(encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    data = zip_file({"x" * len(raw): b"text"}).replace(b"x" * len(raw), raw)
    assert names(load("zip", data)) == [name]


def test_archives_within_archives_are_bounded_in_depth() -> None:
    data = zip_file({"a.txt": b"text", "d.docx": docx_file()})
    for depth in range(1, 7):
        if depth <= limits.MAX_DEPTH:
            assert len(load("zip", data)) == 2
        else:
            assert partly("zip", data)[1].outcome == "too-large"
        data = zip_file({f"{depth}.zip": data})


def test_archives_within_archives_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_INFLATED_BYTES", 100_000)
    inner = {f"{n}.zip": zip_file({"a.txt": bytes([65 + n]) * 30_000}) for n in range(8)}
    documents, error = partly("zip", zip_file(inner))
    assert len(documents) == 3
    assert "unpacks to more than" in str(error)


@pytest.mark.parametrize(
    ("kind", "pack"),
    [
        ("zip", lambda text: zip_file({"a.txt": text})),
        ("gzip", gzip.compress),
        ("gzip", lambda text: gzip.compress(gzip.compress(text))),
        ("gzip", lambda text: tar_file({"a.txt": text}, "w:gz")),
        ("zip", lambda text: zip_file({"a.zip": zip_file({"a.txt": text})})),
    ],
    ids=["zip", "gzip", "twice", "tar", "nested"],
)
def test_bombs_are_too_large(kind: str, pack: Callable[[bytes], bytes]) -> None:
    documents, error = partly(kind, pack(b"x" * 300_000_000), "bomb.gz" if kind == "gzip" else "")
    assert (documents, error.outcome) == ([], "too-large")


def test_what_is_whole_of_a_damaged_archive_is_read() -> None:
    data = tar_file({f"{n}.txt": f"text {n}".encode() * 2000 for n in range(20)})
    documents, error = partly("tar", data[: len(data) // 2])
    assert 5 < len(documents) < 20
    assert error.outcome == "partial"
    packed = gzip.compress(b"line\n" * 100_000)
    documents, error = partly("gzip", packed[: len(packed) // 2], "log.txt.gz")
    assert (len(documents), error.outcome) == (1, "partial")
    broken = bytearray(zip_file({"a.txt": b"first", "b.txt": b"second text that is changed"}))
    broken[broken.index(b"b.txt") + 8] ^= 0xFF
    documents, error = partly("zip", bytes(broken))
    assert (names(documents), error.outcome) == (["a.txt"], "partial")


def test_options_reach_the_members() -> None:
    page = "<main><p>The main part of this page, which is long enough.</p></main><footer>IMPRESSUM</footer>"
    archive = source("zip", zip_file({"a.html": page.encode()}))
    assert "IMPRESSUM" not in next(iter(load_documents(archive))).text
    assert "IMPRESSUM" in next(iter(load_documents(archive, LoadOptions(keep_boilerplate=True)))).text


@pytest.mark.data
def test_a_real_archive(shared_data: Path) -> None:
    data = (shared_data / FILES / "test_files.zip").read_bytes()
    documents: list[Document] = []
    try:
        documents.extend(load_documents(source("zip", data, "test_files.zip")))
    except InputError as error:
        assert error.outcome == "partial"
    found = {d.source.rpartition("#")[2]: d for d in documents}
    assert {"test.docx", "test_blog.html", "test_wikipedia.html"} <= set(found)
    assert found["test_blog.html"].metadata["date"] == "2023-04-21T00:00:00.000Z"


def test_system_files_in_an_archive_are_left_out() -> None:
    inside = {"a.md": b"# A\n\nText.", "__MACOSX/._a.md": b"\0\5", "b/Thumbs.db": b"\xd0\xcf", "~$c.docx": b"\5Anna",
              "b/.git/config": b"[core]", "$RECYCLE.BIN/x.md": b"# X"}  # fmt: skip
    assert names(load("zip", zip_file(inside))) == names(load("tar", tar_file(inside))) == ["a.md"]
