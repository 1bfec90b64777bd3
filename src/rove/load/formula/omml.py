"""Office's formulas (OMML) as LaTeX. Source: ECMA-376 part 1, chapter 22.1."""

from __future__ import annotations

from collections.abc import Callable

from rove.load.formula import latex
from rove.load.xmltree import Node

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
ALPHABETS = {"double-struck": "mathbb", "script": "mathcal", "fraktur": "mathfrak"}
BOLD = {"b", "bi"}
HIDDEN = {"1", "on", "true"}


def omml_to_latex(formula: Node) -> str:
    """Return the LaTeX of an `m:oMath`, or of an `m:oMathPara` with several."""
    if formula.tag == f"{M}oMathPara":
        lines = [line for node in formula.iter(f"{M}oMath") if (line := latex.tidy(_omml_inner_latex(node)))]
        return lines[0] if len(lines) == 1 else latex.matrix([[line] for line in lines], "gathered") if lines else ""
    return latex.tidy(_omml_inner_latex(formula))


def _omml_inner_latex(parent: Node | None) -> str:
    return "".join(_omml_latex(node) for node in parent) if parent is not None else ""


def _omml_latex(node: Node) -> str:
    write = WRITERS.get(node.tag)
    if write is not None:
        return write(node)
    # properties are no content; anything else is a wrapper (a tracked insertion, a content control)
    return "" if str(node.tag).endswith(("Pr", "}del", "}moveFrom")) else _omml_inner_latex(node)


def _omml_part(node: Node, name: str) -> str:
    return _omml_inner_latex(node.find(f"{M}{name}"))


def _setting(node: Node, name: str, default: str = "") -> str:
    """The value of a property: `default` where it is not there, "" where it is there without a value."""
    found = node.find(f"{M}{str(node.tag).removeprefix(M)}Pr/{M}{name}")
    return default if found is None else found.get(f"{M}val", "")


def _is_property_on(node: Node, name: str) -> bool:
    found = node.find(f"{M}{str(node.tag).removeprefix(M)}Pr/{M}{name}")
    return found is not None and found.get(f"{M}val", "1") in HIDDEN


def _omml_run_latex(node: Node) -> str:
    text = "".join(part.text or "" for part in node.findall(f"{M}t"))
    if _is_property_on(node, "nor"):
        return latex.text_in_formula(text)
    if alphabet := ALPHABETS.get(_setting(node, "scr")):
        return f"\\{alphabet}{{{latex.symbols(text).strip()}}}"
    style = _setting(node, "sty")
    if style in BOLD and text.strip().isalnum():
        return f"\\mathbf{{{latex.symbols(text).strip()}}}"
    plain = text.replace("\u2061", "").strip()
    return latex.upright(plain) if style == "p" or plain in latex.FUNCTIONS else latex.symbols(text)


def _fraction(node: Node) -> str:
    above, below, kind = _omml_part(node, "num"), _omml_part(node, "den"), _setting(node, "type")
    if kind in ("lin", "skw"):
        return f"{_single(above)}/{_single(below)}"
    return f"\\binom{{{latex.tidy(above)}}}{{{latex.tidy(below)}}}" if kind == "noBar" else latex.fraction(above, below)


def _single(text: str) -> str:
    text = latex.tidy(text)
    return text if text.isalnum() else f"{{{text}}}"


def _delimiter_latex(node: Node) -> str:
    parts = [_omml_inner_latex(part) for part in node.findall(f"{M}e")]
    opening, closing = _setting(node, "begChr", "("), _setting(node, "endChr", ")")
    if len(parts) == 1 and opening == "(" and parts[0].startswith("\\binom"):
        return parts[0]
    return latex.between_fences(parts, opening, closing, _setting(node, "sepChr", "|"))


def _large(node: Node) -> str:
    below = "" if _is_property_on(node, "subHide") else _omml_part(node, "sub")
    above = "" if _is_property_on(node, "supHide") else _omml_part(node, "sup")
    return f"{latex.scripts(latex.symbols(_setting(node, 'chr', '∫')), below, above)} {_omml_part(node, 'e')}"


def _radical(node: Node) -> str:
    return latex.root(_omml_part(node, "e"), "" if _is_property_on(node, "degHide") else _omml_part(node, "deg"))


def _function(node: Node) -> str:
    name = latex.tidy(_omml_part(node, "fName"))
    name = latex.upright(name.removeprefix("\\mathrm{").removesuffix("}")) if name.isalpha() else name
    return f"{name} {_omml_part(node, 'e')}"


def _bar(node: Node) -> str:
    return latex.accent(_omml_part(node, "e"), "‾" if _setting(node, "pos", "bot") == "top" else "_")


def _group_char_latex(node: Node) -> str:
    return latex.accent(_omml_part(node, "e"), _setting(node, "chr", "⏟"))


def _matrix(node: Node) -> str:
    return latex.matrix([[_omml_inner_latex(cell) for cell in row.findall(f"{M}e")] for row in node.findall(f"{M}mr")])


def _equations(node: Node) -> str:
    # an & in these is a place to align at, and not a character
    rows = [[_omml_inner_latex(row).replace("\\&", "&")] for row in node.findall(f"{M}e")]
    return latex.matrix(rows, "aligned")


WRITERS: dict[str, Callable[[Node], str]] = {
    f"{M}r": _omml_run_latex,
    f"{M}f": _fraction,
    f"{M}d": _delimiter_latex,
    f"{M}nary": _large,
    f"{M}rad": _radical,
    f"{M}func": _function,
    f"{M}bar": _bar,
    f"{M}groupChr": _group_char_latex,
    f"{M}m": _matrix,
    f"{M}eqArr": _equations,
    f"{M}acc": lambda node: latex.accent(_omml_part(node, "e"), _setting(node, "chr", "\u0302")),
    f"{M}borderBox": lambda node: f"\\boxed{{{latex.tidy(_omml_part(node, 'e'))}}}",
    f"{M}sSup": lambda node: latex.scripts(_omml_part(node, "e"), above=_omml_part(node, "sup")),
    f"{M}sSub": lambda node: latex.scripts(_omml_part(node, "e"), _omml_part(node, "sub")),
    f"{M}sSubSup": lambda node: latex.scripts(_omml_part(node, "e"), _omml_part(node, "sub"), _omml_part(node, "sup")),
    f"{M}sPre": lambda node: (
        f"{latex.scripts('{}', _omml_part(node, 'sub'), _omml_part(node, 'sup'))}{_omml_part(node, 'e')}"
    ),
    f"{M}limLow": lambda node: latex.stacked(_omml_part(node, "e"), below=_omml_part(node, "lim")),
    f"{M}limUpp": lambda node: latex.stacked(_omml_part(node, "e"), above=_omml_part(node, "lim")),
}
