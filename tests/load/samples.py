"""Small files of every kind, made in the test: what they hold is known to the letter."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import docx

from rove.records import Source

PARAGRAPHS = {
    "en": "The quick brown fox jumps over the lazy dog. It does so every day of the week.",
    "de": "Fünf große Wölfe übten auf der Straße. Die Prüfung fällt für höhere Semester aus.",
    "hu": "Az árvíztűrő tükörfúrógép nem játék. A gyűjtemény tizenkét őszi napon készült.",
    "zh": "检索系统需要正确处理这些文件。北京是中华人民共和国的首都。",
    "ja": "日本語の文章を書くときは、文字コードに注意します。東京は日本の首都です。",
}


def source(kind: str, data: bytes, name: str = "") -> Source:
    """A source as `read` would make it."""
    suffix = {"markdown": "md", "text": "txt"}.get(kind, kind)
    name = name or f"sample.{suffix}"
    return Source(f"/data/{name}", name, data, kind)


def markdown_text() -> str:
    """One section for each language, under one title, with a code fence that must not count."""
    sections = [f"## Teil {code}\n\n{text}\n" for code, text in PARAGRAPHS.items()]
    return "# Ünnepi gyűjtemény 文集\n\n" + "\n".join(sections) + "\n```sh\n# no heading\n```\n"


def html_page() -> str:
    sections = "".join(f"<h2>Teil {code}</h2><p>{text}</p>" for code, text in PARAGRAPHS.items())
    return (
        "<!DOCTYPE html><html lang='hu'><head><meta charset='utf-8'><title>Gyűjtemény | Oldal</title></head><body>"
        "<header><a href='/'>LOGO</a></header><nav><ul><li>MENU</li></ul></nav>"
        "<div class='cookie-banner'>WE USE COOKIES</div>"
        f"<main><h1>Gyűjtemény</h1>{sections}<p>Lásd <a href='https://example.org/x'>itt</a>.</p>"
        "<table><tr><th>név</th><th>数</th></tr><tr><td>kör</td><td>1</td></tr></table>"
        "<pre><code># not a heading\nx = 1</code></pre><form><input>SEND</form></main>"
        "<aside>RELATED</aside><footer>IMPRESSUM</footer><script>var evil = '</p>';</script></body></html>"
    )


def json_records() -> str:
    records = {
        code: {"query": f"Title {code}", "document": text, "metadata": {"lang": code, "more": {"n": 1}}}
        for code, text in PARAGRAPHS.items()
    }
    return json.dumps(records, ensure_ascii=False)


def docx_file() -> bytes:
    word = docx.Document()
    word.add_heading("Gyűjtemény 文集", 0)
    for code, text in PARAGRAPHS.items():
        word.add_heading(f"Teil {code}", 2)
        word.add_paragraph(text)
    word.add_paragraph("első", style="List Bullet")
    word.add_paragraph("zweites", style="List Bullet")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip((c for row in table.rows for c in row.cells), ("a|b", "数", "1", "2"), strict=True):
        cell.text = text
    word.add_paragraph("After the table.")
    out = BytesIO()
    word.save(out)
    return out.getvalue()


def pdf_file(pages: list[list[tuple[float, float, float, str]]], *, title: str = "") -> bytes:
    """A PDF of pages of (x, y, size, Latin text) lines, on A4, in Helvetica."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[int] = []
    for lines in pages:
        drawn = "\n".join(f"BT /F1 {size} Tf {x} {y} Td ({_escaped(text)}) Tj ET" for x, y, size, text in lines)
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(len(objects))
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>"
    objects.append(f"<< /Title ({_escaped(title)}) >>")
    out = bytearray(b"%PDF-1.4\n")
    offsets: list[int] = []
    for number, text in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    out += (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R /Info {count - 1} 0 R >>\n"
        f"startxref\n{len(out)}\n%%EOF\n"
    ).encode("latin-1")
    return bytes(out)


def pdf_report(page_count: int = 4) -> bytes:
    """Pages with a running header, a heading, a wrapped paragraph, a second paragraph, and a page number."""
    pages: list[list[tuple[float, float, float, str]]] = []
    for number in range(1, page_count + 1):
        pages.append(
            [
                (72, 810, 9, "Annual report of the collection"),
                (72, 740, 18, f"Chapter {number}"),
                (72, 700, 11, "This paragraph is long enough that its first line was wrapped by the type"),
                (72, 686, 11, "setter, so that its sentence goes on here and ends there at last."),
                (72, 650, 11, f"A second paragraph, number {number}, stands after a gap."),
                (290, 30, 9, f"{number} / {page_count}"),
            ]
        )
    return pdf_file(pages)


def zip_file(parts: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def subtitles() -> str:
    """Write what two people say, with times."""
    return (
        "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Anna>The hall is closed on Monday.</v>\n\n"
        "00:04.000 --> 00:06.000\n<v Béla>A csarnok hétfőn zárva van.</v>\n"
    )
