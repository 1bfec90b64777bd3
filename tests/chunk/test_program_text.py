from __future__ import annotations

import pytest

from rove.chunk import CutSettings
from rove.chunk.cut import cut_by
from rove.records import Document

UNITS = {
    "py": (
        "@cached\ndef area_{n}(a, b):\n    # about {n}\n    if a:\n\n        return a * {n}\n    return None\n",
        "@cached",
    ),
    "js": ("function area{n}(a) {{\n  if (a) {{\n    return a * {n};\n  }}\n\n  return 0;\n}}\n", "function"),
    "go": (
        "// Area{n} multiplies.\nfunc Area{n}(a int) int {{\n\tif a > 0 {{\n\t\treturn a * {n}\n\t}}\n\treturn 0\n}}\n",
        "//",
    ),
    "rb": ("def area_{n}(a)\n  if a\n    a * {n}\n  else\n    0\n  end\nend\n", "def"),
    "yaml": ("service_{n}:\n  image: area:{n}\n  ports:\n    - {n}\n  env:\n    A: {n}\n", "service"),
    "c": ("static int\narea_{n}(int a)\n{{\n    if (a)\n        return a * {n};\n    return 0;\n}}\n", "static"),
}


@pytest.mark.parametrize("language", UNITS)
@pytest.mark.parametrize("fenced", [False, True])
def test_each_piece_begins_at_a_unit(language: str, fenced: bool) -> None:
    unit, head = UNITS[language]
    text = "\n".join(unit.format(n=n) for n in range(40))
    if fenced:
        text = f"```{language}\n{text}\n```\n"
    document = Document("d", "s", "markdown" if fenced else "text", text)
    chunks = cut_by("sentence", document, CutSettings(size_chars=400, overlap_chars=50))
    assert len(chunks) > 5
    assert all(chunk.text.startswith(head) for chunk in chunks[1:])
    assert all(len(chunk.text) <= 400 for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


def test_a_class_that_is_too_long_is_cut_between_its_methods() -> None:
    method = "    def method_{n}(self):\n        if self.on:\n            return {n}\n        return 0\n"
    text = "class Lamp:\n    on = True\n\n" + "\n".join(method.format(n=n) for n in range(30))
    chunks = cut_by("sentence", Document("d", "s", "text", text), CutSettings(size_chars=400, overlap_chars=50))
    assert len(chunks) > 5
    assert all(chunk.text.startswith("def method_") for chunk in chunks[1:])


def test_sentences_that_are_set_in_are_no_program() -> None:
    text = "\n".join(f"    The {n}th day was fair, and nobody went out." for n in range(60))
    chunks = cut_by("sentence", Document("d", "s", "text", text), CutSettings(size_chars=400, overlap_chars=0))
    assert all(chunk.text.endswith("out.") for chunk in chunks)
