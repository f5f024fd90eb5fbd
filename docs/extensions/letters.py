# SPDX-License-Identifier: BSD-3-Clause
"""The letters of this library and of four traditions, quantity by quantity.

The traditions are statistical pattern recognition, lectures on learning theory, kernel methods and textbooks on linear
discriminants. The page of a model lists what it has letters for; a quantity that no model had before needs a line here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["LETTERS", "Letter", "letters_of", "letters_table", "listed"]


@dataclass(frozen=True)
class Letter:
    """The letters of a quantity, in Markdown; "" where a tradition has none.

    Attributes
    ----------
    quantity
        What it is.
    ours
        On the pages of models that have it.
    recognition, lectures, kernels, discriminants
        In the four traditions.
    code
        What a model has in the code that has the quantity, one of these at least: a parameter, a variable or a label
        of its forms, its ``coefficient``, or a class that it is of.
    """

    quantity: str
    ours: str
    recognition: str
    lectures: str
    kernels: str
    discriminants: str
    code: tuple[str, ...]


LETTERS: dict[str, Letter] = {
    # Samples and functions
    "sample": Letter("sample", "$x_i$", "$x_n$", "$x_n$", "$x_i$", "$x_i$", ("X",)),
    "score": Letter("score of a sample", "$s_i$", "", "$z_n'$", "", "", ("scores",)),
    "count": Letter("number of samples", "$m$", "$N$", "$N$", "$m$", "$n$", ("X",)),
    "score count": Letter("number of scores", "$N$", "", "$N$", "", "", ("scores",)),
    "label": Letter("label", "$y_i$", "$t_n$", "$y_n$", "$y_i$", "$z_i$", ("y",)),
    "target": Letter("real target", "$y_i$", "$t_n$", "$y_n$", "$y_i$", "", ("RegressionModel",)),
    "targets": Letter("vector of targets", "$t$", "$\\mathsf t$", "", "", "", ("RegressionMachine",)),
    "map": Letter(
        "sample in the space of features",
        "$\\phi(x_i)$",
        "$\\phi(x_n)$",
        "$z_n = \\Phi(x_n)$",
        "$\\Phi(x_i)$",
        "$y_i = \\phi(x_i)$",
        ("kernel",),
    ),
    "signed sample": Letter(
        "sample with 1 for the intercept, times its label",
        "$z_i = y_i (1, x_i)$",
        "",
        "",
        "",
        "$y_i$",
        ("PerceptronRule",),
    ),
    "features": Letter("features, a row for each sample", "$F$", "$\\Phi$", "", "$\\mathbf x^T$", "", ("LinearFit",)),
    "design": Letter(
        "values of the kernel functions, with a column of 1", "$\\Phi$", "$\\Phi$", "", "", "", ("kernel",)
    ),
    "kernel": Letter("kernel", "$k(x, z)$", "$k(x, x')$", "$K(x, x')$", "$K(x, t)$", "$K(x, z)$", ("kernel",)),
    "matrix": Letter("kernel matrix", "$K$", "$K$", "$K$", "$\\mathbf K$", "$K$", ("kernel",)),
    "function": Letter(
        "function without the intercept",
        "$f(x)$",
        "$w^T \\phi(x)$",
        "$w^T z$",
        "$f(x)$",
        "$w^T y$",
        ("kernel",),
    ),
    "unknown function": Letter(
        "function that is approximated", "$h$", "", "", "$\\tilde f$", "", ("SparseApproximation",)
    ),
    "decision": Letter("decision value", "$f(x) + b$", "$y(x)$", "$s$", "$f(x) + b$", "$g(y)$", ("b",)),
    "margin value": Letter(
        "margin of a sample",
        "$z_i = y_i (f(x_i) + b)$",
        "$y_n t_n$",
        "$y_n s$",
        "$y_i t$",
        "$z_i g(y_i)$",
        ("TwoClassModel", "z"),
    ),
    "intercept": Letter("intercept", "$b$", "$b$", "$b$", "$b$", "$w_0$", ("b", "PerceptronRule", "RelevanceMachine")),
    "weights": Letter("weights", "$w$", "$w$", "$w$", "$w$", "$w$", ("w", "RelevanceMachine")),
    "generalised weights": Letter(
        "intercept and weights in one", "$a = (b, w)$", "", "", "", "$a$", ("PerceptronRule",)
    ),
    "separator": Letter("weights that separate the classes", "$a^*$", "", "", "", "$\\hat a$", ("PerceptronRule",)),
    "residual": Letter(
        "residual", "$r_i = y_i - f(x_i) - b$", "$t_n - y(x_n)$", "$y_n - s$", "", "", ("RegressionModel", "r")
    ),
    "residual variable": Letter("residual as a variable", "$\\xi_i$", "", "", "$-\\xi_i$", "", ("r",)),
    "outlying": Letter("part of a residual beyond delta", "$s$", "", "", "", "", ("s",)),
    "loss": Letter("loss", "$\\psi$", "$E$", "$\\text{err}$", "$L$", "", ("loss",)),
    "slope": Letter("slope of a loss", "$s$", "", "", "", "", ("s",)),
    # Coefficients
    "coefficient of labels": Letter(
        "coefficient of f, two classes",
        "$\\beta_i = y_i \\alpha_i$",
        "$a_n t_n$",
        "$\\beta_n$",
        "$y_i \\alpha_i$",
        "$z_i \\alpha_i$",
        ("beta = y a",),
    ),
    "coefficient of tubes": Letter(
        "coefficient of f, tubes",
        "$\\beta_i = a^+_i - a^-_i$",
        "$a_n - \\hat a_n$",
        "$\\beta_n$",
        "$\\alpha_i$",
        "",
        ("beta = a+ - a-",),
    ),
    "coefficient of residuals": Letter(
        "coefficient of f, and multiplier of a residual", "$c_i$", "", "$\\beta_n$", "$\\alpha_i$", "", ("c",)
    ),
    "sparse coefficient": Letter("coefficient of f, sparse approximation", "$a_i$", "", "", "$\\alpha_i$", "", ("a",)),
    "positive coefficient": Letter("coefficient of f, times the label", "$a_j$", "", "", "", "$\\alpha_j$", ("alpha",)),
    "corrections": Letter("corrections by a sample", "$\\alpha_i$", "", "", "", "", ("PerceptronRule",)),
    # Slacks and multipliers
    "slack": Letter("slack of a margin", "$\\xi_i$", "$\\xi_n$", "$\\xi_n$", "$\\xi_i$", "$\\xi_i$", ("xi",)),
    "upper slack": Letter(
        "slack above the tube", "$\\xi^+_i$", "$\\xi_n$", "$\\xi_n^\\wedge$", "$\\xi_i^+$", "", ("xi+",)
    ),
    "lower slack": Letter(
        "slack below the tube", "$\\xi^-_i$", "$\\hat\\xi_n$", "$\\xi_n^\\vee$", "$\\xi_i^-$", "", ("xi-",)
    ),
    "multiplier": Letter(
        "multiplier of a margin", "$\\alpha_i$", "$a_n$", "$\\alpha_n$", "$\\alpha_i$", "$\\alpha_i$", ("alpha",)
    ),
    "multiplier of separability": Letter(
        "multiplier of a margin, separability", "$\\lambda_i$", "", "", "", "", ("Separability",)
    ),
    "multiplier of the LP": Letter("multiplier of a margin, LP machine", "$l_i$", "", "", "", "", ("l",)),
    "multiplier of a slack": Letter(
        "multiplier of $\\xi_i \\ge 0$", "$\\mu_i$", "$\\mu_n$", "", "$\\beta_i$", "$\\beta_i$", ("slack",)
    ),
    "upper multiplier": Letter(
        "multiplier of the upper side of the tube",
        "$a^+_i$",
        "$a_n$",
        "$\\alpha_n^\\wedge$",
        "$\\alpha_i^+$",
        "",
        ("a+",),
    ),
    "lower multiplier": Letter(
        "multiplier of the lower side of the tube",
        "$a^-_i$",
        "$\\hat a_n$",
        "$\\alpha_n^\\vee$",
        "$\\alpha_i^-$",
        "",
        ("a-",),
    ),
    "multipliers of slacks": Letter(
        "multipliers of $\\xi^\\pm_i \\ge 0$",
        "$\\mu^\\pm_i$",
        "$\\mu_n$, $\\hat\\mu_n$",
        "",
        "$\\beta_i^\\pm$",
        "",
        ("slack_plus",),
    ),
    "multiplier of a fit": Letter("multiplier of a residual", "$v_i$", "", "", "", "", ("v",)),
    "multiplier of the sum": Letter("multiplier of $\\sum_i r_i = 0$", "$\\mu$", "", "", "", "", ("mu",)),
    # Numbers that a user chooses, and widths
    "cost": Letter("cost of a sample", "$C_i$", "$C$", "$C$", "$C$", "$C$", ("C",)),
    "common cost": Letter("cost of all samples", "$C$", "$C$", "$C$", "$C$", "$C$", ("C",)),
    "regularisation": Letter(
        "penalty of the squared norm", "$\\lambda$", "$\\lambda$", "$\\lambda$", "", "", ("regularisation",)
    ),
    "multiplier of the norm": Letter("multiplier of the bound on the norm", "$\\lambda$", "", "", "", "", ("norm",)),
    "radius": Letter("bound on the squared norm", "$R$", "", "$C$", "", "", ("R",)),
    "tube": Letter(
        "half the width of the tube", "$\\varepsilon$", "$\\epsilon$", "$\\epsilon$", "$\\epsilon$", "", ("epsilon",)
    ),
    "nu": Letter("share of the samples", "$\\nu$", "$\\nu$", "", "", "", ("nu",)),
    "weight": Letter("weight of a sample", "$w_i$", "", "", "", "", ("sample_weight",)),
    "tau": Letter("quantile", "$\\tau$", "", "", "", "", ("tau",)),
    "delta": Letter("where Huber's loss turns linear", "$\\delta$", "", "", "", "", ("delta",)),
    "level": Letter("level of the margin", "$\\rho$", "", "", "", "", ("rho", "b")),
    "margin": Letter(
        "distance of the closest sample", "$\\gamma$", "$\\min_n d_s(x_n)$", "", "$\\gamma$", "$m$, or $b$", ("gamma",)
    ),
    "rate": Letter("rate of the corrections", "$\\eta(k)$", "", "", "", "$\\eta(k)$", ("rate",)),
    "largest length": Letter("largest length of a sample", "$R$", "", "", "$R$", "$\\beta$", ("PerceptronRule",)),
    "smallest value": Letter(
        "smallest value of the separator", "$\\delta$", "", "", "", "$\\gamma$", ("PerceptronRule",)
    ),
    # Probabilities
    "sigmoid": Letter("slope and shift of the sigmoid", "$A$, $B$", "", "$A$, $B$", "", "", ("PlattCalibration",)),
    "argument": Letter("argument of the sigmoid", "$z_i$", "", "", "", "", ("PlattCalibration",)),
    "share": Letter("target of a probability", "$t_i$", "", "", "", "", ("targets",)),
    "precision": Letter("precision of a weight", "$\\alpha_i$", "$\\alpha_i$", "", "", "", ("RelevanceMachine",)),
    "precisions": Letter("precisions of all weights", "$A$", "$A$", "", "", "", ("RelevanceMachine",)),
    "noise": Letter("precision of the noise", "$\\beta$", "$\\beta$", "", "", "", ("noise",)),
    "mean": Letter("mean of the weights", "$\\mu$", "$m$", "", "", "", ("RelevanceRegression",)),
    "mode": Letter("mode of the weights", "$\\hat w$", "$w^\\star$", "", "", "", ("RelevanceClassification",)),
    "covariance": Letter("covariance of the weights", "$\\Sigma$", "$\\Sigma$", "", "", "", ("RelevanceMachine",)),
    "probability": Letter(
        "probability at a sample", "$p_i$", "$y_n$", "$\\theta(s)$", "", "", ("RelevanceClassification", "targets")
    ),
    "curvature": Letter("diagonal matrix of $p_i (1 - p_i)$", "$W$", "$B$", "", "", "", ("RelevanceClassification",)),
    "predicted covariance": Letter("covariance of the targets", "$C$", "$C$", "", "", "", ("RegressionMachine",)),
    # Several classes
    "classes": Letter("number of classes", "$K$", "$K$", "", "", "", ("machine",)),
    "class function": Letter("function of a class", "$g_k$", "$y_k$", "", "", "", ("machine",)),
}
"""Every quantity that has a letter, by the name that pages have for it."""


def letters_of(quantities: Iterable[str]) -> list[Letter]:
    """Return the letters of quantities by their names, in the order of the whole table."""
    had = set(quantities)
    return [letter for quantity, letter in LETTERS.items() if quantity in had]


def listed(text: str) -> list[str]:
    """Return the quantities that a page lists, with commas between them."""
    return [each.strip() for each in text.replace("\n", " ").split(",") if each.strip()]


def letters_table(letters: list[Letter]) -> str:
    """Return letters as a table in Markdown; a dash stands where a tradition has none."""
    head = (
        "| quantity | here | pattern recognition | learning theory | kernel methods | discriminants |\n"
        "|---|---|---|---|---|---|\n"
    )
    rows = (
        (each.quantity, each.ours, each.recognition, each.lectures, each.kernels, each.discriminants)
        for each in letters
    )
    return head + "\n".join("| " + " | ".join(cell or "–" for cell in row) + " |" for row in rows)
