# SPDX-License-Identifier: BSD-3-Clause
"""Portable proofs of answers: what was stated, the answer refined until its interval has the digits asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector, check_count
from qpkernels.arrays.files import check_path
from qpkernels.errors import NoProofError, ParameterError, SolverFailedError
from qpkernels.files.proofs import Bundle, Proof, machines, prove_cone_program, prove_machine
from qpkernels.files.proofs.cone_programs import CONES
from qpkernels.files.proofs.document import best_proof
from qpkernels.files.proofs.machines import predicted
from qpkernels.gram import LowRank
from qpkernels.gram.functions import check_width
from qpkernels.problems import Bounds, ConeProgram, KernelQP, LevelQP
from qpkernels.solvers import find_solver

__all__ = ["ProofRequest", "bundled", "prove_answer"]

_MOST_DIGITS = 15
"""Digits of an interval of floats."""

_SMALL = 3000
"""Samples up to which the interior-point method refines an answer."""


@dataclass(frozen=True)
class ProofRequest:
    """What is asked of a proof.

    Attributes
    ----------
    digits
        Digits of the optimal value that its interval shall determine.
    points
        Samples at which it shall bound the decision values of the optimal machine, or None.
    path
        Where to write it, or None.
    """

    digits: int
    points: ArrayLike | None
    path: Path | None

    @classmethod
    def of(cls, path: str | Path | None, digits: int, points: ArrayLike | None) -> ProofRequest:
        """Check what is asked.

        Raises
        ------
        ParameterError
            If ``digits`` is not an integer from 1 to 15, or if ``path`` is no path.
        """
        if check_count(digits, "digits") > _MOST_DIGITS:
            raise ParameterError(
                f"digits must be from 1 to {_MOST_DIGITS}, as the ends of the interval are floats, but {digits} came."
            )
        return cls(digits, points, None if path is None else check_path(path))


def prove_answer(model: Any, answer: Any, asked: ProofRequest, program: ConeProgram | None = None) -> Proof:
    """Return the proof of an answer, written where a path is given.

    An answer whose interval has fewer digits than asked for is refined, as far as float64 goes.

    Parameters
    ----------
    model
        The model, for its words, and for the samples that its points are.
    answer
        A Candidate or Solution; of an extended form, a ConePoint.
    asked
        What is asked for.
    program
        The matrices of an extended form, which the proof states in place of the model.

    Raises
    ------
    NoProofError
        If the vocabulary of proofs has no words for the problem, or if no point near the answer proves anything.
    """
    words = f"{model.name}: {model.scale.objective}"
    if program is not None:
        given = (answer.point, answer.multipliers)
        proof = _of_program(program, [given], f"{model.name}, extended by its user", asked.digits)
    else:
        try:
            proof = _of_machine(model.bounds(), answer, words, asked.digits)
        except NoProofError as reason:
            proof = _in_matrices(model, words, asked.digits, reason)
    if asked.points is not None:
        if proof.statement["problem"] != "kernel-qp":
            raise NoProofError("predictions are proved of kernel machines, and this is a program in matrices.")
        gram = model.gram
        points = gram.kernel.samples(asked.points)
        check_width(points, gram.X)
        intercepts = getattr(answer, "intercept_interval", (answer.intercept,) * 2)
        proof = predicted(proof, gram.coordinates(points) if isinstance(gram, LowRank) else points, intercepts)
    if asked.path is not None:
        proof.write(asked.path)
    return proof


def _in_matrices(model: Any, words: str, digits: int, reason: NoProofError) -> Proof:
    """Return the proof of the first form in its matrices, whose entries are floats, or raise the reason against it.

    Models that are linear programs, or fits in a norm, are known to the vocabulary in this way alone.
    """
    form = next(iter(model.forms.values()), None)
    if form is None or len(model) > machines.LARGEST_MATRIX:
        raise reason
    program = form.lower().program
    if not all(isinstance(cone, CONES) for cone in program.cones):
        raise reason
    try:
        return _of_program(program, (), f"{words}, its form {form.name} in matrices of float64", digits)
    except NoProofError as error:
        raise NoProofError(f"{reason} Its form {form.name} in matrices is not proved either: {error}") from None


def _of_program(program: ConeProgram, given: Iterable[tuple[Vector, Vector]], words: str, digits: int) -> Proof:
    """Return the best proof of the answers that are given and of refined ones."""

    def refined(tol: float) -> Proof:
        outcome = find_solver("clarabel").solve(program, tol=tol)
        return prove_cone_program(program, outcome.point, outcome.multipliers, words)

    first = [partial(prove_cone_program, program, *each, words) for each in given]
    return best_proof([*first, *(partial(refined, tol) for tol in (10.0 ** -min(digits + 1, 12), 1e-13))], digits)


def _of_machine(bounds: Bounds, answer: Any, words: str, digits: int) -> Proof:
    """Return the best proof of the answer and of refined ones, which come first if the answer is known to be loose."""
    return best_proof(
        (partial(prove_machine, bounds, *each, words) for each in _answers(bounds, answer, digits)), digits
    )


def _answers(bounds: Bounds, answer: Any, digits: int) -> Iterator[tuple[Vector, Vector]]:
    given = answer.beta, np.array([answer.intercept])
    certificate = getattr(answer, "certificate", None)
    loose = certificate is not None and not certificate.relative_gap <= 10.0**-digits
    if not loose:
        yield given
    for tol in (10.0 ** -(digits + 1), 10.0 ** -min(digits + 4, 14)):
        if (found := _refined(bounds, tol)) is not None:
            yield found
    if loose:
        yield given


def _refined(bounds: Bounds, tol: float) -> tuple[Vector, Vector] | None:
    """Return beta and b from a solver that is asked for more digits; None: there is none."""
    program = bounds.program
    if not isinstance(program, KernelQP | LevelQP):
        return None
    small = isinstance(program, LevelQP) or len(program) <= _SMALL
    try:
        outcome = find_solver("interior-point" if small else "smo").solve(program, tol=tol)
    except SolverFailedError:
        return None
    b = outcome.multipliers if outcome.multipliers.size else np.zeros(1)
    finite = np.isfinite(outcome.point).all() and np.isfinite(b).all()
    return (outcome.point, b) if finite else None


def bundled(proofs: Iterable[tuple[str, Proof]], path: str | Path | None) -> Bundle:
    """Return several proofs in one document, each with a name before its words, written where a path is given."""
    bundle = Bundle(tuple(replace(proof, words=f"{name}: {proof.words}") for name, proof in proofs))
    if path is not None:
        bundle.write(path)
    return bundle
