# SPDX-License-Identifier: BSD-3-Clause
r"""Formulas in the notation of this library's docstrings, as text in Unicode, as LaTeX, and as HTML.

    1/2 ||f||^2 + sum C_i max(0, 1 - y_i (f(x_i) + b))

becomes ½ ‖f‖² + Σᵢ Cᵢ max(0, 1 − yᵢ (f(xᵢ) + b)), and ``\frac{1}{2} \| f \|^{2} + \sum_{i} C_{i} ...``. ``_`` and ``^``
take one word or number, or what stands in parentheses; ``'`` transposes; ``a+`` and ``a-`` before a space, comma,
parenthesis or subscript are letters with a sign, and ``psi*`` is a conjugate; ``a/b`` without spaces is a fraction, and
``<w, x>`` an inner product; words of the table ``_SYMBOLS`` are what they name, and other
words products of letters, unless a parenthesis follows (``YKY``, ``MyKernel(x, z)``). Text in double quotes is kept as
it is, such as the name of a column: ``x_("age")``; see :func:`quoted`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import NamedTuple, TypeAlias

__all__ = ["grouped", "leading", "quoted", "signed", "to_html", "to_latex", "to_text"]

_TOKEN = re.compile(r"\"[^\"]*\"|\s+|\|\||<=|>=|!=|->|<-|\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z]+\d*|.")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:e([+-]?\d+))?")
_WORD = re.compile(r"[A-Za-z]+\d*")


class _Symbol(NamedTuple):
    """A word or sign in Unicode and in LaTeX; ``upright``: a name or an operator, not a variable."""

    text: str
    latex: str
    upright: bool = False


_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ",
    "Sigma": "Σ", "Phi": "Φ",
}  # fmt: skip

_FUNCTIONS = ("max", "min", "log", "ln", "exp", "tanh", "argmax", "dom", "diag", "sign", "vol")

_WORDS = ("all", "and", "beyond", "for", "of", "over", "with")

_IN_LATEX = ("max", "min", "log", "ln", "exp", "tanh")

_SYMBOLS: dict[str, _Symbol] = {
    **{name: _Symbol(letter, f"\\{name}") for name, letter in _GREEK.items()},
    **{
        name: _Symbol(name, f"\\{name}" if name in _IN_LATEX else f"\\operatorname{{{name}}}", upright=True)
        for name in _FUNCTIONS
    },
    "xbar": _Symbol("x̄", "\\bar{x}"),
    "ybar": _Symbol("ȳ", "\\bar{y}"),
    "Xc": _Symbol("X̃", "\\tilde{X}"),
    "ones": _Symbol("1", "\\mathbf{1}", upright=True),
    "sum": _Symbol("Σ", "\\sum", upright=True),
    "sqrt": _Symbol("√", "\\sqrt", upright=True),
    "in": _Symbol("∈", "\\in", upright=True),
    "inf": _Symbol("∞", "\\infty", upright=True),
    "mode": _Symbol("ŵ", "\\hat{w}"),
    "noise": _Symbol("σ²", "\\sigma^{2}"),
    **{word: _Symbol(word, f"\\;\\mathrm{{{word}}}\\;", upright=True) for word in _WORDS},
    "||": _Symbol("‖", "\\|", upright=True),
    "|": _Symbol("|", "|", upright=True),
    ">=": _Symbol("≥", "\\geq", upright=True),
    "<=": _Symbol("≤", "\\leq", upright=True),
    "!=": _Symbol("≠", "\\neq", upright=True),
    "<-": _Symbol("←", "\\leftarrow", upright=True),
    "->": _Symbol("→", "\\rightarrow", upright=True),
    "-": _Symbol("−", "-", upright=True),
    "{": _Symbol("{", "\\{", upright=True),
    "}": _Symbol("}", "\\}", upright=True),
    "langle": _Symbol("⟨", "\\langle", upright=True),
    "rangle": _Symbol("⟩", "\\rangle", upright=True),
    "<": _Symbol("<", "<", upright=True),
    ">": _Symbol(">", ">", upright=True),
}
"""Those whose letters are not their own."""

_SUBSCRIPTS = str.maketrans("0123456789aehijklmnoprstuvx+-=()", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋₌₍₎")
"""Letters and digits that Unicode has below the line."""

_SUPERSCRIPTS = str.maketrans("0123456789dikmnprst+-−()T*", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵈⁱᵏᵐⁿᵖʳˢᵗ⁺⁻⁻⁽⁾ᵀ*")
"""Those that it has above."""

_IN_TEXT = {
    **{letter: f"\\{letter}" for letter in "%&#$_{}"},
    " ": "\\ ",
    "\\": "\\backslash ",
    "^": "\\wedge ",
    "~": "\\sim ",
}
"""Letters that LaTeX takes for something else."""


@dataclass(frozen=True)
class _Leaf:
    """A word, number, sign or space."""

    word: str
    called: bool = False


@dataclass(frozen=True)
class _Script:
    """A subscript or a superscript."""

    above: bool
    content: tuple[_Piece, ...]


@dataclass(frozen=True)
class _Group:
    """An expression in parentheses."""

    content: tuple[_Piece, ...]


@dataclass(frozen=True)
class _Root:
    """A square root."""

    content: tuple[_Piece, ...]


@dataclass(frozen=True)
class _Fraction:
    """One letter, number or group over another."""

    upper: _Piece
    lower: _Piece


_HALF = _Fraction(_Leaf("1"), _Leaf("2"))

_Piece: TypeAlias = _Leaf | _Script | _Group | _Root | _Fraction


def quoted(text: str) -> str:
    """Return plain text as a formula holds it; double quotes in it become single ones."""
    return '"' + " ".join(text.replace('"', "'").split()) + '"'


def to_text(formula: str) -> str:
    """Return a formula as plain text in Unicode."""
    return "".join(_text(piece) for piece in _parsed(formula))


def to_latex(formula: str) -> str:
    """Return a formula in LaTeX, without dollars; only what every renderer of it knows, matplotlib's too."""
    return _joined_latex(_parsed(formula))


