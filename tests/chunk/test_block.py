"""Tables, images, code and formulas: found, captioned, chunks of their own kind, and whole rows under their header."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cpu_time import growth

from rove.chunk.block import find_blocks
from rove.chunk.caption import is_caption
from rove.chunk.cut import cut_document
from rove.chunk.split_table import head_of
from rove.records import Block, Document

Make = Callable[..., Document]
ROWS = "\n".join(f"| Stadt {n} | {n * 317} | {n * 11} |" for n in range(60))
TABLE = f"| Stadt | Fläche | Einwohner |\n|---|---|---|\n| | (km²) | (Tsd.) |\n{ROWS}"
WORDS = "Some words of prose stand here. " * 6
CODE = "```python\ndef f(x):\n    return x\n" + "\n".join(f"value_{n} = f({n})" for n in range(12)) + "\n```"


@pytest.mark.parametrize(
    ("caption", "kind"),
    [
        ("Table 3: Sales by year", "table"),
        ("**Tabelle 2.1** – Umsatz", "table"),
        ("Tab. IV. Umsatz", "table"),
        ("2. táblázat: A folyó vízállása", "table"),
        ("3.1. ábra. A folyó", "image"),
        ("Fig. 4: The river", "image"),
        ("Abbildung 7: Der Fluss", "image"),
        ("Abb. 7 Der Fluss im Mai", "image"),
        ("表1 各社の売上高", "table"),
        ("表 2-3：各公司销售额", "table"),
        ("図３　川の流れ", "image"),
        ("图 4 系统结构", "image"),
        ("Listing 2: The loop", "code"),
        ("リスト1：足し算", "code"),
        ("Equation 5: Energy", "formula"),
    ],
)
def test_captions_in_many_languages(caption: str, kind: str) -> None:
    assert is_caption(caption, kind)


@pytest.mark.parametrize(
    "prose",
    [
        "Table 3 shows the sales.",
        "Tables are fine.",
        "Tabelle 2 zeigt die Umsätze der Jahre.",
        "In Fig. 4 we see it.",
        "Codes of honour matter.",
        "表示する内容を選びます。",
        "图书馆在这里。",
        "A" * 400,
    ],
)
def test_prose_is_no_caption(prose: str) -> None:
    assert not any(is_caption(prose, kind) for kind in ("table", "image", "code", "formula"))


@pytest.mark.parametrize("strategy", ["sentence", "size", "outline", "parent", "paragraph"])
def test_blocks_are_chunks_of_their_own_kind_with_their_caption(make_document: Make, strategy: str) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = (
        f"{WORDS}\n\nTable 1: Values\n\n{table}\n\n{WORDS}\n\n![A map of the river](map.png)\n\nFigure 2: The river\n\n"
        f"{WORDS}\n\nListing 3: The loop\n\n{CODE}\n\n{WORDS}\n\nGleichung 4: Energie\n\n$$E = mc^2$$\n\n{WORDS}"
    )
    chunks = cut_document(make_document(text, "docx"), strategy=strategy)
    captions = {"table": "Table 1: Values", "image": "Figure 2: The river", "code": "Listing 3: The loop",
                "formula": "Gleichung 4: Energie"}  # fmt: skip
    found = {c.kind: c.metadata["caption"] for c in chunks if c.kind != "text"}
    assert found == captions
    assert all("caption" not in c.metadata for c in chunks if c.kind == "text")
    if strategy != "paragraph":  # there a caption is a paragraph, and a piece, like others
        assert next(c.text for c in chunks if c.kind == "table") == f"Table 1: Values\n\n{table}"
        assert next(c.text for c in chunks if c.kind == "image").endswith("Figure 2: The river")


@pytest.mark.parametrize("strategy", ["sentence", "size", "outline"])
def test_a_split_table_keeps_header_units_and_caption_in_every_piece(make_document: Make, strategy: str) -> None:
    text = f"# Städte\n\n{WORDS}\n\nTabelle 5: Städte\n\n{TABLE}\n\n{WORDS}"
    document = make_document(text, "docx", title="Atlas")
    pieces = [c for c in cut_document(document, strategy=strategy) if c.kind == "table"]
    assert len(pieces) > 3
    head = "| Stadt | Fläche | Einwohner |\n| | (km²) | (Tsd.) |"
    assert pieces[0].text.startswith("Tabelle 5: Städte\n\n| Stadt | Fläche")
    assert pieces[0].prefix == "Atlas > Städte"
    for piece in pieces[1:]:
        assert piece.prefix == f"Atlas > Städte\nTabelle 5: Städte\n{head}"
        assert all(line.startswith("| Stadt ") and line.endswith("|") for line in piece.text.splitlines())
    for piece in pieces:
        assert len(piece.text) <= 512
        assert piece.metadata["caption"] == "Tabelle 5: Städte"
        assert document.text[slice(*piece.span)] == piece.text
    assert "\n".join(p.text for p in pieces).endswith(TABLE[-200:])


def test_a_row_longer_than_the_size_is_cut_and_the_others_stay_whole(make_document: Make) -> None:
    long = "| x | " + "Wort " * 200 + "|"
    text = f"| k | v |\n|---|---|\n| a | 1 |\n{long}\n| b | 2 |"
    chunks = cut_document(make_document(text, "docx"), strategy="sentence", size_chars=200)
    assert all(len(c.text) <= 200 for c in chunks)
    assert chunks[0].text.endswith("| a | 1 |")
    assert chunks[-1].text == "| b | 2 |"
    assert {c.kind for c in chunks} == {"table"}


def test_a_wide_header_is_repeated_within_a_bound(make_document: Make) -> None:
    names = "|" + "|".join(f"Spalte {n}" for n in range(200)) + "|"
    text = f"{names}\n|{'-|' * 200}\n" + "\n".join("|" + "1|" * 200 for _ in range(9))
    chunks = cut_document(make_document(text, "xlsx"))
    heads = [c.prefix for c in chunks if c.prefix]
    assert heads
    assert all(len(h) <= 300 and h.startswith("|Spalte 0|") and h.endswith("|") for h in heads)


def test_an_empty_header_and_a_first_row_of_numbers_repeat_nothing() -> None:
    table = "|  |  |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    assert head_of(table, Block("table", (0, len(table))), table.index("| 3")) == ""
    table = "| a | b |\n|---|---|\n| 1 | kg |\n| 3 | 4 |"
    assert head_of(table, Block("table", (0, len(table))), table.index("| 3")) == "| a | b |"


def test_a_repeated_header_has_no_padding_and_no_link_targets() -> None:
    table = (
        "| [City](/wiki/City_(place))   | ![Flag](a.png) |  Size |\n|---|---|---|\n| Bonn | x | 3 |\n| Köln | y | 4 |"
    )
    assert head_of(table, Block("table", (0, len(table))), table.index("| Köln")) == "| City | Flag | Size |"


def test_what_the_loader_knows_of_a_block_wins(make_document: Make) -> None:
    text = "Before.\n\nThe annual sales\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nx = y\n\nAfter."
    start, end = text.index("| a"), text.index("\n\nx =")
    blocks = (Block("table", (start, end), "The annual sales"), Block("formula", (end + 2, end + 7), "Identity"))
    chunks = cut_document(make_document(text, "docx", blocks=blocks), strategy="sentence")
    assert [(c.kind, c.text.splitlines()[0], c.metadata.get("caption", "")) for c in chunks] == [
        ("text", "Before.", ""),
        ("table", "The annual sales", "The annual sales"),
        ("formula", "x = y", "Identity"),
        ("text", "After.", ""),
    ]
    assert chunks[2].prefix == "Identity", "a caption that stands elsewhere is indexed with its block"


def test_headings_and_lead_ins_go_with_their_block(make_document: Make) -> None:
    text = f"{WORDS}\n\n# Rates\n\nThe rates are:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{WORDS}"
    chunks = cut_document(make_document(text, "docx"), strategy="sentence")
    assert [c.kind for c in chunks] == ["text", "table", "text"]
    assert chunks[1].text.startswith("# Rates\n\nThe rates are:\n\n| a")
    assert chunks[1].headings == ("Rates",)
    assert "caption" not in chunks[1].metadata


def test_short_code_and_images_that_say_nothing_stay_in_the_prose(make_document: Make) -> None:
    text = f"Run this.\n\n```\nls\n```\n\n![](a.png)\n\n{WORDS}"
    assert [c.kind for c in cut_document(make_document(text, "docx"), strategy="sentence")] == ["text"]
    assert [b.kind for b in find_blocks(make_document(text)).blocks] == ["code", "image"]


def test_nothing_within_a_fence_is_a_block_of_its_own(make_document: Make) -> None:
    text = "~~~\n| a |\n|---|\n$$x$$\n![a](b)\n~~~\n\n$$\na\n$$\n\n```x``` | y"
    assert [b.kind for b in find_blocks(make_document(text)).blocks] == ["code", "formula"]


@pytest.mark.parametrize(
    "unit", ["|a|\n|-|\n|1|\n\n", "$$", "![a](b)\n\n", "```\nx\n```\n", "Table 1: a\n\n", "# h\n\n", "|a|\n|-|\n"]
)
def test_cost_is_linear_in_hostile_text(unit: str) -> None:
    assert growth(lambda count: cut_document(Document("d", "s", "text", unit * count)), 2_000, 16_000) < 24


def test_a_row_that_is_longer_than_a_piece_is_cut_between_cells_and_says_its_key(make_document: Make) -> None:
    names = ["Jegy", "Ügyfél", "Hiba", "Javítás", "Felelős"]
    rows = [[f"T-{n}", f"Ügyfél {n}", f"hiba {n} " * 20, f"csere {n} " * 20, f"Kis {n}"] for n in range(6)]
    lines = ["| " + " | ".join(row) + " |" for row in (names, ["---"] * 5, *rows)]
    text = "\n".join(lines)
    chunks = cut_document(make_document(text, "csv"), size_chars=200)
    assert {at for chunk in chunks for at in range(*chunk.span)} >= {
        at for at, sign in enumerate(text) if not sign.isspace()
    }
    owner = next(chunk for chunk in chunks if "Kis 4" in chunk.text)
    assert "T-4" in owner.prefix + owner.text
    assert "Felelős" in owner.prefix
    assert all("T-3" in c.prefix + c.text for c in chunks if "csere 3" in c.text)
