# SPDX-License-Identifier: BSD-3-Clause
"""What a check says of an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qpkernels.problems import Certificate

__all__ = ["Verdict", "all_of"]


@dataclass(frozen=True, repr=False)
class Verdict:
    """Whether an answer is right, and in words why, or what is wrong with it. It prints as those words.

    Attributes
    ----------
    right
        Whether it is.
    words
        One or two sentences, without the full stop of the last.
    certificate
        What is proved of the answer, where it is one to a model; else None.

    Examples
    --------
    >>> from formulations.exercises import exercises
    >>> verdict = exercises["soft-threshold"].check(a=lambda y, epsilon: y)
    >>> print(verdict.right, verdict.certificate.holds(1e-6))
    False False
    """

    right: bool
    words: str
    certificate: Certificate | None = None

    def __str__(self) -> str:
        return f"{self.words}."

    def __repr__(self) -> str:
        return str(self)

    def at(self, place: str) -> Verdict:
        """Return the same verdict, with where it was found in front of its words.

        Parameters
        ----------
        place
            A clause, such as ``"at C = 0.2"``.
        """
        return Verdict(self.right, f"{place}: {self.words}", self.certificate)


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on several parts: the first that is wrong, or what is said of all of them."""
    found = list(verdicts)
    wrong = next((verdict for verdict in found if not verdict.right), None)
    return wrong or Verdict(True, "; ".join(dict.fromkeys(each.words for each in found)), found[0].certificate)
