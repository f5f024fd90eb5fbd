# SPDX-License-Identifier: BSD-3-Clause
"""Small proofs of every kind, as the library writes them, and the exact optima of their machines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
from scipy.sparse import csc_array

from exact import polished, polished_level
from formulations import (
    HardMargin,
    HardTube,
    Huber,
    LeastSquares,
    NuMargin,
    NuTube,
    OneClass,
    Quantile,
    SoftMargin,
    SoftTube,
    SquaredHinge,
)
from proofs.judge import kernel_value, number
from qpkernels.files.proofs import prove_cone_program, prove_infeasible, prove_machine
from qpkernels.files.proofs.document import Bundle, Proof
from qpkernels.files.proofs.machines import predicted
from qpkernels.kernels import (
    RBF,
    Laplacian,
    Linear,
    Matching,
    Matern,
    Polynomial,
    Precomputed,
    Spectrum,
)
from qpkernels.problems import Block, ConeProgram, KernelQPBounds, Nonnegative, SecondOrder, Zero
from qpkernels.solvers import find_solver

__all__ = ["Machine", "digest", "documents", "machines", "tables"]

TABLE = "samples.csv"


class Machine(NamedTuple):
    """A machine with its proof, and its exact optimum."""

    name: str
    proof: Proof
    optimum: Any


def digest(statement: Any) -> str:
    """Return what the file says of a statement."""
    return hashlib.sha256(json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _models(seed: int) -> Iterator[Any]:
    """Yield a machine for each loss and kernel of the vocabulary."""
    draw = np.random.default_rng(seed)
    m = 7
    X = draw.normal(size=(m, 2)).round(3)
    y = np.where(np.arange(m) % 2, 1.0, -1.0)
    t = X[:, 0] + 0.3 * draw.normal(size=m).round(2)
    words = np.array(["".join(draw.choice(list("ab"), size=6)) for _ in range(m)])
    marks = draw.integers(3, size=(m, 4)).astype(float)
    near = RBF(0.7)
    yield SoftMargin(X, y, near, C=1.5)
    yield SoftMargin(X, y, Linear(), C=0.5)
    yield HardMargin(X, y, RBF(2.0))
    yield SquaredHinge(X, y, Matern(nu=1.5, length_scale=1.2), C=2.0)
    yield SoftTube(X, t, Laplacian(0.4) + 0.5 * Polynomial(degree=2), C=1.0, epsilon=0.1)
    yield HardTube(X, t, Matern(nu=0.5), epsilon=0.3)
    yield LeastSquares(X, t, Matern(nu=2.5), C=3.0)
    yield Huber(X, t, RBF(0.7) * Laplacian(0.2), C=1.0, delta=0.2)
    yield Quantile(X, t, Polynomial(degree=2) * RBF(0.1), C=1.0, tau=0.3)
    yield NuMargin(X, y, near, nu=0.4)
    yield OneClass(X, near, nu=0.5)
    yield NuTube(X, t, near, C=1.0, nu=0.4)
    yield SoftMargin(words, y, Spectrum(p=2, normalise=True), C=0.2)
    yield SoftMargin(marks, y, Matching(), C=1.0)
    yield SoftMargin(np.arange(m), y, Precomputed(near(X, X)), C=1.5)


def _machine(model: Any) -> Machine:
    solution, bounds = model.solve(tol=1e-12), model.bounds()
    name = f"{type(model).__name__} with {model.gram.kernel}"
    proof = prove_machine(bounds, solution.beta, np.array([solution.intercept]), name)
    statement = proof.statement
    # A tube with a free level has each sample twice.
    samples, said, m = statement["samples"], statement["kernel"], len(solution.beta)
    if said["name"] == "matrix":
        K = mp.matrix([[number(value) for value in row] for row in samples])
    else:
        K = mp.matrix([[kernel_value(said, x, z) for z in samples[:m]] for x in samples[:m]])
    if isinstance(bounds, KernelQPBounds):
        return Machine(name, proof, polished(bounds.program, K, solution.beta))
    return Machine(name, proof, polished_level(bounds.free_level(), K, solution.beta))


@cache
def machines(seed: int = 0) -> list[Machine]:
    """Return the machines that are drawn with a seed."""
    return [_machine(model) for model in _models(seed)]


def _program(P: Any, q: Any, A: Any, b: Any, cones: Any) -> ConeProgram:
    names = (Block("x", 0, len(q)),), (Block("rows", 0, len(b)),)
    matrices = [csc_array(np.array(M, dtype=float)) for M in (P, A)]
    return ConeProgram(matrices[0], np.array(q, float), matrices[1], np.array(b, float), tuple(cones), *names)


def _cone_programs() -> Iterator[Proof]:
    yield from (_proved(model.primal.lower().program, type(model).__name__) for model in list(_models(0))[:2])
    # The least t >= ||(x - 1, z - 2)|| with x + z = 1 and t + x >= 0.3
    A = [[0, 1, 1], [-1, -1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, -1]]
    cones = [Zero(1), Nonnegative(1), SecondOrder(3)]
    yield _proved(_program(np.diag([0.0, 0.5, 0.0]), [1, 0, 0], A, [1, -0.3, 0, -1, -2], cones), "a distance")
    contradiction = _program(
        np.zeros((2, 2)), [1, 1], [[-3, -3], [1, 0], [0, 7], [1, 1]], [-3, 0, 0, 5], [Nonnegative(4)]
    )
    z, spared = np.array([1 / 3, 1, 1 / 7, 0]), {0: [-1.0, -1.0], 1: [2.0, -0.5], 2: [-0.5, 2.0]}
    yield prove_infeasible(contradiction, z, "no point", {row: np.array(x) for row, x in spared.items()})
    yield prove_infeasible(contradiction, z, "no point")


def _proved(program: ConeProgram, words: str) -> Proof:
    answer = find_solver("clarabel").solve(program, tol=1e-10)
    return prove_cone_program(program, answer.point, answer.multipliers, words)


@cache
def documents() -> list[Any]:
    """Return valid documents, as JSON has them; those with a table of samples have it in a file of :func:`tables`."""
    proofs = [machine.proof for machine in machines()]
    points = np.random.default_rng(1).normal(size=(3, 2)).round(2)
    told = [
        predicted(proof, points, model.solve(tol=1e-12).intercept_interval)
        for proof, model in zip(proofs[:3], _models(0), strict=False)
    ]
    found = [proof.as_json() for proof in (*proofs, *told, *_cone_programs(), Bundle(proofs[:2]))]
    beside = json.loads(json.dumps(found[0]))
    beside["statement"]["samples"] = {"file": TABLE, "sha256": hashlib.sha256(tables()[TABLE]).hexdigest()}
    beside["sha256"] = digest(beside["statement"])
    return [json.loads(json.dumps(document)) for document in (*found, beside)]


@cache
def tables() -> dict[str, bytes]:
    """Return the files of samples by their names."""
    rows = machines()[0].proof.statement["samples"]
    return {TABLE: "".join(",".join(repr(float.fromhex(v)) for v in row) + "\n" for row in rows).encode()}
