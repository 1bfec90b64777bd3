from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, docx_file, html_page, pdf_report, source
from rove.errors import InputError
from rove.load.discover import Location, load_documents, locate, read_by, read_place
from rove.load.folder_files import LOOP, NO_FILE, NOWHERE, OUT, LeftOut
from rove.records import Document, Source, Text

NOBODY = 65_534


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def refused(location: Location, **options: int) -> InputError:
    with pytest.raises(InputError) as caught:
        read_place(location, **options)
    assert caught.value.cure
    return caught.value


def test_a_folder_is_walked_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": b"b", "a/z.txt": b"z", "a/文.md": b"x", ".git/c.md": b"c", ".env": b"s",
                     "node_modules/x.md": b"x", "a/__pycache__/y.txt": b"y", "img.psd": b"8BPS\0\1\2"})  # fmt: skip
    found = locate([tmp_path, str(tmp_path / "b.md")])
    assert [Path(f.uri).relative_to(tmp_path).as_posix() for f in found] == ["b.md", "img.psd", "a/z.txt", "a/文.md"]
    assert [f.kind for f in found] == ["markdown", "", "text", "markdown"]
    assert refused(found[1]).outcome == "unsupported"


def test_system_files_are_left_out_and_counted(tmp_path: Path) -> None:
    names = ["~$report.docx", ".~lock.a.odt#", "Thumbs.db", "THUMBS.DB", ".DS_Store", "Desktop.ini", "a.md~", "b.TMP",
             ".a.swp", "c.swp", "d.pdf.part", "e.crdownload", "._a.md", "__MACOSX/._a.md", ".git/config", ".hg/x.md",
             ".svn/y.md", "$RECYCLE.BIN/z.md", "System Volume Information/w.md", ".Trash-1000/v.md",
             "@eaDir/u.md", "node_modules/t.md"]  # fmt: skip
    write(tmp_path, {name: b"x" for name in [*names, "CVs/anna.md", "report~1.md", "tmp/a.md", "part.md"]})
    left_out = LeftOut()
    found = [Path(one.uri).relative_to(tmp_path).as_posix() for one in locate([tmp_path], left_out=left_out)]
    assert found == ["part.md", "report~1.md", "CVs/anna.md", "tmp/a.md"]
    assert (left_out.system_files, left_out.skipped) == (len(names), [])


def test_folders_that_programs_have_marked_are_left_out_unless_they_are_named(tmp_path: Path) -> None:
    tag = b"Signature: 8a477f597d28d172789f06886806bc55"
    write(tmp_path, {"env/pyvenv.cfg": b"home = /usr", "env/lib/a.py": b"x", "target/CACHEDIR.TAG": tag,
                     "target/debug/b.txt": b"y", "src/c.py": b"z"})  # fmt: skip
    left_out = LeftOut()
    found = [Path(one.uri).relative_to(tmp_path).as_posix() for one in locate([tmp_path], left_out=left_out)]
    assert (found, left_out.system_files) == (["src/c.py"], 2)
    assert [one.name for one in locate([tmp_path / "env"])] == ["pyvenv.cfg", "a.py"]


def test_a_system_file_that_is_named_is_located(tmp_path: Path) -> None:
    write(tmp_path, {".git/notes.md": b"x", "old.md~": b"y"})
    assert [one.name for one in locate([tmp_path / ".git", tmp_path / "old.md~"])] == ["notes.md", "old.md~"]


def links(tmp_path: Path) -> Path:
    write(tmp_path, {"out/far.txt": b"f", "out/deep/more.txt": b"m", "single.txt": b"s", "in/a.txt": b"a",
                     "in/sub/b.txt": b"b", "in/.kept/c.txt": b"c"})  # fmt: skip
    folder = tmp_path / "in"
    for name, target in {
        "loop": folder, "up": tmp_path, "again": folder / "sub", "out": tmp_path / "out", "out2": tmp_path / "out/deep",
        "sub/out3": tmp_path / "out", "current": folder / ".kept", "single.txt": tmp_path / "single.txt",
        "twice.txt": tmp_path / "single.txt", "same.txt": folder / "a.txt", "self.txt": folder / "self.txt",
        "nowhere.txt": folder / "no.txt",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)
    (tmp_path / "out/back").symlink_to(folder)
    os.mkfifo(tmp_path / "out/pipe")
    return folder


def test_what_links_lead_to_is_read_once(tmp_path: Path) -> None:
    folder, left_out = links(tmp_path), LeftOut()
    found = [Path(one.uri).relative_to(folder).as_posix() for one in locate([folder], left_out=left_out)]
    assert found == ["a.txt", "sub/b.txt", "current/c.txt", "out/far.txt", "out/deep/more.txt", "single.txt"]
    named = {Path(one.path).relative_to(folder).as_posix(): one.reason for one in left_out.skipped}
    assert named == {"nowhere.txt": NOWHERE, "self.txt": NOWHERE, "up": LOOP, "out/pipe": NO_FILE}


