"""The files that are read: real ones, and where a format has none, such as LibreOffice or Python make of real ones."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from pathlib import Path

from bench import DATA
from bench.process import ChildError, output
from bench.reading import FILES, MADE
from bench.report import say

SUFFIXES = {"xml": (".xml",), "html": (".html",), "text": (".md",)}
REAL = ("pdf", "docx", "pptx", "xlsx", "xls", "csv", "html", "epub", "xml", "msg", "json", "ipynb", "zip")
SCANS = (
    "MEDRPT-2024-PAT-3847_medical_report_scan.pdf",
    "imagemagick-",
    "inline-image",
    "grayscale-image",
    "cmyk-image",
)
PICTURES = ("png", "jpg")
SDISTS = ("python-docx==1.2.0", "python-pptx==1.0.2")
# Format → (what it is made of, most files).
CONVERTED = {"odt": ("docx", 20), "rtf": ("docx", 20), "odp": ("pptx", 10), "ods": ("xlsx", 5), "pdf": ("docx", 20)}
MAILS, RECORDS, ROWS = 20, 2_000, 2_000


@dataclass(frozen=True, slots=True)
class File:
    """A file to read; what stands in it is what stands in `like`, which it was made of, else in itself."""

    format: str
    path: str
    like: str = ""

    @property
    def kind(self) -> str:
        """The format by its suffix: what a reader is told."""
        return self.path.rpartition(".")[2].lower()


def chosen(only: str = "") -> list[File]:
    """Return all files, format by format; those that are made are made once."""
    found = [*real(), *made()]
    return [file for file in found if not only or file.format in only.split(",")]


def real() -> Iterator[File]:
    """Give the project's real files."""
    for kind in REAL:
        for path in sorted(FILES.rglob(f"*.{kind}")):
            yield File("pdf (scans)" if path.name.startswith(SCANS) else kind, str(path))
    for path in sorted(path for kind in PICTURES for path in FILES.rglob(f"*.{kind}")):
        yield File("image", str(path))


def made() -> Iterator[File]:
    """Give those that are made, with what they were made of."""
    for kind, (source, most) in CONVERTED.items():
        name = f"{kind} (LibreOffice)" if kind == "pdf" else kind
        for made_of, path in converted(kind, source, most):
            yield File(name, str(path), str(made_of))
    yield from (File("rst", str(path)) for path in documentation())
    yield from (File("eml", str(path)) for path in mails())
    yield from (File(path.suffix[1:], str(path)) for path in tables())


def converted(kind: str, source: str, most: int) -> list[tuple[Path, Path]]:
    """Let LibreOffice write the largest real files of one format as another."""
    folder = MADE / kind
    of = sorted(FILES.rglob(f"*.{source}"), key=lambda path: (-path.stat().st_size, path))[:most]
    named = {folder / f"{path.parent.parent.name}-{path.stem}.{kind}": path for path in of}
    if not folder.is_dir() and shutil.which("soffice"):
        say(f"LibreOffice writes {len(named)} files as {kind}")
        folder.mkdir(parents=True)
        for target, path in named.items():
            copy = folder / f"{target.stem}.{source}"
            shutil.copy(path, copy)
            try:
                output(
                    ["soffice", "--headless", "--convert-to", kind, "--outdir", str(folder), str(copy)], timeout_s=120
                )
            except ChildError as error:
                say(str(error))
            copy.unlink()
    return [(path, target) for target, path in named.items() if target.is_file()]


def documentation() -> list[Path]:
    """Get the reStructuredText of two packages' source distributions."""
    folder = MADE / "rst"
    if not folder.is_dir():
        folder.mkdir(parents=True)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
        output([*pip, *SDISTS], timeout_s=600)
        for archive in folder.glob("*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*.rst") if path.stat().st_size > 1_000)


def mails() -> list[Path]:
    """Write mails of real texts in four languages, some as HTML, some with a page attached."""
    folder = MADE / "eml"
    folder.mkdir(parents=True, exist_ok=True)
    texts = [text for name in ("xquad_en", "xquad_de", "xquad_zh", "jsquad") for text in corpus(name, MAILS // 4)]
    for number, (title, text) in enumerate(texts):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Date"] = (
            "anna@example.org",
            "béla@example.org",
            "Sat, 21 Nov 2026 10:00:00 +0000",
        )
        mail["Subject"] = title or text[:40].strip()
        mail.set_content(text)
        if number % 2:
            mail.add_alternative(f"<html><body><h1>{title}</h1><p>{text}</p></body></html>", subtype="html")
        if number % 4 == 0:
            mail.add_attachment(f"# Anhang\n\n{text[::-1]}\n", subtype="markdown", filename="anhang.md")
        (folder / f"{number:02}.eml").write_bytes(bytes(mail))
    return sorted(folder.glob("*.eml"))


def tables() -> list[Path]:
    """Write real records as Parquet, SQLite, TSV and JSON Lines."""
    import pyarrow
    import pyarrow.parquet

    folder = MADE / "tables"
    folder.mkdir(parents=True, exist_ok=True)
    records = corpus("scifact_train", RECORDS)
    pyarrow.parquet.write_table(
        pyarrow.table({"title": [title for title, _ in records], "text": [text for _, text in records]}),
        folder / "abstracts.parquet",
    )
    lines = [json.dumps({"id": str(k), "title": title, "text": text}) for k, (title, text) in enumerate(records)]
    (folder / "abstracts.jsonl").write_text("\n".join(lines), "utf-8")
    rows = [(k, title, len(text)) for k, (title, text) in enumerate(records[:ROWS])]
    (folder / "titles.tsv").write_text("".join(f"{k}\t{title}\t{size}\n" for k, title, size in rows), "utf-8")
    base = folder / "abstracts.sqlite"
    base.unlink(missing_ok=True)
    with closing(sqlite3.connect(base)) as connection, connection:
        connection.execute("CREATE TABLE abstracts (id INTEGER PRIMARY KEY, title TEXT NOT NULL, size INTEGER)")
        connection.executemany("INSERT INTO abstracts VALUES (?, ?, ?)", rows)
    return sorted(folder.iterdir())


def corpus(name: str, most: int) -> list[tuple[str, str]]:
    """Titles and texts of a retrieval set."""
    with (DATA / name / "corpus.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line, _ in zip(lines, range(most), strict=False)]
    return [(" ".join(record.get("title", "").split()), record["text"]) for record in records]


def manifest(files: list[File], place: Path) -> Path:
    """Write a list of files for another process."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps([{**asdict(file), "kind": file.kind} for file in files]), "utf-8")
    return place
