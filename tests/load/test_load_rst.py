from __future__ import annotations

import pytest

from load.samples import PARAGRAPHS, source
from load.samples_data import rst_text
from rove.errors import InputError
from rove.load.discover import load_documents
from rove.records import Document


def load(text: str) -> Document:
    [document] = load_documents(source("rst", text.encode()))
    return document


def test_headings_and_paragraphs() -> None:
    document = load(rst_text())
    assert document.title == "Gyűjtemény 文集"
    assert [(s.title, s.level) for s in document.sections][1:] == [(f"Teil {code}", 2) for code in PARAGRAPHS]
    assert document.text.endswith("```sh\n# no heading\n```\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See :func:`~os.path.join` and :ref:`hier <x>`.", "See `join` and hier."),
        ("A `link <https://x.org>`_ and https://y.org.", "A [link](https://x.org) and https://y.org."),
        ("So [1]_.\n\n.. [1] Fuß.", "So [^1].\n\n[^1]: Fuß."),
        (".. |s| replace:: őszi\n\nAz |s| szél, :math:`a^2`.", "Az őszi szél, $a^2$."),
        (".. note:: 注意", "> Note: 注意"),
        (".. versionadded:: 3.2\n   The *thing*.", "Versionadded 3.2: The *thing*."),
        (".. py:function:: f(x)\n   :noindex:\n\n   Tut es.", "`f(x)`\n\nTut es."),
        (".. code-block:: python\n   :caption: C\n\n   # x", "```python\n# x\n```"),
        (".. math:: e = mc^2", "$$\ne = mc^2\n$$"),
        (".. figure:: x.png\n   :alt: kép\n\n   Ez az.", "![kép](x.png)\n\nEz az."),
        ("- a\n\n  - b\n\n1. c", "- a\n  - b\n\n1. c"),
        ("szó\n  jelentés", "**szó**\n\njelentés"),
    ],
)
def test_marks(text: str, expected: str) -> None:
    assert load(text).text == expected + "\n"


def test_tables_keep_their_caption() -> None:
    document = load(
        "Text.\n\n.. list-table:: Städte\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 日本\n"
    )
    assert document.text == "Text.\n\nStädte\n\n| A | B |\n| --- | --- |\n| 1 | 日本 |\n"
    [block] = document.blocks
    assert (block.kind, block.caption) == ("table", "Städte")
    assert document.text[slice(*block.span)].startswith("| A | B |")


@pytest.mark.parametrize(
    "directive",
    [
        ".. include:: /etc/passwd",
        ".. literalinclude:: /etc/passwd",
        ".. raw:: html\n   :file: /etc/passwd",
        ".. csv-table:: x\n   :file: /etc/passwd",
        ".. raw:: html\n\n   <b>root:</b>",
    ],
)
def test_no_file_is_included(directive: str) -> None:
    assert load(f"before\n\n{directive}\n\nafter\n").text == "before\n\nafter\n"


def test_what_takes_docutils_too_long_is_refused() -> None:
    nested = "".join(f".. |s{n}| replace:: {f'|s{n + 1}| ' * 10}\n" for n in range(9)) + ".. |s9| replace:: x\n"
    wide = "=" * 20_000
    for text in (f"|s0|\n\n{nested}", f"{wide}\nx\n{wide}\n", f"+{'-+' * 10_000}\n|{' |' * 10_000}\n"):
        with pytest.raises(InputError) as caught:
            load(text)
        assert caught.value.outcome == "too-large"
