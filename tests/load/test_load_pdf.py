from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import pdf_file, pdf_report, source
from rove.errors import InputError
from rove.load.discover import load_documents
from rove.load.image import ocr
from rove.load.layout.canonical import canonical_text
from rove.load.layout.printed import OrderedPage, Word, line_of
from rove.load.pdf.loader import PdfLoader
from rove.records import Document


def load(data: bytes) -> Document:
    [document] = PdfLoader().load(source("pdf", data, "report.pdf"))
    return document


def test_pages_headings_and_paragraphs() -> None:
    document = load(pdf_report(4))
    assert [page.number for page in document.pages] == [1, 2, 3, 4]
    for number, page in enumerate(document.pages, 1):
        assert document.text[slice(*page.span)] == (
            f"# Chapter {number}\n\nThis paragraph is long enough that its first line was wrapped by the type setter, "
            f"so that its sentence goes on here and ends there at last.\n\n"
            f"A second paragraph, number {number}, stands after a gap."
        )
    assert [s.title for s in document.sections] == [f"Chapter {n}" for n in range(1, 5)]
    assert document.title == "Chapter 1"
    assert document.metadata["pages"] == 4


def test_two_pages_are_too_few_to_call_a_line_a_header() -> None:
    assert load(pdf_report(2)).text.count("Annual report") == 2


def test_the_title_is_the_metadata_unless_that_says_nothing() -> None:
    lines = [[(72.0, 700.0, 11.0, "Some text.")]]
    assert load(pdf_file(lines, title="The real title")).title == "The real title"
    for junk in ("untitled", "(anonymous)", "Microsoft Word - draft.doc", "scan001.tif"):
        assert load(pdf_file(lines, title=junk)).title == "report"


def test_an_empty_page_keeps_its_number() -> None:
    document = load(pdf_file([[(72, 700, 11, "One.")], [], [(72, 700, 11, "Three.")]]))
    assert document.page_at(document.text.index("Three")) == 3


def test_a_pdf_without_text_asks_for_ocr() -> None:
    with pytest.raises(InputError, match="OCR") as caught:
        load(pdf_file([[], []]))
    assert caught.value.outcome == "empty"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["検索システムは文書を正しく処理する必要が", "あります。"],
         "検索システムは文書を正しく処理する必要があります。"),
        (["检索系统需要正确处理这些文件并且给出", "答案。"], "检索系统需要正确处理这些文件并且给出答案。"),
        (["한국어 문서의 인코딩을 올바르게 인식하는 것은 언제나 매우 중요한 일이라고 할 수", "있습니다."],
         "한국어 문서의 인코딩을 올바르게 인식하는 것은 언제나 매우 중요한 일이라고 할 수 있습니다."),
        (["A gyűjtemény tizenkét őszi napon készült, és", "többször is átdolgozták."],
         "A gyűjtemény tizenkét őszi napon készült, és többször is átdolgozták."),
        (["Total: 5", "Sum: 7"], "Total: 5\nSum: 7"),
        (["A list that has an item which is as long as the line:", "- second"],
         "A list that has an item which is as long as the line:\n- second"),
    ],
)  # fmt: skip
def test_wrapped_lines_are_joined_as_their_script_does(lines: list[str], text: str) -> None:
    words = [Word(72, 100 + 14 * n, 72 + 7 * len(line), 111 + 14 * n, line, 10) for n, line in enumerate(lines)]
    sheet = OrderedPage(1, 595, 842, tuple(line_of([word]) for word in words))
    assert canonical_text([sheet]).text == text


@pytest.mark.data
def test_every_real_pdf_ends_in_text_or_a_typed_error(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "reader_of", lambda choice: None)
    outcomes: dict[str, str] = {}
    for path in sorted((shared_data / "files").rglob("*.pdf")):
        try:
            [document] = load_documents(source("pdf", path.read_bytes(), path.name))
        except InputError as error:
            assert error.cure
            outcomes[path.name] = error.outcome
        else:
            assert document.text.strip()
            assert all(document.text[s.span[0]] == "#" for s in document.sections)
            outcomes[path.name] = "loaded"
    assert outcomes["libreoffice-writer-password.pdf"] == "encrypted"
    assert outcomes["MEDRPT-2024-PAT-3847_medical_report_scan.pdf"] == "empty"
    assert outcomes["with-attachment.pdf"] == "partial"
    assert list(outcomes.values()).count("loaded") >= 27
    assert set(outcomes.values()) == {"loaded", "empty", "encrypted", "partial"}


@pytest.mark.data
def test_the_outline_gives_the_sections(shared_data: Path) -> None:
    path = next((shared_data / "files").rglob("pdflatex-outline.pdf"))
    document = load(path.read_bytes())
    assert [s.title for s in document.sections][:4] == ["1 Foo", "2 Bar", "3 Baz", "4 Foo"]
    assert "takimata" in load(next((shared_data / "files").rglob("minimal-document.pdf")).read_bytes()).text
