# SPDX-License-Identifier: BSD-3-Clause
"""Answers on the perceptron: its corrections, and the bound on their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.classification.margins.hard_margin import HardMargin
from formulations.classification.separation.perceptron import BatchPerceptron, Perceptron, mistake_bound
from formulations.exercises.exercise import Answers, vector
from formulations.exercises.verdict import Verdict, all_of
from qpkernels.arrays import finite_vector

__all__ = ["Corrections", "SmallestBound"]

_TOL = 1e-6
"""Share of the smallest bound within which a bound is the smallest."""


@dataclass(frozen=True, eq=False)
class Corrections:
    """Judges the corrections of a perceptron made by hand, or how often each sample was added, or what it ends with.

    Attributes
    ----------
    rule
        The perceptron.
    """

    rule: Perceptron

    def __call__(self, answers: Answers) -> Verdict:
        """Compare with the corrections that the rule makes."""
        m = len(self.rule)
        parts = []
        if "corrections" in answers:
            parts.append(self._sequence(finite_vector(answers["corrections"], "corrections")))
        if "alpha" in answers:
            parts.append(self._ends("alpha", vector(answers["alpha"], "alpha", m, "one for each sample")))
        if "a" in answers:
            size = self.rule.data.gram.X.shape[1] + 1
            parts.append(self._ends("a", vector(answers["a"], "a", size, "b and one for each feature")))
        return all_of(parts)

    def _sequence(self, found: np.ndarray) -> Verdict:
        right = [each.sample + 1 for each in self.rule.corrections()]
        for k, (his, its) in enumerate(zip(found, right, strict=False), 1):
            if his != its:
                came = f"x_{int(his)}" if his == int(his) else f"{his:g}, which is no sample"
                return Verdict(False, f"correction {k} is not of {came}")
        if found.size < len(right):
            return Verdict(False, "all of these corrections are right, but more follow")
        if found.size > len(right):
            return Verdict(False, f"the first {len(right)} corrections are right, and there are no more")
        return Verdict(True, f"all {len(right)} corrections are right")

    def _ends(self, letter: str, values: np.ndarray) -> Verdict:
        y = self.rule.y
        right = self._part(self.rule, letter)
        if np.allclose(values, right, atol=1e-9):
            return Verdict(True, f"{letter} is right")
        misreadings = {
            f"this is the {letter} of the batch rule: correct one sample after another": self._part(
                BatchPerceptron(self.rule.data, y), letter
            )
        }
        if letter == "alpha":
            misreadings["this is beta = y alpha: alpha counts corrections, and is nowhere below 0"] = y * right
        else:
            misreadings["this is (w, b), but a = (b, w) begins with b"] = np.roll(right, -1)
        words = next((w for w, wrong in misreadings.items() if np.allclose(values, wrong, atol=1e-9)), None)
        if words is None and letter == "alpha" and values.sum() != right.sum():
            words = f"the rule makes another number of corrections than the {values.sum():g} of this alpha"
        return Verdict(False, words or f"the rule does not end with this {letter}")

    @staticmethod
    def _part(rule: Perceptron | BatchPerceptron, letter: str) -> np.ndarray:
        run = rule.solve()
        return np.asarray(run.alpha if letter == "alpha" else run.weights)


@dataclass(frozen=True, eq=False)
class SmallestBound:
    """Judges an a = (b, w) by the bound on the mistakes that it proves, against the smallest there is.

    That is the hard margin in generalised coordinates, without an intercept: its dual value is a lower bound.

    Attributes
    ----------
    points
        z_i = y_i (1, x_i), shape (m, d + 1).
    """

    points: np.ndarray

    def __call__(self, answers: Answers) -> Verdict:
        """Compute the bound of ``a``."""
        a = vector(answers["a"], "a", self.points.shape[1], "b and one for each feature")
        a = a / (np.abs(a).max() or 1.0)  # a bound does not depend on the length
        margins = self.points @ a
        worst = int(np.argmin(margins))
        if not margins[worst] > 0.0:
            return Verdict(False, f"a does not separate: a'z_{worst + 1} = {margins[worst]:.4g} is not above 0")
        signs = np.where(np.arange(len(self.points)) == 0, 1.0, -1.0)
        proof = HardMargin(signs[:, None] * self.points, signs, fit_intercept=False).solve(tol=1e-9).certificate
        longest = float(np.einsum("ij,ij->i", self.points, self.points).max())
        bound, least = mistake_bound(self.points, a), 2.0 * longest * proof.dual_value
        if bound <= least * (1.0 + _TOL):
            return Verdict(True, f"a is right: its bound is {bound:.6g}, and no other has a smaller one", proof)
        return Verdict(False, f"a separates, and its bound is {bound:.4g}, but there is an a with a smaller one", proof)
