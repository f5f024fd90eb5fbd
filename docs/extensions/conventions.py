# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries call the models, and how their parameters, scales and signs translate: the table of the site."""

from dataclasses import dataclass

__all__ = ["TABLE", "Convention"]


@dataclass(frozen=True)
class Convention:
    """A line of the table.

    Attributes
    ----------
    model
        The name of the class here.
    elsewhere
        The library with its name of the same machine.
    problem
        What is minimised there, in Markdown, where it differs in scale or sign.
    translation
        Their parameters and coefficients in ours, in Markdown.
    """

    model: str
    elsewhere: str
    problem: str
    translation: str


TABLE: tuple[Convention, ...] = (
    Convention(
        "SoftMargin",
        "scikit-learn `SVC(C=c)`, LIBSVM `-s 0 -c c`",
        "the same",
        "`C = c`; `dual_coef_` is our `beta` on the support vectors; `intercept_` is our `intercept`, `rho = -b`",
    ),
)
