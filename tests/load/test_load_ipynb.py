from __future__ import annotations

import json
from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, source
from load.samples_data import notebook
from rove.errors import InputError
from rove.load.discover import load_documents, locate, read_place
from rove.records import Document


def load(text: str) -> Document:
    [document] = load_documents(source("ipynb", text.encode()))
    return document


def test_cells_and_outputs() -> None:
    document = load(notebook())
    assert document.text == (
        f"# Gyűjtemény 文集\n\n{PARAGRAPHS['hu']}\n\n```python\n# no heading\nprint(1)\n```\n\n```\n1\n```\n\n"
        "![output](output)\n\n```\nValueError: schlecht\n```\n"
    )
    assert document.title == "Gyűjtemény 文集"
    assert [s.title for s in document.sections] == ["Gyűjtemény 文集"]


def test_tables_formulas_and_long_logs() -> None:
    page = "<table><tr><th>név</th><th>db</th></tr><tr><td>kör</td><td>3</td></tr></table>"
    outputs = [
        {"output_type": "execute_result", "data": {"text/html": page, "text/plain": "x"}},
        {"output_type": "execute_result", "data": {"text/latex": "$a^2$", "text/plain": "x"}},
        {"output_type": "stream", "text": "y" * 50_000},
    ]
    text = load(json.dumps({"cells": [{"cell_type": "code", "source": "", "outputs": outputs}]})).text
    assert "| név | db |\n| --- | --- |\n| kör | 3 |" in text
    assert "$$\na^2\n$$" in text
    assert "(30000 characters more)" in text


def test_version_3() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Ősz"}, {"cell_type": "code", "input": "x", "outputs": []}]
    assert load(json.dumps({"worksheets": [{"cells": cells}]})).text == "## Ősz\n\n```\nx\n```\n"


def test_pictures_in_the_text_keep_no_bytes() -> None:
    cell = {"cell_type": "markdown", "source": "![kép](data:image/png;base64,AAAA) ![b](attachment:b.png)"}
    assert load(json.dumps({"cells": [cell]})).text == "![kép](picture) ![b](picture)\n"


@pytest.mark.data
def test_a_real_notebook(shared_data: Path) -> None:
    path = shared_data / "files/markitdown/packages/markitdown/tests/test_files/test_notebook.ipynb"
    [document] = load_documents(read_place(locate([path])[0]))
    assert '```python\nprint("markitdown")\n```\n\n```\nmarkitdown\n```' in document.text
    assert document.title == "Test Notebook Title"


@pytest.mark.parametrize("text", ['{"a": 1}', "[]", '{"cells": 7}', '{"cells": [1, null, {"source": {}}]}'])
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        load(text)
