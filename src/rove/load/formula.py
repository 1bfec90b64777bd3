"""Formulas in pages and books: MathML as LaTeX."""

from __future__ import annotations

from collections.abc import Callable

from rove.load.markup import Node

MAX_DEPTH = 40
TEX = ("application/x-tex", "text/x-tex", "application/x-latex", "tex")
FUNCTIONS = {"sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min", "sup", "inf", "det", "arg", "deg", "gcd"}
SYMBOLS = {
    "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "√": r"\sqrt",
    "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "±": r"\pm", "×": r"\times",
    "÷": r"\div", "⋅": r"\cdot", "·": r"\cdot", "→": r"\to", "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow",
    "∈": r"\in", "∉": r"\notin", "⊂": r"\subset", "⊆": r"\subseteq", "∪": r"\cup", "∩": r"\cap", "∀": r"\forall",
    "∃": r"\exists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "…": r"\ldots", "⋯": r"\cdots", "−": "-",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi",
    "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "φ": r"\varphi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega",
    "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi",
    "Ψ": r"\Psi", "Ω": r"\Omega", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&",
    "\u2061": "", "\u2062": "", "\u2063": "", "\u200b": "",
}  # fmt: skip
ACCENTS = {"¯": "overline", "‾": "overline", "^": "hat", "ˆ": "hat", "~": "tilde", "˜": "tilde", "→": "vec",
           "˙": "dot", "¨": "ddot"}  # fmt: skip


def latex(math: Node) -> str:
    r"""Return a <math> element as LaTeX: what its annotation says, else made from its parts.

    >>> from rove.load.markup import parse_html
    >>> latex(parse_html("<math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac></math>").find(".//math"))
    '\\frac{1}{x^{2}}'
    """
    for annotation in math.iter("annotation"):
        if annotation.get("encoding").lower() in TEX and annotation.text:
            return " ".join(annotation.text.split())
    return " ".join(_tex(math, 0).split())


def _tex(node: Node, depth: int) -> str:
    tag = node.tag.rpartition(":")[2]
    if tag in {"annotation", "annotation-xml"}:
        return ""
    if depth > MAX_DEPTH:
        return "".join(node.itertext())
    if not len(node):
        return _leaf(tag, " ".join((node.text or "").split()))
    parts = [_tex(child, depth + 1) for child in node]
    write = SCHEMATA.get(tag)
    if write is not None and len(parts) >= 2:
        return write(parts)
    if tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if tag == "mtable":
        return r"\begin{matrix}" + r" \\ ".join(parts) + r"\end{matrix}"
    if tag == "mtr":
        return " & ".join(parts)
    if tag == "mfenced":
        return f"{node.get('open', '(')}{', '.join(parts)}{node.get('close', ')')}"
    return _spaced(parts)


def _leaf(tag: str, text: str) -> str:
    if tag == "mtext":
        return rf"\text{{{text}}}" if text else ""
    if tag == "mi" and text in FUNCTIONS:
        return f"\\{text}"
    if tag == "mi" and len(text) > 1 and text.isalpha():
        return rf"\mathrm{{{text}}}"
    return "".join(SYMBOLS.get(character, character) for character in text)


def _spaced(parts: list[str]) -> str:
    """Join, with a space after a command that a letter would run into."""
    out = ""
    for part in parts:
        command = out.rpartition("\\")[2] if "\\" in out[-20:] else ""
        out += " " + part if command.isalpha() and part[:1].isalpha() else part
    return out


def _accented(parts: list[str]) -> str:
    accent = ACCENTS.get(parts[1].replace(r"\to", "→"))
    return rf"\{accent}{{{parts[0]}}}" if accent else f"{parts[0]}^{{{parts[1]}}}"


SCHEMATA: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}",
    "mroot": lambda p: rf"\sqrt[{p[1]}]{{{p[0]}}}",
    "msup": lambda p: f"{p[0]}^{{{p[1]}}}",
    "msub": lambda p: f"{p[0]}_{{{p[1]}}}",
    "msubsup": lambda p: f"{p[0]}_{{{p[1]}}}^{{{p[-1]}}}",
    "munder": lambda p: f"{p[0]}_{{{p[1]}}}",
    "mover": _accented,
    "munderover": lambda p: f"{p[0]}_{{{p[1]}}}^{{{p[-1]}}}",
}
