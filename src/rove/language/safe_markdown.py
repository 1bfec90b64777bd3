"""Words of documents and models in a file of Markdown for people: none of it becomes HTML, a picture or a trap.

`literal` is for words that are shown as they stand, `safe_markdown` for text that keeps its layout. What two viewers
could read differently is made plain. The page has the same in safe_markdown.js.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

_OPEN = r"<(?![\s\d=]|\Z)"  # "a < b" stays
_SIGN = re.compile(rf"{_OPEN}|&(?=#?\w+;)|(?<=\])\(|[\\`*\[\]~|]|(?<!\w)_|_(?!\w)")
_START = re.compile(r"(\d{1,9})[.)](?=\s|\Z)|(?:>|(?:#{1,6}|[-+]+|=+)(?=\s|\Z))")
_CODED = {"<": "&lt;", "&": "&amp;"}
_FENCE = re.compile(r"( *)(`{3,}|~{3,})[ \t]*([^`\n]*)")
_INFO = re.compile(r"[\w+#.-]*")
_CONTAINER = re.compile(r"[ \t]*(?:[-+*>]|\d{1,9}[.)])")
_UNDERLINE = re.compile(r"([ \t>]*+)((?:=+|-+)[ \t]*+)\Z")
_HEADING = re.compile(r"((?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*+)(#{1,6})(?=[ \t]|\Z)")
_MARKED = re.compile(rf"\\[!-/:-@\[-`{{-~]|`+|~{{3,}}|!\[|\]\((?!(?i:https?://|mailto:))|\]:|{_OPEN}")
_MADE_PLAIN = {"![": "!\\[", "](": "]\\(", "]:": "]\\:", "<": "&lt;", "\\<": "&lt;"}
_DEEPEST = 3  # blanks before a fence that is in no list
_DEMOTED = 2  # an answer stands under headings of two levels
_RUN = re.compile("`+")
_PIPE = re.compile(r"(?<!\\)\|")


def literal(text: str) -> str:
    r"""Write words on one line, so that Markdown shows them as they stand.

    >>> print(literal("<img src=x> [x](javascript:a) # 2*3 a < b"))
    &lt;img src=x> \[x\]\(javascript:a) # 2\*3 a < b
    """
    line = _SIGN.sub(
        lambda found: _CODED.get(found[0], f"\\{found[0]}"), " ".join(text.replace("\0", "\ufffd").split())
    )
    if found := _START.match(line):
        at = len(found[1] or "")
        return f"{line[:at]}\\{line[at:]}"
    return line


def fence_code(code: str, info: str = "") -> str:
    """Write code in a fence that nothing in it closes."""
    fence = "`" * max(3, 1 + max((len(run) for run in _RUN.findall(code)), default=0))
    return f"{fence}{info}\n{code}\n{fence}"


def safe_markdown(text: str) -> str:
    r"""Write Markdown with its layout and its code, and nothing that acts: its headings stand below those around it.

    HTML is shown as text. Links lead to http, https and mailto, or are text; so are pictures. Fences are closed.

    >>> print(safe_markdown("# A\n<b>`<c>` [x](file:///a) [y](https://a.org) ![](http://t.io/x)"))
    ### A
    &lt;b>`<c>` [x]\(file:///a) [y](https://a.org) !\[](http://t.io/x)
    """
    return "\n".join(
        _safe_markdown_lines(text.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    )


def _safe_markdown_lines(lines: list[str]) -> Iterator[str]:
    at, above, nested = 0, "", False
    while at < len(lines):
        line = lines[at]
        if end := _fence_end(lines, at, nested=nested):
            yield from _safe_fence_lines(lines[at:end])
        elif not above.strip() and not nested and (end := _end_of_indented_code(lines, at)):
            yield fence_code("\n".join(one.expandtabs(4)[4:] for one in lines[at:end]))
        else:
            nested = _is_nested(line, above, nested=nested)
            yield _safe_markdown_line(line, above)
            end = at + 1
        above, at = lines[end - 1], end


def _is_nested(line: str, above: str, *, nested: bool) -> bool:
    """Say whether what is indented below a line may belong to a list or a quote."""
    if _CONTAINER.match(line):
        return True
    return nested and not (line and not line[0].isspace() and not above.strip())


def _fence_end(lines: list[str], at: int, *, nested: bool) -> int:
    """Return the end of the fence that begins here; 0 where none does, or some viewer could see none."""
    opened = _FENCE.fullmatch(lines[at])
    if not opened or (len(opened[1]) > _DEEPEST and not nested):
        return 0
    margin, fence = opened[1], opened[2]
    for place in range(at + 1, len(lines)):
        line = lines[place]
        if _can_close_fence(line, margin, fence):
            return place + 1
        if margin and (fence[0] == "~" or "```" in line or (line.strip() and not line.startswith(margin))):
            return 0
    return 0 if margin else len(lines)


def _can_close_fence(line: str, margin: str, fence: str) -> bool:
    run = line.strip(" \t")
    at = len(line) - len(line.lstrip(" "))
    placed = at == len(margin) if margin else at <= _DEEPEST
    return placed and line.startswith(fence, at) and run == fence[0] * len(run)


def _safe_fence_lines(lines: list[str]) -> Iterator[str]:
    opened = _FENCE.fullmatch(lines[0])
    assert opened
    info = opened[3].split(" ")[0]
    yield f"{opened[1]}{opened[2]}{info if _INFO.fullmatch(info) else ''}"
    yield from lines[1:]
    if len(lines) == 1 or not _can_close_fence(lines[-1], opened[1], opened[2]):
        yield opened[2]


def _end_of_indented_code(lines: list[str], at: int) -> int:
    """Return the end of the code that is indented from here; 0 where there is none."""
    end = 0
    for place in range(at, len(lines)):
        if lines[place].strip():
            if not lines[place].expandtabs(4).startswith("    "):
                break
            end = place + 1
        elif not end:
            break
    return end


def _safe_markdown_line(line: str, above: str) -> str:
    if above.strip() and (found := _UNDERLINE.match(line)):
        return f"{found[1]}\\{found[2]}"
    if found := _HEADING.match(line):
        line = f"{found[1]}{'#' * min(6, len(found[2]) + _DEMOTED)}{line[found.end() :]}"
    return _safe_inline_markdown(line)


def _safe_inline_markdown(line: str, *, torn: bool = False) -> str:
    """Write a line; backticks that enclose no code on it are text. `torn`: as a row of a table, code could be cut."""
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in _RUN.finditer(line):
        runs[len(run[0])].append(run.start())
    out: list[str] = []
    at = 0
    while found := _MARKED.search(line, at):
        out.append(line[at : found.start()])
        sign, at = found[0], found.end()
        if sign[0] not in "`~":
            out.append(_MADE_PLAIN.get(sign, sign))
            continue
        places = runs[len(sign)] if sign[0] == "`" else []
        nearest = bisect_right(places, found.start())
        code = line[at : places[nearest]] if nearest < len(places) else ""
        if not torn and _PIPE.search(code):
            return _safe_inline_markdown(line, torn=True)
        if code and not (torn and _MARKED.search(code)):
            at += len(code) + len(sign)
            out.append(f"{sign}{code}{sign}")
        else:
            out.append(f"\\{sign[0]}" * len(sign))
    return "".join(out) + line[at:]
