"""Documents full of marks of markdown and of references, in five languages; and one text five times over."""

from __future__ import annotations

from rove import Text

QUESTIONS = {
    "en": ("Who has led the canteen since 2014?", "**[Ada Berg](/wiki/Ada_Berg)** has led the canteen since 2014.[^1]"),
    "de": ("Wer leitet die Bibliothek?", "Die Bibliothek leitet [Uwe Kranz](https://de.example/Kranz) seit *2015*.[7]"),
    "hu": ("Ki vezeti a könyvtárat?", "A könyvtárat **[Kis Éva](/wiki/Kis_Éva)** vezeti 2016 óta.[[3]](#cite_note-3)"),
    "zh": ("谁管理图书馆？", "图书馆由**[李明](/wiki/李明)**管理。[5]"),
    "ja": ("食堂は誰が運営していますか", "食堂は**[山田](/wiki/山田)**が2017年から運営している。[^2]"),
}
SAID = {
    "en": "Ada Berg has led the canteen since 2014.",
    "de": "Die Bibliothek leitet Uwe Kranz seit 2015.",
    "hu": "A könyvtárat Kis Éva vezeti 2016 óta.",
    "zh": "图书馆由李明管理。",
    "ja": "食堂は山田が2017年から運営している。",
}
TABLE = "## Gates\n\n| Gate | Opens |\n| --- | --- |\n| [North](/north) | at **7:30** |\n| South | at 8 |"
NOTICE = "The sauna of the harbour closes on Fridays at noon."
NAMES = {"en": "Ada Berg", "de": "Uwe Kranz", "hu": "Kis Éva", "zh": "李明", "ja": "山田"}
MARKS = ("](", "**", "[^", "| --- |", "## ", "cite_note")
DOCUMENTS = [
    *(Text(text, id=name, title=name, kind="markdown") for name, (_, text) in QUESTIONS.items()),
    Text(TABLE, id="gates", title="Gates", kind="markdown"),
    *(Text(f"{NOTICE}{' ' * n}", id=f"notice{n}", title=f"Notice {n}", metadata={"access": (label,)})
      for n, label in enumerate(("staff", "board", "staff", "board", "board"))),
]  # fmt: skip
