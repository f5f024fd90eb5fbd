# SPDX-License-Identifier: BSD-3-Clause
"""A line of the table of conventions."""

from dataclasses import dataclass

__all__ = ["Convention"]


@dataclass(frozen=True)
class Convention:
    """A line of the table.

    Attributes
    ----------
    check
        The name of its test in tests/conventions, which fits their machine or states it in their terms.
    model
        The name of the class here.
    elsewhere
        The library with its name of the same machine, in Markdown.
    problem
        What is minimised there, in Markdown, where it differs in scale or sign.
    translation
        Their parameters and coefficients in ours, in Markdown.
    """

    check: str
    model: str
    elsewhere: str
    problem: str
    translation: str
