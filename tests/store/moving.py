"""What the tests of a migration share: a base in five languages, and what it finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select

from rove import AsyncRove, Text
from rove.store import tables
from rove.store.catalog_rows import vector_of
from rove.store.enriched_tables import summaries

SENTENCES = {
    "en": "The harbour master of {0} keeps {1} letters about ships and the weather.",
    "de": "Die Hafenmeisterin von {0} bewahrt {1} Briefe über Schiffe und das Wetter auf.",
    "hu": "{0} kikötőjének vezetője {1} levelet őriz hajókról és az időjárásról.",
    "zh": "{0}港的主任保存着{1}封关于船只和天气的信。",
    "ja": "{0}港の港長は船と天気についての手紙を{1}通保管しています。",
}
TOWNS = ("Netherby", "Kettlefrost", "Zephyrine", "Marlow", "Dunwich", "Orford", "Thorpeness", "Walberswick")
TEXTS = [
    Text(sentence.format(town, 7 * at + 3), id=f"{language}-{town}")
    for language, sentence in SENTENCES.items()
    for at, town in enumerate(TOWNS)
]
QUESTIONS = {
    "en-Orford": "Who keeps letters in Orford?",
    "de-Marlow": "Wer bewahrt die Briefe von Marlow auf?",
    "hu-Dunwich": "Ki őrzi Dunwich kikötőjének leveleit?",
    "zh-Zephyrine": "谁保存着Zephyrine港的信？",
    "ja-Netherby": "Netherby港の手紙を保管しているのは誰ですか？",
}
FAKE: dict[str, Any] = {"name": "fake"}
SHORT: dict[str, Any] = {"name": "fake", "dimension": 96, "previous": FAKE}
STATIC: dict[str, Any] = {"name": "static"}


async def found(kb: AsyncRove, mode: str = "hybrid") -> dict[str, list[tuple[str, float]]]:
    """The first three hits of each question, with their scores."""
    return {
        name: [(hit.chunk.document_id, round(hit.score, 4)) for hit in await kb.search(question, top_k=3, mode=mode)]
        for name, question in QUESTIONS.items()
    }


async def finds_all(kb: AsyncRove) -> bool:
    """Whether the first hit of each question is the passage that answers it."""
    return all(hits[0][0] == name for name, hits in (await found(kb)).items())


async def fresh(
    folder: Path, embedder: dict[str, Any], texts: list[Text] = TEXTS
) -> dict[str, list[tuple[str, float]]]:
    """What a base finds by meaning that was made with this embedder."""
    async with AsyncRove.open(folder, embedder=embedder) as kb:
        await kb.add(texts)
        return await found(kb, "semantic")


def vectors_of(kb: AsyncRove) -> dict[str, list[int]]:
    """How long the vectors are that each table holds."""
    held: dict[str, list[int]] = {}
    columns = {
        "vectors": (tables.vectors.c.vector,),
        "facts": (tables.memory_facts.c.vector, tables.memory_facts.c.asked),
        "leads": (tables.memory_leads.c.asked,),
        "summaries": (summaries.c.vector,),
    }
    with kb.store.catalog.database.read() as connection:
        for name, some in columns.items():
            blobs = [blob for column in some for blob in connection.execute(select(column)).scalars()]
            held[name] = [len(vector_of(blob)) for blob in blobs]
    return held


def is_over(kb: AsyncRove) -> bool:
    """Whether nothing of the embedder before is left."""
    catalog = kb.store.catalog
    with catalog.database.read() as connection:
        used = set(connection.execute(select(tables.chunks.c.vector)).scalars())
        held = set(connection.execute(select(tables.vectors.c.seq)).scalars())
        left = connection.execute(select(tables.shallow.c.document)).first()
    return catalog.stand_in() is None and left is None and used == held and catalog.depth().share == 1
