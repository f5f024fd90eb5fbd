# SPDX-License-Identifier: BSD-3-Clause
"""Write the catalogue: every model and every form of it with its file, who solved it just now, and how well proved.

    python docs/catalogue.py [FILE]

Every model is stated on a sample of a bundled data set, and it and its forms are solved by every installed solver that
takes them. The page is generated, by this program and by the tests; an empty cell is an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from inspect import getfile, isabstract
from pathlib import Path
from typing import Any

import numpy as np

import formulations
from formulations import (
    BatchPerceptron,
    HardMargin,
    OneClass,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    PlattCalibration,
    SoftMargin,
    compare,
)
from formulations.judging.comparison import Row
from formulations.modelling import Model
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.linear_fits import LinearFit
from formulations.models.relevance import RelevanceClassification, RelevanceRegression, ReweightedRelevance
from qpkernels import RBF, Kernel, Polynomial
from qpkernels.files import load_dataset, scale_features
from qpkernels.kernels import QuadraticMap, ScaledQuadraticMap
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import registered_solvers

TOLERANCE = 1e-6
SECONDS = 5.0

SOURCE = Path(formulations.__file__).parent.parent
KNOWN = {solver.name for solver in registered_solvers()}
HEADINGS = ("problem", "stated as", "file", "solved by", "weakest proof")


@dataclass(frozen=True)
class Entry:
    """A line of the page: its cells in the order of the headings."""

    problem: str
    stated: str
    file: str
    solvers: str
    proof: str


def file_of(kind: type) -> str:
    """Return the file of a class, from the root of the repository."""
    return Path(getfile(kind)).relative_to(SOURCE).as_posix()


def weakest(proofs: Sequence[Certificate | Row]) -> str:
    """Return the largest gap and residual of several proofs; nothing if there are none."""
    if not proofs:
        return ""
    gap = max(proof.relative_gap for proof in proofs)
    residual = max(max(proof.primal_residual, proof.dual_residual) for proof in proofs)
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


def models() -> Iterator[type[Model[Any]]]:
    """Yield every public model."""
    for name in formulations.__all__:
        value = getattr(formulations, name)
        if isinstance(value, type) and issubclass(value, Model) and not isabstract(value):
            yield value


def state(model: Any) -> Model[Any]:
    """State a model on data that it has an answer for."""
    X, labels = two_classes()
    Z, y = real_targets()
    hyperparameters = model.entry.names
    stated: Model[Any]
    if model is OneClass:
        stated = model(X, RBF(0.1))
    elif issubclass(model, TwoClassModel):
        stated = model(X, labels, RBF(0.1), **({"nu": 0.3} if "nu" in hyperparameters else {}))
    elif issubclass(model, LinearFit):
        stated = model(Z, y)
    else:
        stated = model(Z, y, RBF(0.05), **({"epsilon": 0.3} if "epsilon" in hyperparameters else {}))
    return stated


def entries_of(model: type[Model[Any]]) -> Iterator[Entry]:
    """Solve a model and its forms by every solver that takes them: a line for it, and one for each form."""
    stated = state(model)
    rows = compare(stated, "all", tol=TOLERANCE, time_limit=SECONDS, progress=False)
    proved = [row for row in rows if row.status == Status.OPTIMAL]
    yield Entry(model.__name__, ", ".join(stated.forms), file_of(model), *solved_by(proved))
    for name, form in stated.forms.items():
        own = [row for row in proved if row.formulation == form.name]
        kind = type(form)
        yield Entry(f"{model.__name__}.{name}", kind.__name__, file_of(kind), *solved_by(own))


def solved_by(proved: Sequence[Row]) -> tuple[str, str]:
    """Return the solvers of these rows, each once, and their weakest proof."""
    return ", ".join(dict.fromkeys(row.solver for row in proved)), weakest(proved)


def perceptrons() -> Iterator[Entry]:
    """Train both perceptrons on separable samples; a hard margin certifies that they are."""
    X, labels = two_classes()
    certificate = HardMargin(X, labels).solve().certificate
    for rule in (BatchPerceptron, Perceptron):
        solution = rule(X, labels).solve(max_epochs=20_000)
        proof = f"no sample is on the wrong side after {solution.mistakes} corrections" if solution.separated else ""
        assert certificate.holds(TOLERANCE)
        yield Entry(rule.__name__, "a rule of updates", file_of(rule), "its own rule", proof)


def discriminants() -> Iterator[Entry]:
    """Compare the explicit maps with their kernels, in which the soft margin is the same."""
    X, labels = two_classes()
    X = X[:, :5]
    for feature_map, kernel in ((ScaledQuadraticMap(), Polynomial(2)), (QuadraticMap(), None)):
        explicit = SoftMargin(feature_map(X), labels).primal.solve("clarabel")
        samples = X if kernel is not None else feature_map(X)
        same = SoftMargin(samples, labels, kernel).solve("smo")
        assert abs(same.objective - explicit.objective) <= TOLERANCE * explicit.objective
        yield Entry(
            f"SoftMargin({type(feature_map).__name__}()(X), y)",
            "primal" if kernel is None else f"primal; SoftMargin(X, y, {kernel!r})",
            file_of(type(feature_map)),
            "clarabel, smo",
            weakest([explicit.certificate, same.certificate]),
        )


def calibration() -> Entry:
    """Fit Platt's sigmoid to the scores of a soft margin."""
    X, labels = two_classes()
    scores = SoftMargin(X, labels, RBF(0.1)).solve().decision
    fitted = PlattCalibration(scores, labels, targets="platt").solve(tol=TOLERANCE)
    proof = weakest([fitted.certificate]) if fitted.status == Status.OPTIMAL else ""
    return Entry("PlattCalibration", "its entropy dual", file_of(PlattCalibration), fitted.solver, proof)


