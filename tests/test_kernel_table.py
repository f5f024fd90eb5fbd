# SPDX-License-Identifier: BSD-3-Clause
"""The table of kernels on the site, docs/api/kernels.md: every public kernel is in it, and it says what is so."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import qpkernels.kernels
from builders import KERNEL_EXAMPLES
from qpkernels import RBF, Columns, FunctionKernel, Kernel, Laplacian, Nystroem, Polynomial, Sigmoid
from qpkernels.kernels import Product, Sum

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "api" / "kernels.md"


@dataclass(frozen=True)
class Line:
    """What the table says of a kernel."""

    kernel: str
    semidefinite: str
    sparse: str


LINES = [
    Line(match[1].rpartition(".")[2], match[3], match[4])
    for match in re.finditer(
        r"^\| \{py:class\}`~([\w.]+)` \| (.+) \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
]
each_line = pytest.mark.parametrize("line", LINES, ids=[line.kernel for line in LINES])

SIGMOID, LAPLACIAN = Sigmoid(), Laplacian(1.0)
MADE_OF_INDEFINITE: dict[str, Kernel] = {
    "Columns": Columns(SIGMOID, (0, 1)),
    "Composed": SIGMOID.compose(abs),
    "Sum": RBF(1.0) + SIGMOID,
    "Product": SIGMOID * RBF(1.0),
    "Scaled": 2.0 * SIGMOID,
    "Power": SIGMOID**2,
    "Exponential": SIGMOID.exp(),
    "PolynomialOf": SIGMOID.polynomial([1.0, 1.0]),
}
MADE_OF_DENSE: dict[str, Kernel] = {
    "Columns": Columns(LAPLACIAN, (0, 1)),
    "Sum": RBF(1.0) + LAPLACIAN,
    "Product": LAPLACIAN * RBF(1.0),
    "Scaled": 2.0 * LAPLACIAN,
    "Power": LAPLACIAN**2,
    "Exponential": LAPLACIAN.exp(),
    "PolynomialOf": LAPLACIAN.polynomial([1.0, 1.0]),
    "Nystroem": Nystroem(LAPLACIAN, [[0.0], [1.0]]),
}


def example(line: Line) -> Kernel:
    return KERNEL_EXAMPLES[getattr(qpkernels.kernels, line.kernel)]


def test_the_table_has_every_public_kernel_once() -> None:
    assert sorted(line.kernel for line in LINES) == sorted(kind.__name__ for kind in KERNEL_EXAMPLES)


@each_line
def test_it_says_which_are_positive_semidefinite(line: Line) -> None:
    kernel = example(line)
    if line.semidefinite == "checked":
        assert not kernel.positive_semidefinite
        return
    assert kernel.positive_semidefinite
    if line.kernel in MADE_OF_INDEFINITE:
        assert line.semidefinite in ("if $k$ is", "if both are")
        assert (line.semidefinite == "if both are") == isinstance(kernel, Sum | Product)
        assert not MADE_OF_INDEFINITE[line.kernel].positive_semidefinite
    elif line.kernel == "Polynomial":
        assert line.semidefinite == r"if $c_0 \ge 0$"
        assert Polynomial(coef0=0.0).positive_semidefinite
        assert not Polynomial(coef0=-0.1).positive_semidefinite
    else:
        assert line.semidefinite == "always"


@each_line
def test_it_says_which_take_sparse_samples(line: Line) -> None:
    kernel = example(line)
    if line.kernel in MADE_OF_DENSE:
        assert line.sparse in ("if $k$ takes them", "if both take them")
        assert (line.sparse == "if both take them") == isinstance(kernel, Sum | Product)
        assert kernel.takes_sparse
        assert not MADE_OF_DENSE[line.kernel].takes_sparse
    elif isinstance(kernel, FunctionKernel):
        assert line.sparse == "if the function does"
        assert kernel.takes_sparse
    else:
        assert line.sparse == ("yes" if kernel.takes_sparse else "no")


NEW = """
import json
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import check_positive
from qpkernels.kernels import Kernel
from qpkernels.kernels.catalogue import KernelEntry, KernelParameter


@dataclass(frozen=True)
class RationalQuadratic(Kernel):
    width: float

    entry = KernelEntry(
        "rational",
        "Rational quadratic",
        (KernelParameter("width", "its width", 0.1, 10.0, 2.0),),
        others=("cauchy",),
        explored=True,
    )

    def __post_init__(self):
        object.__setattr__(self, "width", check_positive(self.width, "width"))

    def matrix(self, X, Z):
        return 1.0 / (1.0 + ((X[:, None] - Z[None]) ** 2).sum(axis=2) / self.width**2)

    def diagonal(self, X):
        return np.ones(len(X))


from typer.testing import CliRunner

from builders import KERNEL_EXAMPLES
from extensions.kernel_names import kernel_names
from formulations.commands.app import app
from formulations.commands.kernel_expression import read_kernel
from formulations.lab.settings import KERNELS

print(
    json.dumps(
        {
            "command": json.loads(CliRunner().invoke(app, ["kernels", "--json", "-"]).stdout),
            "expression": repr(read_kernel("cauchy(3)", np.eye(2))),
            "lab": repr(KERNELS["rational"].make({"width": 4.0})),
            "reference": [row for row in kernel_names().splitlines() if row.startswith("| `rational` ")],
            "tests": repr(KERNEL_EXAMPLES[RationalQuadratic]),
        }
    )
)
"""


def test_a_kernel_is_known_everywhere_by_its_entry_alone() -> None:
    """In a process of its own, since a kernel that has an entry stays known."""
    path = os.pathsep.join(str(ROOT / each) for each in ("", "tests", "docs"))
    done = subprocess.run(
        [sys.executable, "-c", NEW], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {"name": "rational", "others": ["cauchy"], "parameters": ["width"]} in found.pop("command")
    assert found == {
        "expression": "RationalQuadratic(width=3.0)",
        "lab": "RationalQuadratic(width=4.0)",
        "reference": ["| `rational` | `cauchy` | `width` |"],
        "tests": "RationalQuadratic(width=2.0)",
    }
