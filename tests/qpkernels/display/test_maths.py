# SPDX-License-Identifier: BSD-3-Clause
"""The notation, in its three renderings."""

import pytest

from qpkernels.display import leading, signed, to_text
from qpkernels.display.maths import grouped, quoted, to_html, to_latex
from together import together

FORMULAS = {
    "1/2 ||f||^2 + sum C_i xi_i": ("½ ‖f‖² + Σᵢ Cᵢ ξᵢ", r"\frac{1}{2} \|f\|^{2} + \sum_{i} C_{i} \xi_{i}"),
    "sum_k x_k": ("Σₖ xₖ", r"\sum_{k} x_{k}"),
    "a'YKYa - 1'a": ("aᵀYKYa − 1ᵀa", r"a^{\top}YKYa - \mathbf{1}^{\top}a"),
    "r_i <= epsilon + xi+_i": ("rᵢ ≤ ε + ξ⁺ᵢ", r"r_{i} \leq \epsilon + \xi^{+}_{i}"),
    "(a+ - a-)'K": ("(a⁺ − a⁻)ᵀK", r"(a^{+} - a^{-})^{\top}K"),
    "a - b-1": ("a − b−1", "a - b-1"),
    "sum psi*(c_i) in dom psi*": ("Σᵢ ψ*(cᵢ) ∈ dom ψ*", r"\sum_{i} \psi^{*}(c_{i}) \in \operatorname{dom} \psi^{*}"),
    "a / 2 * b": ("a / 2 * b", "a / 2 * b"),
    "1/(2 lambda)": ("1/(2 λ)", r"\frac{1}{2 \lambda}"),
    "X'X/m": ("XᵀX/m", r"X^{\top}X/m"),
    "<w, x> > 1": ("⟨w, x⟩ > 1", r"\langle w, x\rangle > 1"),
    "y_i/x": ("yᵢ/x", "y_{i}/x"),
    "sqrt(R c'Kc)": ("√(R cᵀKc)", r"\sqrt{R c^{\top}Kc}"),
    "K_(j != k)^-1": ("K_(j ≠ k)⁻¹", r"K_{j \neq k}^{-1}"),
    "exp(-1e-05 x)": ("exp(−1e-05 x)", r"\exp(-10^{-5} x)"),
    "2.5e+20 x": ("2.5e+20 x", r"2.5 \cdot 10^{20} x"),
    "Mine(x, z)": ("Mine(x, z)", r"\operatorname{Mine}(x, z)"),
    "lambda I": ("λ I", r"\lambda I"),
    'x_("age", 2)': ("x_(age, 2)", r"x_{\mathrm{age}, 2}"),
    '(x_("sex"))_j': ("(x_sex)ⱼ", r"(x_{\mathrm{sex}})_{j}"),
    'x_("a_b 5%")': ("x_(a_b 5%)", r"x_{\mathrm{a\_b\ 5\%}}"),
}


@together("formula", FORMULAS)
def test_text_and_latex(formula: str) -> None:
    text, latex = FORMULAS[formula]
    assert to_text(formula) == text
    assert to_latex(formula) == latex


def test_html_slants_letters_and_escapes_the_rest() -> None:
    assert to_html("1/2 f(x_i)'K >= 1") == "½ <i>f</i>(<i>x</i><sub><i>i</i></sub>)<sup>T</sup><i>K</i> ≥ 1"
    assert to_html("exp(x) < & c") == "exp(<i>x</i>) &lt; &amp; <i>c</i>"
    assert to_html('x_("<b> lambda")') == "<i>x</i><sub>&lt;b&gt; lambda</sub>"


@pytest.mark.parametrize("broken", ["", "(", "x_", "x^", "√(", "_", "'", "(()", ")"])
def test_what_is_no_formula_is_shown_all_the_same(broken: str) -> None:
    assert to_text(broken).startswith(broken[:1].replace("'", "ᵀ"))
    assert to_latex(broken).count("{") == to_latex(broken).count("}")


def test_text_is_quoted() -> None:
    assert quoted('the "age"\n in years') == "\"the 'age' in years\""
    assert to_text(quoted("sum - (f_i")) == "sum - (f_i"
    assert grouped(f"delta(x_({quoted('a) - b')}))") == 'delta(x_("a) - b"))'


def test_numbers_before_and_behind_others() -> None:
    assert [leading(value) for value in (1.0, 0.5, 1e-7)] == ["", "0.5 ", "1e-07 "]
    assert [signed(value) for value in (0.0, 2.0, -0.5)] == ["", " + 2", " - 0.5"]


def test_a_sum_as_a_factor_is_in_parentheses() -> None:
    assert grouped("x + z") == "(x + z)"
    assert grouped("x - z") == "(x - z)"
    for product in ("exp(-||x - z||^2)", "(x'z + 1)^2", "||x - z||", "((x + z) y)^2 f(x + 1)"):
        assert grouped(product) == product
