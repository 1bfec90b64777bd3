"""What every loader must do, run over every name in the table: a new one adds a line to SAMPLES."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from load import samples, samples_data, samples_office, samples_pages, samples_posts, samples_web
from rove.errors import InputError
from rove.load import LOADERS, SUFFIXES, Loader
from rove.load.discover import load_documents
from rove.records import Document

SAMPLES = {
    "text": samples.PARAGRAPHS["hu"].encode(),
    "markdown": samples.markdown_text().encode(),
    "html": samples.html_page().encode(),
    "pdf": samples.pdf_report(),
    "docx": samples.docx_file(),
    "pptx": samples_office.deck_sample(),
    "odt": samples_office.odt_sample(),
    "odp": samples_office.odp_sample(),
    "rtf": samples_office.rtf_sample(),
    "json": samples.json_records().encode(),
    "image": samples_pages.described_png(),
    "epub": samples_web.book(),
    "eml": samples_web.eml_file(),
    "mbox": samples_web.mbox_file(),
    "msg": samples_web.msg_file(),
    "zip": samples.zip_file(samples_web.folder()),
    "tar": samples_web.tar_file(samples_web.folder()),
    "gzip": samples_web.tar_file(samples_web.folder(), "w:gz"),
    "posts": samples_posts.lines(samples_posts.thread()),
    "xlsx": samples_data.workbook("xlsx"),
    "xls": samples_data.workbook("xls"),
    "ods": samples_data.workbook("ods"),
    "csv": samples_data.csv_table().encode(),
    "sqlite": samples_data.sqlite_file(),
    "parquet": samples_data.parquet_records(),
    "xml": samples_data.xml_tree().encode(),
    "ipynb": samples_data.notebook().encode(),
    "rst": samples_data.rst_text().encode(),
}
MEMBERS_KINDS = {"mbox", "zip", "tar", "gzip"}  # what is in them has its own kind
OUTCOMES = {"empty", "unreadable", "encrypted", "damaged", "too-large", "unsupported", "partial"}


def load(kind: str, data: bytes) -> list[Document]:
    loader: Loader = LOADERS.get(kind)()
    return list(loader.load(samples.source(kind, data)))


def test_every_loader_has_a_sample_and_every_suffix_a_loader() -> None:
    assert set(SAMPLES) == set(LOADERS.names())
    assert set(SUFFIXES.values()) <= set(LOADERS.names())


@pytest.mark.parametrize("kind", SAMPLES)
def test_documents_hold_text_and_exact_structure(kind: str) -> None:
    documents = load(kind, SAMPLES[kind])
    assert documents
    assert len({d.document_id for d in documents}) == len(documents)
    for document in documents:
        text = document.text
        assert text.strip()
        assert document.kind == kind or (kind in MEMBERS_KINDS and document.kind in LOADERS.names())
        assert document.title
        assert "\r" not in text
        assert text.encode("utf-8")
        for section in document.sections:
            assert 0 <= section.span[0] < section.span[1] <= len(text)
            assert 1 <= section.level <= 6
            assert section.title in text[section.span[0] :].split("\n", 1)[0]
        assert [s.span[0] for s in document.sections] == sorted(s.span[0] for s in document.sections)
        for before, after in pairwise(document.pages):
            assert before.span[0] <= before.span[1] <= after.span[0] <= after.span[1] <= len(text)
            assert after.number == before.number + 1
        for value in document.metadata.values():
            assert isinstance(value, str | int | float | bool | tuple)


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_same_bytes_give_the_same_documents(kind: str) -> None:
    assert load(kind, SAMPLES[kind]) == load(kind, SAMPLES[kind])


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("data", [b"", b" \n\t \r\n", b"\xef\xbb\xbf"], ids=["none", "blank", "mark"])
def test_nothing_to_read_is_said(kind: str, data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        list(load_documents(samples.source(kind, data)))
    assert caught.value.outcome in {"empty", "damaged"}
    assert caught.value.cure


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("size", [2, 100, 65_000])
def test_random_bytes_are_refused(kind: str, size: int) -> None:
    data = bytes([0]) + random.Random(size).randbytes(size)
    with pytest.raises(InputError) as caught:
        list(load_documents(samples.source(kind, data)))
    assert caught.value.outcome in OUTCOMES
    assert caught.value.cure


@pytest.mark.parametrize("kind", SAMPLES)
def test_truncated_and_bitten_input_ends_in_text_or_a_typed_error(kind: str) -> None:
    whole = SAMPLES[kind]
    chance = random.Random(7)
    cuts = [whole[: len(whole) * n // 12] for n in range(1, 12)]
    for _ in range(40):
        bitten = bytearray(whole)
        for _ in range(8):
            bitten[chance.randrange(len(bitten))] = chance.randrange(256)
        cuts.append(bytes(bitten))
    for data in cuts:
        try:
            documents = list(load_documents(samples.source(kind, data)))
        except InputError as error:
            assert error.outcome in OUTCOMES
            assert error.cure
        else:
            assert all(d.text.strip() for d in documents)


@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx", "odt", "odp", "json", "epub", "zip"])
def test_half_a_file_of_a_closed_format_is_damaged(kind: str) -> None:
    with pytest.raises(InputError) as caught:
        load(kind, SAMPLES[kind][: len(SAMPLES[kind]) // 2])
    assert caught.value.outcome == "damaged"
