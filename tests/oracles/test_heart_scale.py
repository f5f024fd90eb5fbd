# SPDX-License-Identifier: BSD-3-Clause
"""heart_scale of LIBSVM, 270 x 13: optima certified elsewhere, and LIBSVM's own answers under our certificate.

The dual optima are certified to a relative gap of 5e-13 by an independent program. LIBSVM computes its kernel in
float32, which is why its answers are held to 1e-5. The other models are held to what its program svm-train prints at
-e 1e-8: objective, rho (the negative of the intercept), and numbers of support vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from formulations import NuMargin, NuTube, OneClass, SoftMargin, SoftTube
from formulations.modelling.inputs.estimators import scale_of_one_class
from qpkernels.errors import ParameterError
from qpkernels.files import Dataset, load_dataset
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial
from qpkernels.problems import Status


@dataclass(frozen=True)
class Row:
    """One line of the table; the name is kernel and C."""

    name: str
    kernel: Kernel
    svc: dict[str, Any]
    C: float
    optimum: float
    intercept: float
    n_support: int
    n_bounded: int
    squared_norm: float
    correct: int | None

    def model(self, data: Dataset) -> SoftMargin:
        return SoftMargin(data.X, data.y, self.kernel, C=self.C)


G = 1 / 13


def rbf(gamma: float) -> tuple[Kernel, dict[str, Any]]:
    return RBF(gamma), {"kernel": "rbf", "gamma": gamma}


LINEAR = (Linear(), {"kernel": "linear"})
CUBIC = (Polynomial(3, G, 0.0), {"kernel": "poly", "degree": 3, "gamma": G, "coef0": 0.0})

TABLE = [
    Row("rbf-1/13-1", *rbf(G), 1, -100.877291556940, -0.4245077131, 132, 107, 31.0021962325, 234),
    Row("rbf-0.07-1", *rbf(0.07), 1, -101.855064841174, -0.4264690667, 130, 107, 30.5366550491, 234),
    Row("rbf-1/13-10", *rbf(G), 10, -660.428596830540, -0.8566082788, 115, 55, 342.3494819281, 249),
    Row("rbf-1/13-100", *rbf(G), 100, -2526.925624155991, -1.1455143489, 107, 9, 2940.5773259172, 266),
    Row("rbf-0.5-1", *rbf(0.5), 1, -90.017944455953, -0.0010478723, 193, 69, 90.7283205890, None),
    Row("linear-1", *LINEAR, 1, -92.473374620170, 1.0490969058, 101, 88, 4.2518125701, 229),
    Row("cubic-1", *CUBIC, 1, -131.800252856338, 0.1657081262, 177, 151, 63.1522078539, None),
]
each_row = pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])


@pytest.fixture(scope="session")
def data(heart_scale: Path) -> Dataset:
    dataset = load_dataset(heart_scale)
    assert dataset.X.shape == (270, 13)
    assert int((dataset.y > 0).sum()) == 120
    return dataset


@each_row
def test_smo(row: Row, data: Dataset) -> None:
    solution = row.model(data).dual.solve("smo", tol=1e-12)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(row.optimum, rel=1e-11, abs=0)
    assert solution.intercept == pytest.approx(row.intercept, rel=0, abs=1e-8)
    assert (solution.n_support, solution.support.bounded.size) == (row.n_support, row.n_bounded)
    assert solution.function.squared_norm == pytest.approx(row.squared_norm, rel=1e-8, abs=0)


@each_row
def test_clarabel(row: Row, data: Dataset) -> None:
    solution = row.model(data).dual.solve("clarabel", tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(row.optimum, rel=1e-7, abs=0)
    assert solution.intercept == pytest.approx(row.intercept, rel=0, abs=1e-5)
    assert (solution.n_support, solution.support.bounded.size) == (row.n_support, row.n_bounded)


@pytest.mark.parametrize("row", [row for row in TABLE if row.correct is not None], ids=lambda row: row.name)
def test_training_accuracy(row: Row, data: Dataset) -> None:
    solution = row.model(data).dual.solve("smo", tol=1e-12)
    assert int((solution.function.predict(data.X) == data.y).sum()) == row.correct


@each_row
def test_libsvm(row: Row, data: Dataset) -> None:
    machine = SVC(C=row.C, tol=1e-8, **row.svc).fit(data.X, data.y)
    certificate = row.model(data).certify(machine)
    assert certificate.relative_gap < 1e-4
    assert certificate.holds(1e-4)
    assert certificate.dual_value == pytest.approx(-row.optimum, rel=1e-5, abs=0)
    assert certificate.dual_value <= -row.optimum * (1 + 1e-11) <= certificate.primal_value * (1 + 2e-11)
    assert float(machine.intercept_[0]) == pytest.approx(row.intercept, abs=5e-4)


@each_row
def test_default_libsvm_is_not_proved_to_six_digits(row: Row, data: Dataset) -> None:
    """Its default stopping rule leaves a gap that the certificate shows."""
    machine = SVC(C=row.C, **row.svc).fit(data.X, data.y)
    certificate = row.model(data).certify(machine)
    assert 1e-6 < certificate.relative_gap < 1e-2
    assert certificate.dual_value == pytest.approx(-row.optimum, rel=1e-5, abs=0)
    assert np.isfinite(certificate.primal_value)


# --- the other models, as svm-train prints them ---


RADIAL = rbf(G)[0]
SHARP = {"gamma": G, "tol": 1e-8}
CLOSE = 1e-5
"""svm-train prints six decimals, and computes its kernel in float32."""


@dataclass(frozen=True)
class Printed:
    """obj, rho, nSV and nBSV of svm-train."""

    objective: float
    rho: float
    n_support: int
    n_bounded: int

    def agrees(self, objective: float, rho: float, solution: Any) -> None:
        assert solution.status is Status.OPTIMAL
        assert objective == pytest.approx(self.objective, rel=CLOSE, abs=0)
        assert rho == pytest.approx(self.rho, rel=0, abs=CLOSE * max(1.0, abs(self.rho)))
        assert (solution.n_support, solution.support.bounded.size) == (self.n_support, self.n_bounded)


@pytest.mark.parametrize("form", ["dual", "primal"])
def test_nu_svc(form: str, data: Dataset) -> None:
    """LIBSVM divides f and b by rho; half the norm of that is its objective."""
    solution = NuMargin(data.X, data.y, RADIAL, nu=0.5).forms[form].solve("clarabel", tol=1e-9)
    rho = solution.margin_level
    Printed(9.563630, 0.226564, 145, 125).agrees(
        0.5 * solution.function.squared_norm / rho**2, -solution.intercept / rho, solution
    )
    cost = 1.0 / (len(data.y) * rho)
    assert cost == pytest.approx(0.465965, rel=CLOSE)
    same = SoftMargin(data.X, data.y, RADIAL, C=cost).dual.solve("smo", tol=1e-10)
    assert same.function(data.X) == pytest.approx(solution.function(data.X) / rho, abs=1e-4)


@pytest.mark.parametrize(("form", "solver"), [("dual", "smo"), ("dual", "clarabel"), ("primal", "clarabel")])
@pytest.mark.parametrize(
    ("kernel", "printed"),
    [(RADIAL, Printed(-95.509975, 0.225342, 200, 145)), (Linear(), Printed(-109.344322, -0.132953, 208, 194))],
    ids=["rbf", "linear"],
)
def test_epsilon_svr(form: str, solver: str, kernel: Kernel, printed: Printed, data: Dataset) -> None:
    solution = SoftTube(data.X, data.y, kernel, C=1.0, epsilon=0.1).forms[form].solve(solver, tol=1e-9)
    sign = 1.0 if form == "dual" else -1.0
    printed.agrees(sign * solution.objective, -solution.intercept, solution)


@pytest.mark.parametrize("form", ["dual", "primal"])
def test_nu_svr(form: str, data: Dataset) -> None:
    solution = NuTube(data.X, data.y, RADIAL, nu=0.5, C=1.0).forms[form].solve("clarabel", tol=1e-9)
    sign = 1.0 if form == "dual" else -1.0
    Printed(-107.405051, 0.332139, 154, 114).agrees(sign * solution.objective, -solution.intercept, solution)
    assert solution.epsilon == pytest.approx(0.225923, abs=CLOSE)


@pytest.mark.parametrize(("form", "solver"), [("dual", "smo"), ("dual", "clarabel"), ("primal", "clarabel")])
def test_one_class(form: str, solver: str, data: Dataset) -> None:
    """LIBSVM's multipliers add up to nu m, so that f and rho are nu m times ours, and its objective the square."""
    solution = OneClass(data.X, RADIAL, nu=0.5).forms[form].solve(solver, tol=1e-9)
    scale = scale_of_one_class(0.5, len(data.X))
    sign = 1.0 if form == "dual" else -1.0
    Printed(3366.935440, 54.425724, 141, 130).agrees(
        sign * solution.objective * scale**2, solution.rho * scale, solution
    )


def test_the_other_models_certify_libsvm(data: Dataset) -> None:
    X, y = data.X, data.y
    pairs = [
        (NuMargin(X, y, RADIAL, nu=0.5), NuSVC(nu=0.5, **SHARP).fit(X, y)),
        (SoftTube(X, y, RADIAL, C=1.0, epsilon=0.1), SVR(C=1.0, epsilon=0.1, **SHARP).fit(X, y)),
        (NuTube(X, y, RADIAL, nu=0.5, C=1.0), NuSVR(nu=0.5, C=1.0, **SHARP).fit(X, y)),
        (OneClass(X, RADIAL, nu=0.5), OneClassSVM(nu=0.5, **SHARP).fit(X)),
    ]
    for model, machine in pairs:
        assert model.certify(machine).holds(1e-4)
    others = (NuSVC(nu=0.52, **SHARP), SVR(C=1.1, **SHARP), NuSVR(nu=0.52, **SHARP), OneClassSVM(nu=0.52, **SHARP))
    for (model, _), other in zip(pairs, others, strict=True):
        with pytest.raises(ParameterError, match="but the model has"):
            model.certify(other.fit(X, y))
