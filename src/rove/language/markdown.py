"""The markdown of canonical texts, parsed by markdown-it-py with rules for what CommonMark does not know.

These are: marks of references and footnotes, formulas, rows of a table whose header was cut off, and emphasis between
Chinese or Japanese letters. What only looks like a mark of markdown ("2*3*4", `__init__`, a path that begins with two
backslashes) stays.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import east_asian_width

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

MARK, FORMULA = "mark", "formula"
"""Types of tokens beside those of markdown-it: a mark of a reference, which is not shown, and a formula."""

_LINKED = re.compile(
    r"(\[)?\[(\\?\[[^\[\]\n]{1,40}\]|[^\[\]\n]{1,40})\]"
    r"\(((?:[^()\s]|\([^()\s]*\))*+)(?:\s+\"[^\"\n]*\")?\)(?(1)\])"
)
_NOTE = re.compile(r"#(?:cite|fn|note|ref|_ftn|_edn|endnote|footnote)")
_ABOUT_THE_PAGE = re.compile(r"#|.*/wiki/[^/:]+:")  # Wikipedia:Citation_needed
_FOOTNOTE = re.compile(r"\[\^(?!\w-\w\])([^\[\]\s]{1,40})\](?![A-Za-z0-9*+?{(])")
_DEFINED = re.compile(r"\[\^[^\[\]\s]{1,40}\]:[ \t]*")
_NUMBER = re.compile(r"\[\d{1,3}\](?!\()")
_BEFORE_NUMBER = frozenset('.,;:!?…”’"»。．、，；：！？」』》）')
_INLINE_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$(?![\s$])[^$\n]*(?<![\s$])\$(?!\d)")
_DUNDER = re.compile(r"__[a-z][a-z0-9_]{0,60}__(?!\w)")
_RULE = re.compile(r"\|?[ \t:|]*-[ \t:|-]*")
_CELL = re.compile(r"(?<!\\)\|")
_OPERATOR = re.compile(r"[=+<>≤≥≈]")
_MOST_LINES = 200  # of a formula


class Parser(MarkdownIt):
    """Links keep their targets as they are written; whoever draws one decides what it may lead to."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002 - markdown-it-py calls it so
        """Take any."""
        return True

    def normalizeLink(self, url: str) -> str:
        """Return it as it is."""
        return url


def parse_markdown(text: str) -> list[Token]:
    """Return the tokens of a text. Rows of tables are "tr_open", with their cells as "inline" after them."""
    return _markdown_parser().parse(text)


@cache
def _markdown_parser() -> MarkdownIt:
    return with_rules(Parser("commonmark").enable("table"))


