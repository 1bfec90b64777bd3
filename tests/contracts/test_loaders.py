"""Every registered loader keeps its contract: a new one adds a line to SAMPLES."""

from __future__ import annotations

import pytest

from load import samples, samples_data, samples_office, samples_pages, samples_posts, samples_web
from load.speech_files import LEASE
from rove.load import LOADERS, SUFFIXES, Loader, LoadOptions
from rove.testing import LoaderContract

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
    "mhtml": samples_web.mhtml_file(),
    "subtitles": samples.subtitles().encode(),
    "ics": samples_web.calendar_file(),
    "vcf": samples_web.card_file(),
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
MEMBERS = {"mbox", "zip", "tar", "gzip"}  # what is in them has its own kind
CLOSED = {"pdf", "docx", "pptx", "odt", "odp", "json", "epub", "zip"}


def suite(kind: str) -> type[LoaderContract]:
    given = {"sample": SAMPLES[kind], "members": kind in MEMBERS, "closed": kind in CLOSED}
    return type(f"Test_{kind}", (LoaderContract,), {"name": kind, "__module__": __name__, **given})


class RecordingContract(LoaderContract):
    def make(self) -> Loader:
        return self.registered()(LoadOptions(transcriber="fake"))

    @pytest.fixture(autouse=True)
    def decoder(self) -> None:
        pytest.importorskip("av", reason="the extra audio is not installed")


class TestAudio(RecordingContract):
    name = "audio"
    sample = LEASE.read_bytes()


class TestVideo(RecordingContract):
    name = "video"
    sample = LEASE.read_bytes()


globals().update({made.__name__: made for made in map(suite, SAMPLES)})


def test_every_suffix_has_a_loader() -> None:
    assert set(SUFFIXES.values()) <= set(LOADERS.names())
