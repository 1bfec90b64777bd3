"""Parents are read in place of what was found, and the head of a split table is shown above its piece."""

from __future__ import annotations

from rove.answer.answerer import Answerer
from rove.answer.cite import check_citation
from rove.answer.gate import GateVerdict
from rove.answer.pack import pack
from rove.answer.passages import page_of, read_parents, table_head
from rove.chunk.cut import cut_document
from rove.events import ignore
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Chunk, Document, Hit, Place
from rove.settings import AnswerSettings
from scripted_chat import verified

PASSES = GateVerdict(passes=True)
TEXT = "\n\n".join(
    f"Paragraph {n} is about subject {n}. The rate of subject {n} is {n * 7} percent. It was set in 19{n:02}."
    for n in range(40)
)
DOCUMENT = Document("d", "d.pdf", "pdf", TEXT, title="Rates", language="en")
ROWS = "\n".join(f"| Stadt {n} | {n * 317} | {n * 11} |" for n in range(40))
TABLE = f"Tabelle 5: Städte\n\n| Stadt | Fläche | Einwohner |\n|---|---|---|\n| | (km²) | (Tsd.) |\n{ROWS}"


async def text_of(document_id: str) -> str:
    return {"d": TEXT, "t": TABLE}[document_id]


def hits(*chunks: Chunk) -> list[Hit]:
    return [Hit(c, 1.0 / n, {"keyword": Place(n, 1.0)}, uri="u", title="Rates") for n, c in enumerate(chunks, 1)]


async def test_the_parent_is_read_once_and_keeps_the_place_of_its_best_chunk() -> None:
    chunks = cut_document(DOCUMENT, strategy="parent", size_chars=200, overlap_chars=0)
    children = [c for c in chunks if c.parent == chunks[0].parent]
    other = next(c for c in chunks if c.parent != chunks[0].parent)
    read = await read_parents(hits(children[1], other, children[0], children[2]), text_of)
    assert len(read) == 2
    assert [h.chunk.chunk_id for h in read] == [children[1].chunk_id, other.chunk_id]
    for hit in read:
        start, end = hit.chunk.span
        assert TEXT[start:end] == hit.chunk.text
        assert len(hit.chunk.text) > 400
    assert read[0].chunk.span == children[0].parent
    assert read[0].sources == {"keyword": Place(1, 1.0)}


async def test_overlapping_parents_become_one_and_bridge_two() -> None:
    spans = [((0, 50), (0, 300)), ((700, 750), (600, 900)), ((310, 340), (250, 650))]
    found = [Chunk(str(n), "d", TEXT[a:b], (a, b), n, parent=parent) for n, ((a, b), parent) in enumerate(spans)]
    read = await read_parents(hits(*found), text_of)
    assert [h.chunk.span for h in read] == [(0, 900)]
    elsewhere = Chunk("x", "t", TABLE[:40], (0, 40), 0)
    assert len(await read_parents(hits(found[0], elsewhere), text_of)) == 2


async def test_chunks_without_parents_are_read_as_they_are_though_they_overlap() -> None:
    found = [Chunk(str(n), "d", TEXT[a : a + 100], (a, a + 100), n) for n, a in enumerate((0, 80, 160))]
    assert list(await read_parents(hits(*found), text_of)) == hits(*found)


def test_a_page_is_named_only_where_it_is_known() -> None:
    child = Chunk("c", "d", TEXT[100:200], (100, 200), 0, page=7, parent=(0, 800))
    assert page_of(child, 150) == 7
    parent = Chunk("c", "d", TEXT[:800], (0, 800), 0, page=7, parent=(100, 200))
    assert (page_of(parent, 150), page_of(parent, 50), page_of(parent, 700)) == (7, None, None)


async def test_answers_cite_exact_words_of_the_parent() -> None:
    chunks = cut_document(DOCUMENT, strategy="parent", size_chars=60, overlap_chars=0)
    found = next(c for c in chunks if "Paragraph 9" in c.text)
    assert "63 percent" not in found.text
    for model in (None, FakeChatModel(references=1)):
        answerer = Answerer(FakeEmbedder(), model, AnswerSettings())
        answer = await answerer.answer(
            "What is the rate of subject 9?", hits(found), PASSES, language="en", text_of=text_of, listener=ignore
        )
        assert not answer.refused
        assert answer.hits[0].chunk.span == found.parent
        assert all(check_citation(citation, TEXT) for citation in answer.citations)
    quoted = await Answerer(FakeEmbedder(), None, AnswerSettings()).answer(
        "What is the rate of subject 9?", hits(found), PASSES, language="en", text_of=text_of, listener=ignore
    )
    assert "The rate of subject 9 is 63 percent." in quoted.text


def table_pieces() -> list[Chunk]:
    return cut_document(Document("t", "t.xlsx", "xlsx", TABLE, title="Atlas", language="de"), size_chars=300)


def test_a_piece_of_a_split_table_is_packed_under_its_head() -> None:
    pieces = table_pieces()
    assert len(pieces) > 2
    head = "Tabelle 5: Städte\n| Stadt | Fläche | Einwohner |\n| | (km²) | (Tsd.) |"
    assert [table_head(p) for p in pieces] == ["", *[head] * (len(pieces) - 1)]
    prompt = pack("Wie groß ist Stadt 20?", hits(pieces[2]), "de")
    assert f"⟦1\n{head}\n{pieces[2].text}\n1⟧" in prompt
    assert table_head(Chunk("c", "d", "x", (0, 1), 0, prefix="| a |")) == ""


async def test_a_copied_table_with_its_repeated_header_is_cited() -> None:
    piece = table_pieces()[2]
    row = piece.text.splitlines()[1]
    reply = f"| Stadt | Fläche | Einwohner |\n|---|---|---|\n{row}\n\n[1]"
    left = await verified(reply.replace("\n\n[1]", " [1]"), hits(piece), "de", text_of, FakeEmbedder())
    assert left.holds
    (citation,) = left.sentences[0].citations
    assert citation.quote == row
    assert check_citation(citation, TABLE)
    wrong = "| Stadt | Fläche | Einwohner |\n|---|---|---|\n| Stadt 99 | 1 | 2 | [1]"
    assert not (await verified(wrong, hits(piece), "de", text_of, FakeEmbedder())).holds