def with_rules(parser: MarkdownIt) -> MarkdownIt:
    """Give a parser of CommonMark the rules of this module."""
    block, inline = parser.block.ruler, parser.inline.ruler
    block.before("table", "rows", _pipe_table_rule, {"alt": ["paragraph", "reference"]})
    block.before("fence", "formula", _formula_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.at("reference", _link_reference_rule)
    inline.before("escape", "backslashes", _backslashes)
    inline.before("escape", "formula", _inline_formula_rule)
    inline.before("link", "mark", _reference_mark_rule)
    inline.at("emphasis", _emphasis)
    return parser


# -- blocks ------------------------------------------------------------------------------------------------------------


def _state_line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def _pipe_table_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take lines that begin with a pipe as rows of a table, whether the table's header is there or was cut off.

    The first and the last line of a text may be the rest of a row.
    """
    headed = start + 1 < end and all(_state_line(state, n).startswith("|") for n in (start, start + 1))
    headed = headed and bool(_RULE.fullmatch(_state_line(state, start + 1)))
    lines: list[str] = []
    for number in range(start, end):
        line = _state_line(state, number)
        row = line.startswith("|") if headed else _is_pipe_table_row(line) or _is_rest(state, number)
        if not row or state.sCount[number] < state.blkIndent or state.is_code_block(number):
            break
        lines.append(line)
    if lines and not silent:
        state.push("table_open", "table", 1).meta["headed"] = headed
        for number, line in enumerate(lines, start):
            if not _RULE.fullmatch(line):
                _push_table_row(state, line, number)
        state.push("table_close", "table", -1)
        state.line = start + len(lines)
    return bool(lines)


def _is_pipe_table_row(line: str) -> bool:
    """Say whether a line by itself is a row: it begins and ends with a pipe, and is no formula with |x| in it."""
    pipes = len(_CELL.findall(line)) if line.startswith("|") and line.endswith("|") else 0
    return pipes > 1 and (line.startswith("| ") or (pipes > 2 and not _OPERATOR.search(line)))


def _is_rest(state: StateBlock, number: int) -> bool:
    """Say whether the first or last line of a text is the rest of a row that was cut."""
    line = _state_line(state, number)
    if number == 0:
        return line.endswith(" |") and _is_pipe_table_row(_state_line(state, 1))
    return number == state.lineMax - 1 and line.startswith("| ") and _is_pipe_table_row(_state_line(state, number - 1))


def _push_table_row(state: StateBlock, line: str, number: int) -> None:
    """Take a row. Each cell notes where in the text it begins: `meta["at"]`."""
    state.push("tr_open", "tr", 1)
    at = state.bMarks[number] + state.tShift[number] + line.startswith("|")
    for cell in _CELL.split(line.removeprefix("|").removesuffix("|")):
        token = state.push("inline", "", 0)
        token.content, token.children, token.map = cell.strip().replace("\\|", "|"), [], [number, number + 1]
        token.meta["at"] = at + len(cell) - len(cell.lstrip())
        at += len(cell) + 1
    state.push("tr_close", "tr", -1)


def _formula_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Take what stands between lines with $$ as it is."""
    first = _state_line(state, start)
    if state.is_code_block(start) or not first.startswith("$$"):
        return False
    last = start if len(first) > 4 and first.endswith("$$") else start + 1
    end = min(end, start + _MOST_LINES)
    while last < end and not _state_line(state, last).endswith("$$"):
        last += 1
    if last >= end:
        return False
    if not silent:
        token = state.push(FORMULA, "", 0)
        token.block, token.content = True, "\n".join(_state_line(state, number) for number in range(start, last + 1))
        token.map = [start, last + 1]
        state.line = last + 1
    return True


def _link_reference_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Leave footnotes ("[^1]: …") to the text: they are no targets of links."""
    return not _state_line(state, start).startswith("[^") and reference(state, start, end, silent)


# -- within a line -----------------------------------------------------------------------------------------------------


def _backslashes(state: StateInline, silent: bool) -> bool:
    """Leave two backslashes as they are: they begin a path of Windows more often than they escape each other."""
    if not state.src.startswith("\\\\", state.pos):
        return False
    if not silent:
        state.pending += "\\\\"
    state.pos += 2
    return True


def _inline_formula_rule(state: StateInline, silent: bool) -> bool:
    found = _INLINE_FORMULA.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push(FORMULA, "", 0).content = found[0]
    state.pos = found.end()
    return True


def _reference_mark_rule(state: StateInline, silent: bool) -> bool:
    """Take the mark of a reference or footnote, which is not shown.

    A number in brackets alone is one only right behind a full stop or the like, or behind another mark: "x[1]",
    "see [1]" and the marks of an answer, which stand behind a blank, are text.
    """
    end = _mark_end(state)
    if not end:
        return False
    if not silent:
        state.push(MARK, "", 0)
    state.pos = end
    return True


def _mark_end(state: StateInline) -> int:
    """Return where the mark that begins here ends; 0 where none does."""
    source, at, most = state.src, state.pos, state.posMax
    if source[at] != "[":
        return 0
    before = source[at - 1] if at else "\n"
    if before == "\n" and (found := _DEFINED.match(source, at, most)):
        return found.end()
    if (found := _LINKED.match(source, at, most)) and _is_mark(found):
        return found.end()
    if found := _FOOTNOTE.match(source, at, most):
        return found.end() if found[1].isdecimal() or at == 0 or not before.isspace() else 0
    follows = not state.pending and bool(state.tokens) and state.tokens[-1].type == MARK
    found = _NUMBER.match(source, at, most) if follows or before in _BEFORE_NUMBER else None
    return found.end() if found else 0


def _is_mark(linked: re.Match[str]) -> bool:
    """Say whether a link is a mark: [[98]](#cite_note-98), [98](#fn98), [[citation needed](/wiki/Wikipedia:…)]."""
    outer, label, target = linked[1], linked[2], linked[3]
    if outer or label.endswith("]"):
        return bool(_ABOUT_THE_PAGE.match(target) or _NOTE.search(target))
    return label.removeprefix("^").isdecimal() and bool(_NOTE.search(target))


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Take marks of emphasis by CommonMark's rule, save for two cases.

    Beside a letter of full width (Chinese, Japanese) it is enough that no blank stands inside; within a word or number
    one star is a star, and so are two between digits. A name like __init__ is none.
    """
    sign = state.src[state.pos]
    if silent or sign not in "*_":
        return False
    if sign == "_" and (found := _DUNDER.match(state.src, state.pos)):
        state.pending += found[0]
        state.pos = found.end()
        return True
    run = state.scanDelims(state.pos, sign == "*")
    opens, closes = run.can_open, run.can_close
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[state.pos + run.length] if state.pos + run.length < state.posMax else " "
    if sign == "*" and (_is_wide(before) or _is_wide(after)):
        opens, closes = not after.isspace(), not before.isspace()
    elif before.isalnum() and after.isalnum() and (run.length == 1 or before.isdigit() or after.isdigit()):
        opens = closes = False
    for _ in range(run.length):
        state.push("text", "", 0).content = sign
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(sign), run.length, place, -1, opens, closes))
    state.pos += run.length
    return True


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter) in "WF"