def test_links_that_lead_out_are_named_where_the_settings_say_so(tmp_path: Path) -> None:
    folder, left_out = links(tmp_path), LeftOut()
    found = [one.name for one in locate([folder], left_out=left_out, follow_links=False)]
    assert found == ["a.txt", "b.txt", "c.txt"]
    outside = [Path(one.path).relative_to(folder).as_posix() for one in left_out.skipped if one.reason == OUT]
    assert outside == ["out", "out2", "single.txt", "twice.txt", "sub/out3"]


def test_ten_thousand_files_are_counted_fast(tmp_path: Path) -> None:
    for n in range(100):
        (tmp_path / f"d{n}").mkdir()
        for m in range(100):
            (tmp_path / f"d{n}" / f"{m}.md").touch()
    with at_most(5):
        assert len(locate([tmp_path])) == 10_000


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    write(tmp_path, {"empty.md": b"", "big.txt": b"x" * 2000,
                     "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99})  # fmt: skip
    os.mkfifo(tmp_path / "pipe.txt")
    given = [tmp_path, tmp_path / "no.md", tmp_path / "pipe.txt"]
    outcomes = {f.name: refused(f, max_bytes=1000).outcome for f in locate(given)}
    assert outcomes == {
        "empty.md": "empty", "big.txt": "too-large", "old.doc": "unsupported",
        "pipe.txt": "unreadable", "no.md": "unreadable",
    }  # fmt: skip
    assert "does not exist" in str(refused(locate([tmp_path / "no.md"])[0]))
    for text in ("The gate code is 4417.", "门禁密码是4417，" * 40, "Two lines\nof text. And more"):
        assert "rove.Text" in refused(locate([text])[0]).cure


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_file_without_the_right_to_read_it() -> None:
    with TemporaryDirectory() as folder:  # anyone may go through it, which is not so of tmp_path
        Path(folder).chmod(0o755)
        path = Path(folder) / "a.txt"
        path.write_text("x")
        assert read_place(locate([path])[0]).data == b"x"
        path.chmod(0)
        user = os.geteuid()
        os.seteuid(user or NOBODY)  # root may read everything
        try:
            found = refused(locate([path])[0])
        finally:
            os.seteuid(user)
        assert found.outcome == "unreadable"
        assert found.cure == "Give this user the right to read it."


def test_an_address_of_an_unknown_kind_is_refused_with_the_cure() -> None:
    [location] = locate(["ftp://example.org/a.html"])
    assert refused(location).outcome == "unsupported"
    assert "Give http://" in str(refused(location))


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", pdf_report(1), "pdf"),
        ("a", pdf_report(1), "pdf"),
        ("a.pdf", docx_file(), "docx"),
        ("a.md", html_page().encode(), "html"),
        ("a.unknown", html_page().encode(), "html"),
        ("README", PARAGRAPHS["hu"].encode("cp1250"), "text"),
        ("a.rst", PARAGRAPHS["ja"].encode("cp932"), "rst"),
        ("A.MD", b"# x", "markdown"),
        ("a.docx", b"plain text, not a zip", "docx"),
    ],
)
def test_what_it_is_counts_for_more_than_its_name(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    write(tmp_path, {name: data})
    assert read_place(locate([tmp_path / name])[0]).kind == kind


def test_a_text_of_the_caller(tmp_path: Path) -> None:
    text = Text("# Jegyzet\n\nSzöveg.\ud800", id="note-1", title="Mein Titel", metadata={"topic": "x"}, kind="markdown")
    [location] = locate([text])
    [document] = load_documents(read_place(location))
    assert (document.document_id, document.source, document.title) == ("note-1", "note-1", "Mein Titel")
    assert document.text == "# Jegyzet\n\nSzöveg."
    assert document.metadata == {"topic": "x"}
    assert [f.uri for f in locate([Text("a"), Text("b"), Text("a")])] == [locate([Text(t)])[0].uri for t in "ab"]
    assert refused(locate([Text("x", kind="nonsense")])[0]).outcome == "unsupported"
    assert refused(locate([Text("")])[0]).outcome == "empty"


@pytest.mark.parametrize("code", PARAGRAPHS)
def test_the_language_is_filled_in(code: str) -> None:
    [document] = load_documents(source("text", (PARAGRAPHS[code] * 2).encode()))
    assert document.language == code


@pytest.mark.parametrize(
    ("said", "raised"),
    [
        (RuntimeError("mkl_malloc: failed to allocate memory"), MemoryError),
        (RuntimeError("std::bad_alloc"), MemoryError),
        (OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)), MemoryError),
        (RuntimeError("bad allocation"), MemoryError),
        (RuntimeError("Failed to allocate memory for requested buffer of size 4194304"), MemoryError),
        (RuntimeError("the memory card has no table of allocations"), InputError),
        (ValueError("row 3 is torn"), InputError),
    ],
    ids=str,
)
def test_a_library_that_gets_no_more_memory_does_not_say_that_the_file_is_damaged(
    said: Exception, raised: type[Exception]
) -> None:
    class Loader:
        def load(self, source: Source) -> Iterator[Document]:
            yield from ()
            raise said

    with pytest.raises(raised):
        next(read_by(Loader(), Source("/a.txt", "a.txt", b"x", "text")))
