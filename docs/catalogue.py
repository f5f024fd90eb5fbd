# SPDX-License-Identifier: BSD-3-Clause
"""Write the catalogue: every model by its id, its file and pair, who solved it just now, and how well that is proved.

    python docs/catalogue.py [FILE]

Every form is stated on a sample of a bundled data set and solved by every installed solver that takes it. The page is
generated, by this program and by the tests; an empty cell is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import getfile
from pathlib import Path
from typing import Any

import numpy as np

import formulations
from formulations import (
    BatchPerceptron,
    HardMarginPrimal,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    PlattCalibration,
    SoftMarginDual,
    SoftMarginPrimal,
    compare,
)
from formulations.base import Formulation
from formulations.binary import BinaryClassifier
from formulations.classification import OneClassDual, OneClassPrimal
from formulations.relevance import RelevanceClassification, RelevanceRegression, ReweightedRelevance
from qpkernels import RBF, Kernel, Polynomial
from qpkernels.certificates import Certificate, Status
from qpkernels.datasets import load_dataset, scale_features
from qpkernels.kernels import QuadraticMap, ScaledQuadraticMap

TOLERANCE = 1e-6
SECONDS = 5.0

SOURCE = Path(formulations.__file__).parent.parent
HEADINGS = ("id", "model", "file", "pair", "solved by", "weakest proof")


@dataclass(frozen=True)
class Entry:
    """A line of the page."""

    id: str
    model: str
    file: str
    pair: str
    solvers: str
    proof: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts in the order of the headings."""
        return self.id, self.model, self.file, self.pair, self.solvers, self.proof


def file_of(model: type) -> str:
    """Return the file of a class, from the root of the repository."""
    return Path(getfile(model)).relative_to(SOURCE).as_posix()


def weakest(certificates: list[Certificate]) -> str:
    """Return the largest gap and residual of several proofs in words."""
    gap = max(proof.relative_gap for proof in certificates)
    residual = max(max(proof.primal_residual, proof.dual_residual) for proof in certificates)
    return f"relative gap {gap:.0e}, residuals {residual:.0e}"


