# SPDX-License-Identifier: BSD-3-Clause
"""Which two ways are measured beside each other, and on what data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array
from sklearn.datasets import load_breast_cancer, make_classification, make_moons

from benchmarks.tips import examples
from formulations import SoftMargin
from qpkernels import RBF
from qpkernels.arrays import Matrix, Vector

__all__ = ["PAIRS", "Pair"]

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Pair:
    """Two functions of the same arguments.

    Attributes
    ----------
    name
        Of the tip.
    slow, fast
        What is measured.
    data
        Makes the arguments, given the number of samples.
    size
        That number.
    tolerance
        Of what both return, the largest difference relative to the largest number; None: they answer two problems.
    """

    name: str
    slow: Callable[..., Any]
    fast: Callable[..., Any]
    data: Callable[[int], Arguments]
    size: int
    tolerance: float | None = 2e-6

    def check(self, slow: object, fast: object) -> None:
        """Compare what both returned.

        Raises
        ------
        AssertionError
            If they differ by more than the tolerance.
        """
        if self.tolerance is None:
            return
        one, other = np.asarray(slow, dtype=np.float64), np.asarray(fast, dtype=np.float64)
        difference = float(np.abs(one - other).max() / np.abs(one).max())
        assert difference <= self.tolerance, f"{self.name}: the answers differ by {difference:.1e}"


def _noisy(m: int, d: int = 10, **options: Any) -> tuple[Matrix, Vector]:
    """Return two classes, of which one label in twenty is wrong."""
    X, y = make_classification(m, d, n_informative=6, flip_y=0.05, random_state=0, **options)
    return X, y


def _texts(m: int) -> Arguments:
    """Return words of 60 letters whose frequencies differ between two classes, and costs."""
    random = np.random.default_rng(0)
    y = np.arange(m) % 2
    shares = ([0.25, 0.25, 0.25, 0.25], [0.35, 0.15, 0.15, 0.35])
    texts = ["".join(random.choice(list("acgt"), 60, p=shares[label])) for label in y]
    return texts, y, np.geomspace(0.1, 100.0, 4)


def _costs(m: int) -> Arguments:
    return (*_noisy(m), np.geomspace(10.0, 1000.0, 20))


def _grid(m: int) -> Arguments:
    return (*_noisy(m), [0.1, 1.0, 10.0, 100.0], [0.01, 0.1, 1.0])


def _classes(m: int) -> Arguments:
    return make_classification(m, 20, n_informative=12, n_classes=8, random_state=0)  # type: ignore[no-any-return]


def _growing(m: int) -> Arguments:
    return (*_noisy(m), m - 30)


def _sparse(m: int) -> Arguments:
    X = csr_array(random_array((m, 5000), density=0.005, rng=np.random.default_rng(0)))
    values = np.asarray(X @ np.random.default_rng(1).normal(size=5000))
    return X, np.where(values > 0, 1, -1)


def _units(m: int) -> Arguments:
    X, y = load_breast_cancer(return_X_y=True)
    return X[:m], y[:m]


def _machine(m: int) -> Arguments:
    X, y = _noisy(m)
    return SoftMargin(X[: m // 4], y[: m // 4], RBF(0.1)).solve(), X[m // 4 :]


def _files(m: int) -> Arguments:
    X, y = _noisy(m, 50)
    folder = Path(mkdtemp())
    np.savetxt(folder / "samples.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    np.savez(folder / "samples.npz", X=X, y=y)
    return (folder,)


def _copied(m: int) -> Arguments:
    X, y = _noisy(max(m // 10, 20))
    drawn = np.random.default_rng(0).integers(len(y), size=m)
    return X[drawn], y[drawn]


def _moons(m: int) -> Arguments:
    return make_moons(m, noise=0.25, random_state=0)  # type: ignore[no-any-return]


PAIRS = (
    Pair("one-matrix", examples.a_matrix_for_each_cost, examples.one_matrix_for_all_costs, _texts, 150),
    Pair("warm-start", examples.each_cost_from_zero, examples.each_cost_from_the_last, _costs, 1000),
    Pair("grid", examples.a_fit_at_a_time, examples.the_grid_as_a_whole, _grid, 800, tolerance=0.01),
    Pair("leave-one-out", examples.fits_without_each_sample, examples.only_those_that_matter, _noisy, 300, 1e-3),
    Pair("pairs", examples.a_machine_for_each_pair, examples.all_pairs_together, _classes, 6000),
    Pair("incremental", examples.again_from_zero, examples.from_the_present_answer, _growing, 3000),
    Pair("no-name", examples.a_named_solver, examples.no_name, _noisy, 1000),
    Pair("kernel", examples.a_function_of_my_own, examples.the_class_of_the_kernel, _noisy, 2000),
    Pair("linear", examples.inner_products_of_all, examples.the_features_themselves, partial(_noisy, d=20), 3000),
    Pair("sparse", examples.made_dense, examples.left_sparse, _sparse, 3000),
    Pair("scaling", examples.as_measured, examples.in_common_units, _units, 569, tolerance=None),
    Pair("tolerance", examples.to_nine_digits, examples.to_three_digits, _noisy, 3000, tolerance=1e-3),
    Pair("predict", examples.one_by_one, examples.all_at_once, _machine, 4000),
    Pair("files", examples.from_text, examples.from_an_archive, _files, 20_000, tolerance=0.0),
    Pair("copies", examples.copies, examples.costs_by_count, _copied, 8000),
    Pair("low-rank", examples.the_whole_matrix, examples.fifty_landmarks, _moons, 60_000, tolerance=2e-3),
)
"""In the order of the page."""
