"""Markdown for people with words of others in it: nothing acts in a viewer, code stays code, words stay to be read."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from markdown_viewers import acts
from rove.language.safe_markdown import fence_code, literal, safe_markdown

ATTACKS = (
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<!-- open", "<?php", "</div><svg/onload=a>",
    "a\n\n<div>\nx", "[x](javascript:alert(1))", "[x](\njavascript:a)", "[x](<JaVaScRiPt:a>)",
    "[x](&#106;avascript:a)", "[x][y]\n\n[y]: javascript:a", "[a\nb]: vbscript:x\n\n[a b]", "[x](file:///etc/passwd)",
    "![](http://tracker.example/x.png)", "![x][y]\n\n[y]: http://tracker.example/x",
    "[![](http://t.example/x)](https://a.org)",
    "\\![x](data:text/html,1)", "<javascript:alert(1)>", "\\\\<b>",
    "> - <b>", "```<b>|# ``1. ```\n| --- | --- |\n\t<b>", "| a |\n| --- |\n| <b> |", "| `a | ` <b> ` | b` |",
    "`` ` <b>", "~~~\n<b>",
    "- a\n  ```\n  <b>\n- c\n\n<b>", "a\n    ```\n    ``` <b>\n    ```", "```a`\n<b>",
    "```\n<b>\n        ```\n<b>", "> ```\n<b>\n```\n", "<b>`</b>`<i>",
    "# Forged\n\n## 2. Forged", "Forged\n===", "Forged\n---", "> Forged\n> ---", "- # Forged", "- Forged\n  ---",
)  # fmt: skip
HARMLESS = (
    "<https://onclick=alert(1)>", "\\<b>", "<\0script>", "`a\n<b> `c", "\\``<b>`", "- ~~~\n\nx", "- ```\n  <b>",
    "- a\n\n      <b>", "a\n    ```\n    <b>\n    ```",
)  # fmt: skip
"""Not active by CommonMark, but near to it."""
PIECES = st.sampled_from(
    ["`", "``", "```", "\n", "\n\n", "\n    ", "\n  ", "- ", "> ", "1. ", "<b>", "<img src=x>", "](javascript:a)", "[",
     "![", "](http://t.example)", "]: ", "\\", "~~~", "|", "\n| --- | --- |\n", "# ", "\n---\n", "a", " ", "\t",
     "*", "<"]
)  # fmt: skip


@pytest.mark.parametrize("attack", [*ATTACKS, *HARMLESS])
def test_nothing_acts(attack: str) -> None:
    assert acts(attack) or attack in HARMLESS
    assert not acts(safe_markdown(attack))
    assert not acts(f"“{literal(attack)}”")
    assert not acts(literal(attack))


@given(st.lists(PIECES, max_size=14).map("".join))
@example("```\n")
@settings(max_examples=300, deadline=None)
def test_nothing_acts_however_it_is_put_together(text: str) -> None:
    assert not acts(safe_markdown(text))
    assert not acts(literal(text))


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=150, deadline=None)
def test_literal_words_are_shown_as_they_stand(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(literal(text))
    shown = "".join(child.content for token in tokens for child in token.children or ())
    assert [token.type for token in tokens[1:-1]] == ["inline"] * bool(shown)
    assert shown == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "It is **so**, [1] see [here](https://a.org/x?a=1&b=2 \"A\") or [write](mailto:a@b.org). [2?]",
        "1. Do:\n   ```bash\n   cat <in >out\n   ```\n2. `<b>` and ``a ` <b>``.",
        "```html\n<script>x</script>\n[x](javascript:a)\n```\n\na < b and c > d",
        "| a | b |\n| --- | --- |\n| 1 | `<b>` |\n\n> quoted\n\n- item\n- item",
        "Write `a || b`, and `x -> y` in C:\\temp.",
        "### Third\n",
    ],
)  # fmt: skip
def test_layout_and_code_stay(text: str) -> None:
    assert safe_markdown(text) == text.replace("### Third", "##### Third")


def test_indented_code_stays_code_and_an_open_fence_is_closed() -> None:
    assert safe_markdown("So:\n\n    <b>\n\n\ti = 1\n\nend") == "So:\n\n```\n<b>\n\ni = 1\n```\n\nend"
    assert safe_markdown("~~~sh x\n<b>") == "~~~sh\n<b>\n~~~"
    assert fence_code("a\n```\n<b>", "sql") == "````sql\na\n```\n<b>\n````"
