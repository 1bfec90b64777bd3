"""Trees of blocks: every run shows the characters of its span, whatever the text; windows join without a gap."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rove.language.block_tree import BlockNode, block_tree
from rove.language.block_window import window
from rove.language.rendering import render

DOCUMENTS = sorted((Path(__file__).parents[2] / "demo" / "documents").rglob("*.md"))
SIGNS = [
    "a", "b ", "*", "**", "_", "`", "``", "[", "]", "(", ")", "![", "](x.png)", "](/u v)", "](/u)", "\\", "\\|", "|",
    "| a | b |\n", "| --- | --- |\n", "\n", "\n\n", "  ", "    ", "\t", "- ", "1. ", "> ", "# ", "## T ##\n", "```\n",
    "~~~", "$$", "$x$", "&amp;", "&", "<b>", "</b>", "<br>", "<!-- c -->", "<div>\n", "<http://a.b>", "<a@b.c>", "[^1]",
    "[^1]: ", "[3]", "[[98]](#cite_note-98)", "漢字", "**漢**", "é", "😀", "---\n", "===\n", "x | y\n--- | ---\n",
    "\r\n", "\0", "&#35;", "__init__", "  \n", "\\\n", "[r]: /x\n", "[r]", "<script>", "</script>", "ß", "İ",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=30).map("".join)
KINDS = """# Kinds

1. One **bold *and* both**[^1]
2. Two, `code` and [a link](/x "t")
   - deep \\*not a star\\* &amp; so on

> quoted
> words

| City | Head |
| --- | --- |
| Oslo | *Ingrid* a \\| b |

```python
for x in y:
    pass
```

![A cat](cat.png)

$$a^2$$
"""


def runs_of(blocks: tuple[BlockNode, ...]) -> list[BlockNode]:
    return [run for block in blocks for run in block.runs()]


def shown(blocks: tuple[BlockNode, ...]) -> str:
    return "".join(run.text if run.kind == "text" else "\n" for run in runs_of(blocks))


def marked(blocks: tuple[BlockNode, ...], start: int, end: int) -> str:
    """What a page marks of a span: the runs that it meets, cut where each has its own characters."""
    out: list[str] = []
    for run in runs_of(blocks):
        (first, last), text = run.span, run.text
        if first < end and start < last:
            exact = len(text) == last - first
            out.append(text[max(0, start - first) : end - first] if exact else text)
    return "".join(out)


def bare(text: str) -> str:
    """A text without what layout adds or drops: blanks, bullets, numbers of lists."""
    return re.sub(r"[\s•>\0\ufffd]|\b\d+[.)]", "", text)


@given(text=TEXTS)
@settings(max_examples=600, deadline=None)
@example(text="| a \\| b | c |\n| --- | --- |\n| **d** | \\\\ |")
@example(text="```\n\r\n")
@example(text="- one\n\n      code\n\t- two")
@example(text="a | b\n--- | ---\n\\| | b")
def test_every_run_shows_the_characters_of_its_span(text: str) -> None:
    last = 0
    for run in runs_of(block_tree(text)):
        start, end = run.span
        assert last <= start <= end <= len(text), run
        last = end
        source = text[start:end]
        if run.kind != "text":
            continue
        if len(run.text) == end - start:
            blank = str.maketrans("\r\n\t\0", "   \ufffd")
            assert run.text.translate(blank) == source.translate(blank), run
        else:
            assert not run.text.strip() or run.text.replace("\\", "") in html.unescape(source).replace("\\", ""), run


@given(text=TEXTS, data=st.data())
@settings(max_examples=300, deadline=None)
def test_what_is_marked_of_a_span_is_what_is_shown_of_it(text: str, data: st.DataObject) -> None:
    """Marks that lie side by side show all there is, nothing twice but what stands for its span as a whole."""
    blocks = block_tree(text)
    cut = data.draw(st.integers(0, len(text)))
    whole = "".join(run.text for run in runs_of(blocks) if run.kind == "text")
    first, second = marked(blocks, 0, cut), marked(blocks, cut, len(text))
    atomic = [
        run.text
        for run in runs_of(blocks)
        if run.span[0] < cut < run.span[1] and len(run.text) != run.span[1] - run.span[0]
    ]
    empty = [run for run in runs_of(blocks) if run.span[0] == run.span[1]]
    twice = "".join(atomic)
    if not empty:
        assert first + second == whole or (twice and first.removesuffix(twice) + second == whole)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_it_shows_what_the_rendering_shows(path: Path) -> None:
    text = path.read_text("utf-8")
    assert bare(shown(block_tree(text))) == bare(render(text).text)


def test_a_span_across_marks_items_and_cells_is_marked_to_the_letter() -> None:
    blocks = block_tree(KINDS)
    start, end = KINDS.index("ld *and"), KINDS.index("de` and")
    assert marked(blocks, start, end) == "ld and bothTwo, co"
    start, end = KINDS.index("slo |"), KINDS.index("b |\n\n```")
    assert marked(blocks, start, end) == "sloIngrid a | "
    assert [block.kind for block in blocks] == [
        "heading", "numbered", "quote", "table", "code", "paragraph", "formula"
    ]  # fmt: skip
    assert blocks[3].headed
    assert blocks[1].children[1].children[-1].kind == "list"


def test_html_and_links_are_text_and_lead_nowhere() -> None:
    blocks = block_tree('See <script>x</script> <b onclick="y">bold</b> [go](javascript:z)')
    assert shown(blocks) == "See <script>x</script> bold go"
    (link,) = [node for block in blocks for node in block.children if node.kind == "link"]
    assert link.target == "javascript:z"


def test_windows_join_without_a_gap_and_repeat_the_header_of_a_long_table() -> None:
    rows = "\n".join(f"| r{n} | {n} |" for n in range(3_000))
    code = "\n\n".join(f"x{n} = {n}" for n in range(3_000))
    text = f"# Long\n\n| A | B |\n| --- | --- |\n{rows}\n\n```python\n{code}\n```\n\n{'word ' * 20_000}"
    at, numbers = 0, []
    while at < len(text):
        part = window(text, at, at + 5_000, exact="start")
        assert part.span[0] == at < part.span[1]
        for run in runs_of(part.blocks):
            assert run.text == text[slice(*run.span)] or run.kind != "text"
        if part.continues and part.blocks[0].kind == "table":
            assert [run.text for run in runs_of((part.blocks[0].children[0],))] == ["A", "B"]
            numbers.append((part.blocks[0].level, runs_of((part.blocks[0].children[1],))[0].text))
        if part.continues and part.blocks[0].kind == "code":
            assert "python" not in shown(part.blocks[:1])
        at = part.span[1]
    assert numbers
    assert all(text == f"r{level - 1}" for level, text in numbers)


@given(text=TEXTS, start=st.integers(-5, 80), size=st.integers(0, 80))
@settings(max_examples=200, deadline=None)
def test_any_window_holds_what_was_asked_for(text: str, start: int, size: int) -> None:
    part = window(text, start, start + size)
    assert 0 <= part.span[0] <= max(0, min(start, len(text)))
    assert min(len(text), start + size) <= part.span[1] <= len(text)
