"""Code in HTML as a fence: its text as it stands, and the language that the page gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.load.html.parts import TextPart
from rove.load.html.tree import HtmlNode
from rove.load.text import clean

CODE_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight(?:-source)?|brush:|sourceCode)[-\s]?([A-Za-z][\w+#-]*)")
NO_LANGUAGE = {"default", "none", "text", "plain", "plaintext", "notranslate", "highlight"}


def code_block(node: HtmlNode) -> TextPart:
    """Return a <pre> between fences, with the language that the page calls it."""
    for line_break in node.iter("br"):
        line_break.tail = "\n" + (line_break.tail or "")
    text = clean("".join(node.itertext())).strip("\n").expandtabs(8)
    marks = max((len(found) for found in re.findall("`{3,}", text)), default=2) + 1
    fence = "`" * max(3, marks)
    return TextPart(f"{fence}{_code_block_language(node)}\n{text.rstrip()}\n{fence}" if text.strip() else "", "code")


def around(node: HtmlNode) -> Iterator[HtmlNode]:
    """Yield `node` and the few elements around it."""
    for _ in range(4):
        yield node
        parent = node.getparent()
        if parent is None:
            return
        node = parent


def _code_block_language(node: HtmlNode) -> str:
    """Return what a <pre>, the <code> in it or the elements around it call the language of the code, else ""."""
    inner = node.find("code")
    for place in ([inner] if inner is not None else []) + list(around(node)):
        named = place.get("data-lang") or place.get("data-language")
        found = CODE_LANGUAGE.search(place.get("class"))
        language = (named or (found[1] if found else "")).lower()
        if language and language not in NO_LANGUAGE:
            return language
    return ""