def two_classes(samples: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return some samples of breast-cancer, features in [-1, 1]."""
    dataset = load_dataset("breast-cancer")
    chosen = np.random.default_rng(0).permutation(len(dataset.y))[:samples]
    return scale_features(dataset.X)[chosen], dataset.y[chosen]


def real_targets(samples: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return some samples of diabetes, everything standardised."""
    dataset = load_dataset("diabetes")
    X, y = ((values - values.mean(axis=0)) / values.std(axis=0) for values in (dataset.X, dataset.y))
    chosen = np.random.default_rng(0).permutation(len(y))[:samples]
    return X[chosen], y[chosen]


def forms() -> Iterator[type[Formulation]]:
    """Yield every public form."""
    for name in formulations.__all__:
        value = getattr(formulations, name)
        if isinstance(value, type) and issubclass(value, Formulation):
            yield value


def state(form: Any) -> Formulation:
    """State a form on data that it has an answer for."""
    X, labels = two_classes()
    Z, y = real_targets()
    hyperparameters = {parameter.name for parameter in form.hyperparameters}
    if form in (OneClassPrimal, OneClassDual):
        return form(X, RBF(0.1))
    if issubclass(form, BinaryClassifier):
        return form(X, labels, RBF(0.1), **({"nu": 0.3} if "nu" in hyperparameters else {}))
    if form.catalogue.startswith("A"):
        return form(Z, y)
    return form(Z, y, RBF(0.05), **({"epsilon": 0.3} if "epsilon" in hyperparameters else {}))


def entry(form: type[Formulation]) -> Entry:
    """Solve a form by every solver that takes it."""
    model = state(form)
    rows = compare([model], "all", tol=TOLERANCE, time_limit=SECONDS, progress=False)
    proved = [row for row in rows if row.status == Status.OPTIMAL]
    gap = max((row.relative_gap for row in proved), default=float("nan"))
    residual = max((max(row.primal_residual, row.dual_residual) for row in proved), default=float("nan"))
    pair = "itself" if model.partner is model else model.partner.name
    solvers = ", ".join(row.solver for row in proved)
    proof = f"relative gap {gap:.0e}, residuals {residual:.0e}" if proved else ""
    return Entry(form.catalogue, form.__name__, file_of(form), pair, solvers, proof)


def perceptrons() -> Iterator[Entry]:
    """Train both perceptrons on separable samples; a hard margin certifies that they are."""
    X, labels = two_classes()
    certificate = HardMarginPrimal(X, labels).solve().certificate
    for rule in (BatchPerceptron, Perceptron):
        solution = rule(X, labels).solve(max_epochs=20_000)
        proof = f"no sample is on the wrong side after {solution.mistakes} corrections" if solution.separated else ""
        assert certificate.holds(TOLERANCE)
        yield Entry(rule.catalogue, rule.__name__, file_of(rule), "HardMarginPrimal", "its own rule", proof)


def discriminants() -> Iterator[Entry]:
    """Compare the explicit maps with their kernels, in which the soft margin is the same."""
    X, labels = two_classes()
    X = X[:, :5]
    for feature_map, kernel in (
        (ScaledQuadraticMap(), Polynomial(2)),
        (QuadraticMap(), None),
    ):
        explicit = SoftMarginPrimal(feature_map(X), labels).solve("clarabel")
        same = SoftMarginDual(X, labels, kernel) if kernel is not None else SoftMarginDual(feature_map(X), labels)
        assert abs(same.solve().objective + explicit.objective) <= TOLERANCE * explicit.objective
        name = type(feature_map).__name__
        yield Entry(
            "B4",
            f"SoftMarginPrimal({name}()(X), y)",
            file_of(type(feature_map)),
            f"SoftMarginDual with {kernel if kernel is not None else 'the same features'}",
            "clarabel, smo",
            weakest([explicit.certificate]),
        )


def calibration() -> Entry:
    """Fit Platt's sigmoid to the scores of a soft margin."""
    X, labels = two_classes()
    scores = SoftMarginDual(X, labels, RBF(0.1)).solve().decision
    fitted = PlattCalibration(scores, labels, targets="platt").solve(tol=TOLERANCE)
    proof = weakest([fitted.certificate]) if fitted.status == Status.OPTIMAL else ""
    return Entry("C5", "PlattCalibration", file_of(PlattCalibration), "its entropy dual", fitted.solver, proof)


def several_classes() -> Iterator[Entry]:
    """Separate the three wines by both schemes."""
    dataset = load_dataset("wine")
    for scheme in (OneVersusRest, OneVersusOne):
        solution = scheme(scale_features(dataset.X), dataset.y, RBF(0.1)).solve(tol=TOLERANCE)
        proof = weakest([answer.certificate for answer in solution.solutions])
        solvers = ", ".join(sorted({answer.solver for answer in solution.solutions}))
        yield Entry(
            scheme.catalogue,
            scheme.__name__,
            file_of(scheme),
            "that of each machine",
            solvers,
            proof if solution.status == Status.OPTIMAL else "",
        )


def relevance() -> Iterator[Entry]:
    """Raise the evidence of the three relevance machines."""
    rng = np.random.default_rng(3)
    x = np.linspace(-1, 1, 20)[:, None]
    y = np.sin(np.pi * x[:, 0]) + 0.2 * rng.normal(size=20)
    kernel: Kernel = RBF.from_theta(15)
    for machine, targets, pair in (
        (RelevanceRegression, y, "ReweightedRelevance"),
        (RelevanceClassification, np.where(y > 0, 1, -1), "none: not convex"),
        (ReweightedRelevance, y, "RelevanceRegression"),
    ):
        solution = machine(x, targets, kernel).solve()
        solver = "its own iteration" if machine is not ReweightedRelevance else "clarabel, in every step"
        proof = f"log evidence {solution.log_evidence:.4g}; {solution.stationarity}" if solution.converged else ""
        yield Entry(machine.catalogue, machine.__name__, file_of(machine), pair, solver, proof)


def build() -> list[Entry]:
    """Return all lines, ordered by id."""
    groups: tuple[Callable[[], Iterator[Entry]], ...] = (perceptrons, discriminants, several_classes, relevance)
    entries = [entry(form) for form in forms()] + [calibration()]
    entries += [line for group in groups for line in group()]
    return sorted(entries, key=lambda line: (line.id, line.model))


def write(entries: list[Entry], path: Path) -> None:
    """Write the page.

    Raises
    ------
    ValueError
        If a cell is empty: no solver has proved that model.
    """
    for line in entries:
        empty = [heading for heading, cell in zip(HEADINGS, line.cells, strict=True) if not cell]
        if empty:
            raise ValueError(f"the line of {line.id} ({line.model}) has nothing under {', '.join(empty)}")
    text = [
        "# The catalogue",
        "",
        "Generated by `make catalogue`, and by the tests: every form was stated on a sample of a bundled data set, and",
        f"given to every installed solver that takes it; it is solved where the certificate holds at {TOLERANCE:g}.",
        "The weakest proof is the worst over these solvers. The problem itself stands at the top of each file.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|" + "---|" * len(HEADINGS),
        *("| " + " | ".join(line.cells) + " |" for line in entries),
    ]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".md")
    write(build(), target)
    print(target)