def to_html(formula: str) -> str:
    """Return a formula as HTML: letters slanted, indices below and powers above the line."""
    return "".join(_html(piece) for piece in _parsed(formula))


# Parsing ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _parsed(formula: str) -> tuple[_Piece, ...]:
    tokens = [match.group() for match in _TOKEN.finditer(formula)]
    return tuple(_indexed(_fractions(_FormulaReader(tokens).pieces())))


class _FormulaReader:
    """Reads tokens from the left."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0

    def pieces(self, end: str = "") -> list[_Piece]:
        """Read up to ``end``, which is taken too, or to the end of the formula."""
        found: list[_Piece] = []
        while self.position < len(self.tokens):
            token = self._take()
            if token == end:
                break
            found.append(self._piece(token, found))
        return found

    def _take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _piece(self, token: str, before: list[_Piece]) -> _Piece:
        if token in ("_", "^") and self._peek():
            return _Script(token == "^", self._script())
        if token == "(":
            return _Group(self._inside())
        if token == "sqrt" and self._peek() == "(":
            self._take()
            return _Root(self._inside())
        if token == "'" or self._is_mark(token, before):
            return _Script(True, (_Leaf("T" if token == "'" else token),))
        return self._leaf(token, before)

    def _leaf(self, token: str, before: list[_Piece]) -> _Leaf:
        if token == "<" and self._peek() and not self._peek().isspace():
            return _Leaf("langle")
        if token == ">" and before and not _is_space(before[-1]):
            return _Leaf("rangle")
        return _Leaf(token, called=self._peek() == "(")

    def _inside(self) -> tuple[_Piece, ...]:
        return tuple(_indexed(_fractions(self.pieces(")"))))

    def _script(self) -> tuple[_Piece, ...]:
        token = self._take()
        if token == "(":
            return tuple(self.pieces(")"))
        if token == "-":
            return _Leaf("-"), _Leaf(self._take() if self._peek() else "")
        return (_Leaf(token),)

    def _is_mark(self, token: str, before: list[_Piece]) -> bool:
        """Whether a sign belongs to the letter before it."""
        if token not in ("+", "-", "*") or not before:
            return False
        letter = before[-1]
        if not isinstance(letter, _Leaf) or not _WORD.fullmatch(letter.word):
            return False
        after = self._peek()
        return after in ("", "_", ",", ")") or after.isspace() or (token == "*" and after == "(")


def _fractions(pieces: list[_Piece]) -> list[_Piece]:
    """Make fractions of a/b, 1/(2 lambda) and the like."""
    made: list[_Piece] = []
    k = 0
    while k < len(pieces):
        here = pieces[k]
        follower = pieces[k + 2] if k + 2 < len(pieces) else None
        marked = isinstance(follower, _Script)
        tight = here == _Leaf("/") or here == _Leaf("/", called=True)
        below = pieces[k + 1] if k + 1 < len(pieces) else None
        alone = len(made) < 2 or _is_space(made[-2]) or made[-2] == _Leaf("[")
        if tight and made and alone and below is not None and _is_term(made[-1]) and _is_term(below) and not marked:
            made[-1] = _Fraction(made[-1], below)
            k += 2
            continue
        made.append(here)
        k += 1
    return made


def _is_term(piece: _Piece) -> bool:
    return isinstance(piece, _Group) or (isinstance(piece, _Leaf) and piece.word.isalnum())


def _is_space(piece: _Piece) -> bool:
    return isinstance(piece, _Leaf) and piece.word.isspace()


def _indexed(pieces: list[_Piece]) -> Iterator[_Piece]:
    """Give a sum without an index the index i, and tell the vector of ones, which is transposed, from the number."""
    for k, piece in enumerate(pieces):
        transposed = k + 1 < len(pieces) and pieces[k + 1] == _Script(True, (_Leaf("T"),))
        yield _Leaf("ones") if transposed and piece == _Leaf("1") else piece
        if piece == _Leaf("sum") and not (k + 1 < len(pieces) and isinstance(pieces[k + 1], _Script)):
            yield _Script(False, (_Leaf("i"),))


# Text ---------------------------------------------------------------------------------------------------------


def _text(piece: _Piece) -> str:
    match piece:
        case _Leaf(word):
            return _SYMBOLS[word].text if word in _SYMBOLS else " " if word.isspace() else word.strip('"')
        case _Script(above, content):
            named = any(isinstance(part, _Leaf) and part.word.startswith('"') for part in content)
            return _raised("".join(map(_text, content)), above, named)
        case _Group(content):
            return f"({''.join(map(_text, content))})"
        case _Root(content):
            return f"√({''.join(map(_text, content))})"
        case _Fraction(upper, lower):
            return "½" if piece == _HALF else f"{_text(upper)}/{_text(lower)}"


def _raised(content: str, above: bool, named: bool) -> str:
    table = _SUPERSCRIPTS if above else _SUBSCRIPTS
    if not named and all(ord(letter) in table for letter in content):
        return content.translate(table)
    mark = "^" if above else "_"
    return f"{mark}{content}" if content.isalnum() else f"{mark}({content})"


# LaTeX --------------------------------------------------------------------------------------------------------


def _joined_latex(pieces: tuple[_Piece, ...]) -> str:
    written = ""
    for piece in pieces:
        part = _latex(piece)
        # A command ends where no letter follows.
        apart = re.search(r"\\[A-Za-z]+$", written) is not None and part[:1].isalpha()
        written += f" {part}" if apart else part
    return written.strip()


def _latex(piece: _Piece) -> str:
    match piece:
        case _Leaf(word, called):
            return _latex_leaf(word, called)
        case _Script(True, (_Leaf("T"),)):
            return "^{\\top}"
        case _Script(above, content):
            return f"{'^' if above else '_'}{{{_joined_latex(content)}}}"
        case _Group(content):
            return f"({_joined_latex(content)})"
        case _Root(content):
            return f"\\sqrt{{{_joined_latex(content)}}}"
        case _Fraction(upper, lower):
            return f"\\frac{{{_bare_latex(upper)}}}{{{_bare_latex(lower)}}}"


def _bare_latex(piece: _Piece) -> str:
    return _joined_latex(piece.content) if isinstance(piece, _Group) else _latex(piece)


def _latex_leaf(word: str, called: bool) -> str:
    if word in _SYMBOLS:
        return _SYMBOLS[word].latex
    if word.startswith('"'):
        return f"\\mathrm{{{''.join(_IN_TEXT.get(letter, letter) for letter in word[1:-1])}}}"
    number = _NUMBER.fullmatch(word)
    if number and number[2]:
        power = f"10^{{{int(number[2])}}}"
        return power if number[1] == "1" else f"{number[1]} \\cdot {power}"
    if called and len(word) > 1 and _WORD.fullmatch(word):
        return f"\\operatorname{{{word}}}"
    return {"%": "\\%", "&": "\\&", "#": "\\#", "$": "\\$", "\\": "\\backslash "}.get(word, word)


# HTML ---------------------------------------------------------------------------------------------------------


def _html(piece: _Piece) -> str:
    match piece:
        case _Leaf(word, called):
            return _html_leaf(word, called)
        case _Script(True, (_Leaf("T"),)):
            return "<sup>T</sup>"
        case _Script(above, content):
            tag = "sup" if above else "sub"
            return f"<{tag}>{_all(_html, content)}</{tag}>"
        case _Group(content):
            return f"({_all(_html, content)})"
        case _Root(content):
            return f"√({_all(_html, content)})"
        case _Fraction(upper, lower):
            return "½" if piece == _HALF else f"{_html(upper)}/{_html(lower)}"


def _all(written: Callable[[_Piece], str], pieces: tuple[_Piece, ...]) -> str:
    return "".join(map(written, pieces))


def _html_leaf(word: str, called: bool) -> str:
    if word.isspace():
        return " "
    if word.startswith('"'):
        return escape(word.strip('"'))
    is_variable = bool(_WORD.fullmatch(word)) and not (called and len(word) > 1)
    symbol = _SYMBOLS.get(word, _Symbol(word, word, upright=not is_variable))
    return escape(symbol.text) if symbol.upright else f"<i>{escape(symbol.text)}</i>"


# Numbers and sums in a formula ---------------------------------------------------------------------------------


def leading(value: float) -> str:
    """Return a factor to put before others: nothing for 1."""
    return "" if value == 1 else f"{value:g} "


def signed(value: float) -> str:
    """Return a number to put behind others, with its sign: nothing for 0."""
    return "" if value == 0 else f" {'+' if value > 0 else '-'} {abs(value):g}"


def grouped(formula: str) -> str:
    """Return a formula as a factor: in parentheses if it is a sum."""
    outer = re.sub(r'"[^"]*"', "", formula)
    while (inner := re.sub(r"\([^()]*\)", "", outer)) != outer:
        outer = inner
    # The difference within a norm is no sum.
    outer = re.sub(r"\|\|[^|]*\|\|", "", outer)
    return f"({formula})" if re.search(r" [+-] ", outer) else formula