def several_classes() -> Iterator[Entry]:
    """Separate the three wines by both schemes."""
    dataset = load_dataset("wine")
    for scheme in (OneVersusRest, OneVersusOne):
        solution = scheme(scale_features(dataset.X), dataset.y, RBF(0.1)).solve(tol=TOLERANCE)
        proved = solution.status == Status.OPTIMAL
        proof = weakest([answer.certificate for answer in solution.solutions]) if proved else ""
        solvers = ", ".join(sorted({answer.solver for answer in solution.solutions}))
        yield Entry(scheme.__name__, "a model for each machine", file_of(scheme), solvers, proof)


def relevance() -> Iterator[Entry]:
    """Raise the evidence of the three relevance machines."""
    rng = np.random.default_rng(3)
    x = np.linspace(-1, 1, 20)[:, None]
    y = np.sin(np.pi * x[:, 0]) + 0.2 * rng.normal(size=20)
    kernel: Kernel = RBF.from_theta(15)
    for machine, targets, stated in (
        (RelevanceRegression, y, "an evidence, not convex"),
        (RelevanceClassification, np.where(y > 0, 1, -1), "an evidence, not convex"),
        (ReweightedRelevance, y, "a convex problem in every step"),
    ):
        solution = machine(x, targets, kernel).solve()
        solver = "its own iteration" if machine is not ReweightedRelevance else "clarabel, in every step"
        proof = f"log evidence {solution.log_evidence:.4g}; {solution.stationarity}" if solution.converged else ""
        yield Entry(machine.__name__, stated, file_of(machine), solver, proof)


def build() -> list[Entry]:
    """Return all lines: by the file of the model, its forms after it in their order."""
    groups = [list(entries_of(model)) for model in models()]
    others: tuple[Callable[[], Iterator[Entry]], ...] = (perceptrons, discriminants, several_classes, relevance)
    groups += [[line] for group in others for line in group()]
    groups.append([calibration()])
    return [line for group in sorted(groups, key=lambda group: group[0].file) for line in group]


def is_form(entry: Entry) -> bool:
    """Return whether a line is about ``Model.form`` rather than a model."""
    return "." in entry.problem and "(" not in entry.problem


def draw(entries: list[Entry], path: Path) -> None:
    """Draw a mark for each model and each solver that was proved on it, or on one of its forms.

    Those that a rule or an iteration of their own solves are left out, and the soft margin with explicit features.
    """
    import matplotlib.pyplot as plt

    from formulations.plots.style import BLUE, GREY, VERMILLION, explain, style

    names: dict[str, None] = {}
    rows: list[tuple[str, set[str], set[str]]] = []
    for entry in entries:
        solvers = entry.solvers.split(", ")
        if "(" in entry.problem or not set(solvers) <= KNOWN:
            continue
        names |= dict.fromkeys(solvers)
        if is_form(entry):
            rows[-1][2].update(solvers)
        else:
            rows.append((entry.problem, set(solvers), set()))
    columns = sorted(names, key=lambda name: -sum(name in solvers for _, solvers, _ in rows))
    with style():
        figure, axes = plt.subplots(figsize=(7.6, 0.5 + 0.19 * len(rows)), layout="constrained")
        for label, mark, colour, which in (
            ("proved on the model as it is", "D", VERMILLION, lambda row: row[1] - row[2]),
            ("proved on a form", "o", BLUE, lambda row: row[2]),
        ):
            places = [(columns.index(name), k) for k, row in enumerate(rows) for name in which(row)]
            axes.plot(*zip(*places, strict=True), mark, color=colour, markersize=4.5, label=label)
        axes.grid(color=GREY, alpha=0.25, linewidth=0.6)
        axes.set(ylim=(len(rows) - 0.5, -0.5))
        axes.set_xticks(range(len(columns)), columns, rotation=60, ha="left", rotation_mode="anchor", fontsize=8)
        axes.set_yticks(range(len(rows)), [label for label, _, _ in rows], fontsize=7.5)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        explain([axes], own=True, columns=2)
        figure.savefig(path, dpi=100)
    plt.close(figure)


def breakable(name: str) -> str:
    """Return a path or name that a narrow column breaks behind / and _, and before dots and capitals of a class."""
    return re.sub(r"(?<=[/_])|(?<=[a-z])(?=[A-Z])|(?<=[a-z])(?=\.(?!py$)[a-z]\w*$)", "&#8203;", name)


def write(entries: list[Entry], path: Path) -> None:
    """Write the page.

    Raises
    ------
    ValueError
        If a cell is empty: no solver has proved that line.
    """
    for line in entries:
        empty = [heading for heading, cell in zip(HEADINGS, astuple(line), strict=True) if not cell]
        if empty:
            raise ValueError(f"the line of {line.problem} has nothing under {', '.join(empty)}")
    draw(entries, path.with_suffix(".png"))
    text = [
        "# The catalogue",
        "",
        f"![Models as rows, solvers as columns, and a mark where the solver's answer was proved]({path.stem}.png)",
        "",
        "Every model was stated on a sample of a bundled data set; it and its forms were given to every installed",
        "solver that takes them. The picture and the table show whose answers have a certificate that holds at",
        f"{TOLERANCE:g}. A line of the table has the worst of these proofs; the line of a model counts all its forms,",
        "and the solvers that take it as it is (smo, linear). The problem stands at the top of each file.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|" + "---|" * len(HEADINGS),
        *(
            f"| {' | '.join(map(breakable, (e.problem, e.stated, e.file)))} | {e.solvers} | {e.proof} |"
            for e in entries
        ),
        "",
        "## Make it again",
        "",
        "`make catalogue` solves everything anew and writes this page, as the tests do.",
    ]
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".md")
    write(build(), target)
    print(target)
