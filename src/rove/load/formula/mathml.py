"""MathML as LaTeX: how OpenDocument and pages of HTML keep their formulas. Source: MathML Core, W3C."""

from __future__ import annotations

from collections.abc import Callable

from rove.load.formula import latex
from rove.load.xmltree import Node, local

TEX = {"application/x-tex", "text/x-tex", "tex", "latex"}
FENCES = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉"}


def mathml_to_latex(math: Node) -> str:
    """Return a `math` element as LaTeX: as its annotation has it, else made from its parts."""
    for node in math.iter():
        if local(node) == "annotation" and node.get("encoding", "").lower() in TEX:
            return latex.tidy(node.text or "")
    return latex.tidy(_mathml_inner_latex(math))


def _mathml_inner_latex(parent: Node) -> str:
    return "".join(_mathml_latex(node) for node in parent)


def _mathml_latex(node: Node) -> str:
    name = local(node)
    if name in LEAVES:
        return LEAVES[name]("".join(node.itertext()).strip())
    if name in PARTS:
        parts = [_mathml_latex(part) for part in node]
        return PARTS[name](parts) if len(parts) >= LEAST[name] else "".join(parts)
    if name == "mtable":
        return latex.matrix([[_mathml_inner_latex(cell) for cell in row] for row in node])
    if name == "mfenced":
        return latex.between_fences(
            [_mathml_latex(part) for part in node], node.get("open", "("), node.get("close", ")"), ","
        )
    if name in ("mrow", "semantics"):
        return _mathml_row_latex(node)
    return "" if name in ("annotation", "annotation-xml", "mspace", "mphantom", "none") else _mathml_inner_latex(node)


def _mathml_row_latex(node: Node) -> str:
    """A row; one between fences is written so, for these to grow with it."""
    parts = list(node)
    first, last = (parts[0], parts[-1]) if len(parts) > 2 else (node, node)
    opening, closing = (first.text or "").strip(), (last.text or "").strip()
    if local(first) == local(last) == "mo" and opening and FENCES.get(opening) == closing:
        return latex.between_fences(["".join(_mathml_latex(part) for part in parts[1:-1])], opening, closing)
    return _mathml_inner_latex(node)


def _identifier(text: str) -> str:
    return latex.upright(text) if len(text) > 1 else latex.symbols(text)


def _operator_latex(text: str) -> str:
    return latex.symbols(text) if text not in latex.FUNCTIONS else latex.upright(text)


def _overscript_latex(parts: list[str]) -> str:
    mark = MARKS.get(parts[1].strip(), parts[1].strip())
    return latex.accent(parts[0], mark) if mark in latex.ACCENTS else latex.stacked(parts[0], above=parts[1])


MARKS = {"\\to": "→", "\\_": "_"}
LEAVES: dict[str, Callable[[str], str]] = {
    "mi": _identifier,
    "mn": latex.symbols,
    "mo": _operator_latex,
    "mtext": latex.text_in_formula,
    "ms": latex.text_in_formula,
}
PARTS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda p: latex.fraction(p[0], p[1]),
    "msqrt": lambda p: latex.root("".join(p)),
    "mroot": lambda p: latex.root(p[0], p[1]),
    "msub": lambda p: latex.scripts(p[0], p[1]),
    "msup": lambda p: latex.scripts(p[0], above=p[1]),
    "msubsup": lambda p: latex.scripts(p[0], p[1], p[2]),
    "munder": lambda p: latex.stacked(p[0], p[1]),
    "mover": _overscript_latex,
    "munderover": lambda p: latex.stacked(p[0], p[1], p[2]),
}
LEAST = {name: 3 if name in ("msubsup", "munderover") else 1 if name == "msqrt" else 2 for name in PARTS}
