"""A small base in five languages, which each adapter is tried on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rove import Rove, Text

TEXTS = {
    "en": "The ferry leaves at nine.\n\nThe harbour master signs the permit.",
    "de": "Die Fähre legt um neun ab.\n\nDer Hafenmeister unterschreibt die Genehmigung.",
    "hu": "A komp kilenckor indul.\n\nA révkapitány írja alá az engedélyt.",
    "zh": "渡轮九点出发。\n\n港务长签署许可证。",
    "ja": "フェリーは九時に出発します。\n\n港長が許可証に署名します。",
}
QUESTIONS = [
    ("Who signs the permit as harbour master?", "en"),
    ("Unterschreibt der Hafenmeister die Genehmigung?", "de"),
    ("A révkapitány írja alá az engedélyt?", "hu"),
    ("港务长签署许可证吗？", "zh"),
    ("港長が許可証に署名しますか。", "ja"),
]


def open_sample(folder: Path) -> Rove:
    """Open a base and put the texts in: all are of the topic "port", the English one alone of 2024."""
    kb = Rove.open(folder, embedder={"name": "fake"}, chunk={"size_chars": 64})
    years = {"en": 2024}
    kb.add(
        Text(text, id=name, title=name.upper(), metadata={"topic": "port", "year": years.get(name, 2020)}, kind="text")
        for name, text in TEXTS.items()
    )
    return kb


def check_span(kb: Rove, text: str, fields: Mapping[str, object]) -> None:
    """See that the words stand exactly where the fields say."""
    start, end = fields["start"], fields["end"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert kb.text(str(fields["document_id"]))[start:end] == text
    assert fields["source"]
    assert isinstance(fields["score"], float)
