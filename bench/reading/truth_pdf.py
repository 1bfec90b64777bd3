"""What stands in PDFs: poppler's text, outline and links as pypdf reads them, tables as a person wrote them down."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from bench.reading.score import words
from bench.reading.truth import Heading, Truth

LONE_NUMBER = re.compile(r"^\s*\d+\s*$", re.M)  # a page's number, most of all
GOLD = Path(__file__).with_name("pdf_tables.json")


def pdf(path: Path) -> Truth:
    """Read a PDF."""
    import pypdf

    reader = pypdf.PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        return Truth()
    command = ["pdftotext", "-enc", "UTF-8", str(path), "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    numbers = LONE_NUMBER.findall(text)
    truth = Truth(text=LONE_NUMBER.sub("", text), spare=" ".join(numbers), pages=len(reader.pages))
    said = " ".join(words(text))
    truth.headings = [entry for entry in outline(reader.outline, 1) if " ".join(words(entry.title)) in said]
    for page in reader.pages:
        for annotation in page.get("/Annots", None) or ():
            action = annotation.get_object().get("/A")
            if action is not None and "/URI" in action.get_object():
                truth.links.append(str(action.get_object()["/URI"]))
    truth.tables = json.loads(GOLD.read_text("utf-8")).get(path.name, [])
    return truth


def outline(entries, level: int) -> list[Heading]:
    found: list[Heading] = []
    for entry in entries:
        found += outline(entry, level + 1) if isinstance(entry, list) else [Heading(level, str(entry.title))]
    return found
