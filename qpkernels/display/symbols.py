# SPDX-License-Identifier: BSD-3-Clause
"""The words and signs of the notation, in Unicode and in LaTeX."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SUBSCRIPTS", "SUPERSCRIPTS", "SYMBOLS", "Symbol"]


class Symbol(NamedTuple):
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

SYMBOLS: dict[str, Symbol] = {
    **{name: Symbol(letter, f"\\{name}") for name, letter in _GREEK.items()},
    **{
        name: Symbol(name, f"\\{name}" if name in _IN_LATEX else f"\\operatorname{{{name}}}", upright=True)
        for name in _FUNCTIONS
    },
    "xbar": Symbol("x̄", "\\bar{x}"),
    "ybar": Symbol("ȳ", "\\bar{y}"),
    "Xc": Symbol("X̃", "\\tilde{X}"),
    "ones": Symbol("1", "\\mathbf{1}", upright=True),
    "sum": Symbol("Σ", "\\sum", upright=True),
    "sqrt": Symbol("√", "\\sqrt", upright=True),
    "in": Symbol("∈", "\\in", upright=True),
    "inf": Symbol("∞", "\\infty", upright=True),
    "mode": Symbol("ŵ", "\\hat{w}"),
    "noise": Symbol("σ²", "\\sigma^{2}"),
    **{word: Symbol(word, f"\\;\\mathrm{{{word}}}\\;", upright=True) for word in _WORDS},
    "||": Symbol("‖", "\\|", upright=True),
    "|": Symbol("|", "|", upright=True),
    ">=": Symbol("≥", "\\geq", upright=True),
    "<=": Symbol("≤", "\\leq", upright=True),
    "!=": Symbol("≠", "\\neq", upright=True),
    "<-": Symbol("←", "\\leftarrow", upright=True),
    "->": Symbol("→", "\\rightarrow", upright=True),
    "-": Symbol("−", "-", upright=True),
    "{": Symbol("{", "\\{", upright=True),
    "}": Symbol("}", "\\}", upright=True),
    "langle": Symbol("⟨", "\\langle", upright=True),
    "rangle": Symbol("⟩", "\\rangle", upright=True),
    "<": Symbol("<", "<", upright=True),
    ">": Symbol(">", ">", upright=True),
}
"""Those whose letters are not their own."""

SUBSCRIPTS = str.maketrans("0123456789aehijklmnoprstuvx+-=()", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ₊₋₌₍₎")
"""Letters and digits that Unicode has below the line."""

SUPERSCRIPTS = str.maketrans("0123456789dikmnprst+-−()T*", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵈⁱᵏᵐⁿᵖʳˢᵗ⁺⁻⁻⁽⁾ᵀ*")
"""Those that it has above."""
