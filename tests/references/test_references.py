"""What texts refer to, in several languages, and where it leads: within the document, and to others of the base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rove import AsyncRove, Text, field
from rove.records import Document, Page, Section
from rove.records.walk_events import FactFound, LeadDropped, LeadFollowed, LeadFound
from rove.references.places_within import spot_within
from rove.references.targets import ReferenceTargets
from rove.references.text_references import heading_number, references


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("See Section 4.2 and chapter IV.", [("section", "4.2"), ("chapter", "4")]),
        ("as laid down in Annex C, § 12 and Art. 7", [("appendix", "C"), ("section", "12"), ("article", "7")]),
        (
            "Siehe Abschnitt 4.2; vgl. Kapitel 3 und Anhang B.",
            [("section", "4.2"), ("chapter", "3"), ("appendix", "B")],
        ),
        ("lásd a 3. fejezetet és a 4.2. szakaszt", [("chapter", "3"), ("section", "4.2")]),
        ("参见第三章和第十二节，见表3。", [("chapter", "3"), ("section", "12"), ("table", "3")]),
        ("第4節を参照。図２のとおり。", [("section", "4"), ("figure", "2")]),
        ("véase la sección 5.1", [("section", "5.1")]),
        ("см. раздел 4", [("section", "4")]),
        (
            "on page 12, S. 14, a 15. oldalon, 第16页, 17ページ",
            [("", "12"), ("", "14"), ("", "15"), ("", "16"), ("", "17")],
        ),
        ("One sections off the part, at 4 p.m. in 2024.", []),
        ("Section\n\nA new paragraph begins. §\nB", []),
        ("Addig napi kártyát kap. A második kártya 3000 forint.", []),
        ("See sec. A, chap. B.", [("section", "A"), ("chapter", "B")]),
    ],
)
def test_numbered_references_and_pages(text: str, wanted: list[tuple[str, str]]) -> None:
    found = [one for one in references(text) if one.kind in {"reference", "page"}]
    assert [(one.unit, one.target) for one in found] == wanted
    assert all(text[slice(*one.span)].strip() == one.label for one in found)


@pytest.mark.parametrize(
    ("text", "kind", "target"),
    [
        ("Read [the guide](../guide.md#rto) first.", "link", "../guide.md#rto"),
        ("Read https://example.org/a.", "link", "https://example.org/a"),
        ("It costs 5.[^2]", "footnote", "2"),
        ("価格は税込みです（注3）。", "footnote", "注3"),
        ("see “Travel policy”", "section", "Travel policy"),
        ("siehe „Reisekosten“", "section", "Reisekosten"),
        ("参见《报销办法》。", "section", "报销办法"),
        ("「経費規程」を参照してください。", "section", "経費規程"),
        ("lásd még: Utazási szabályzat.", "section", "Utazási szabályzat"),
    ],
)
def test_links_footnotes_and_names(text: str, kind: str, target: str) -> None:
    assert [(one.kind, one.target) for one in references(text)] == [(kind, target)]


def test_what_is_no_reference_is_none() -> None:
    assert references("![a picture](pic.png) [mail](mailto:a@b.c)\n[^1]: The note itself.") == []


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("## 4.2. Hotels", ("", "4.2")),
        ("Kapitel IV: Reisen", ("chapter", "4")),
        ("3. fejezet", ("chapter", "3")),
        ("第十章 附则", ("chapter", "10")),
        ("附录B 表格", ("appendix", "B")),
        ("三、总则", ("", "3")),
        ("2024 in review", ("", "2024")),
        ("Introduction", ("", "")),
    ],
)
def test_numbers_of_headings(title: str, wanted: tuple[str, str]) -> None:
    assert heading_number(title) == wanted


def _document() -> Document:
    text = (
        "# 1 Scope\nAll.[^1]\n# 2 Pay\nMonthly, see section 3.\n## 2.1 Bonus\nTable 7: Rates\nx\n\n"
        "[^1]: But not pilots.\n"
    )
    starts = [text.index(title) - 2 for title in ("1 Scope", "2 Pay")]
    bonus = text.index("## 2.1")
    sections = (
        Section("1 Scope", 1, (starts[0], starts[1])),
        Section("2 Pay", 1, (starts[1], len(text))),
        Section("2.1 Bonus", 2, (bonus, len(text))),
    )
    pages = (Page(1, (0, starts[1])), Page(2, (starts[1], len(text))))
    return Document("d", "s", "markdown", text, sections=sections, pages=pages)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("see section 2.1", "## 2.1 Bonus"),
        ("see chapter 2", "# 2 Pay"),
        ("on page 2", "# 2 Pay"),
        ("All.[^1]", "[^1]: But not pilots."),
        ("see “Bonus”", "## 2.1 Bonus"),
        ("see Pay for more", "# 2 Pay"),
        ("in table 7", "Table 7: Rates"),
        ("see section 9", None),
        ("on page 9", None),
        ("[here](#bonus)", "## 2.1 Bonus"),
    ],
)
def test_places_within_a_document(text: str, begins: str | None) -> None:
    document = _document()
    spot = spot_within(references(text)[0], document)
    assert (spot is None) == (begins is None)
    if spot is not None and begins:
        assert document.text[slice(*spot.span)].lstrip("\n").startswith(begins)


async def test_a_walk_reads_what_a_source_refers_to_without_searching(tmp_path: Path) -> None:
    handbook = (
        "# 1 Leave\n\nSpecial leave is granted by the head, for the cases see section 3 and [the list](cases.md).\n\n"
        "# 2 Noise\n\nNothing here.\n\n# 3 Occasions\n\nWeddings give two days, moving house gives one.\n"
    )
    (tmp_path / "handbook.md").write_text(handbook, "utf-8")
    (tmp_path / "cases.md").write_text("# Jubilees\n\nTwenty years give three days.\n", "utf-8")
    walk = {"first_chunks": 1, "memory": False}
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, walk=walk) as kb:
        await kb.add(tmp_path / "handbook.md", tmp_path / "cases.md")
        events = [
            event async for event in kb.walk("Who grants special leave by the head, for which cases, and for weddings?")
        ]
        leads = {event.lead.text: event.lead for event in events if isinstance(event, LeadFound)}
        lead = leads["section 3 (3 Occasions)"]
        assert (lead.kind, handbook[slice(*lead.span)].split("\n")[0]) == ("reference", "# 3 Occasions")
        assert leads["the list (Jubilees)"].document_id != lead.document_id
        followed = {event.lead_id: event.chunks for event in events if isinstance(event, LeadFollowed)}
        assert followed[lead.lead_id] == 1


async def test_a_reference_to_what_the_base_lacks_is_dropped_with_the_reason(tmp_path: Path) -> None:
    text = "Travel by rail is paid by the office, see section 12 and https://elsewhere.example/x for the rates."
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}, walk={"memory": False}) as kb:
        await kb.add(Text(text, id="t"))
        events = [event async for event in kb.walk("Who pays travel by rail?")]
        dropped = [event for event in events if isinstance(event, LeadDropped)]
        assert {event.reason for event in dropped} == {"what it refers to is not in the base"}
        assert len(dropped) == 2
        assert [event for event in events if isinstance(event, FactFound)]


@pytest.mark.parametrize("reference", ["see “Night Shifts”", "see section 2.1", "see [the list](list.md)"])
@pytest.mark.parametrize("hidden", [True, False])
async def test_a_place_that_the_filter_hides_is_as_if_it_were_not_there(
    tmp_path: Path, reference: str, hidden: bool
) -> None:
    """And another of the same name that is seen is found behind it."""
    head = f"---\naccess: {'board' if hidden else 'staff'}\n---\n"
    files = {"night.md": "# Night Shifts", "bonus.md": "# 2.1 Bonus", "list.md": "# List"}
    for name, title in files.items():
        (tmp_path / name).write_text(f"{head}{title}\n\nTen per cent.\n", "utf-8")
    (tmp_path / "asks.md").write_text(f"# Pay\n\nPay rises at night, {reference}.\n", "utf-8")
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        await kb.add(*(tmp_path / name for name in (*files, "asks.md")))
        places = ReferenceTargets(kb.store, field("access") == "staff")
        (asks,) = await kb.named(tmp_path / "asks.md")
        document = await places.document(asks.document_id)
        assert document
        (asked,) = references(document.text)
        assert ((await places.spots([(asked, document)]))[0] is None) == hidden
        if hidden and asked.unit == "quoted":
            await kb.add(Text("Twelve.", id="seen", title="Night Shifts", metadata={"access": "staff"}))
            (spot,) = await places.spots([(asked, document)])
            assert spot
            assert spot.document_id == "seen"


@pytest.mark.parametrize(("text", "named"), [("详见书", ""), ("详见经费规定", "经费规定"), ("参见《书》", "书")])
async def test_a_name_of_one_character_is_looked_for_in_quotation_marks_only(
    tmp_path: Path, text: str, named: str
) -> None:
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add([Text("甲", id=title, title=title) for title in ("第一", "书", "经费规定")])
        asked = [(one, Document("d", "s", "text", text)) for one in references(text)]
        found = [spot.document_id for spot in await ReferenceTargets(kb.store).spots(asked) if spot]
        assert asked
        assert found == [named] * bool(named)


@pytest.mark.data
async def test_sections_of_real_documents_are_found(shared_data: Path, tmp_path: Path) -> None:
    """The PostgreSQL documentation, a document for each page: "Section 9.7.3" leads to the heading of that number."""
    lines = (shared_data / "retrieval" / "pgdocs" / "corpus.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    chosen = [row for row in rows if str(row["title"])[:2] in {"9.", "5.", "4."}]
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add([Text(row["text"], id=row["id"], title=row["title"], kind="markdown") for row in chosen])
        places = ReferenceTargets(kb.store)
        right = wrong = lost = 0
        for row in chosen:
            document = await places.document(row["id"])
            asked = [
                (one, document)
                for one in references(document.text)
                if one.unit == "section" and one.target[:2] in {"9.", "5.", "4."}
            ]
            for (reference, _), spot in zip(asked, await places.spots(asked), strict=True):
                lost += spot is None
                right += spot is not None and heading_number(spot.title)[1] == reference.target
                wrong += spot is not None and heading_number(spot.title)[1] != reference.target
        assert right > 100
        assert wrong == 0
        assert lost <= right // 50
