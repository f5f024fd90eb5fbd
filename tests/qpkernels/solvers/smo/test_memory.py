# SPDX-License-Identifier: BSD-3-Clause
"""A budget of memory: what a descent holds in it, and which ones are too small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders import two_classes
from formulations import NuMargin, SoftMargin
from qpkernels import RBF, Gram
from qpkernels.errors import ParameterError
from qpkernels.gram.panels.samples import DenseProduct, StreamedProduct
from qpkernels.kernels import Laplacian
from qpkernels.solvers.smo.descent import minimise
from qpkernels.solvers.smo.rows import Memory, remaining
from smo_problems import soft, soft_margin, solve

_PEAK = """
import json, resource, sys
import numpy as np
from formulations import SoftMargin
from qpkernels import RBF
X = np.load(sys.argv[1], mmap_mode="r")
y = np.where(np.arange(len(X)) % 2 == 0, -1.0, 1.0)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
SoftMargin(np.array(X[:3000]), y[:3000], RBF(0.05)).solve("smo", tol=1e-3)
before = peak()
solution = SoftMargin(X, y, RBF(0.05)).solve("smo", tol=1e-3, memory_budget=float(sys.argv[2]))
print(json.dumps([str(solution.status), peak() - before]))
"""


def separated(path: Path, samples: int) -> float:
    """Write two classes far apart, block by block, of which few samples are support vectors; return their MiB."""
    generator = np.random.default_rng(0)
    X = np.lib.format.open_memmap(path, "w+", float, (samples, 20))
    for start in range(0, samples, 10_000):
        block = X[start : start + 10_000]
        signs = np.where(np.arange(start, start + len(block)) % 2 == 0, -1.0, 1.0)
        block[:] = 0.3 * generator.normal(size=block.shape) + signs[:, None]
    X.flush()
    return float(X.nbytes / 2**20)


def test_a_mapped_file_is_solved_within_its_budget(tmp_path: Path) -> None:
    """Beside pages of the file the process grows by no more than that."""
    file = separated(tmp_path / "X.npy", 200_000)
    budget = 110.0
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(tmp_path / "X.npy"), str(budget)], check=True, stdout=subprocess.PIPE
    )
    status, grown = json.loads(done.stdout)
    assert status == "optimal"
    assert grown <= file + budget, grown


def problem(kernel: Any = None) -> Any:
    return soft(*two_classes(6000, shift=0.3, features=6), 5.0, kernel or RBF(0.5))


@pytest.mark.parametrize(
    ("kernel", "left", "streams"),
    [(RBF(0.5), np.inf, False), (RBF(0.5), 1e6, False), (RBF(0.5), 1e5, True), (Laplacian(0.5), 1e5, False)],
    ids=["no bound", "features held", "features made", "any kernel"],
)
def test_the_answer_does_not_depend_on_what_remains(
    kernel: Any, left: float, streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[slice]()
    make = StreamedProduct._made

    def noted(self: StreamedProduct, rows: slice) -> Any:
        made.append(rows)
        return make(self, rows)

    monkeypatch.setattr(StreamedProduct, "_made", noted)
    final = minimise(problem(kernel), 1e-6, 10**6, memory=Memory(2**20, left))
    assert final.proves(1e-6)
    assert bool(made) == streams


def test_features_are_held_where_they_fit_and_rows_take_the_rest() -> None:
    X = np.random.default_rng(0).normal(size=(10_000, 9))
    form, held = RBF(0.5).product_form(X), 1.8 * 10_000 * 10 * 4
    for left, kind, rows in (
        (np.inf, DenseProduct, 5000),
        (held + 100, DenseProduct, 100),
        (1e5, StreamedProduct, 5000),
    ):
        memory = Memory(5000, left)
        product = memory.product(form, X, np.float32)
        assert isinstance(product, kind)
        assert memory.for_rows(product) == rows


def test_nonzeros_are_compressed_where_they_fit() -> None:
    X = np.zeros((1000, 100))
    X[:, :10] = 1.0
    assert Memory(0).compresses(X)
    assert Memory(0, 1e6).compresses(X)
    assert not Memory(0, 1e5).compresses(X)


def test_the_least_budget_is_told_and_suffices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qpkernels.solvers.smo.rows.threads", lambda: 1)
    program = problem()
    with pytest.raises(ParameterError, match=r"memory_budget must be at least 42 MiB for 6000 samples.*but 8 came"):
        solve(program, memory_budget=8)
    assert remaining(program, 42 * 2**20, forms_matrix=False) < 2**20


def test_a_matrix_that_is_formed_counts() -> None:
    X, y = two_classes(900, shift=0.3)
    with pytest.raises(ParameterError, match="memory_budget must be at least 7 MiB"):
        solve(soft_margin(Gram(RBF(0.5), X), y), memory_budget=3)


@pytest.mark.parametrize("budget", [0, -1, float("nan"), "much"])
def test_a_budget_that_is_none_is_refused(budget: Any) -> None:
    with pytest.raises(ParameterError, match="memory_budget must be"):
        solve(problem(), memory_budget=budget)


@pytest.mark.parametrize("kind", [SoftMargin, NuMargin])
def test_models_hand_it_on_wherever_smo_is_asked(kind: Any) -> None:
    X, y = two_classes(60, shift=0.3)
    assert kind(X, y, RBF(0.5)).solve(memory_budget=100).status == "optimal"
    with pytest.raises(ParameterError, match="memory_budget"):
        SoftMargin(*two_classes(3000, shift=0.3), RBF(0.5)).solve(memory_budget=1)
