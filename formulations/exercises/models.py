# SPDX-License-Identifier: BSD-3-Clause
r"""Answers to a model: each of their parts is judged by the certificate, beside the model's own answer for the others.

P(f, b) of a reader's function with D(beta) of the model's own multipliers bounds how far the function is from optimal,
and P of the model's function with D of the reader's multipliers how far these are: no part is judged by another that
may be wrong. A problem that fails is tried in other signs and scalings, by the same certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from formulations.exercises.exercise import Answers, Verdict, all_of, at, number, vector
from formulations.judging.findings import faults_of
from formulations.modelling import Candidate, Model
from formulations.modelling.candidate import Sampling, checked_intercept, evaluated
from formulations.models.classification.two_class_model import TwoClassModel
from qpkernels.arrays import Vector
from qpkernels.problems import Certificate, KernelQP, KernelQPBounds

__all__ = ["OfModel"]

_TOL = 1e-6
"""Relative gap and residuals at which an answer is right."""

_ROUNDED = 1e-3
"""Those at which it is right but for digits that were left out."""

_SAME = 1e-3
"""Share by which a factor differs from 1 if it is one, and not a matter of digits."""


@dataclass(frozen=True, eq=False)
class OfModel:
    """Judges multipliers, or weights and intercept, as answers to a model that is a KernelQP.

    ``state`` makes the model from the parameters of a case; an answer is judged in all of the cases.
    """

    state: Callable[..., Model[Any]]
    cases: tuple[Mapping[str, Any], ...] = ({},)

    def __call__(self, answers: Answers) -> Verdict:
        """Judge w and b together, and every other letter as multipliers: alpha of two classes, beta or a of targets."""
        verdicts = [self._at(given, answers) for given in self.cases]
        return next((verdict for verdict in verdicts if not verdict.right), None) or max(verdicts, key=_error)

    def _at(self, given: Mapping[str, Any], answers: Answers) -> Verdict:
        known = {letter: at(value, letter, given) for letter, value in answers.items()}
        reference = _Reference.of(self.state(**given))
        verdict = all_of(reference.parts(known))
        place = " and ".join(f"{name} = {_shown(value)}" for name, value in given.items())
        return verdict.at(f"at {place}") if given and not verdict.right else verdict


@dataclass(frozen=True, eq=False)
class _Reference:
    """A model with its own proved answer."""

    model: Model[Any]
    program: KernelQP
    best: Candidate

    @classmethod
    def of(cls, model: Model[Any]) -> _Reference:
        bounds = model.bounds()
        assert isinstance(bounds, KernelQPBounds)
        answer = model.candidate(model.solve(tol=1e-9))
        # Beside a reader's multipliers the function is judged by its own terms, and has to meet hard constraints alone.
        sampling = Sampling.of(evaluated(answer.function, model.gram))
        alone = replace(answer, is_expansion=False, sampling=sampling).at_feasible(bounds, model.data)
        return cls(model, bounds.program, alone)

    @property
    def labels(self) -> Vector:
        """The labels of a model of two classes."""
        assert isinstance(self.model, TwoClassModel)
        return self.model.y

    def parts(self, known: Answers) -> Iterator[Verdict]:
        if "w" in known or "b" in known:
            yield self.function(known)
        for letter in known:
            if letter not in ("w", "b"):
                yield self.multipliers(letter, vector(known[letter], letter, len(self.model), "one for each sample"))

    def multipliers(self, letter: str, values: Vector) -> Verdict:
        signs = self.labels if letter == "alpha" else np.ones(len(self.model))
        proof = self.of_beta(signs * values)
        if proof.holds(_TOL):
            return Verdict(True, f"{letter} is right, optimal to {proof.error:.0e}", proof)
        for words, beta in self.other_multipliers(letter, signs * values):
            if self.of_beta(beta).holds(_TOL):
                return Verdict(False, words, proof)
        if proof.dual_residual > _TOL:
            fault = self.fault(letter, signs * values)
            return Verdict(False, f"{letter} is not feasible: {fault or _missed(proof.dual_residual)}", proof)
        return _not_optimal(f"{letter} is feasible, but its dual value is", "below", proof)

    def of_beta(self, beta: Vector) -> Certificate:
        return self.model.judge(replace(self.best, beta=beta), KernelQPBounds(self.program))

    def other_multipliers(self, letter: str, beta: Vector) -> Iterator[tuple[str, Vector]]:
        """Yield what the same numbers would be in other signs and scalings, with words for it."""
        if isinstance(self.model, TwoClassModel):
            other = "this is beta = y alpha" if letter == "alpha" else "this is alpha, not beta = y alpha"
            readings = [("", beta), (f"{other}: multiply each entry by its y", self.labels * beta)]
        else:
            readings = [("", beta)]
        readings.append((f"all signs of {letter} are turned", -beta))
        for words, read in readings:
            if words:
                yield words, read
            factor = self.factor(self.model.gram.product(read))
            if abs(factor - 1.0) > _SAME and factor > 0.0:
                scaled = f"each entry is {1.0 / factor:.4g} times what it should be"
                yield (
                    f"{words}; and {scaled}" if words else f"{letter} is right but for its scale: {scaled}",
                    factor * read,
                )

    def factor(self, values: Vector) -> float:
        """Return the factor that brings these values of a function nearest to those of the optimal one."""
        squares = float(values @ values)
        return float(values @ self.best.at_samples.values) / squares if squares > 0.0 else 0.0

    def fault(self, letter: str, beta: Vector) -> str:
        faults, signed = faults_of(beta, self.program), letter == "alpha"
        found, values = [], self.labels * beta if signed else beta
        if faults.other_sign.any():
            i = int(np.argmax(faults.other_sign))
            found.append(f"{letter}_{i + 1} = {values[i]:.4g} is below 0")
        if faults.beyond.any():
            i = int(np.argmax(faults.shares))
            end = self.program.upper[i] if beta[i] > 0 else -self.program.lower[i]
            left = f"{letter}_{i + 1} = {values[i]:.4g}" if signed else f"|{letter}_{i + 1}| = {abs(values[i]):.4g}"
            found.append(f"{left} is above C = {end:.4g}")
        if faults.is_unbalanced:
            found.append(f"the sum of all {letter}_i{' y_i' if signed else ''} is {float(beta.sum()):.4g}, not 0")
        return ", and ".join(found)

    def function(self, known: Answers) -> Verdict:
        name = " and ".join(letter for letter in ("w", "b") if letter in known)
        features = self.model.data.coordinates.shape[1]
        w = vector(known["w"], "w", features, "one for each feature") if "w" in known else None
        b = number(known["b"], "b") if "b" in known else self.best.intercept
        verb = "are" if name == "w and b" else "is"
        proof = self.of_line(w, b)
        if proof.holds(_TOL):
            return Verdict(True, f"{name} {verb} right, optimal to {proof.error:.0e}", proof)
        for words, other in self.other_lines(w, b):
            if self.of_line(*other).holds(_TOL):
                return Verdict(False, words, proof)
        if proof.primal_residual > _TOL:
            return Verdict(False, f"{name} {verb} not feasible: {self.crossing(w, b)}", proof)
        satisfy = f"{name} satisf{'y' if verb == 'are' else 'ies'} the constraints, but"
        clause = (
            satisfy if self.program.is_hard else f"with {name} as they are" if verb == "are" else f"with this {name}"
        )
        return _not_optimal(f"{clause} the primal value is", "above", proof)

    def of_line(self, w: Vector | None, b: float) -> Certificate:
        return self.model.judge(self.line(w, b), KernelQPBounds(self.program))

    def line(self, w: Vector | None, b: float) -> Candidate:
        """Return the line beside the model's own multipliers; None: with its own w."""
        if w is None:
            return replace(self.best, intercept=checked_intercept(b, self.model.fit_intercept, self.model.name))
        return replace(self.model.candidate((w, b), weights=True), beta=self.best.beta, is_primal=False)

    def other_lines(self, w: Vector | None, b: float) -> Iterator[tuple[str, tuple[Vector | None, float]]]:
        turned = "b has the other sign: here g(x) = <w, x> + b"
        if w is None:
            yield turned, (w, -b)
            return
        lines = [
            ("", (w, b)),
            (turned, (w, -b)),
            ("the line has its sides swapped: w and b have the other sign", (-w, -b)),
        ]
        for words, (v, c) in lines:
            if words:
                yield words, (v, c)
            factor = self.factor(self.model.data.coordinates @ v)
            if abs(factor - 1.0) > _SAME and factor > 0.0:
                scaled = f"w and b are {1.0 / factor:.4g} times what they should be"
                yield (
                    f"{words}; and {scaled}" if words else f"the line is right, its scale is not: {scaled}",
                    (factor * v, factor * c),
                )

    def crossing(self, w: Vector | None, b: float) -> str:
        """Name the sample whose hard constraint is missed most."""
        decision = self.line(w, b).decision
        margins = self.labels * decision
        i = int(np.argmin(margins))
        return f"y_{i + 1} g(x_{i + 1}) = {margins[i]:.4g} is below 1"


def _error(verdict: Verdict) -> float:
    return np.inf if verdict.certificate is None else verdict.certificate.error


def _not_optimal(clause: str, where: str, proof: Certificate) -> Verdict:
    gap, end = f"{proof.primal_value - proof.dual_value:.2g}", "not optimal"
    if proof.error <= _ROUNDED:
        end = f"right to {proof.error:.0e} only, so write more digits, or a fraction"
    return Verdict(False, f"{clause} {gap} {where} the optimum: {end}", proof)


def _missed(residual: float) -> str:
    return f"it misses its constraints by {residual:.0e} of its size"


def _shown(value: Any) -> str:
    return f"{value:g}" if np.ndim(value) == 0 else f"({', '.join(f'{each:g}' for each in np.ravel(value))})"
