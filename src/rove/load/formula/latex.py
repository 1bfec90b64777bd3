"""Formulas as LaTeX: what the readers of Office's and of MathML's formulas write with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon phi "
    "chi psi omega"
)
CAPITALS = {
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Υ": "Upsilon",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
SIGNS = {
    "±": "pm", "∓": "mp", "×": "times", "÷": "div", "⋅": "cdot", "·": "cdot", "∗": "ast", "∘": "circ",
    "∙": "bullet", "⊕": "oplus", "⊗": "otimes", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "≡": "equiv",
    "∼": "sim", "≃": "simeq", "≅": "cong", "∝": "propto", "≪": "ll", "≫": "gg", "≺": "prec", "≻": "succ",
    "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊃": "supset", "⊆": "subseteq", "⊇": "supseteq",
    "∪": "cup", "∩": "cap", "∅": "emptyset", "∖": "setminus", "∀": "forall", "∃": "exists", "¬": "neg",
    "∧": "wedge", "∨": "vee", "⊢": "vdash", "⊨": "models", "⊥": "perp", "∥": "parallel", "∠": "angle",
    "△": "triangle", "→": "to", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow", "⇐": "Leftarrow",
    "⇔": "Leftrightarrow", "↦": "mapsto", "↑": "uparrow", "↓": "downarrow", "∞": "infty", "∂": "partial",
    "∇": "nabla", "∑": "sum", "∏": "prod", "∐": "coprod", "∫": "int", "∬": "iint", "∭": "iiint", "∮": "oint",
    "⋃": "bigcup", "⋂": "bigcap", "⋁": "bigvee", "⋀": "bigwedge", "⨁": "bigoplus", "⨂": "bigotimes", "√": "surd",
    "ℏ": "hbar", "ℓ": "ell", "ℜ": "Re", "ℑ": "Im", "ℵ": "aleph", "℘": "wp", "°": "circ", "…": "dots",
    "⋯": "cdots", "⋮": "vdots", "⋱": "ddots", "′": "prime", "⟨": "langle", "⟩": "rangle", "〈": "langle",
    "〉": "rangle", "⌊": "lfloor", "⌋": "rfloor", "⌈": "lceil", "⌉": "rceil", "‖": "Vert", "∣": "mid",
    "ϵ": "epsilon", "ϕ": "varphi", "ϑ": "vartheta", "ϱ": "varrho", "ϖ": "varpi", "ε": "varepsilon",
    "∎": "blacksquare", "ℝ": "mathbb{R}", "ℕ": "mathbb{N}", "ℤ": "mathbb{Z}", "ℚ": "mathbb{Q}", "ℂ": "mathbb{C}",
    "\\": "backslash",
}  # fmt: skip
LITERAL = {
    "{": "\\{", "}": "\\}", "%": "\\%", "#": "\\#", "$": "\\$", "_": "\\_", "&": "\\&", "−": "-", "°": "^\\circ ",
    "\u2061": "", "\u2062": "", "\u2063": "", "\u2064": "", "\u200b": "", "\xa0": " ", "\u2009": " ",
}  # fmt: skip
SYMBOLS = {
    **{chr(0x3B1 + index): f"\\{name} " for index, name in enumerate(GREEK.split()) if name != "o"},
    **{sign: f"\\{name} " for sign, name in {**CAPITALS, **SIGNS}.items()},
    **LITERAL,
}
FUNCTIONS = {
    "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos", "arctan", "log",
    "ln", "lg", "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker", "deg", "gcd", "arg", "hom",
    "limsup", "liminf", "Pr",
}  # fmt: skip
ACCENTS = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "^": "hat", "\u0303": "tilde", "~": "tilde",
    "˜": "tilde", "\u0304": "bar", "\u0305": "overline", "¯": "bar", "‾": "overline", "_": "underline",
    "\u0306": "breve", "\u0307": "dot", "˙": "dot", "\u0308": "ddot", "¨": "ddot", "\u030a": "mathring",
    "\u030c": "check", "ˇ": "check", "\u20d7": "vec", "→": "vec", "\u20d6": "overleftarrow", "\u20db": "dddot",
    "⏞": "overbrace", "⏟": "underbrace", "\u0332": "underline",
}  # fmt: skip
LARGE = tuple(
    f"\\{name}" for name in ("sum", "prod", "coprod", "int", "bigcup", "bigcap", "lim", "max", "min", "sup", "inf")
)
TALL = ("\\frac", "\\sum", "\\prod", "\\int", "\\begin", "\\sqrt", "\\over", "\\under")
LOOSE = re.compile(r"(?<! ) ++(?=[}^_)\],.;]|\Z)")


def symbols(text: str) -> str:
    r"""Return characters of a formula as LaTeX.

    >>> symbols("αx ≤ 2π%"), symbols("\U0001d465")
    ('\\alpha x \\leq  2\\pi \\%', 'x')
    """
    return "".join(SYMBOLS.get(c, c) if c < "\U0001d400" or c > "\U0001d7ff" else _plain_math_letter(c) for c in text)


def text_in_formula(text: str) -> str:
    """Return text within a formula that is no formula."""
    return f"\\text{{{text}}}" if text.strip() else text


def upright(text: str) -> str:
    r"""Return letters that are printed upright: a function's name as such.

    >>> upright("sin"), upright("mm"), upright("=1")
    ('\\sin ', '\\mathrm{mm}', '=1')
    """
    if text in FUNCTIONS:
        return f"\\{text} "
    return f"\\mathrm{{{text}}}" if len(text) > 1 and text.isalpha() and text.isascii() else symbols(text)


def tidy(formula: str) -> str:
    """Return a formula without the spaces that the parts of it have left over."""
    return LOOSE.sub("", re.sub(r"[ \n\t]+", " ", formula)).strip()


def fraction(above: str, below: str) -> str:
    """Return a fraction."""
    return f"\\frac{{{tidy(above)}}}{{{tidy(below)}}}"


def root(radicand: str, degree: str = "") -> str:
    """Return a root; of degree 2 where none is given."""
    return f"\\sqrt{f'[{tidy(degree)}]' if degree.strip() else ''}{{{tidy(radicand)}}}"


def scripts(base: str, below: str = "", above: str = "") -> str:
    r"""Return a base with its subscript and superscript.

    >>> scripts("x", "i", "2"), scripts("ab", above="n"), scripts("\\sum ", "i=1")
    ('x_i^2', '{ab}^n', '\\sum_{i=1}')
    """
    base, below, above = tidy(base), tidy(below), tidy(above)
    whole = (
        base
        if len(base) < 2 or re.fullmatch(r"\\[A-Za-z]+|\\math\w+\{[^{}]*\}|[\d.]+|\{.*\}|[(\[].*[)\]]", base)
        else f"{{{base}}}"
    )
    return whole + (f"_{_brace_group(below)}" if below else "") + (f"^{_brace_group(above)}" if above else "")


def stacked(base: str, below: str = "", above: str = "") -> str:
    """Return a base with something written right under or over it, as limits are."""
    if tidy(base).startswith(LARGE):
        return scripts(base, below, above)
    text = f"\\underset{{{tidy(below)}}}{{{tidy(base)}}}" if below.strip() else tidy(base)
    return f"\\overset{{{tidy(above)}}}{{{text}}}" if above.strip() else text


def accent(base: str, mark: str) -> str:
    """Return a base with an accent, a bar or a brace."""
    name = ACCENTS.get(mark.strip(), "")
    return f"\\{name}{{{tidy(base)}}}" if name else stacked(base, above=symbols(mark))


def between_fences(inside: Sequence[str], opening: str = "(", closing: str = ")", between: str = "|") -> str:
    """Return parts between fences, which grow where what they hold is tall."""
    text = f"{symbols(between)} ".join(tidy(part) for part in inside)
    left, right = symbols(opening).strip(), symbols(closing).strip()
    if any(tall in text for tall in TALL):
        return f"\\left{left or '.'} {text} \\right{right or '.'}"
    return f"{_pad_fence(left)}{text}{_pad_fence(right)}"


def matrix(rows: Sequence[Sequence[str]], name: str = "matrix") -> str:
    """Return rows of cells as an environment of LaTeX."""
    lines = " \\\\ ".join(" & ".join(tidy(cell) for cell in row) for row in rows)
    return f"\\begin{{{name}}} {lines} \\end{{{name}}}"


def _brace_group(text: str) -> str:
    return text if len(text) == 1 or re.fullmatch(r"\\[A-Za-z]+", text) else f"{{{text}}}"


def _pad_fence(fence: str) -> str:
    return f"{fence} " if fence[-1:].isalpha() else fence


def _plain_math_letter(char: str) -> str:
    """A letter of Unicode's mathematical alphabets, without its style."""
    plain = unicodedata.normalize("NFKC", char)
    return SYMBOLS.get(plain, plain)
