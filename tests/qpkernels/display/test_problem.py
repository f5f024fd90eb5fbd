# SPDX-License-Identifier: BSD-3-Clause
"""Problems as the textbook writes them."""

import pytest

from qpkernels.display import TextbookProblem

PRIMAL = TextbookProblem(
    "min  1/2 ||f||^2 + sum c_i xi_i    s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  a, xi >= 0", ("r = y - f - b", "m, n")
)


def test_a_problem_line_by_line() -> None:
    assert [(line.words, line.formula) for line in PRIMAL.lines] == [
        ("minimize", "1/2 ||f||^2 + sum c_i xi_i"),
        ("subject to", "y_i (f(x_i) + b) >= 1 - xi_i"),
        ("", "a, xi >= 0"),
        ("where", "r = y - f - b"),
        ("", "m, n"),
    ]
    assert TextbookProblem("max  y'c - 1/2 c'Kc").constraints == ()


def test_without_an_intercept() -> None:
    there = PRIMAL.without_intercept()
    assert there.constraints == ("y_i f(x_i) >= 1 - xi_i", "a, xi >= 0")
    assert there.where == ("r = y - f", "m, n")
    assert TextbookProblem("min  a'a  s.t.  y'a = 0,  1'a = 1,  a_i >= 0").without_intercept().constraints == (
        "1'a = 1",
        "a_i >= 0",
    )
    assert TextbookProblem("find  f, b  s.t.  f >= b_i").without_intercept().lines[0].formula == "f"
    assert TextbookProblem("max  -exp(-y_i (f(x_i) + b))").without_intercept().objective == "-exp(-y_i f(x_i))"


def test_a_problem_in_latex() -> None:
    assert TextbookProblem("min  a'a  s.t.  1'a = 1,  a_i >= 0").latex() == (
        r"\begin{aligned} \text{minimize} \quad & a^{\top}a \\ \text{subject to} \quad & \mathbf{1}^{\top}a = 1 \\ "
        r"& a_{i} \geq 0 \end{aligned}"
    )


@pytest.mark.parametrize("text", ["", "  ", "minimise x", "x"])
def test_a_problem_says_what_to_do(text: str) -> None:
    with pytest.raises(ValueError, match="a problem begins with one of min, max, find"):
        TextbookProblem(text)
