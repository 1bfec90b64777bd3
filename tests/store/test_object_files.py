"""The files of a base in an object store: kept, looked at, compared and erased there, by a real server of S3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

import pytest

import postgres_server
import s3_server
from load.samples_pages import pdf_pages, printed
from rove import Rove
from rove.errors import ConfigError, ServiceError
from rove.store.files import FolderFiles, digest_of
from rove.store.object_files import ObjectFiles
from rove.store.originals import Offered
from rove.store.store import Store

FAKE = {"name": "fake"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server.running(tmp_path_factory.mktemp("s3") / "weed") as address:
        yield address


@pytest.fixture
def bucket(server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a prefix of its own in a bucket."""
    for name, value in s3_server.KEYS.items():
        monkeypatch.setenv(name, value)
    return server.replace("/kept?", f"/{token_hex(4)}?")


def opened(place: Path | str, files: str = "") -> Rove:
    return Rove.open(place, embedder=FAKE, question={"log": False}, store={"files": files} if files else {})


def written(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with path.open("rb") as file:
        return digest_of(file)


def inside(address: str) -> list[str]:
    """The objects of that prefix."""
    prefix = address.removeprefix("s3://").partition("?")[0]
    return [name for name in s3_server.names(address) if name.startswith(f"{prefix}/")]


@pytest.mark.servers
def test_files_are_kept_under_their_digests(bucket: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    digest = written(source, b"page " * 3_000_000)
    here, there = (ObjectFiles(bucket, "base", tmp_path / name) for name in ("here", "there"))
    another = ObjectFiles(bucket, "another", tmp_path / "another")
    assert not here.sizes()
    assert not here.keep(source, "0" * 64) and not here.sizes()
    assert here.keep(source, digest) and here.keep(source, digest)
    assert there.sizes() == {digest: 15_000_000} and not another.sizes()
    copy = there.local(digest)
    assert copy.read_bytes() == source.read_bytes() and copy.parent == tmp_path / "there"
    assert not there.local("1" * 64).exists() and not another.local(digest).exists()
    another.remove([digest])
    here.remove([digest, "1" * 64])
    assert not here.sizes() and not inside(bucket)
    assert not there.local(digest).exists() and not copy.exists()


@pytest.mark.servers
@pytest.mark.parametrize("place", ["folder", "postgres"])
def test_a_base_keeps_its_originals_there_and_erases_them_there(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "data"))
    base = tmp_path / "kb" if place == "folder" else postgres_server.base(f"f{token_hex(8)}")
    picture = tmp_path / "plan.pdf"
    digest = written(picture, pdf_pages([[printed(70, 700, "The move is in May.")]]))
    with opened(base, bucket) as kb:
        assert kb.add(picture).ok
        (document,) = kb.documents()
        keep(kb, Offered(document.document_id, digest, picture))
        assert [name.rpartition("/")[2] for name in inside(bucket)] == [digest]
        assert kb.doctor().originals == 1
    with opened(base) as kb:  # the base knows where its files are
        original = kb._kb.store.originals.of(document.document_id, kept=True)
        assert original and original.is_whole() and original.path.parent.name == "copies"
        assert kb.doctor().ok
        s3_server.store(bucket).delete_file(inside(bucket)[0])
        health = kb.doctor()
        assert not health.ok and not health.originals
        keep(kb, Offered(document.document_id, digest, picture))
        assert len(inside(bucket)) == 1
    with pytest.raises(ConfigError, match="store.files is 's3://elsewhere'"):
        opened(base, "s3://elsewhere")
    with opened(base) as kb:
        kb.delete(document.document_id)
        assert not inside(bucket)
        assert not [path for path in tmp_path.rglob(digest)]


def keep(kb: Rove, offered: Offered) -> None:
    """Keep a file as the server does with what was handed in."""
    store: Store = kb._kb.store
    assert kb._run(store.keep_originals([offered], 10**9)) == []


@pytest.mark.servers
def test_a_base_with_files_of_its_own_keeps_them_where_they_are(bucket: str, tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as kb:
        assert isinstance(kb._kb.store.originals._files, FolderFiles)
    with opened(tmp_path / "kb", bucket):
        pass  # there are none yet
    assert not inside(bucket)


@pytest.mark.servers
def test_what_the_store_refuses_is_said(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    digest = written(source, b"x")
    missing = ObjectFiles(bucket.replace(s3_server.BUCKET, "no-such-bucket"), "base", tmp_path / "copies")
    with pytest.raises(ServiceError, match="no-such-bucket could not be written"):
        missing.keep(source, digest)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused = ObjectFiles(bucket, "base", tmp_path / "copies")
    with pytest.raises(ServiceError, match="could not be written") as raised:
        refused.keep(source, digest)
    assert "wrong" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("s3://", "not an address of a bucket"),
        ("https://bucket/x", "not an address of a bucket"),
        ("s3://bucket?zone=1", "not an address of a bucket"),
        ("s3://key:secret@bucket/x", "must not hold a key"),
        ("ftp://key:secret@bucket", "not an address of a bucket"),
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, address: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as raised:
        opened(tmp_path / "kb", address)
    assert "secret" not in str(raised.value)
